// Mechanisms of which small motions are known, and their modes by the engine.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/mechanism/linear/equilibrium_modes.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

inline Modes modes_of_file(nlohmann::json file) {
    file["start"] = "equilibrium";
    const auto mechanism = parse_mechanism(file.dump(), "linear.json");
    return EquilibriumModes(*mechanism).modes(mechanism->nominal_kernel_parameters());
}

// A mass on a guide along x with a spring and a damper; damping ratio c / (2 sqrt(k m)).
inline nlohmann::json sprung_mass(double mass_kg, double stiffness_N_m, double damping_N_s_m) {
    return {{"gravity_m_s2", {3.0, 0, -9.81}},
            {"bodies", {{"mass", {{"mass_kg", mass_kg}, {"inertia_kg_m2", {1, 1, 1}}}}}},
            {"joints",
             {{"guide",
               {{"type", "prismatic"},
                {"bodies", {"ground", "mass"}},
                {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                {"axes", {{1, 0, 0}, {1, 0, 0}}}}}}},
            {"forces",
             {{"spring",
               {{"type", "linear_spring_damper"},
                {"joint", "guide"},
                {"stiffness_N_m", stiffness_N_m},
                {"damping_N_s_m", damping_N_s_m}}}}}};
}

// Masses in a row between two walls, each joined to the next: on guides along x one behind the other, with the last
// spring between two points far away.
inline nlohmann::json row_of_masses(int count, double mass_kg, double stiffness_N_m, double damping_N_s_m, bool ends) {
    nlohmann::json file = {{"gravity_m_s2", {0, 0, 0}}};
    std::string before = "ground";
    for (int k = 0; k < count; ++k) {
        const std::string name = "m" + std::to_string(k);
        file["bodies"][name] = {{"mass_kg", mass_kg}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", {1.0 + k, 0, 0}}};
        file["joints"]["guide_" + name] = {{"type", "prismatic"},
                                           {"bodies", {before, name}},
                                           {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                                           {"axes", {{1, 0, 0}, {1, 0, 0}}},
                                           {"displacement_m", 1.0}};
        if (k > 0 || ends)
            file["forces"]["spring_" + name] = {
                {"type", "spring_damper"}, {"bodies", {before, name}},       {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                {"rest_length_m", 1.0},    {"stiffness_N_m", stiffness_N_m}, {"damping_N_s_m", damping_N_s_m}};
        before = name;
    }
    if (ends)
        file["forces"]["last"] = {
            {"type", "spring_damper"}, {"bodies", {before, "ground"}},   {"points_m", {{0, 0, 0}, {count + 1.0, 0, 0}}},
            {"rest_length_m", 1.0},    {"stiffness_N_m", stiffness_N_m}, {"damping_N_s_m", damping_N_s_m}};
    return file;
}

// A rod on a hinge about y, its centre at a distance below it.
inline nlohmann::json hanging_rod(double mass_kg, double distance_m, double inertia_kg_m2, double angle_rad) {
    return {{"gravity_m_s2", {0, 0, -9.81}},
            {"bodies",
             {{"rod",
               {{"mass_kg", mass_kg},
                {"inertia_kg_m2", {inertia_kg_m2, inertia_kg_m2, inertia_kg_m2}},
                {"position_m", {0, 0, -distance_m}}}}}},
            {"joints",
             {{"hinge",
               {{"type", "revolute"},
                {"bodies", {"ground", "rod"}},
                {"points_m", {{0, 0, 0}, {0, 0, distance_m}}},
                {"axes", {{0, 1, 0}, {0, 1, 0}}},
                {"references", {{0, 0, -1}, {0, 0, -1}}},
                {"angle_rad", angle_rad}}}}}};
}

}  // namespace myriad::mechanism
