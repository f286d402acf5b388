// Keys of sensors, and the names that they may not take.
#pragma once
#include "host/mechanism/keys/joints.hpp"

namespace myriad::mechanism {

inline constexpr Key sensor_point_key{"point_m", KeyType::vector, true, "m",
                                      "from the body's origin, in the body frame"};
inline constexpr Key point_sensor_keys[] = {type_key, body_key, sensor_point_key};
inline constexpr Key joint_sensor_keys[] = {type_key, joint_key};
inline constexpr Key contact_name_key{"contact", KeyType::text, true, "",
                                      "name of an entry of contacts, or of one of its contacts: \"box.corner_3\""};
inline constexpr Key contact_sensor_keys[] = {type_key, contact_name_key};
inline constexpr Key force_name_key{"force", KeyType::text, true, "", "name of a force element"};
inline constexpr Key force_sensor_keys[] = {type_key, force_name_key};
inline constexpr Key distance_sensor_keys[] = {type_key, bodies_key, points_key};
inline constexpr Kind sensor_kinds[] = {
    {"point", point_sensor_keys, "position of a body point, world"},
    {"point_velocity", point_sensor_keys, "velocity of a body point, world"},
    {"angle", joint_sensor_keys, "angle of a revolute, cylindrical or planar joint, over full turns"},
    {"rate", joint_sensor_keys, "rate of that angle"},
    {"angle_1", joint_sensor_keys, "angle of a universal joint about A's axis, over full turns"},
    {"rate_1", joint_sensor_keys, "rate of that angle"},
    {"angle_2", joint_sensor_keys, "angle of a universal joint about B's axis, over full turns"},
    {"rate_2", joint_sensor_keys, "rate of that angle"},
    {"displacement", joint_sensor_keys, "displacement of a prismatic or cylindrical joint"},
    {"displacement_rate", joint_sensor_keys, "rate of that displacement"},
    {"displacement_1", joint_sensor_keys, "displacement of a planar or translational joint along A's reference"},
    {"displacement_rate_1", joint_sensor_keys, "rate of that displacement"},
    {"displacement_2", joint_sensor_keys, "displacement of a planar or translational joint along A's axis x reference"},
    {"displacement_rate_2", joint_sensor_keys, "rate of that displacement"},
    {"displacement_3", joint_sensor_keys, "displacement of a translational joint along A's axis"},
    {"displacement_rate_3", joint_sensor_keys, "rate of that displacement"},
    {"orientation", joint_sensor_keys,
     "orientation of B relative to A in a spherical joint: the quaternion w, x, y, z with w 0 or more that turns "
     "components in B's axes into those in A's"},
    {"angular_velocity", joint_sensor_keys,
     "angular velocity of B relative to A in a spherical joint, in the axes of B"},
    {"distance", distance_sensor_keys, "distance of two points"},
    {"reaction_force", joint_sensor_keys,
     "force of a joint or driver on body B, world; without the force between teeth of a coupling, which acts on the "
     "joints' coordinates alone"},
    {"reaction_torque", joint_sensor_keys, "torque of a joint or driver on body B about its point there, world"},
    {"reaction_impulse", joint_sensor_keys,
     "impulse of a joint or driver on body B in an impact at the end of the step, else 0; with contacts"},
    {"reaction_angular_impulse", joint_sensor_keys,
     "angular impulse of a joint or driver on body B about its point there, in such an impact"},
    {"contact_force", contact_sensor_keys,
     "force of a contact, or of all contacts of its entry, on body B, world; apart from impacts"},
    {"contact_impulse", contact_sensor_keys, "the same of an impact at the end of the step, else 0"},
    {"exerted_force", force_sensor_keys, "force of a spring, damper, bushing or controller on body B, world"},
    {"exerted_torque", force_sensor_keys,
     "torque of one on body B, world, about its point there, or B's centre of mass where it acts on an angle"},
    {"tension", force_sensor_keys,
     "force that a spring, damper or controller pulls back with, or torque that it turns back with: stiffness times "
     "elongation and damping times its rate. It acts so on A, and the other way round on B"},
};

// Names of the channels of bodies and of the whole mechanism: no sensor may take them.
inline constexpr const char* channel_names[] = {"position",
                                                "orientation",
                                                "velocity",
                                                "angular_velocity",
                                                "acceleration",
                                                "angular_acceleration",
                                                "energy",
                                                "kinetic_energy",
                                                "potential_energy",
                                                "work",
                                                "constraint_residual",
                                                "velocity_residual",
                                                "newton_iterations",
                                                "assembly_correction",
                                                "multiplier"};

}  // namespace myriad::mechanism
