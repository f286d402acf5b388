// Mechanisms with contacts that hang on trees of joints.
#pragma once
#include "tests/mechanism_contact/coordinate_run.hpp"

namespace myriad::test {

// A rod whose end slides outwards on a floor, led by a hinge on a slide.
inline ContactMechanism sliding_rod() {
    ContactMechanism rod(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a_slide": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0.3]},
        "b_rod": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.02, 0.02], "position_m": [0.2, 0, 0.15],
                "orientation": {"x_axis": [0.8, 0, -0.6], "y_axis": [0, 1, 0]}}},
        "joints": {
            "guide": {"type": "prismatic", "bodies": ["ground", "a_slide"], "points_m": [[0, 0, 0.3], [0, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
            "hinge": {"type": "revolute", "bodies": ["a_slide", "b_rod"], "points_m": [[0, 0, 0], [-0.25, 0, 0]],
                      "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    rod.add_sphere_plane(-1, 1, origin, up, {0.25, 0.0, 0.0}, 0.0, {0.2, 0.0, 0.0});
    rod.set_velocity(0, {0.0, 0.0, -0.4}), rod.set_velocity(1, {0.15, 0.0, -0.2}, {0.0, -1.0, 0.0});
    return rod;
}

// Four bars in a loop, which a spring pulls against a stop. No joint has more rows than the motion in a plane leaves
// it.
inline ContactMechanism loop_before_a_stop() {
    ContactMechanism loop(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.01, 0.001], "position_m": [0, 0, 0.2]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.001, 0.05, 0.05], "position_m": [0.3, 0, 0.4]},
        "c": {"mass_kg": 1.5, "inertia_kg_m2": [0.01, 0.01, 0.001], "position_m": [0.6, 0, 0.2]}},
        "joints": {
            "a_pivot": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, -0.2]],
                        "axes": [[0, 1, 0], [0, 1, 0]]},
            "ab": {"type": "revolute", "bodies": ["a", "b"], "points_m": [[0, 0, 0.2], [-0.3, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]]},
            "bc": {"type": "spherical", "bodies": ["b", "c"], "points_m": [[0.3, 0, 0], [0, 0, 0.2]]},
            "c_pivot": {"type": "cylindrical", "bodies": ["ground", "c"], "points_m": [[0.6, 0, 0], [0, 0, -0.2]],
                        "axes": [[0, 1, 0], [0, 1, 0]]}},
        "forces": {"spring": {"type": "spring_damper", "bodies": ["ground", "c"],
                              "points_m": [[1.2, 0, 0.3], [0, 0, 0.1]],
                              "stiffness_N_m": 60.0, "damping_N_s_m": 0.5, "rest_length_m": 0.2}}})");
    loop.add_sphere_plane(-1, 2, {0.67, 0.0, 0.4}, {-1.0, 0.0, 0.2}, {0.0, 0.0, 0.25}, 0.05, {0.0, 0.5, 0.0});
    return loop;
}

// A table that a driver moves up and down, and a ball that falls on it.
inline ContactMechanism ball_on_a_driven_table(double e) {
    ContactMechanism table(R"json({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "table": {"mass_kg": 0.5, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]},
        "ball": {"mass_kg": 3.0, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0.4]}},
        "joints": {"lift": {"type": "prismatic", "bodies": ["ground", "table"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "lift", "value_m": "0.05 * sin(6 * t)"}}})json");
    table.add_sphere_plane(0, 1, origin, up, origin, 0.1, {0.0, e, 0.0});
    table.set_velocity(0, {0.0, 0.0, 0.3});
    return table;
}

// Two rods on a ball joint that fall on a floor, one of them also on a ball that lies there.
inline ContactMechanism rods_on_a_ball() {
    ContactMechanism pair(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0, 0, 0.3],
              "angular_velocity_rad_s": [0.2, 1.0, 0.5]},
        "b": {"mass_kg": 0.7, "inertia_kg_m2": [0.002, 0.02, 0.021], "position_m": [0.4, 0, 0.3],
              "angular_velocity_rad_s": [0.1, -1.0, 2.0]},
        "ball": {"mass_kg": 0.3, "inertia_kg_m2": [0.0003, 0.0003, 0.0003], "position_m": [0.5, 0.02, 0.05]}},
        "joints": {"ball_joint": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]]}},
        "forces": {"spring": {"type": "spring_damper", "bodies": ["ground", "b"],
                              "points_m": [[0.4, 0, 0.5], [0, 0, 0]],
                              "stiffness_N_m": 4.0, "damping_N_s_m": 0.1, "rest_length_m": 0.1}}})");
    for (int b = 0; b < 2; ++b)
        for (const double x : {-0.18, 0.18})
            pair.add_sphere_plane(-1, b, origin, up, {x, 0.0, 0.0}, 0.03, {0.4, 0.3, 0.0});
    pair.add_sphere_plane(-1, 2, origin, up, origin, 0.05, {0.3, 0.5, 0.0});
    pair.add_sphere_sphere(1, 2, {0.1, 0.0, 0.0}, origin, 0.04, 0.05, {0.2, 0.6, 0.0});
    return pair;
}

}  // namespace myriad::test
