// The output of `myriad list --mechanism` for a mechanism file.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "host/mechanism/mechanism.hpp"
#include "host/program/step_cost.hpp"

namespace myriad::program {

struct ListedMechanism {
    const mechanism::Mechanism& mechanism;
    const std::filesystem::path& file;            // that it was read from
    std::optional<mechanism::Coordinates> asked;  // coordinates that the command asks for, instead of the file
    CountStep count_step;
};
void print_mechanism(const ListedMechanism& listed);
nlohmann::ordered_json mechanism_json(const ListedMechanism& listed);

}  // namespace myriad::program
