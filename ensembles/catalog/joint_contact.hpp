// Mechanism files with contacts in joint coordinates, by timestepping; those without contacts may use it too.
#pragma once
#include "ensembles/catalog/joint_mechanisms.hpp"
#include "ensembles/catalog/mechanism_contact.hpp"
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "kernels/joint_coordinates/stage_equations.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using JointContacts = Family<SystemList<TreeMechanism>, RotationAlone, MechanismContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
