// Functions of time and of coordinates of the kernels' table as the reference path sees them.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "host/reference/mechanism/mechanism_model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// The table that an instruction looks up, as the reference path makes it of the points; null where it looks up none.
std::shared_ptr<const reference::TabulatedFunction> table_of(const MechanismTable& table,
                                                             const Instruction& instruction);
// An instruction of the kernels as one of the reference path, and the registers that it reads.
reference::TimeOperation time_operation(Operation operation);
int operands_of(Operation operation);

// All functions of time, at these parameters.
std::vector<reference::TimeFunction> functions_of(const MechanismTable& table, std::span<const double> parameters);

}  // namespace myriad::backends
