// Texts of mechanism files for tests, and how they are read.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/mechanism/file/mechanism_file.hpp"

namespace myriad::mechanism {

// Of numbers of size one to ten.
constexpr double few_roundings = 1e-14;

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

// The same with every joint, driver, force element, contact and sensor there is.
inline nlohmann::json every_entry() {
    nlohmann::json text = two_bodies();
    text.update(nlohmann::json::parse(R"json({
        "title": "every entry", "description": "no mechanism of any use", "source": "made up", "assumed": ["all of it"],
        "parameters": {"length_m": 0.8, "area_m2": "length_m^2", "mass_kg": "3 * area_m2", "rate_rad_s": 2.5, "unused": 1},
        "tables": {"gust": {"points": [[0, 1], [0.5, 2], [2, 0.5]], "interpolation": "linear", "outside": "hold"}},
        "joints": {
            "spherical": {"type": "spherical", "bodies": ["crank", "rod"], "points_m": [[0.4, -0.1, 0.7], [-0.2, 0.6, 0.1]]},
            "universal": {"type": "universal", "bodies": ["crank", "ground"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "axes": [[1, 2, 0.5], [0.3, 1, 0.8]]},
            "revolute": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [["length_m", 0, 0], [0, 0.2, 0.3]],
                "axes": [[1, 2, 0.5], [0.3, 1, 0.8]]},
            "cylindrical": {"type": "cylindrical", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "axes": [[1, 2, 0.5], [0.3, 1, 0.8]], "references": [[0.2, 0.3, 1], [1, 0.1, 0.4]],
                "cut": true},
            "prismatic": {"type": "prismatic", "bodies": ["rod", "crank"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "axes": [[1, 2, 0.5], [0.3, 1, 0.8]]},
            "planar": {"type": "planar", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "axes": [[1, 2, 0.5], [0.3, 1, 0.8]], "references": [[0.2, 0.3, 1], [1, 0.1, 0.4]]},
            "translational": {"type": "translational", "bodies": ["crank", "rod"],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]]},
            "translational_along": {"type": "translational", "bodies": ["ground", "rod"],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]], "axes": [[1, 2, 0.5], [0.3, 1, 0.8]]},
            "fixed": {"type": "fixed", "bodies": ["rod", "crank"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]]},
            "dot_1": {"type": "DP1", "bodies": ["crank", "rod"], "axes": [[1, 2, 0.5], [0.3, 1, 0.8]], "value": 0.1},
            "dot_2": {"type": "DP2", "bodies": ["crank", "rod"], "axis": [1, 2, 0.5],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]], "value_m": 0.2},
            "distance": {"type": "D", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "value_m": "2 * length_m"},
            "coordinate": {"type": "CD", "bodies": ["crank", "rod"], "direction": [1, 2, 0.5],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]], "value_m": 0.2}
        },
        "drivers": {
            "turn": {"type": "angle", "joint": "revolute", "value_rad": "pi / 4 * cos(rate_rad_s * t)"},
            "shift": {"type": "displacement", "joint": "prismatic", "value_m": "length_m * t"},
            "nod": {"type": "angle_2", "joint": "universal", "value_rad": "rate_rad_s * t"},
            "push": {"type": "displacement_2", "joint": "planar", "value_m": "0.1 * t"},
            "drive_dot_1": {"type": "DP1", "bodies": ["crank", "rod"], "axes": [[1, 2, 0.5], [0.3, 1, 0.8]],
                "value": "0.1 * sin(t)"},
            "drive_dot_2": {"type": "DP2", "bodies": ["crank", "rod"], "axis": [1, 2, 0.5],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]], "value_m": "t"},
            "drive_distance": {"type": "D", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "value_m": "1 + t"},
            "drive_coordinate": {"type": "CD", "bodies": ["crank", "rod"], "direction": [1, 2, 0.5],
                "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]], "value_m": 0.3}
        },
        "forces": {
            "pull": {"type": "force", "body": "rod", "force_N": ["2 * t", 0, -1.5]},
            "push": {"type": "force", "body": "rod", "point_m": [1, 2, 3], "force_N": [1, 2, 3], "frame": "body"},
            "twist": {"type": "torque", "body": "crank", "torque_N_m": [0, 0, "t^2"], "frame": "world"},
            "spring": {"type": "spring_damper", "bodies": ["ground", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "stiffness_N_m": 100, "damping_N_s_m": 2, "rest_length_m": 0.4},
            "torsion": {"type": "torsional_spring_damper", "joint": "cylindrical", "stiffness_N_m_rad": 10,
                "rest_angle_rad": "0.1 * t"},
            "slide": {"type": "linear_spring_damper", "joint": "prismatic", "stiffness_N_m": 10},
            "mount": {"type": "bushing", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "frame": {"rotation_vector_rad": [0.1, 0.2, 0.3]}, "stiffness_N_m": [1, 2, 3], "damping_N_s_m": [4, 5, 6],
                "stiffness_N_m_rad": [7, 7, 7], "damping_N_m_s_rad": [8, 8, 8]},
            "control": {"type": "pd_controller", "joint": "revolute", "proportional": "mass_kg * 30", "derivative": 3,
                "target": "rate_rad_s * t"}
        },
        "contacts": {
            "touch": {"type": "point_plane", "bodies": ["ground", "rod"], "plane_point_m": [0.2, -0.1, -3],
                "plane_normal": [0, 0.3, 0.4], "point_m": [0.5, 0.6, 0.7], "friction": "length_m / 4",
                "normal_restitution": 0.6, "tangential_restitution": 0.2},
            "ball": {"type": "sphere_plane", "bodies": ["crank", "rod"], "plane_point_m": [0.4, 0.5, 0.6],
                "plane_normal": [3, 0, 4], "point_m": [0.1, 0.2, 0.3], "radius_m": 0.05, "friction": 0.3},
            "balls": {"type": "sphere_sphere", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]],
                "radii_m": ["length_m / 8", 0.2], "normal_restitution": 1},
            "box": {"type": "box_plane", "bodies": ["ground", "crank"], "plane_point_m": [0, 0, -2],
                "plane_normal": [0, 0, 1], "centre_m": [0.2, 0.1, -0.1], "size_m": [0.4, "length_m", 0.2], "friction": 0.5},
            "pin": {"type": "point_slot", "bodies": ["rod", "crank"], "slot_point_m": [0.3, 0.2, 0.1],
                "slot_normal": [0, 2, 0], "clearance_m": 0.004, "point_m": [-0.1, 0.3, 0.2], "radius_m": 0.03}
        },
        "sensors": {
            "tip": {"type": "point", "body": "rod", "point_m": [0.5, 0.6, 0.7]},
            "tip_velocity": {"type": "point_velocity", "body": "rod", "point_m": [0.5, 0.6, 0.7]},
            "bend": {"type": "angle", "joint": "revolute"},
            "turn_rate": {"type": "rate", "joint": "cylindrical"},
            "stroke": {"type": "displacement", "joint": "cylindrical"},
            "stroke_rate": {"type": "displacement_rate", "joint": "prismatic"},
            "shift_1": {"type": "displacement_1", "joint": "planar"},
            "shift_rate_2": {"type": "displacement_rate_2", "joint": "planar"},
            "heading": {"type": "angle", "joint": "planar"},
            "lift": {"type": "displacement_3", "joint": "translational"},
            "lift_rate": {"type": "displacement_rate_3", "joint": "translational_along"},
            "cross_1": {"type": "angle_1", "joint": "universal"},
            "cross_rate_2": {"type": "rate_2", "joint": "universal"},
            "attitude": {"type": "orientation", "joint": "spherical"},
            "spin": {"type": "angular_velocity", "joint": "spherical"},
            "nod_torque": {"type": "reaction_torque", "joint": "nod"},
            "span": {"type": "distance", "bodies": ["crank", "ground"], "points_m": [[0.1, 0, 0], [0, 0.2, 0.3]]},
            "load": {"type": "reaction_force", "joint": "revolute"},
            "drive_torque": {"type": "reaction_torque", "joint": "turn"},
            "kick": {"type": "reaction_impulse", "joint": "revolute"},
            "twisting_kick": {"type": "reaction_angular_impulse", "joint": "revolute"}
        }})json"));
    return text;
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
