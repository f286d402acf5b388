// The catalog: every system, chart and integrator that a study can name. To add one, write its file and add it here.
//
// Backends, tests, benches and the program's lists are generated from these lines. Each entry has a `name`, as in
// studies, and a `type_name`, as in the source of a GPU kernel. A system and an integrator also bring an Eigen twin of
// the same name in host/reference/: a missing one is refused by the tests of the catalog.
#pragma once
#include "kernels/advance.hpp"
#include "kernels/euler_parameters.hpp"
#include "kernels/euler_zxz.hpp"
#include "kernels/integrators/adaptive_runge_kutta.hpp"
#include "kernels/integrators/energy_momentum.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/integrators/mechanism_energy_momentum.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/systems/free_rigid_body.hpp"
#include "kernels/systems/heavy_top.hpp"
#include "kernels/systems/mass_spring.hpp"
#include "kernels/systems/puma560.hpp"
#include "kernels/systems/spring_pendulum.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <template <class, template <class> class> class... System>
struct SystemList {};
template <template <class> class... Chart>
struct ChartList {};
template <class... Integrator>
struct IntegratorList {};

using Systems = SystemList<HeavyTop, FreeRigidBody>;
using Charts = ChartList<RotationGroup, CardanChart>;
using Integrators =
    IntegratorList<RungeKutta<Rk4>, RungeKutta<Rk67>, AdaptiveRungeKutta<Ode23>, AdaptiveRungeKutta<Dopri5>>;

// Systems in coordinates of their own, on which a chart has no influence: members on `rotation` alone.
using ChainSystems = SystemList<Puma560>;
using ChainIntegrators =
    IntegratorList<RungeKutta<Rk4>, RungeKutta<Rk67>, AdaptiveRungeKutta<Ode23>, AdaptiveRungeKutta<Dopri5>,
                   Implicit<GeneralizedAlpha>, Implicit<ImplicitEuler>>;

// Implicit methods take every system on any of the charts of mechanisms.
using ImplicitIntegrators = IntegratorList<Implicit<GeneralizedAlpha>, Implicit<ImplicitEuler>>;

// Energy-momentum methods hold orientations as unit quaternions, which are the coordinates of `rotation`: of one body,
// and of systems in coordinates of their own that have no acceleration as a function of their state.
using BodyMomentumIntegrators =
    IntegratorList<EnergyMomentum<Livens>, EnergyMomentum<LivensFull>, EnergyMomentum<LivensNullSpace>,
                   EnergyMomentum<HamiltonianEnergy>, EnergyMomentum<LivensMidpoint>,
                   EnergyMomentum<HamiltonianMidpoint>, EnergyMomentum<Convective>>;
using LagrangianSystems = SystemList<MassSpring, SpringPendulum>;
using LagrangianIntegrators =
    IntegratorList<EnergyMomentum<Livens>, EnergyMomentum<LivensFull>, EnergyMomentum<LivensMidpoint>>;

// What runs a mechanism file: any of these charts with any of these integrators, and one without constraints with those
// of the systems above.
template <class Real, template <class> class Chart>
using TableMechanism = Mechanism<Real, TableTopology, Chart>;
using MechanismCharts = ChartList<RotationGroup, EulerParameterChart, EulerZxzChart, CardanChart>;
using MechanismIntegrators = IntegratorList<Implicit<GeneralizedAlpha>, Implicit<ImplicitEuler>, Kinematics>;

// On unit quaternions, the coordinates of `rotation`, and on joints with a discrete gradient.
using MechanismEnergyMomentumIntegrators =
    IntegratorList<MechanismEnergyMomentum<LivensEnergyMomentum>, MechanismEnergyMomentum<LivensMidpointRule>,
                   MechanismEnergyMomentum<ConvectiveMember>>;

}  // namespace myriad::inline MYRIAD_VARIANT
