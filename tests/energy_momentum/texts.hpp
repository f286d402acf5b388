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

}  // namespace myriad::mechanism
