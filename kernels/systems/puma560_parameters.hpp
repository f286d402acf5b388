// The parameters of the Puma 560; see puma560.hpp.
#pragma once
#include "kernels/system/parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// One row of the table of links, one line of the controllers, and a number for each joint.
#define MYRIAD_PUMA_LINK(link, name, d, a, alpha, m, x, y, z, xx, yy, zz)                                     \
    visit(link.offset, {name ".offset_m", "m", d, "Denavit-Hartenberg d: along z of the frame before"}),      \
        visit(link.length, {name ".length_m", "m", a, "Denavit-Hartenberg a: along the link's x"}),           \
        visit(link.twist, {name ".twist_rad", "rad", alpha, "Denavit-Hartenberg alpha: about the link's x"}), \
        visit(link.mass, {name ".mass_kg", "kg", m, "mass"}),                                                 \
        visit(link.centre[0], {name ".centre_of_mass_m[0]", "m", x, "centre of mass, frame of the link, x"}), \
        visit(link.centre[1], {name ".centre_of_mass_m[1]", "m", y, "centre of mass, frame of the link, y"}), \
        visit(link.centre[2], {name ".centre_of_mass_m[2]", "m", z, "centre of mass, frame of the link, z"}), \
        visit(link.inertia[0], {name ".inertia_kg_m2.xx", "kg m^2", xx,                                       \
                                "moment of inertia about the link's axis x through the centre of mass"}),     \
        visit(link.inertia[1], {name ".inertia_kg_m2.yy", "kg m^2", yy,                                       \
                                "moment of inertia about the link's axis y through the centre of mass"}),     \
        visit(link.inertia[2], {name ".inertia_kg_m2.zz", "kg m^2", zz,                                       \
                                "moment of inertia about the link's axis z through the centre of mass"})
#define MYRIAD_PUMA_JOINT(joint, name, stiffness, damping)                                                         \
    visit(joint.proportional,                                                                                      \
          {name ".proportional_N_m_rad", "N m/rad", stiffness, "gain of the controller, on the angle (assumed)"}), \
        visit(joint.derivative,                                                                                    \
              {name ".derivative_N_m_s_rad", "N m s/rad", damping, "gain of the controller, on the rate (assumed)"})
#define MYRIAD_PUMA_ANGLES(angles, name, unit, a, b, c, d, e, f, meaning) \
    visit(angles[0], {name "[0]", unit, a, meaning ", joint 1"}),         \
        visit(angles[1], {name "[1]", unit, b, meaning ", joint 2"}),     \
        visit(angles[2], {name "[2]", unit, c, meaning ", joint 3"}),     \
        visit(angles[3], {name "[3]", unit, d, meaning ", joint 4"}),     \
        visit(angles[4], {name "[4]", unit, e, meaning ", joint 5"}),     \
        visit(angles[5], {name "[5]", unit, f, meaning ", joint 6"})

template <class R>
struct Puma560Parameters {
    using Real = R;
    struct Link {
        Real offset, length, twist, mass;
        Vec<3, Real> centre, inertia;  // principal
    };
    struct Joint {
        Real proportional, derivative;
    };
    Link link[6];
    Joint joint[6];
    Vec<6, Real> initial_angle, initial_rate, goal_angle;
    Real profile_duration, gravity;

    static constexpr double degree = 0.017453292519943295, right = 1.5707963267948966;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        MYRIAD_PUMA_LINK(link[0], "link_1", 0.0, 0.0, right, 20.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0);
        MYRIAD_PUMA_LINK(link[1], "link_2", 0.0, 0.4318, 0.0, 17.4, -0.3638, 0.006, 0.2275, 0.13, 0.524, 0.539);
        MYRIAD_PUMA_LINK(link[2], "link_3", 0.15, 0.0203, -right, 4.8, -0.0203, -0.0141, 0.07, 0.066, 0.086, 0.0125);
        MYRIAD_PUMA_LINK(link[3], "link_4", 0.4318, 0.0, right, 0.82, 0.0, 0.019, 0.0, 0.0018, 0.0013, 0.0018);
        MYRIAD_PUMA_LINK(link[4], "link_5", 0.0, 0.0, -right, 0.34, 0.0, 0.0, 0.0, 0.0003, 0.0004, 0.0003);
        MYRIAD_PUMA_LINK(link[5], "link_6", 0.0, 0.0, 0.0, 0.09, 0.0, 0.0, 0.032, 0.00015, 0.00015, 0.00004);
        MYRIAD_PUMA_JOINT(joint[0], "joint_1", 40000.0, 400.0);
        MYRIAD_PUMA_JOINT(joint[1], "joint_2", 40000.0, 400.0);
        MYRIAD_PUMA_JOINT(joint[2], "joint_3", 40000.0, 100.0);
        MYRIAD_PUMA_JOINT(joint[3], "joint_4", 100.0, 1.0);
        MYRIAD_PUMA_JOINT(joint[4], "joint_5", 100.0, 1.0);
        MYRIAD_PUMA_JOINT(joint[5], "joint_6", 10.0, 0.1);
        MYRIAD_PUMA_ANGLES(initial_angle, "initial_angle_rad", "rad", 0.0, 22.5 * degree, 90.0 * degree, 0.0,
                           22.5 * degree, 0.0, "angle at the start, of the robot and of the profile");
        MYRIAD_PUMA_ANGLES(initial_rate, "initial_rate_rad_s", "rad/s", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                           "rate of the robot at the start");
        MYRIAD_PUMA_ANGLES(goal_angle, "goal_angle_rad", "rad", -120.0 * degree, 60.0 * degree, -200.0 * degree,
                           90.0 * degree, 90.0 * degree, 45.0 * degree, "angle at the end of the profile");
        visit(profile_duration,
              {"profile_duration_s", "s", 1.0, "duration of the profile (assumed); 0: the goal is the target at once"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -z"});
    }
};

#undef MYRIAD_PUMA_LINK
#undef MYRIAD_PUMA_JOINT
#undef MYRIAD_PUMA_ANGLES

}  // namespace myriad::inline MYRIAD_VARIANT
