// Keys of force elements.
#pragma once
#include "host/mechanism/keys/joints.hpp"

namespace myriad::mechanism {

inline constexpr Key load_point_key{
    "point_m", KeyType::vector, false, "m",
    "point where it acts, from the body's origin in its frame; default the centre of mass"};
inline constexpr Key force_key{"force_N", KeyType::vector_function, true, "N", "force as a function of time t"};
inline constexpr Key torque_key{"torque_N_m", KeyType::vector_function, true, "N m", "torque as a function of time t"};
inline constexpr Key load_frame_key{"frame", KeyType::load_frame, false, "",
                                    "\"world\" (default), or \"body\": components that turn with it"};
inline constexpr Key stiffness_key{"stiffness_N_m", KeyType::number, false, "N/m", "stiffness; default 0"};
inline constexpr Key damping_key{"damping_N_s_m", KeyType::number, false, "N s/m", "damping; default 0"};
inline constexpr Key rest_length_key{"rest_length_m", KeyType::function, false, "m",
                                     "length without force, as a function of time t; needed with a stiffness"};
inline constexpr Key rotational_stiffness_key{"stiffness_N_m_rad", KeyType::number, false, "N m/rad",
                                              "stiffness; default 0"};
inline constexpr Key rotational_damping_key{"damping_N_m_s_rad", KeyType::number, false, "N m s/rad",
                                            "damping; default 0"};
inline constexpr Key rest_angle_key{"rest_angle_rad", KeyType::function, false, "rad",
                                    "angle without torque, as a function of time t; default 0"};
inline constexpr Key rest_displacement_key{"rest_displacement_m", KeyType::function, false, "m",
                                           "displacement without force, as a function of time t; default 0"};
inline constexpr Key bushing_frame_key{"frame", KeyType::orientation, false, "",
                                       "axes of the stiffness, relative to body A; default those of A"};
inline constexpr Key bushing_stiffness_key{"stiffness_N_m", KeyType::vector, false, "N/m",
                                           "along the axes of the frame; default 0"};
inline constexpr Key bushing_damping_key{"damping_N_s_m", KeyType::vector, false, "N s/m",
                                         "along the axes of the frame; default 0"};
inline constexpr Key bushing_rotational_stiffness_key{
    "stiffness_N_m_rad", KeyType::vector, false, "N m/rad",
    "about the axes of the frame, against the rotation vector from the file's initial relative orientation; default 0"};
inline constexpr Key bushing_rotational_damping_key{"damping_N_m_s_rad", KeyType::vector, false, "N m s/rad",
                                                    "about the axes of the frame; default 0"};
inline constexpr Key proportional_key{"proportional", KeyType::number, true, "N m/rad or N/m",
                                      "gain on the difference from the target"};
inline constexpr Key derivative_key{"derivative", KeyType::number, true, "N m s/rad or N s/m",
                                    "gain on the rate of that difference"};
inline constexpr Key target_key{"target", KeyType::function, true, "rad or m",
                                "angle or displacement to reach, as a function of time t"};

// On one coordinate of a joint: in joint coordinates alone.
inline constexpr Key dry_torque_key{"coulomb_N_m", KeyType::number, false, "N m",
                                    "largest torque of dry friction, on an angle; default 0"};
inline constexpr Key viscous_torque_key{"viscous_N_m_s_rad", KeyType::number, false, "N m s/rad",
                                        "torque of viscous friction over the rate, on an angle; default 0"};
inline constexpr Key friction_rate_key{
    "regularisation_rad_s", KeyType::number, false, "rad/s",
    "rate over which dry friction turns round: torque coulomb tanh(rate / regularisation); above 0, and needed with "
    "coulomb_N_m. Methods with contact do without: there the joint sticks until coulomb is not enough to hold it"};
inline constexpr Key dry_force_key{"coulomb_N", KeyType::number, false, "N",
                                   "largest force of dry friction, on a displacement; default 0"};
inline constexpr Key viscous_force_key{"viscous_N_s_m", KeyType::number, false, "N s/m",
                                       "force of viscous friction over the rate, on a displacement; default 0"};
inline constexpr Key friction_velocity_key{"regularisation_m_s", KeyType::number, false, "m/s",
                                           "the same on a displacement, with coulomb_N"};
inline constexpr Key bearing_friction_key{
    "friction", KeyType::number, false, "",
    "coefficient of dry friction that grows with the force in the joint: friction x force on a displacement, friction "
    "x "
    "radius_m x force on an angle, beside coulomb; the force is that at the beginning of a step. Methods with contact "
    "alone; default 0"};
inline constexpr Key bearing_radius_key{"radius_m", KeyType::number, false, "m",
                                        "of the bearing, on an angle with friction"};

inline constexpr Key force_keys[] = {type_key, body_key, load_point_key, force_key, load_frame_key};
inline constexpr Key torque_keys[] = {type_key, body_key, torque_key, load_frame_key};
inline constexpr Key spring_damper_keys[] = {type_key,      bodies_key,  points_key,
                                             stiffness_key, damping_key, rest_length_key};
inline constexpr Key torsional_spring_damper_keys[] = {type_key, joint_key, rotational_stiffness_key,
                                                       rotational_damping_key, rest_angle_key};
inline constexpr Key linear_spring_damper_keys[] = {type_key, joint_key, stiffness_key, damping_key,
                                                    rest_displacement_key};
inline constexpr Key bushing_keys[] = {type_key,
                                       bodies_key,
                                       points_key,
                                       bushing_frame_key,
                                       bushing_stiffness_key,
                                       bushing_damping_key,
                                       bushing_rotational_stiffness_key,
                                       bushing_rotational_damping_key};
inline constexpr Key pd_controller_keys[] = {type_key, joint_key, proportional_key, derivative_key, target_key};
inline constexpr Key formula_torque_key{"torque_N_m", KeyType::formula, false, "N m",
                                        "torque on an angle, a formula of time t, of the joint's own angle and rate, "
                                        "and of those of others: \"-k * angle - "
                                        "d * rate + 3 * sin(2 * t) * crank.rate\""};
inline constexpr Key formula_force_key{"force_N", KeyType::formula, false, "N",
                                       "force on a displacement, likewise of displacement and displacement_rate"};
inline constexpr Key joint_force_keys[] = {type_key, joint_key, coordinate_key, formula_torque_key, formula_force_key};
inline constexpr Key joint_friction_keys[] = {
    type_key,          joint_key,     coordinate_key,    dry_torque_key,        viscous_torque_key,
    friction_rate_key, dry_force_key, viscous_force_key, friction_velocity_key, bearing_friction_key,
    bearing_radius_key};
inline constexpr Kind force_kinds[] = {
    {"force", force_keys, "on a point of a body"},
    {"torque", torque_keys, "on a body"},
    {"spring_damper", spring_damper_keys, "along the line between two points"},
    {"torsional_spring_damper", torsional_spring_damper_keys,
     "on the angle of a revolute, cylindrical or planar joint"},
    {"linear_spring_damper", linear_spring_damper_keys, "on the displacement of a prismatic or cylindrical joint"},
    {"bushing", bushing_keys, "an elastic connection of two bodies, in translation and rotation"},
    {"pd_controller", pd_controller_keys, "torque on a revolute joint, or force on a prismatic one"},
    {"joint_friction", joint_friction_keys,
     "dry and viscous friction on a coordinate of a joint, in joint coordinates alone"},
    {"joint_force", joint_force_keys,
     "torque or force on a coordinate of a joint, a formula of time and of coordinates and rates of joints, in joint "
     "coordinates alone"},
};

}  // namespace myriad::mechanism
