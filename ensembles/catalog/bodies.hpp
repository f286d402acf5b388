// Rigid bodies as formulas, with explicit and implicit methods.
#pragma once
#include "ensembles/catalog/charts.hpp"
#include "kernels/integrators/adaptive_runge_kutta.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/systems/free_rigid_body.hpp"
#include "kernels/systems/heavy_top.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using Systems = SystemList<HeavyTop, FreeRigidBody>;
using Integrators =
    IntegratorList<RungeKutta<Rk4>, RungeKutta<Rk67>, AdaptiveRungeKutta<Ode23>, AdaptiveRungeKutta<Dopri5>>;

using ImplicitIntegrators = IntegratorList<Implicit<GeneralizedAlpha>, Implicit<ImplicitEuler>>;

using ExplicitBodies = Family<Systems, Charts, Integrators>;
using ImplicitBodies = Family<Systems, RotationAlone, ImplicitIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
