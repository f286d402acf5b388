// Members that the LGIM paper compares the rotation group with: Cardan angles, with explicit and implicit methods, of
// bodies as formulas. Mechanisms: papers/charts/.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ExplicitChartsOfLgim = ChartList<CardanChart, CardanBodyRateChart>;
using ImplicitChartsOfLgim = ChartList<CardanChart>;

using ExplicitBodiesOfLgim = Family<Systems, ExplicitChartsOfLgim, Integrators>;
using ImplicitBodiesOfLgim = Family<Systems, ImplicitChartsOfLgim, ImplicitIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
