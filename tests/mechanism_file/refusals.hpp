// The reader's message about the rich example of a mechanism file with one thing wrong.
#pragma once
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {

inline std::string refused(const std::string& path, const std::string& value) {
    return study::refusal([&] { parsed(changed(every_entry(), path, value)); });
}
inline std::string refused_without(const std::string& path, const std::string& key) {
    nlohmann::json text = every_entry();
    text[nlohmann::json::json_pointer(path)].erase(key);
    return study::refusal([&] { parsed(text); });
}

}  // namespace myriad::mechanism
