// Mechanism files with contacts, by timestepping on the rotation group; those without contacts may use it too.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "kernels/integrators/mechanism/ed_alpha.hpp"
#include "kernels/integrators/mechanism/half_explicit.hpp"
#include "kernels/integrators/mechanism/timestepping_members.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using MechanismContactIntegrators =
    IntegratorList<MechanismTimestepping<MechanismGeneralizedAlpha>, MechanismTimestepping<MechanismBathe>,
                   MechanismTimestepping<MechanismMoreau>, MechanismTimestepping<MechanismHalfExplicit>,
                   MechanismTimestepping<MechanismEdAlpha>>;

using ContactMechanisms = Family<SystemList<TableMechanism>, RotationAlone, MechanismContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
