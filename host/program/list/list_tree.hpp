// What `myriad list --mechanism` says of the tree of joint coordinates: who hangs on whom, which joints are cut and
// why, and what a step solves for and costs in either coordinates.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/program/step_cost.hpp"

namespace myriad::program {

// "ground" of -1
std::string body_name(const mechanism::Mechanism& mechanism, int body);

void print_tree(const mechanism::Mechanism& mechanism, const mechanism::SpanningTree& tree, const CountStep& count);
nlohmann::ordered_json tree_json(const mechanism::Mechanism& mechanism, const mechanism::SpanningTree& tree,
                                 const CountStep& count);

}  // namespace myriad::program
