// Systems with contact, by schemes without Newton's method, compiled for one vector width.
#include "ensembles/catalog/contact.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList contact_explicit_entries() {
    return EntriesOf<ContactSystems, ChartList<RotationGroup>, ExplicitContactIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
