// Finds values that `when` regions carry of a field of memory, and may change in the place of the field.
//
// A field has one place if nobody reads its old value behind the region that stores the new one. A thread then holds
// nothing of it outside of that region, which it rarely enters. Not handled: `repeat`, whose turns read what they
// carry.
#pragma once
#include <map>

#include "host/graph/program.hpp"

namespace myriad::graph {

// Carried nodes, each with its field, which is an input that its outputs replace.
std::map<NodeId, std::int64_t> carried_in_place(const Program& program);

}  // namespace myriad::graph
