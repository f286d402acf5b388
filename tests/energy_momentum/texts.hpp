// Mechanisms free in space, for the invariants of energy-momentum methods.
#pragma once
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Facts D.3: principal inertias (6, 8, 3), angular velocity (10, 20, 20).
inline constexpr const char* free_body_text = R"({
    "bodies": {"body": {"mass_kg": 1.0, "inertia_kg_m2": [6.0, 8.0, 3.0], "angular_velocity_rad_s": [10.0, 20.0, 20.0]}}
})";

// Two bodies whose centres of mass a universal joint holds together: its point row has no lever, its DP1 row is all
// that turns them.
inline constexpr const char* gimbal_text = R"({
    "bodies": {
        "inner": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [0.1, 0.2, 0.3],
                  "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
        "outer": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "velocity_m_s": [0.1, 0.2, 0.3],
                  "angular_velocity_rad_s": [-0.5, 1.0, 1.5]}},
    "joints": {"cross": {"type": "universal", "bodies": ["inner", "outer"], "axes": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                         "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}}
})";

// Two bodies on a hinge away from both centres of mass.
inline constexpr const char* hinged_pair_text = R"({
    "bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [0.1, 0.2, 0.3],
              "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "position_m": [0.9, -0.1, -0.2],
              "angular_velocity_rad_s": [-0.5, 1.0, 1.5]}},
    "joints": {"hinge": {"type": "revolute", "bodies": ["a", "b"], "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
                         "points_m": [[0.5, 0.0, 0.0], [-0.4, 0.1, 0.2]]}}
})";

// Two bodies on a ball joint, a spring and a damper between them; with a rest length that moves where asked for.
inline std::string sprung_pair(const std::string& damping, const std::string& rest_length) {
    std::string text = R"({
    "bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [0.1, 0.2, 0.3],
              "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "position_m": [1.0, 0.2, 0.0],
              "orientation": {"rotation_vector_rad": [0.3, 0.4, -0.2]}, "angular_velocity_rad_s": [-0.5, 1.0, 1.5]}},
    "joints": {"ball": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0.5, 0.0, 0.0], [-0.4, 0.1, 0.2]]}},
    "forces": {"spring": {"type": "spring_damper", "bodies": ["a", "b"], "points_m": [[0.0, 0.3, 0.0], [0.2, 0.3, 0.0]],
                          "stiffness_N_m": 5.0, "damping_N_s_m": DAMPING, "rest_length_m": REST_LENGTH}}
})";
    text.replace(text.find("DAMPING"), 7, damping);
    text.replace(text.find("REST_LENGTH"), 11, rest_length);
    return text;
}

// A block under gravity on two springs, pushed by a force that is fixed in it and a torque that is fixed in space.
inline constexpr const char* pushed_block_text = R"json({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"block": {"mass_kg": 1.5, "inertia_kg_m2": [0.02, 0.05, 0.06], "position_m": [0.1, 0.0, -0.2],
                         "velocity_m_s": [0.3, 0.2, 0.0], "angular_velocity_rad_s": [1.0, 2.0, -1.0]}},
    "forces": {
        "left": {"type": "spring_damper", "bodies": ["ground", "block"],
                 "points_m": [[-1.0, 0.0, 0.5], [-0.1, 0.05, 0.0]], "stiffness_N_m": 60.0, "rest_length_m": 0.5},
        "right": {"type": "spring_damper", "bodies": ["ground", "block"],
                  "points_m": [[1.0, 0.2, 0.5], [0.1, 0.0, 0.05]], "stiffness_N_m": 80.0, "rest_length_m": 0.6},
        "thrust": {"type": "force", "body": "block", "point_m": [0.1, 0.05, 0.0], "frame": "body",
                   "force_N": [0.0, "2 * cos(3 * t)", 1.0]},
        "push": {"type": "force", "body": "block", "point_m": [0.0, 0.05, 0.1], "force_N": ["sin(5 * t)", 0.0, 0.5]},
        "twist": {"type": "torque", "body": "block", "torque_N_m": [0.05, 0.0, "0.1 * sin(2 * t)"]},
        "spin": {"type": "torque", "body": "block", "frame": "body", "torque_N_m": [0.0, 0.05, 0.0]}
    }
})json";

// A rod on a hinge with a torsional spring and damper, and a disc on the rod with another one whose rest angle moves;
// axes in different directions, away from the centres of mass.
inline constexpr const char* wound_pair_text = R"json({
    "gravity_m_s2": [0.0, 0.0, GRAVITY],
    "bodies": {
        "rod": {"mass_kg": 1.0, "inertia_kg_m2": [0.02, 0.1, 0.11], "position_m": [0.4, 0.0, 0.0],
                "angular_velocity_rad_s": [0.0, 3.0, 0.0], "velocity_m_s": [0.0, 0.0, -1.2]},
        "disc": {"mass_kg": 0.5, "inertia_kg_m2": [0.03, 0.02, 0.025], "position_m": [0.9, 0.1, 0.0],
                 "angular_velocity_rad_s": [20.0, 3.0, 0.0], "velocity_m_s": [0.0, 0.9, -2.7]}},
    "joints": {
        "hinge": {"type": "revolute", "bodies": ["ground", "rod"], "axes": [[0, 1, 0], [0, 1, 0]],
                  "points_m": [[0, 0, 0], [-0.4, 0, 0]]},
        "axle": {"type": "revolute", "bodies": ["rod", "disc"], "axes": [[1, 0, 0], [1, 0, 0]],
                 "points_m": [[0.4, 0, 0], [-0.1, -0.1, 0]]}},
    "forces": {
        "coil": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 8.0,
                 "damping_N_m_s_rad": DAMPING, "rest_angle_rad": 0.2},
        "watch": {"type": "torsional_spring_damper", "joint": "axle", "stiffness_N_m_rad": 0.05,
                  "damping_N_m_s_rad": DAMPING, "rest_angle_rad": REST_ANGLE}}
})json";

// Two bodies in space, on a bushing between points away from their centres of mass, its axes turned on the first body.
inline constexpr const char* bushed_pair_text = R"json({
    "bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [0.1, 0.2, 0.3],
              "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "position_m": [0.9, -0.1, -0.2],
              "angular_velocity_rad_s": [-0.5, 1.0, 1.5]}},
    "forces": {"bush": {"type": "bushing", "bodies": ["a", "b"], "points_m": [[0.5, 0.0, 0.0], [-0.4, 0.1, 0.2]],
                        "frame": {"rotation_vector_rad": [0.3, 0.4, -0.2]},
                        "stiffness_N_m": [60.0, 40.0, 90.0], "damping_N_s_m": [DAMPING, DAMPING, DAMPING],
                        "stiffness_N_m_rad": [5.0, 3.0, 8.0], "damping_N_m_s_rad": [DAMPING, DAMPING, DAMPING]}}
})json";

// A disc on a hinge through its centre of mass: a torsional spring alone turns it.
inline constexpr const char* torsion_oscillator_text = R"({
    "bodies": {"disc": {"mass_kg": 1.0, "inertia_kg_m2": [0.3, 0.2, 0.5], "angular_velocity_rad_s": [0.0, 0.0, 40.0]}},
    "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "disc"], "axes": [[0, 0, 1], [0, 0, 1]],
                         "points_m": [[0, 0, 0], [0, 0, 0]]}},
    "forces": {"coil": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 2.0,
                        "rest_angle_rad": 0.0}},
    "sensors": {"turned": {"type": "angle", "joint": "hinge"}}
})";

// A block on the same bushing in all directions at its centre of mass, moving and turning along one axis of each.
inline constexpr const char* bushed_block_text = R"({
    "bodies": {"block": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.5], "velocity_m_s": [0.0, 1.0, 0.0],
                         "angular_velocity_rad_s": [0.0, 0.0, 4.0]}},
    "forces": {"bush": {"type": "bushing", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]],
                        "stiffness_N_m": [50.0, 50.0, 50.0], "stiffness_N_m_rad": [2.0, 2.0, 2.0]}}
})";

// A pendulum whose length, height and swing are driven in the three ways that constraints may depend on time.
inline constexpr const char* driven_chain_text = R"json({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {
        "lift": {"mass_kg": 1.5, "inertia_kg_m2": [0.1, 0.2, 0.25]},
        "rod": {"mass_kg": 1.0, "inertia_kg_m2": [0.02, 0.1, 0.11], "position_m": [0.4, 0.0, 0.0]},
        "bob": {"mass_kg": 0.5, "inertia_kg_m2": [0.03, 0.02, 0.025], "position_m": [1.2, 0.2, -0.3],
                "angular_velocity_rad_s": [1.0, 2.0, -1.0]}},
    "joints": {
        "slide": {"type": "prismatic", "bodies": ["ground", "lift"], "axes": [[0, 0, 1], [0, 0, 1]],
                  "points_m": [[0, 0, 0], [0, 0, 0]]},
        "hinge": {"type": "revolute", "bodies": ["lift", "rod"], "axes": [[0, 1, 0], [0, 1, 0]],
                  "points_m": [[0, 0, 0], [-0.4, 0, 0]]}},
    "drivers": {
        "hoist": {"type": "displacement", "joint": "slide", "value_m": "0.2 * sin(3 * t)"},
        "swing": {"type": "angle", "joint": "hinge", "value_rad": "4 * t + 0.3 * sin(5 * t)"},
        "winch": {"type": "D", "bodies": ["rod", "bob"], "points_m": [[0.4, 0, 0], [0.05, 0, 0.1]],
                  "value_m": "0.5 + 0.1 * sin(2 * t)"}}
})json";

// A text with another value for a word in it.
inline std::string with(std::string text, const std::string& word, const std::string& value) {
    for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), value);
    return text;
}
inline std::shared_ptr<const Mechanism> wound_pair(const std::string& damping, const std::string& rest_angle) {
    return parse_mechanism(with(with(with(wound_pair_text, "DAMPING", damping), "REST_ANGLE", rest_angle),  //
                                "GRAVITY", "-9.81"),
                           "wound_pair.json");
}
inline std::shared_ptr<const Mechanism> bushed_pair(const std::string& damping) {
    return parse_mechanism(with(bushed_pair_text, "DAMPING", damping), "bushed_pair.json");
}

}  // namespace myriad::mechanism
