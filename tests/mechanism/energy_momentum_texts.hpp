// Mechanisms free in space, for what energy-momentum methods keep.
#pragma once

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
inline constexpr const char* sprung_pair_text = R"({
    "bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [0.1, 0.2, 0.3],
              "angular_velocity_rad_s": [1.0, -2.0, 0.5]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "position_m": [1.0, 0.2, 0.0],
              "orientation": {"rotation_vector_rad": [0.3, 0.4, -0.2]}, "angular_velocity_rad_s": [-0.5, 1.0, 1.5]}},
    "joints": {"ball": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0.5, 0.0, 0.0], [-0.4, 0.1, 0.2]]}},
    "forces": {"spring": {"type": "spring_damper", "bodies": ["a", "b"], "points_m": [[0.0, 0.3, 0.0], [0.2, 0.3, 0.0]],
                          "stiffness_N_m": 5.0, "damping_N_s_m": DAMPING, "rest_length_m": REST_LENGTH}}
})";

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

}  // namespace myriad::mechanism
