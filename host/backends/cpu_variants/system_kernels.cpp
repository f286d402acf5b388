// Systems with explicit methods, compiled for one vector width.
#include "ensembles/catalog/bodies.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList system_entries() { return EntriesOf<Systems, Charts, Integrators>::list(); }

}  // namespace myriad::backends::inline MYRIAD_VARIANT
