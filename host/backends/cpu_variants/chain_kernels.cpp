// Systems in coordinates of their own, compiled for one vector width.
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

namespace {

struct Entries {
    KernelEntry entries[16];
    int count = 0;

    template <template <class, template <class> class> class System, class... Integrator>
    void add_integrators(IntegratorList<Integrator...>) {
        ((entries[count++] = entry<Integrator, System, RotationGroup>()), ...);
    }
    template <template <class, template <class> class> class... System>
    explicit Entries(SystemList<System...>) {
        (add_integrators<System>(Integrators{}), ...);
    }
};

}  // namespace

KernelList chain_entries() {
    static const Entries made{ChainSystems{}};
    return {made.entries, made.count};
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
