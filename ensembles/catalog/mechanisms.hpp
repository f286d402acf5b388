// The charts and integrators that run a mechanism file. One without constraints also takes the explicit methods of
// rigid bodies.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TableMechanism = Mechanism<Real, TableTopology, Chart>;
using MechanismIntegrators = Together<ImplicitIntegrators, IntegratorList<Kinematics>>;

using ImplicitMechanisms = Family<SystemList<TableMechanism>, MechanismCharts, MechanismIntegrators>;
using ExplicitMechanisms = Family<SystemList<TableMechanism>, MechanismCharts, Integrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
