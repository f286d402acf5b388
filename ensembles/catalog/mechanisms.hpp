// The charts and integrators that run a mechanism file. One without constraints also takes those of rigid bodies:
// explicit methods on their charts.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TableMechanism = Mechanism<Real, TableTopology, Chart>;
using MechanismIntegrators = Together<ImplicitIntegrators, IntegratorList<Kinematics>>;

using ImplicitMechanisms = Family<SystemList<TableMechanism>, MechanismCharts, MechanismIntegrators>;
using ExplicitMechanisms = Family<SystemList<TableMechanism>, Charts, Integrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
