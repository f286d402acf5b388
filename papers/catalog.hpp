// The members that only comparisons with papers need, beside those of the product's catalog. A build has them with
// MYRIAD_PAPERS; host/catalog/ knows their names in every build.
#pragma once
#include "ensembles/catalog.hpp"
#include "papers/charts/kernels/members.hpp"
#include "papers/lgim/kernels/members.hpp"
#include "papers/livens/kernels/members.hpp"
#include "papers/rA/kernels/members.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using CatalogOfPapers = FamilyList<ExplicitBodiesOfLgim, ImplicitBodiesOfLgim, ImplicitBodiesOfRa, MechanismsOnCharts,
                                   MomentumBodiesOfLivens, LagrangiansOfLivens>;

}  // namespace myriad::inline MYRIAD_VARIANT
