// Systems with contact, friction and impact in coordinates of their own, by timestepping.
#pragma once
#include "ensembles/catalog/charts.hpp"
#include "kernels/integrators/contact/ed_alpha.hpp"
#include "kernels/integrators/contact/half_explicit.hpp"
#include "kernels/integrators/contact/members.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ContactSystems = SystemList<SliderCrankClearance>;

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
