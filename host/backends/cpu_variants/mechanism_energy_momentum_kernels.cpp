// Mechanisms, read from tables, with energy-momentum methods, compiled for one vector width.
#include "ensembles/catalog/mechanism_energy_momentum.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList mechanism_energy_momentum_entries() {
    return EntriesOf<SystemList<TableMechanism>, ChartList<RotationGroup>, MechanismEnergyMomentumIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
