// Energy-momentum methods: they hold orientations as unit quaternions, which are the coordinates of `rotation`. For one
// body, and for systems in coordinates of their own that have no acceleration as a function of their state.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/energy_momentum.hpp"
#include "kernels/systems/mass_spring.hpp"
#include "kernels/systems/spring_pendulum.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using BodyMomentumIntegrators =
    IntegratorList<EnergyMomentum<Livens>, EnergyMomentum<LivensMidpoint>, EnergyMomentum<Convective>>;
using LagrangianSystems = SystemList<MassSpring, SpringPendulum>;
using LagrangianIntegrators = IntegratorList<EnergyMomentum<Livens>, EnergyMomentum<LivensMidpoint>>;

using MomentumBodies = Family<Systems, RotationAlone, BodyMomentumIntegrators>;
using Lagrangians = Family<LagrangianSystems, RotationAlone, LagrangianIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
