// Systems with energy-momentum methods, compiled for one vector width.
#include "ensembles/catalog/energy_momentum.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList body_momentum_entries() {
    return EntriesOf<Systems, ChartList<RotationGroup>, BodyMomentumIntegrators>::list();
}
KernelList lagrangian_entries() {
    return EntriesOf<LagrangianSystems, ChartList<RotationGroup>, LagrangianIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
