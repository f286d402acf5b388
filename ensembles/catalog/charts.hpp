// The charts of orientations of explicit methods on bodies as formulas, and those of implicit methods and mechanisms.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "kernels/orientation/unit_quaternions.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using Charts = ChartList<RotationGroup, UnitQuaternions>;
using MechanismCharts = RotationAlone;

}  // namespace myriad::inline MYRIAD_VARIANT
