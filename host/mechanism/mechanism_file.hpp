// Reading without the last stage (nominal.hpp): for whoever looks at what a file says and not at how it moves.
#pragma once
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Every row is active: the mechanism is neither assembled nor searched for redundant rows, and has no elimination.
std::shared_ptr<const Mechanism> parse_unassembled(std::string_view text, const std::string& name);

}  // namespace myriad::mechanism
