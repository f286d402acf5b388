// The integrators that run a mechanism file in joint coordinates.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "kernels/joint_coordinates/driver_jumps.hpp"
#include "kernels/joint_coordinates/renewal.hpp"
#include "kernels/joint_coordinates/view.hpp"
#include "kernels/run/within_step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using TreeMechanism = JointMechanism<Real, JointTopology, Chart>;

using JointMechanisms = Family<SystemList<TreeMechanism>, RotationAlone, Together<MechanismIntegrators, Integrators>>;

}  // namespace myriad::inline MYRIAD_VARIANT
