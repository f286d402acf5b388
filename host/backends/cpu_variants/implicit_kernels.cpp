// Systems with implicit methods, compiled for one vector width.
#include "ensembles/catalog/bodies.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList implicit_entries() { return EntriesOf<Systems, MechanismCharts, ImplicitIntegrators>::list(); }

}  // namespace myriad::backends::inline MYRIAD_VARIANT
