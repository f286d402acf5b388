// Keys of joints, their drivers and couplings; force elements, contacts and sensors share those of kinds, bodies and
// points.
#pragma once
#include "host/mechanism/keys/key.hpp"

namespace myriad::mechanism {

// Keys of joints, drivers and force elements.
inline constexpr Key type_key{"type", KeyType::text, true, "", "kind"};
inline constexpr Key bodies_key{"bodies", KeyType::two_bodies, true, "", "two bodies A, B, or one and \"ground\""};
inline constexpr Key body_key{"body", KeyType::body, true, "", "name of a body"};
inline constexpr Key joint_key{"joint", KeyType::joint, true, "", "name of a joint"};
inline constexpr Key points_key{"points_m", KeyType::two_vectors, true, "m",
                                "a point on each body, from its origin in its frame; on the ground world coordinates"};
inline constexpr Key axes_key{"axes", KeyType::two_vectors, true, "", "a direction on each body, of any length"};
inline constexpr Key references_key{"references", KeyType::two_vectors, false, "",
                                    "directions that the angle is counted between; default: it is 0 in the file's "
                                    "initial orientations"};
inline constexpr Key slide_axes_key{
    "axes", KeyType::two_vectors, false, "",
    "a direction on each body, of any length, which stay parallel; the slides are along A's reference, across both and "
    "along the axis. Default: the orientations stay as the file has them, and the slides are along the axes of A"};
inline constexpr Key axis_key{"axis", KeyType::vector, true, "", "direction on body A, of any length"};
inline constexpr Key direction_key{"direction", KeyType::vector, true, "", "direction in the world, of any length"};

inline constexpr Key cut_key{"cut", KeyType::flag, false, "",
                             "true: in joint coordinates this joint is rows between its two bodies, and the tree finds "
                             "another way; default false. Without it the joints that leave the fewest unknowns are the "
                             "tree, and those that close loops are rows"};

inline constexpr Key dot_value_key{"value", KeyType::number, false, "", "cosine of the angle; default 0"};
inline constexpr Key length_value_key{"value_m", KeyType::number, false, "m", "coordinate; default 0"};
inline constexpr Key distance_value_key{"value_m", KeyType::number, true, "m", "distance, above 0"};

// Of a joint with several, in joint coordinates alone.
inline constexpr Key coordinate_key{
    "coordinate", KeyType::text, false, "",
    "the joint's coordinate, as sensors and drivers name it: \"angle\", \"displacement\", \"angle_1\", \"angle_2\", "
    "\"displacement_1\" ...; needed where the joint has several"};

// Where a joint starts, before assembly. Without them its bodies start where they stand.
inline constexpr Key start_angle_key{"angle_rad", KeyType::number, false, "rad",
                                     "angle at the start, whole turns included; default that of the bodies' poses"};
inline constexpr Key start_angle_1_key{"angle_1_rad", KeyType::number, false, "rad",
                                       "angle about A's axis at the start, likewise"};
inline constexpr Key start_angle_2_key{"angle_2_rad", KeyType::number, false, "rad",
                                       "angle about B's axis at the start, likewise"};
inline constexpr Key start_rate_key{"rate_rad_s", KeyType::number, false, "rad/s",
                                    "rate of the angle at the start; default that of the bodies' velocities"};
inline constexpr Key start_rate_1_key{"rate_1_rad_s", KeyType::number, false, "rad/s",
                                      "rate of the first angle at the start, likewise"};
inline constexpr Key start_rate_2_key{"rate_2_rad_s", KeyType::number, false, "rad/s",
                                      "rate of the second angle at the start, likewise"};
inline constexpr Key start_displacement_key{"displacement_m", KeyType::number, false, "m",
                                            "displacement at the start; default that of the bodies' poses"};
inline constexpr Key start_displacement_1_key{"displacement_1_m", KeyType::number, false, "m",
                                              "first displacement at the start, likewise"};
inline constexpr Key start_displacement_2_key{"displacement_2_m", KeyType::number, false, "m",
                                              "second displacement at the start, likewise"};
inline constexpr Key start_displacement_3_key{"displacement_3_m", KeyType::number, false, "m",
                                              "third displacement at the start, likewise"};
inline constexpr Key start_displacement_rate_key{
    "displacement_rate_m_s", KeyType::number, false, "m/s",
    "rate of the displacement at the start; default that of the bodies' velocities"};
inline constexpr Key start_displacement_rate_1_key{"displacement_rate_1_m_s", KeyType::number, false, "m/s",
                                                   "rate of the first displacement at the start, likewise"};
inline constexpr Key start_displacement_rate_2_key{"displacement_rate_2_m_s", KeyType::number, false, "m/s",
                                                   "rate of the second displacement at the start, likewise"};
inline constexpr Key start_displacement_rate_3_key{"displacement_rate_3_m_s", KeyType::number, false, "m/s",
                                                   "rate of the third displacement at the start, likewise"};
inline constexpr Key start_orientation_key{
    "orientation", KeyType::orientation, false, "",
    "orientation of B relative to A at the start; default that of the bodies' poses"};
inline constexpr Key start_angular_velocity_key{
    "angular_velocity_rad_s", KeyType::vector, false, "rad/s",
    "angular velocity of B relative to A at the start, in B's frame; default that of the bodies' velocities"};

// A rotor on a coordinate: in joint coordinates alone.
inline constexpr Key rotor_inertia_key{
    "rotor_inertia_kg_m2", KeyType::number, false, "kg m^2",
    "inertia about its axis of a rotor that a gear turns with the angle, 0 or more; default 0. It adds gear_ratio^2 "
    "times itself to the inertia about the joint's axis; in joint coordinates alone, and without gyroscopic effects"};
inline constexpr Key gear_ratio_key{"gear_ratio", KeyType::number, false, "",
                                    "turns of the rotor for one turn of the joint, or its way for that of the slide; "
                                    "default 1"};
inline constexpr Key rotor_inertia_1_key{"rotor_inertia_1_kg_m2", KeyType::number, false, "kg m^2",
                                         "inertia of a rotor that turns with the first angle, likewise"};
inline constexpr Key gear_ratio_1_key{"gear_ratio_1", KeyType::number, false, "", "turns of that rotor, likewise"};
inline constexpr Key rotor_inertia_2_key{"rotor_inertia_2_kg_m2", KeyType::number, false, "kg m^2",
                                         "inertia of a rotor that turns with the second angle, likewise"};
inline constexpr Key gear_ratio_2_key{"gear_ratio_2", KeyType::number, false, "", "turns of that rotor, likewise"};
inline constexpr Key rotor_mass_key{
    "rotor_inertia_kg", KeyType::number, false, "kg",
    "inertia of what a gear moves with the slide, 0 or more; default 0. It adds gear_ratio^2 times itself to the mass "
    "that the slide moves; in joint coordinates alone"};
inline constexpr Key displacement_gear_ratio_key{"displacement_gear_ratio", KeyType::number, false, "",
                                                 "way of that for the way of the slide; default 1"};
// The rotor of a coordinate.
struct RotorKeys {
    const char* joint_type;
    const char* coordinate;
    const Key &inertia, &ratio;
};
inline constexpr RotorKeys rotor_keys[] = {
    {"revolute", "angle", rotor_inertia_key, gear_ratio_key},
    {"prismatic", "displacement", rotor_mass_key, gear_ratio_key},
    {"cylindrical", "displacement", rotor_mass_key, displacement_gear_ratio_key},
    {"cylindrical", "angle", rotor_inertia_key, gear_ratio_key},
    {"universal", "angle_1", rotor_inertia_1_key, gear_ratio_1_key},
    {"universal", "angle_2", rotor_inertia_2_key, gear_ratio_2_key},
};

inline constexpr Key fixed_keys[] = {type_key, bodies_key, points_key, cut_key};
inline constexpr Key spherical_keys[] = {
    type_key, bodies_key, points_key, cut_key, start_orientation_key, start_angular_velocity_key};
inline constexpr Key universal_keys[] = {type_key,         bodies_key,          points_key,       axes_key,
                                         cut_key,          start_angle_1_key,   start_rate_1_key, start_angle_2_key,
                                         start_rate_2_key, rotor_inertia_1_key, gear_ratio_1_key, rotor_inertia_2_key,
                                         gear_ratio_2_key};
inline constexpr Key revolute_keys[] = {type_key, bodies_key,      points_key,     axes_key,          references_key,
                                        cut_key,  start_angle_key, start_rate_key, rotor_inertia_key, gear_ratio_key};
inline constexpr Key prismatic_keys[] = {type_key,
                                         bodies_key,
                                         points_key,
                                         axes_key,
                                         references_key,
                                         cut_key,
                                         start_displacement_key,
                                         start_displacement_rate_key,
                                         rotor_mass_key,
                                         gear_ratio_key};
inline constexpr Key cylindrical_keys[] = {type_key,
                                           bodies_key,
                                           points_key,
                                           axes_key,
                                           references_key,
                                           cut_key,
                                           start_displacement_key,
                                           start_displacement_rate_key,
                                           start_angle_key,
                                           start_rate_key,
                                           rotor_inertia_key,
                                           gear_ratio_key,
                                           rotor_mass_key,
                                           displacement_gear_ratio_key};
inline constexpr Key planar_keys[] = {type_key,
                                      bodies_key,
                                      points_key,
                                      axes_key,
                                      references_key,
                                      cut_key,
                                      start_displacement_1_key,
                                      start_displacement_rate_1_key,
                                      start_displacement_2_key,
                                      start_displacement_rate_2_key,
                                      start_angle_key,
                                      start_rate_key};
inline constexpr Key translational_keys[] = {type_key,
                                             bodies_key,
                                             points_key,
                                             slide_axes_key,
                                             references_key,
                                             cut_key,
                                             start_displacement_1_key,
                                             start_displacement_rate_1_key,
                                             start_displacement_2_key,
                                             start_displacement_rate_2_key,
                                             start_displacement_3_key,
                                             start_displacement_rate_3_key};
inline constexpr Key dot_1_keys[] = {type_key, bodies_key, axes_key, dot_value_key};
inline constexpr Key dot_2_keys[] = {type_key, bodies_key, axis_key, points_key, length_value_key};
inline constexpr Key distance_keys[] = {type_key, bodies_key, points_key, distance_value_key};
inline constexpr Key coordinate_keys[] = {type_key, bodies_key, direction_key, points_key, length_value_key};
inline constexpr Kind joint_kinds[] = {
    {"spherical", spherical_keys, "the two points stay together"},
    {"universal", universal_keys, "the points stay together and the axes perpendicular"},
    {"revolute", revolute_keys, "the points stay together and the axes parallel"},
    {"cylindrical", cylindrical_keys, "the axes stay on one line"},
    {"prismatic", prismatic_keys, "the axes stay on one line, and the references parallel"},
    {"planar", planar_keys, "the axes stay parallel and B's point in the plane across A's axis through A's point"},
    {"translational", translational_keys, "the bodies do not turn against each other"},
    {"fixed", fixed_keys, "the points stay together and the orientations as the file has them"},
    {"DP1", dot_1_keys, "the product of the two unit axes has a value"},
    {"DP2", dot_2_keys, "the vector from A's point to B's has a coordinate along an axis of A"},
    {"D", distance_keys, "the two points keep a distance"},
    {"CD", coordinate_keys, "the vector from A's point to B's has a coordinate along a direction of the world"},
};

inline constexpr Key angle_function_key{"value_rad", KeyType::function, true, "rad", "angle as a function of time t"};
inline constexpr Key displacement_function_key{"value_m", KeyType::function, true, "m",
                                               "displacement as a function of time t"};
inline constexpr Key dot_function_key{"value", KeyType::function, true, "",
                                      "cosine of the angle as a function of time t"};
inline constexpr Key length_function_key{"value_m", KeyType::function, true, "m", "length as a function of time t"};
inline constexpr Key angle_driver_keys[] = {type_key, joint_key, angle_function_key};
inline constexpr Key displacement_driver_keys[] = {type_key, joint_key, displacement_function_key};
inline constexpr Key dot_1_driver_keys[] = {type_key, bodies_key, axes_key, dot_function_key};
inline constexpr Key dot_2_driver_keys[] = {type_key, bodies_key, axis_key, points_key, length_function_key};
inline constexpr Key distance_driver_keys[] = {type_key, bodies_key, points_key, length_function_key};
inline constexpr Key coordinate_driver_keys[] = {type_key, bodies_key, direction_key, points_key, length_function_key};
inline constexpr Kind driver_kinds[] = {
    {"angle", angle_driver_keys, "angle of a revolute, cylindrical or planar joint, from A to B about A's axis"},
    {"angle_1", angle_driver_keys, "angle of a universal joint about A's axis"},
    {"angle_2", angle_driver_keys, "angle of a universal joint about B's axis"},
    {"displacement", displacement_driver_keys, "displacement of B along A's axis in a prismatic or cylindrical joint"},
    {"displacement_1", displacement_driver_keys,
     "displacement of B's point in a planar or translational joint along A's reference"},
    {"displacement_2", displacement_driver_keys,
     "displacement of B's point in a planar or translational joint along A's axis x reference"},
    {"displacement_3", displacement_driver_keys, "displacement of B's point in a translational joint along A's axis"},
    {"DP1", dot_1_driver_keys, "as the joint"},
    {"DP2", dot_2_driver_keys, "as the joint"},
    {"D", distance_driver_keys, "as the joint; above 0"},
    {"CD", coordinate_driver_keys, "as the joint"},
};

inline constexpr Key coupled_coordinate_key{"coordinate", KeyType::text, true, "",
                                            "the coordinate that follows, as its sensor is called behind its joint: "
                                            "\"wheel.angle\", \"rack.displacement\". Its "
                                            "value is ratio times the other one's, over whole turns, and offset"};
inline constexpr Key followed_coordinate_key{"follows", KeyType::text, true, "",
                                             "the coordinate that it follows, of the same or another joint"};
inline constexpr Key ratio_key{
    "ratio", KeyType::number, true, "",
    "of the two, in the unit of the coordinate over that of the one that it follows: rad/rad, "
    "m/rad, rad/m or m/m; not 0"};
inline constexpr Key coupling_offset_key{"offset", KeyType::number, false, "rad or m",
                                         "the coordinate where the one that it follows is 0; default 0"};
inline constexpr Key coupling_keys[] = {coupled_coordinate_key, followed_coordinate_key, ratio_key,
                                        coupling_offset_key};

}  // namespace myriad::mechanism
