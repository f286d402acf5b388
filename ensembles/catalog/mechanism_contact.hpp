// Mechanism files with contacts, by timestepping on the rotation group; those without contacts may use it too.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "kernels/integrators/contact/ed_alpha.hpp"
#include "kernels/integrators/contact/half_explicit.hpp"
#include "kernels/integrators/contact/members.hpp"
#include "kernels/mechanism/contact/stage_equations.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using MechanismContactIntegrators =
    IntegratorList<Timestepping<NonsmoothGeneralizedAlpha>, Timestepping<BatheWithJoints>,
                   Timestepping<MoreauWithJoints>, Timestepping<HalfExplicitWithJoints>,
                   Timestepping<NonsmoothEdAlpha>>;

using ContactMechanisms = Family<SystemList<TableMechanism>, RotationAlone, MechanismContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
