// JSON as the commands print it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace myriad::program {

// Indented. Bytes of a file's name or attribute that are no UTF-8 become U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace myriad::program
