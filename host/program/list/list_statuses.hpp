// `myriad list --statuses`: how an instance can end, for which reasons, and what to change first.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace myriad::program {

void print_statuses();
nlohmann::ordered_json statuses_json();

}  // namespace myriad::program
