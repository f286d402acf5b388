// The tree of joints of a mechanism of the kernels as the reference path sees it: which bodies hang on which by which
// joint and what drives them, from the table; points and axes from the rows of the joints in body coordinates, not from
// the links' parameters.
#pragma once
#include <span>

#include "host/reference/mechanism/mechanism_model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Adds the tree to the model of the same table, unless joint coordinates do not take the mechanism. Angles that a
// driver prescribes begin in the turn of its function.
void add_tree(const MechanismTable& table, std::span<const double> parameters, reference::MechanismModel& model);

// Whether no friction and no rotor is negative and dry friction turns round over a positive rate.
bool describes_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters);
// Adds friction, rotors and forces of the tree's coordinates, which act on the value of an element that measures them.
void add_laws_of_coordinates(const MechanismTable& table, std::span<const double> parameters,
                             reference::MechanismModel& model);

}  // namespace myriad::backends
