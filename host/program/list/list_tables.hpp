// What `myriad list --mechanism` says of the tables of a mechanism.
#pragma once
#include <nlohmann/json.hpp>

#include "host/mechanism/mechanism.hpp"

namespace myriad::program {

void print_tables(const mechanism::Mechanism& mechanism);
nlohmann::ordered_json tables_json(const mechanism::Mechanism& mechanism);

}  // namespace myriad::program
