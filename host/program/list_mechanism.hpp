// The output of `myriad list --mechanism` for a mechanism file.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "host/mechanism/mechanism.hpp"

namespace myriad::program {

void print_mechanism(const mechanism::Mechanism& mechanism);
nlohmann::ordered_json mechanism_json(const mechanism::Mechanism& mechanism);

}  // namespace myriad::program
