// The names of a list of keys, kinds, descriptions or texts, for the reader's messages and the JSON Schema.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace myriad {

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

// An object of a file whose keys depend on its kind: an integrator, a joint, a distribution.
template <class Key>
struct KindOfObject {
    const char* name;
    std::span<const Key> keys;
    const char* meaning;
};

}  // namespace myriad
