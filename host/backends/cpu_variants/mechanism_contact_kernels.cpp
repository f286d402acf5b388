// Mechanisms with contacts, read from tables, compiled for one vector width.
#include "ensembles/catalog/mechanism_contact.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList mechanism_contact_entries() {
    return EntriesOf<SystemList<TableMechanism>, ChartList<RotationGroup>, MechanismContactIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
