// The charts and integrators that run a mechanism file. One without constraints also takes those of rigid bodies:
// explicit methods on their charts. In joint coordinates a mechanism whose joints are all in its tree takes them.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TableMechanism = Mechanism<Real, TableTopology, Chart>;
using MechanismIntegrators = Together<ImplicitIntegrators, IntegratorList<Kinematics>>;

using ImplicitMechanisms = Family<SystemList<TableMechanism>, MechanismCharts, MechanismIntegrators>;
using ExplicitMechanisms = Family<SystemList<TableMechanism>, Charts, Integrators>;

template <class Real, template <class> class Chart>
using TreeMechanism = JointMechanism<Real, JointTopology, Chart>;

using JointMechanisms = Family<SystemList<TreeMechanism>, RotationAlone, Together<MechanismIntegrators, Integrators>>;

}  // namespace myriad::inline MYRIAD_VARIANT
