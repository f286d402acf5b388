// What the LGIM paper compares the rotation group with: Cardan angles, with explicit and implicit methods.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ExplicitChartsOfLgim = ChartList<CardanChart, CardanBodyRateChart>;
using ImplicitChartsOfLgim = ChartList<CardanChart>;

using ExplicitBodiesOfLgim = Family<Systems, ExplicitChartsOfLgim, Integrators>;
using ImplicitBodiesOfLgim = Family<Systems, ImplicitChartsOfLgim, ImplicitIntegrators>;
using ExplicitMechanismsOfLgim = Family<SystemList<TableMechanism>, ExplicitChartsOfLgim, Integrators>;
using ImplicitMechanismsOfLgim = Family<SystemList<TableMechanism>, ImplicitChartsOfLgim, MechanismIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
