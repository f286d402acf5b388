// Mechanism files with energy-momentum methods: on unit quaternions, the coordinates of `rotation`, of trees whose
// joints are all cut.
#pragma once
#include "ensembles/catalog/joint_mechanisms.hpp"
#include "kernels/integrators/mechanism/energy_momentum.hpp"
#include "kernels/joint_coordinates/energy_momentum_layout.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using MechanismEnergyMomentumIntegrators =
    IntegratorList<MechanismEnergyMomentum<LivensEnergyMomentum>, MechanismEnergyMomentum<LivensMidpointRule>,
                   MechanismEnergyMomentum<ConvectiveMember>>;

using MomentumMechanisms = Family<SystemList<TreeMechanism>, RotationAlone, MechanismEnergyMomentumIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
