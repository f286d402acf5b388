// The charts of orientations of explicit methods, and those of implicit ones.
#pragma once
#include "ensembles/catalog/lists.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using Charts = RotationAlone;
using MechanismCharts = RotationAlone;

}  // namespace myriad::inline MYRIAD_VARIANT
