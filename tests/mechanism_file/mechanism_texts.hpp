// Texts of mechanism files for tests, and how they are read.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanisms/example.hpp"

namespace myriad::mechanism {

// Of numbers of size one to ten.
constexpr double few_roundings = 1e-14;

// Two bodies away from every symmetry, with every joint, driver, force element, contact and sensor there is.
inline nlohmann::json every_entry() { return example_mechanism("every_entry"); }
// The bodies alone: all fields given, none at its default.
inline nlohmann::json two_bodies() {
    const nlohmann::json text = every_entry();
    return {{"gravity_m_s2", text["gravity_m_s2"]}, {"bodies", text["bodies"]}};
}

// The same where joint coordinates take it.
inline nlohmann::json without_contacts() {
    nlohmann::json text = every_entry();
    text.erase("contacts");
    for (const char* of_impacts : {"kick", "twisting_kick"}) text["sensors"].erase(of_impacts);
    return text;
}

// Read without assembly: the examples are no mechanisms that could be assembled.
inline std::shared_ptr<const Mechanism> parsed(const nlohmann::json& json) {
    return parse_unassembled(json.dump(), "test.json");
}

// The value at a path like "/bodies/rod/mass_kg" changed, given as JSON text.
inline nlohmann::json changed(nlohmann::json json, const std::string& path, const std::string& value) {
    json[nlohmann::json::json_pointer(path)] = nlohmann::json::parse(value);
    return json;
}

inline std::vector<double> nominal_values(const Mechanism& mechanism) {
    std::vector<double> values;
    for (const Number& number : mechanism.numbers) values.push_back(number.value);
    return values;
}

inline std::size_t number_of(const Mechanism& mechanism, const std::string& address) {
    for (std::size_t k = 0; k < mechanism.numbers.size(); ++k)
        if (mechanism.numbers[k].address == address) return k;
    throw std::out_of_range("no number " + address);
}

}  // namespace myriad::mechanism
