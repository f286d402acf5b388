// The systems of the catalog compiled for one vector width.
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends {

namespace {

template <template <class> class... Chart>
constexpr int length(ChartList<Chart...>) {
    return sizeof...(Chart);
}
template <class... Integrator>
constexpr int length(IntegratorList<Integrator...>) {
    return sizeof...(Integrator);
}
template <template <class, template <class> class> class... System>
constexpr int length(SystemList<System...>) {
    return sizeof...(System);
}

struct Catalog {
    static constexpr int capacity = length(Systems{}) * length(Charts{}) * length(Integrators{}) +
                                    length(MechanismCharts{}) * length(MechanismIntegrators{});
    KernelEntry entries[capacity];
    int count = 0;

    template <template <class, template <class> class> class System, template <class> class Chart, class... Integrator>
    void add_integrators(IntegratorList<Integrator...>) {
        ((entries[count++] = entry<Integrator, System, Chart>()), ...);
    }
    template <template <class, template <class> class> class System, template <class> class... Chart>
    void add_charts(ChartList<Chart...>) {
        (add_integrators<System, Chart>(Integrators{}), ...);
    }
    template <template <class, template <class> class> class... System>
    explicit Catalog(SystemList<System...>) {
        (add_charts<System>(Charts{}), ...);
        const KernelList mechanisms = mechanism_entries();
        for (int i = 0; i < mechanisms.count; ++i) entries[count++] = mechanisms.entries[i];
    }
};

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

KernelList MYRIAD_JOIN(MYRIAD_VARIANT, _kernels)() {
    static const Catalog catalog{Systems{}};
    return {catalog.entries, catalog.count};
}

}  // namespace myriad::backends
