// Systems in coordinates of their own, compiled for one vector width.
#include "ensembles/catalog/chains.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList chain_entries() { return EntriesOf<ChainSystems, ChartList<RotationGroup>, ChainIntegrators>::list(); }

}  // namespace myriad::backends::inline MYRIAD_VARIANT
