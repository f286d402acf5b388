// What acts on the tree of joints of a mechanism on the reference path, from the kernels' table.
#pragma once
#include <span>

#include "host/reference/mechanism/mechanism_model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Adds start values, and says which drivers and couplings are redundant. The tree goes where joint coordinates do not
// take the mechanism. Angles that a driver prescribes begin in the turn of its function.
void complete_tree(const MechanismTable& table, reference::MechanismModel& model);

// Whether no friction and no rotor is negative and dry friction turns round over a positive rate.
bool describes_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters);

}  // namespace myriad::backends
