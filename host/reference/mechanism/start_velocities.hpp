// The velocities from which the start of a mechanism begins: given ones, and no rate in joints that the file says
// nothing of.
//
// Outward along the tree of joints a body moves with its carrier, changed by the least motion that meets conditions.
// They are met one after the other: given velocities, the rows of its joint, the rows of drivers on it. The motion is
// the velocity of the joint's point over the length scale and the angular velocity. A condition that follows from
// earlier ones, or contradicts them, is left out. Velocities that several joints must meet together come last: of all
// motions in which the other joints keep their rates, by
//
//   [M A^T; A 0] (d, m) = (0, r),  A d = r: rows of joints and drivers, given velocities, and joints that keep rates
//
// in the coordinates of all bodies. Not handled: rows of loops (mechanism_start.hpp).
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

// `mass`: of the norm in which changes are small.
struct StartVelocities {
    Eigen::VectorXd walked, together;  // each joint for itself; then together, the same if none must
};
StartVelocities start_velocities(const MechanismModel& model, const Eigen::MatrixXd& mass, MechanismState state);

// The 2-norm over all given velocities of their change (over the length scale, angular), 1/s.
double change_of_given_velocities(const MechanismModel& model, const std::vector<BodyState>& given,
                                  const MechanismState& state);

}  // namespace myriad::reference
