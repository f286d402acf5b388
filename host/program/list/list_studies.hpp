// `myriad list --studies`: the studies that come with the program.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace myriad::program {

void print_studies();
nlohmann::ordered_json studies_json();

}  // namespace myriad::program
