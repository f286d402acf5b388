// A mechanism of the reference path from its definition in a file and the numbers of one instance.
#pragma once
#include <span>

#include "host/mechanism/model/model.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// Gravity, bodies with mass and inertia, the elements of joints and those behind them, loads, and the bodies of the
// tree with the coordinates that drivers prescribe: of two drivers the first one. Everything else is left open.
MechanismModel defined_mechanism(const model::Model& model, std::span<const double> values);

}  // namespace myriad::reference
