// Mechanisms that tests in several folders and the tables of refusals change.
#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/source_dir.hpp"

namespace myriad {

inline nlohmann::json example_mechanism(const std::string& name) {
    std::ifstream file(source_dir() / "tests" / "mechanisms" / (name + ".json"));
    return nlohmann::json::parse(file);
}

}  // namespace myriad
