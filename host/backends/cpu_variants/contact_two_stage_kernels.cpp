// Systems with contact, by schemes with two implicit stages at once, compiled for one vector width.
#include "ensembles/catalog/contact.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList contact_two_stage_entries() {
    return EntriesOf<ContactSystems, ChartList<RotationGroup>, TwoStageContactIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
