// What acts on the tree of joints of a mechanism on the reference path, from the kernels' table.
#pragma once
#include <span>

#include "host/reference/mechanism/mechanism_model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Adds couplings and start values to the tree, which goes where joint coordinates do not take the mechanism, and
// leaves out redundant drivers. Angles that a driver prescribes begin in the turn of its function.
void complete_tree(const MechanismTable& table, std::span<const double> parameters, reference::MechanismModel& model);

// Whether no friction and no rotor is negative and dry friction turns round over a positive rate.
bool describes_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters);
// Adds friction, rotors and forces of the tree's coordinates, which act on the value of an element that measures them.
void add_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters,
                             reference::MechanismModel& model);

}  // namespace myriad::backends
