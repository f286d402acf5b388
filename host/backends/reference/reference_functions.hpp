// Formulas of a mechanism as the reference path sees them.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// A table that formulas look up, as the reference path makes it of the points.
std::shared_ptr<const reference::TabulatedFunction> table_at(const MechanismTable& table, int number);
// An instruction of the kernels as one of the reference path, and the registers that it reads.
reference::TimeOperation time_operation(Operation operation);
int operands_of(Operation operation);

// All functions of time from their formulas, at the numbers of an instance.
std::vector<reference::TimeFunction> functions_of(const mechanism::Mechanism& mechanism,
                                                  std::span<const double> numbers);

}  // namespace myriad::backends
