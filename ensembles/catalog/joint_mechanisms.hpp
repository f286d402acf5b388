// The integrators that run a mechanism file, on a tree of joints.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/joint_coordinates/driver_jumps.hpp"
#include "kernels/joint_coordinates/renewal.hpp"
#include "kernels/joint_coordinates/view.hpp"
#include "kernels/run/within_step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TreeMechanism = JointMechanism<Real, JointTopology, Chart>;

using JointMechanisms = Family<SystemList<TreeMechanism>, RotationAlone,
                               Together<ImplicitIntegrators, IntegratorList<Kinematics>, Integrators>>;

}  // namespace myriad::inline MYRIAD_VARIANT
