// Mechanisms without constraints, read from tables, with explicit methods, compiled for one vector width.
#include "ensembles/catalog/mechanisms.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList explicit_mechanism_entries() { return EntriesOf<SystemList<TableMechanism>, Charts, Integrators>::list(); }

}  // namespace myriad::backends::inline MYRIAD_VARIANT
