// Systems with contact, friction and impact, by timestepping: in coordinates of their own, or on the rotation group.
#pragma once
#include "ensembles/catalog/charts.hpp"
#include "kernels/integrators/timestepping_explicit.hpp"
#include "kernels/integrators/timestepping_members.hpp"
#include "kernels/systems/bouncing_ball.hpp"
#include "kernels/systems/cradle.hpp"
#include "kernels/systems/rolling_ball.hpp"
#include "kernels/systems/rolling_disc.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/sliding_block.hpp"
#include "kernels/systems/three_masses.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ContactSystems = SystemList<ThreeMasses, ThreeMassesHeld, BouncingBall, SlidingBlock, Cradle, RollingDisc,
                                  RollingBall, SliderCrankClearance>;

// Without and with Newton's method; compiled apart.
using ExplicitContactIntegrators = IntegratorList<Timestepping<MoreauMidpoint>, Timestepping<HalfExplicit>>;
using OneStageContactIntegrators =
    IntegratorList<Timestepping<NonsmoothGeneralizedAlpha>, Timestepping<NonsmoothBathe>>;
using TwoStageContactIntegrators = IntegratorList<Timestepping<NonsmoothEdAlpha>>;
using ContactIntegrators = Together<ExplicitContactIntegrators, OneStageContactIntegrators, TwoStageContactIntegrators>;

using ExplicitContacts = Family<ContactSystems, RotationAlone, ExplicitContactIntegrators>;
using OneStageContacts = Family<ContactSystems, RotationAlone, OneStageContactIntegrators>;
using TwoStageContacts = Family<ContactSystems, RotationAlone, TwoStageContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
