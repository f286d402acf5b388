// A validator of the keywords of JSON Schema (2020-12) that our schemas use; another keyword fails the test.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace myriad {

// Whether `value` fits `rules`, a part of `schema`.
bool fits_schema(const nlohmann::json& schema, const nlohmann::json& rules, const nlohmann::json& value);

inline bool has_type(const nlohmann::json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return value.is_number() && value.get<double>() == std::floor(value.get<double>());  // integer
}

inline bool fits_rule(const nlohmann::json& schema, const std::string& rule, const nlohmann::json& content,
                      const nlohmann::json& rules, const nlohmann::json& value) {
    using nlohmann::json;
    const auto fits = [&](const json& some_rules, const json& some_value) {
        return fits_schema(schema, some_rules, some_value);
    };
    const double number = value.is_number() ? value.get<double>() : 0.0;
    const auto all = [](const json& list, const auto& test) { return std::all_of(list.begin(), list.end(), test); };
    if (rule == "type") return has_type(value, content.get<std::string>());
    if (rule == "const") return value == content;
    if (rule == "enum") return std::find(content.begin(), content.end(), value) != content.end();
    if (rule == "minimum") return !value.is_number() || number >= content.get<double>();
    if (rule == "maximum") return !value.is_number() || number <= content.get<double>();
    if (rule == "exclusiveMinimum") return !value.is_number() || number > content.get<double>();
    if (rule == "exclusiveMaximum") return !value.is_number() || number < content.get<double>();
    if (rule == "minItems") return !value.is_array() || value.size() >= content.get<std::size_t>();
    if (rule == "maxItems") return !value.is_array() || value.size() <= content.get<std::size_t>();
    if (rule == "minProperties") return !value.is_object() || value.size() >= content.get<std::size_t>();
    if (rule == "maxProperties") return !value.is_object() || value.size() <= content.get<std::size_t>();
    if (rule == "required")
        return all(content, [&](const json& key) { return value.contains(key.get<std::string>()); });
    if (rule == "items")
        return !value.is_array() || all(value, [&](const json& element) { return fits(content, element); });
    if (rule == "allOf") return all(content, [&](const json& part) { return fits(part, value); });
    if (rule == "anyOf")
        return std::any_of(content.begin(), content.end(), [&](const json& part) { return fits(part, value); });
    if (rule == "$ref") return fits(schema.at(json::json_pointer(content.get<std::string>().substr(1))), value);
    if (rule == "if") return !fits(content, value) || fits(rules.at("then"), value);
    if (rule == "properties" || rule == "additionalProperties") {
        if (!value.is_object()) return true;
        const json own = rules.value("properties", json::object());
        for (const auto& [key, member] : value.items()) {
            if (rule == "properties" && own.contains(key) && !fits(own.at(key), member)) return false;
            if (rule == "additionalProperties" && !own.contains(key) && !fits(content, member)) return false;
        }
        return true;
    }
    static const std::set<std::string> annotations = {"$schema", "$defs", "title", "description", "default", "then"};
    if (!annotations.contains(rule)) ADD_FAILURE() << "the schema uses " << rule;
    return true;
}

inline bool fits_schema(const nlohmann::json& schema, const nlohmann::json& rules, const nlohmann::json& value) {
    if (rules.is_boolean()) return rules.get<bool>();
    for (const auto& [rule, content] : rules.items())
        if (!fits_rule(schema, rule, content, rules, value)) return false;
    return true;
}

}  // namespace myriad
