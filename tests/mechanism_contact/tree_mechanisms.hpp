// Mechanisms with contacts that hang on trees of joints.
#pragma once
#include "tests/mechanism_contact/contact_run.hpp"

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

// The same, whose end strikes the floor when it starts.
inline ContactMechanism rod_that_strikes_at_once() {
    ContactMechanism rod = sliding_rod();
    rod.set_velocity(0, {0.0, 0.0, -1.4}), rod.set_velocity(1, {0.6, 0.0, -2.2}, {0.0, -4.0, 0.0});
    return rod;
}

// Four bars in a loop, which a spring pulls against a stop. No joint has more rows than the motion in a plane leaves
// it.
inline ContactMechanism loop_before_a_stop_with(const std::string& more_forces) {
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
                              "stiffness_N_m": 60.0, "damping_N_s_m": 0.5, "rest_length_m": 0.2})" +
                          more_forces + "}}");
    loop.add_sphere_plane(-1, 2, {0.67, 0.0, 0.4}, {-1.0, 0.0, 0.2}, {0.0, 0.0, 0.25}, 0.05, {0.0, 0.5, 0.0});
    return loop;
}
inline ContactMechanism loop_before_a_stop() { return loop_before_a_stop_with(""); }
// It comes to rest at the stop after 0.22 s, where stop and friction share the load in many ways.
inline ContactMechanism rubbing_loop_before_a_stop() {
    ContactMechanism loop = loop_before_a_stop_with(
        R"(, "bearing": {"type": "joint_friction", "joint": "a_pivot", "coulomb_N_m": 0.2, "viscous_N_m_s_rad": 0.05})");
    loop.table().joint.friction_is_set = true;
    return loop;
}

// Rods on hinges with friction: where T differs, some stick while others slide.
inline ContactMechanism rubbing_chain_with(const std::string& at_shoulder, const std::string& at_elbow) {
    ContactMechanism chain(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "upper": {"mass_kg": 1.2, "inertia_kg_m2": [0.02, 0.09, 0.09], "position_m": [0.4, 0.1, 0]},
        "lower": {"mass_kg": 0.8, "inertia_kg_m2": [0.01, 0.04, 0.05], "position_m": [1.1, 0.1, 0.2]}},
        "joints": {"shoulder": {"type": "revolute", "bodies": ["ground", "upper"],
            "points_m": [[0, 0.1, 0], [-0.4, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]]},
        "elbow": {"type": "revolute", "bodies": ["upper", "lower"], "points_m": [[0.4, 0, 0], [-0.3, 0, -0.2]],
            "axes": [[0, 1, 0], [0, 1, 0]]}},
        "forces": {"at_shoulder": {"type": "joint_friction", "joint": "shoulder", )" +
                           at_shoulder + R"(},
        "at_elbow": {"type": "joint_friction", "joint": "elbow", )" +
                           at_elbow + R"(}},
        "contacts": {"stop": {"type": "joint_limits", "joint": "elbow", "upper_rad": 0.9, "normal_restitution": 0.5}}})");
    chain.table().joint.friction_is_set = true;
    return chain;
}
inline ContactMechanism rubbing_chain() {
    return rubbing_chain_with(R"("coulomb_N_m": 1.5, "viscous_N_m_s_rad": 0.1)", R"("coulomb_N_m": 0.7)");
}
inline ContactMechanism chain_on_bearings() {
    return rubbing_chain_with(R"("coulomb_N_m": 0.2, "friction": 0.4, "radius_m": 0.08)",
                              R"("friction": 0.3, "radius_m": 0.05)");
}

// A carriage that turns and slides on a shaft, with a universal joint and a carriage on a plane behind it: all of their
// coordinates rub, and the last body falls on a floor.
inline ContactMechanism joints_on_bearings() {
    ContactMechanism made(R"({"gravity_m_s2": [0.5, 0, -9.81], "bodies": {
        "a": {"mass_kg": 1.1, "inertia_kg_m2": [0.03, 0.02, 0.025], "position_m": [0.1, 0, 0]},
        "b": {"mass_kg": 0.9, "inertia_kg_m2": [0.01, 0.02, 0.02], "position_m": [0.4, 0.1, 0]},
        "c": {"mass_kg": 0.6, "inertia_kg_m2": [0.01, 0.015, 0.02], "position_m": [0.7, 0.1, 0.1]}},
        "joints": {
            "shaft": {"type": "cylindrical", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [-0.1, 0, 0]],
                      "axes": [[0.6, 0, 0.8], [0.6, 0, 0.8]], "rate_rad_s": 1.5},
            "cross": {"type": "universal", "bodies": ["a", "b"], "points_m": [[0.15, 0, 0], [-0.15, -0.1, 0]],
                      "axes": [[0, 1, 0], [0, 0, 1]], "rate_1_rad_s": -0.8, "rate_2_rad_s": 1.2},
            "table": {"type": "planar", "bodies": ["b", "c"], "points_m": [[0.1, 0, 0.05], [-0.2, 0, -0.05]],
                      "axes": [[0, 0.6, 0.8], [0, 0.6, 0.8]]}},
        "forces": {
            "shaft_slides": {"type": "joint_friction", "joint": "shaft", "coordinate": "displacement",
                             "coulomb_N": 0.5, "friction": 0.2},
            "shaft_turns": {"type": "joint_friction", "joint": "shaft", "coordinate": "angle", "friction": 0.2,
                            "radius_m": 0.03},
            "first": {"type": "joint_friction", "joint": "cross", "coordinate": "angle_1", "friction": 0.15,
                      "radius_m": 0.04, "viscous_N_m_s_rad": 0.01},
            "second": {"type": "joint_friction", "joint": "cross", "coordinate": "angle_2", "friction": 0.25,
                       "radius_m": 0.02},
            "along": {"type": "joint_friction", "joint": "table", "coordinate": "displacement_1", "friction": 0.3}}})");
    made.add_sphere_plane(-1, 2, {0.0, 0.0, -0.3}, up, {0.1, 0.0, 0.0}, 0.05, {0.2, 0.4, 0.0});
    made.table().joint.friction_is_set = true;
    return made;
}

// A table that a driver moves up and down, and a ball that falls on it.
inline ContactMechanism ball_on_a_table(double e, const std::string& way, double rate_m_s) {
    std::string text = R"json({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "table": {"mass_kg": 0.5, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]},
        "ball": {"mass_kg": 3.0, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0.4]}},
        "joints": {"lift": {"type": "prismatic", "bodies": ["ground", "table"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "lift", "value_m": "WAY"}}})json";
    ContactMechanism table(text.replace(text.find("WAY"), 3, way));
    table.add_sphere_plane(0, 1, origin, up, origin, 0.1, {0.0, e, 0.0});
    table.set_velocity(0, {0.0, 0.0, rate_m_s});
    return table;
}
inline ContactMechanism ball_on_a_driven_table(double e) { return ball_on_a_table(e, "0.05 * sin(6 * t)", 0.3); }
// Up for a while before the ball arrives, then down.
inline ContactMechanism ball_on_a_jumping_table(double e) {
    return ball_on_a_table(
        e, "0.4 * max(0, t - 0.1003) - 0.4 * max(0, t - 0.1502) - 0.5 * abs(t - 0.4407) + 0.22035 - 0.5 * t", 0.0);
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

// The same, where some contacts rub along one tangent alone.
inline ContactMechanism rods_on_a_ball_with_single_tangents() {
    ContactMechanism pair = rods_on_a_ball();
    for (const int contact : {0, 2, 5}) pair.table().contact[contact].tangents = 1;
    return pair;
}

// Three rods in a row that swing between limits, one of them of a second angle beyond a whole turn, and touch a floor.
inline ContactMechanism chain_within_limits() {
    return ContactMechanism(R"json({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a": {"mass_kg": 0.5, "inertia_kg_m2": [0.002, 0.02, 0.021], "position_m": [0.2, 0, 0]},
        "b": {"mass_kg": 0.7, "inertia_kg_m2": [0.003, 0.02, 0.021], "position_m": [0.6, 0, 0]},
        "c": {"mass_kg": 0.4, "inertia_kg_m2": [0.002, 0.01, 0.011], "position_m": [1.0, 0, 0]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [-0.2, 0, 0]],
                      "axes": [[0, 1, 0], [0, 1, 0]]},
            "cross": {"type": "universal", "bodies": ["a", "b"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]],
                      "axes": [[0, 1, 0], [0, 0, 1]], "rate_2_rad_s": 0.8, "angle_1_rad": 0.1},
            "sleeve": {"type": "cylindrical", "bodies": ["b", "c"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]],
                       "axes": [[1, 0, 0], [1, 0, 0]], "angle_rad": 6.2, "rate_rad_s": 3.0}},
        "contacts": {
            "swing": {"type": "joint_limits", "joint": "hinge", "upper_rad": 0.9, "normal_restitution": 0.5},
            "bend": {"type": "joint_limits", "joint": "cross", "coordinate": "angle_1", "lower_rad": -0.3,
                     "upper_rad": 0.4, "normal_restitution": 0.3},
            "turn": {"type": "joint_limits", "joint": "cross", "coordinate": "angle_2", "lower_rad": -0.2,
                     "upper_rad": 0.1, "normal_restitution": 0.8},
            "slide": {"type": "joint_limits", "joint": "sleeve", "coordinate": "displacement", "lower_m": -0.02,
                      "upper_m": 0.05},
            "spin": {"type": "joint_limits", "joint": "sleeve", "coordinate": "angle", "lower_rad": 5.9,
                     "upper_rad": 6.4, "normal_restitution": 1},
            "floor": {"type": "sphere_plane", "bodies": ["ground", "c"], "plane_point_m": [0, 0, -0.6],
                      "plane_normal": [0, 0, 1], "point_m": [0.2, 0, 0], "radius_m": 0.05, "friction": 0.3,
                      "normal_restitution": 0.2}},
        "sensors": {"floor_force": {"type": "contact_force", "contact": "floor"},
                    "floor_impulse": {"type": "contact_impulse", "contact": "floor"}}})json");
}

// A capsule that falls on a rough floor, one end first, and a ball on a thread that strikes it. A spring and a bushing
// pull, and sensors show what they and the contacts exert.
inline ContactMechanism capsule_and_ball() {
    return ContactMechanism(R"json({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "log": {"mass_kg": 1.2, "inertia_kg_m2": [0.01, 0.05, 0.05], "position_m": [0, 0, 0.3],
                "orientation": {"cardan_xyz_rad": [0.1, 0.3, 0.2]}},
        "rider": {"mass_kg": 0.3, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0.82]},
        "ball": {"mass_kg": 0.4, "inertia_kg_m2": [0.001, 0.001, 0.001], "position_m": [0.1, 0.35, 0.12],
                 "velocity_m_s": [0, -1.5, 0]}},
        "joints": {
            "guide": {"type": "translational", "bodies": ["ground", "rider"], "points_m": [[0, 0, 0.82], [0, 0, 0]]},
            "thread": {"type": "spherical", "bodies": ["rider", "ball"],
                       "points_m": [[0.1, 0.35, -0.1], [0, 0, 0.6]]}},
        "forces": {
            "spring": {"type": "spring_damper", "bodies": ["ground", "log"], "points_m": [[0.5, 0, 0.6], [0.3, 0, 0]],
                       "stiffness_N_m": 20, "damping_N_s_m": 0.3, "rest_length_m": 0.2},
            "mount": {"type": "bushing", "bodies": ["ground", "rider"], "points_m": [[0, 0, 0.87], [0, 0, 0]],
                      "frame": {"cardan_xyz_rad": [0.2, 0.1, 0.4]}, "stiffness_N_m": [80, 60, 300],
                      "damping_N_s_m": [1, 1, 2]}},
        "contacts": {
            "floor": {"type": "capsule_plane", "bodies": ["ground", "log"], "plane_point_m": [0, 0, 0],
                      "plane_normal": [0.05, 0, 1], "ends_m": [[-0.3, 0, 0], [0.3, 0, 0.02]], "radius_m": 0.08,
                      "friction": 0.4, "normal_restitution": 0.2},
            "touch": {"type": "sphere_capsule", "bodies": ["log", "ball"],
                      "ends_m": [[-0.3, 0, 0], [0.3, 0, 0.02]], "point_m": [0, 0, 0], "radii_m": [0.08, 0.05],
                      "friction": 0.2, "normal_restitution": 0.5}},
        "sensors": {
            "floor_force": {"type": "contact_force", "contact": "floor"},
            "end_impulse": {"type": "contact_impulse", "contact": "floor.end_2"},
            "touch_force": {"type": "contact_force", "contact": "touch"},
            "touch_impulse": {"type": "contact_impulse", "contact": "touch"},
            "spring_tension": {"type": "tension", "force": "spring"},
            "spring_force": {"type": "exerted_force", "force": "spring"},
            "spring_torque": {"type": "exerted_torque", "force": "spring"},
            "mount_force": {"type": "exerted_force", "force": "mount"},
            "mount_torque": {"type": "exerted_torque", "force": "mount"}}})json");
}

}  // namespace myriad::test
