// Mechanism files with contacts, by timestepping; those without contacts may use it too.
#pragma once
#include "ensembles/catalog/joint_mechanisms.hpp"
#include "kernels/integrators/contact/ed_alpha.hpp"
#include "kernels/integrators/contact/half_explicit.hpp"
#include "kernels/integrators/contact/members.hpp"
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "kernels/joint_coordinates/stage_equations.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using MechanismContactIntegrators =
    IntegratorList<Timestepping<NonsmoothGeneralizedAlpha>, Timestepping<BatheWithJoints>,
                   Timestepping<MoreauWithJoints>, Timestepping<HalfExplicitWithJoints>,
                   Timestepping<NonsmoothEdAlpha>>;

using JointContacts = Family<SystemList<TreeMechanism>, RotationAlone, MechanismContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
