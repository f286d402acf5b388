// Mechanisms, read from tables, compiled for one vector width.
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

namespace {

struct Entries {
    KernelEntry entries[64];
    int count = 0;

    template <template <class> class Chart, class... Integrator>
    void add_integrators(IntegratorList<Integrator...>) {
        ((entries[count++] = entry<Integrator, TableMechanism, Chart>()), ...);
    }
    template <template <class> class... Chart>
    explicit Entries(ChartList<Chart...>) {
        (add_integrators<Chart>(MechanismIntegrators{}), ...);
    }
};

}  // namespace

KernelList mechanism_entries() {
    static const Entries made{MechanismCharts{}};
    return {made.entries, made.count};
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
