// The names of a list of keys, kinds, descriptions or texts, for the reader's messages and the JSON Schema.
#pragma once
#include <string>
#include <vector>

namespace myriad::study {

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) {
        if constexpr (requires { entry.name; })
            names.emplace_back(entry.name);
        else
            names.emplace_back(entry);
    }
    return names;
}

}  // namespace myriad::study
