// Mechanism files with energy-momentum methods: on unit quaternions, the coordinates of `rotation`.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "kernels/integrators/mechanism/energy_momentum.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using MechanismEnergyMomentumIntegrators =
    IntegratorList<MechanismEnergyMomentum<LivensEnergyMomentum>, MechanismEnergyMomentum<LivensMidpointRule>,
                   MechanismEnergyMomentum<ConvectiveMember>>;

using MomentumMechanisms = Family<SystemList<TableMechanism>, RotationAlone, MechanismEnergyMomentumIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
