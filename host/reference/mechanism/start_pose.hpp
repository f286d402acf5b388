// Turns bodies whose joints lie far off before Newton's method puts a mechanism together. There rows have small
// gradients, or the nearest solution is another joint's.
//
//   axes that are to be parallel, by more than 86 degrees apart     onto each other
//   axes of a universal joint, within 4 degrees of parallel         until they are perpendicular
//   driven angles, by more than 1.5 rad off                         to their drivers' values
//   references of sliding joints, by more than 1.5 rad apart        onto each other
//
// A body turns about its joint's point by the least angle, with all bodies that it carries; pinned orientations stay.
// A body without a given position then hangs on its joint: it takes driven angles and moves to its drivers' slides,
// other slides 0, with what hangs on it. A driven body on which something hangs moves by the least translation that
// meets its joint and drivers, with all that it carries.
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

// The displacement of all bodies, 6 each.
Eigen::VectorXd turn_far_bodies(const MechanismModel& model, MechanismState& state);

}  // namespace myriad::reference
