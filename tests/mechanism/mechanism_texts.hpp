// Texts of mechanism files for tests, and how they are read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Two bodies away from every symmetry: all fields given, none at its default.
inline nlohmann::json two_bodies() {
    return nlohmann::json::parse(R"({
        "gravity_m_s2": [0.3, -0.4, -9.7],
        "bodies": {
            "crank": {
                "mass_kg": 2.5, "inertia_kg_m2": {"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.02, "xz": -0.03, "yz": 0.01},
                "centre_of_mass_m": [0.1, -0.2, 0.3], "position_m": [1.0, 2.0, 3.0],
                "orientation": {"rotation_vector_rad": [0.3, -0.5, 0.8]},
                "velocity_m_s": [0.5, 0.6, -0.7], "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
            "rod": {
                "mass_kg": 1.5, "inertia_kg_m2": [0.11, 0.12, 0.05],
                "inertia_frame": {"cardan_xyz_rad": [0.2, 0.4, -0.6]},
                "centre_of_mass_m": [-0.3, 0.05, 0.15], "position_m": [0.7, -1.2, 0.4],
                "orientation": {"cardan_xyz_rad": [-0.4, 0.2, 1.1]},
                "velocity_m_s": [0.1, 0.9, 0.4], "angular_velocity_world_rad_s": [0.4, 0.3, -1.5]}
        }})");
}

inline std::shared_ptr<const Mechanism> parsed(const nlohmann::json& json) {
    return parse_mechanism(json.dump(), "test.json");
}

// The text of a path like "/bodies/rod/mass_kg" changed to a value, also JSON text.
inline nlohmann::json changed(nlohmann::json json, const std::string& path, const std::string& value) {
    json[nlohmann::json::json_pointer(path)] = nlohmann::json::parse(value);
    return json;
}

inline std::size_t number_of(const Mechanism& mechanism, const std::string& address) {
    for (std::size_t k = 0; k < mechanism.numbers.size(); ++k)
        if (mechanism.numbers[k].address == address) return k;
    throw std::out_of_range("no number " + address);
}

}  // namespace myriad::mechanism
