// The charts and implicit integrators that run a mechanism file in six coordinates of each body.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TableMechanism = Mechanism<Real, TableTopology, Chart>;
using MechanismIntegrators = Together<ImplicitIntegrators, IntegratorList<Kinematics>>;

using ImplicitMechanisms = Family<SystemList<TableMechanism>, MechanismCharts, MechanismIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
