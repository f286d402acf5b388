// Functions of time that have parts in common, such as the same t / duration in the target of every controller, compute
// these once.
#pragma once
#include <vector>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

// Leaves out of the functions of time what an instruction before has computed, from the same operands, and assigns
// registers anew; the values keep their bits. Shared values stay longer in their registers: a table whose registers
// would not suffice is left as it is. Requires functions as Expression::append_to() makes them.
void share_instructions(MechanismTable& table);

// How many instructions of a function of time have a slope that may jump, or a pole, where their operands change with
// time.
int corners_of(const MechanismTable& table, int function);

}  // namespace myriad::mechanism
