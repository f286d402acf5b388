// The charts of orientations of explicit methods on bodies as formulas.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "kernels/orientation/unit_quaternions.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using Charts = ChartList<RotationGroup, UnitQuaternions>;

}  // namespace myriad::inline MYRIAD_VARIANT
