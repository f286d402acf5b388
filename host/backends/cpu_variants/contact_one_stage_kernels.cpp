// Systems with contact, by schemes with one implicit stage at a time, compiled for one vector width.
#include "ensembles/catalog/contact.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList contact_one_stage_entries() {
    return EntriesOf<ContactSystems, ChartList<RotationGroup>, OneStageContactIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
