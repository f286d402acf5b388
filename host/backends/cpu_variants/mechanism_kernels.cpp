// Mechanisms, read from tables, compiled for one vector width.
#include "ensembles/catalog/mechanisms.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList mechanism_entries() {
    return EntriesOf<SystemList<TableMechanism>, MechanismCharts, MechanismIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
