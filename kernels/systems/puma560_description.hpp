// The parameters and channels of the Puma 560 as people read them; see puma560.hpp. Host only.
#pragma once
#include "kernels/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// One row of the table of links.
#define MYRIAD_PUMA_LINK(link, d, a, alpha, mass, x, y, z, xx, yy, zz)                                                 \
    {link ".offset_m", "m", d, "Denavit-Hartenberg d: along z of the frame before"},                                   \
        {link ".length_m", "m", a, "Denavit-Hartenberg a: along the link's x"},                                        \
        {link ".twist_rad", "rad", alpha, "Denavit-Hartenberg alpha: about the link's x"},                             \
        {link ".mass_kg", "kg", mass, "mass"},                                                                         \
        {link ".centre_of_mass_m[0]", "m", x, "centre of mass, frame of the link, x"},                                 \
        {link ".centre_of_mass_m[1]", "m", y, "centre of mass, frame of the link, y"},                                 \
        {link ".centre_of_mass_m[2]", "m", z, "centre of mass, frame of the link, z"},                                 \
        {link ".inertia_kg_m2.xx", "kg m^2", xx,                                                                       \
         "moment of inertia about the link's axis x through the centre of mass"},                                      \
        {link ".inertia_kg_m2.yy", "kg m^2", yy,                                                                       \
         "moment of inertia about the link's axis y through the centre of mass"},                                      \
    {                                                                                                                  \
        link ".inertia_kg_m2.zz", "kg m^2", zz, "moment of inertia about the link's axis z through the centre of mass" \
    }
#define MYRIAD_PUMA_JOINT(joint, stiffness, damping)                                                           \
    {joint ".proportional_N_m_rad", "N m/rad", stiffness, "gain of the controller, on the angle (assumed)"}, { \
        joint ".derivative_N_m_s_rad", "N m s/rad", damping, "gain of the controller, on the rate (assumed)"   \
    }
#define MYRIAD_PUMA_ANGLES(name, unit, a, b, c, d, e, f, meaning)                               \
    {name "[0]", unit, a, meaning ", joint 1"}, {name "[1]", unit, b, meaning ", joint 2"},     \
        {name "[2]", unit, c, meaning ", joint 3"}, {name "[3]", unit, d, meaning ", joint 4"}, \
        {name "[4]", unit, e, meaning ", joint 5"}, {                                           \
        name "[5]", unit, f, meaning ", joint 6"                                                \
    }

struct Puma560Description {
    static constexpr double degree = 0.017453292519943295, right = 1.5707963267948966;
    static constexpr ParameterDescription parameters[] = {
        MYRIAD_PUMA_LINK("link_1", 0.0, 0.0, right, 20.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0),
        MYRIAD_PUMA_LINK("link_2", 0.0, 0.4318, 0.0, 17.4, -0.3638, 0.006, 0.2275, 0.13, 0.524, 0.539),
        MYRIAD_PUMA_LINK("link_3", 0.15, 0.0203, -right, 4.8, -0.0203, -0.0141, 0.07, 0.066, 0.086, 0.0125),
        MYRIAD_PUMA_LINK("link_4", 0.4318, 0.0, right, 0.82, 0.0, 0.019, 0.0, 0.0018, 0.0013, 0.0018),
        MYRIAD_PUMA_LINK("link_5", 0.0, 0.0, -right, 0.34, 0.0, 0.0, 0.0, 0.0003, 0.0004, 0.0003),
        MYRIAD_PUMA_LINK("link_6", 0.0, 0.0, 0.0, 0.09, 0.0, 0.0, 0.032, 0.00015, 0.00015, 0.00004),
        MYRIAD_PUMA_JOINT("joint_1", 40000.0, 400.0),
        MYRIAD_PUMA_JOINT("joint_2", 40000.0, 400.0),
        MYRIAD_PUMA_JOINT("joint_3", 40000.0, 100.0),
        MYRIAD_PUMA_JOINT("joint_4", 100.0, 1.0),
        MYRIAD_PUMA_JOINT("joint_5", 100.0, 1.0),
        MYRIAD_PUMA_JOINT("joint_6", 10.0, 0.1),
        MYRIAD_PUMA_ANGLES("initial_angle_rad", "rad", 0.0, 22.5 * degree, 90.0 * degree, 0.0, 22.5 * degree, 0.0,
                           "angle at the start, of the robot and of the profile"),
        MYRIAD_PUMA_ANGLES("initial_rate_rad_s", "rad/s", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                           "rate of the robot at the start"),
        MYRIAD_PUMA_ANGLES("goal_angle_rad", "rad", -120.0 * degree, 60.0 * degree, -200.0 * degree, 90.0 * degree,
                           90.0 * degree, 45.0 * degree, "angle at the end of the profile"),
        {"profile_duration_s", "s", 1.0, "duration of the profile (assumed); 0: the goal is the target at once"},
        {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -z"},
    };
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of mass of the link"},
        {"orientation", "1", "link to world", "w x y z", true, "unit quaternion of the link's frame, scalar first"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre of mass"},
        {"angular_velocity", "rad/s", "link", "x y z", true, "angular velocity"},
        {"joint_angle", "rad", "", "1 2 3 4 5 6", false, "angles, counted over full turns"},
        {"joint_rate", "rad/s", "", "1 2 3 4 5 6", false, "rates of the angles"},
        {"joint_torque", "N m", "", "1 2 3 4 5 6", false, "torques of the controllers"},
        {"tool_position", "m", "world", "x y z", false, "origin of the last link's frame"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential at the height of the origin"},
    };
};

#undef MYRIAD_PUMA_LINK
#undef MYRIAD_PUMA_JOINT
#undef MYRIAD_PUMA_ANGLES

}  // namespace myriad::inline MYRIAD_VARIANT
