// A mechanism of the reference path from its definition in a file and the numbers of one instance.
#pragma once
#include <span>

#include "host/mechanism/model/model.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// All that acts between bodies and on them, but for functions of time and for formulas of forces, whose variables stand
// in the order of their names; the tree with the coordinates that drivers prescribe: of two drivers the first one.
// Bodies stand and move as the file has them. Left open are what start values of joints change, the order in which
// bodies are placed, redundant rows, and whether dry friction is a set of forces.
MechanismModel defined_mechanism(const model::Model& model, std::span<const double> values);

}  // namespace myriad::reference
