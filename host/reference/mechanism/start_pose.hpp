// Turns bodies whose joints lie far off before Newton's method puts a mechanism together: axes that are to be parallel
// by more than 86 degrees onto each other, those of a universal joint by less than 4 degrees apart or opposed until
// they are perpendicular, and driven angles by more than 1.5 rad to their drivers' values. There rows have small
// gradients, or the nearest solution is another joint's.
//
// A body turns about its joint's point by the least angle, with all bodies that it carries; pinned orientations stay.
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

// The displacement of all bodies, 6 each.
Eigen::VectorXd turn_far_bodies(const MechanismModel& model, MechanismState& state);

}  // namespace myriad::reference
