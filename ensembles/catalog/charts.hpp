// The charts of orientations that a study can name.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "kernels/euler_parameters.hpp"
#include "kernels/euler_zxz.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Those for explicit and those for implicit methods.
using Charts = ChartList<RotationGroup, CardanChart, CardanBodyRateChart>;
using MechanismCharts = ChartList<RotationGroup, EulerParameterChart, EulerZxzChart, CardanChart>;

}  // namespace myriad::inline MYRIAD_VARIANT
