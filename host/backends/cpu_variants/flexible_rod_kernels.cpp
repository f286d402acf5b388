// Slider-cranks with a flexible rod, compiled for one vector width.
#include "ensembles/catalog/flexible_rods.hpp"
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

KernelList flexible_rod_entries() {
    return EntriesOf<FlexibleRodSystems, ChartList<RotationGroup>, ContactIntegrators>::list();
}

}  // namespace myriad::backends::inline MYRIAD_VARIANT
