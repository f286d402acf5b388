// JSON Schema (draft 2020-12) from tables of keys. Keys stay in the order of the tables, which is the order a person
// reads them in.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace myriad {

inline nlohmann::ordered_json schema_reference(const std::string& definition) {
    return {{"$ref", "#/$defs/" + definition}};
}

// An object with these keys and no others; `type_of(key.type)` is what the value of a key has to be.
template <class Keys, class TypeOf>
nlohmann::ordered_json schema_of_object(const Keys& keys, const TypeOf& type_of) {
    nlohmann::ordered_json object{
        {"type", "object"}, {"additionalProperties", false}, {"properties", nlohmann::ordered_json::object()}};
    for (const auto& key : keys) {
        nlohmann::ordered_json& property = object["properties"][key.name] = type_of(key.type);
        std::string meaning = key.meaning;
        if constexpr (requires { key.unit; })
            if (*key.unit != '\0') meaning += std::string(" (") + key.unit + ")";
        property["description"] = meaning;
        if (key.required) object["required"].push_back(key.name);
    }
    return object;
}

}  // namespace myriad
