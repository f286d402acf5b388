// The velocities from which the start of a mechanism begins: given ones, and no rate in joints of which nothing is
// said.
//
// Outward along the tree of joints a body moves with the one that carries it, changed by the least (velocity of the
// joint's point over the length scale, angular velocity) with which it has, one condition after the other, the given
// velocities, the rows of its joint and those of drivers on it. A condition that follows from those before it, or
// contradicts them, is left out. Not handled: rows of loops (mechanism_start.hpp).
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

void carry_bodies(const MechanismModel& model, MechanismState& state);

// The 2-norm over all given velocities of their change (over the length scale, angular), 1/s.
double change_of_given_velocities(const MechanismModel& model, const std::vector<BodyState>& given,
                                  const MechanismState& state);

}  // namespace myriad::reference
