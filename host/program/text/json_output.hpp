// JSON as the commands print it.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace myriad::program {

// Indented. Bytes of a file's name or attribute that are no UTF-8 become U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// JSON has no NaN and no infinities: they are written as null.
inline nlohmann::ordered_json number_json(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace myriad::program
