// What a traced step of a mechanism consists of, for `myriad list --mechanism`: operations, places, instructions.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace myriad::program {

// Of a study in joint coordinates in which no number varies and nothing is observed. Methods that do not take the
// mechanism, or whose steps are not traced, are left out.
void print_steps(const std::filesystem::path& mechanism);
nlohmann::ordered_json steps_json(const std::filesystem::path& mechanism);

}  // namespace myriad::program
