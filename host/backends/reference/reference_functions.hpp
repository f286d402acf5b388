// Formulas of a mechanism as the reference path sees them.
#pragma once
#include <span>

#include "host/mechanism/mechanism.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::backends {

// Functions of time and formulas of forces on coordinates, at the numbers of an instance; `model` has the variables of
// the latter.
void give_functions(const mechanism::Mechanism& mechanism, std::span<const double> numbers,
                    reference::MechanismModel& model);

}  // namespace myriad::backends
