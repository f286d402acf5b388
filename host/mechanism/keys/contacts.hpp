// Keys of contacts.
#pragma once
#include "host/mechanism/keys/joints.hpp"

namespace myriad::mechanism {

// Keys of contacts. All contacts that one entry of the file becomes share its law.
inline constexpr Key friction_key{"friction", KeyType::number, false, "",
                                  "coefficient of Coulomb's friction, 0 or more; default 0"};
inline constexpr Key normal_restitution_key{"normal_restitution", KeyType::number, false, "",
                                            "Newton's coefficient of restitution, from 0 to 1; default 0"};
inline constexpr Key tangential_restitution_key{
    "tangential_restitution", KeyType::number, false, "",
    "Newton's coefficient of restitution along the plane of contact, from 0 to 1; default 0"};
inline constexpr Key tangents_key{
    "tangents", KeyType::tangents, false, "",
    "directions of friction: 2 (default), or 1 for what moves in a plane that has the normal and tangent_1 in it. What "
    "slides across that plane is not hindered"};
inline constexpr Key tangent_key{"tangent", KeyType::vector, false, "",
                                 "direction on A, of any length, whose projection on the plane is tangent_1"};
inline constexpr Key plane_point_key{"plane_point_m", KeyType::vector, true, "m",
                                     "a point of the plane of body A, from its origin in its frame; on the ground "
                                     "world coordinates"};
inline constexpr Key plane_normal_key{"plane_normal", KeyType::vector, true, "",
                                      "direction on A to the side where B is, of any length"};
inline constexpr Key contact_point_key{"point_m", KeyType::vector, true, "m",
                                       "the point of body B, from its origin in its frame"};
inline constexpr Key sphere_centre_key{"point_m", KeyType::vector, true, "m",
                                       "centre of the sphere, from the origin of body B in its frame"};
inline constexpr Key radius_key{"radius_m", KeyType::number, true, "m", "radius of the sphere, 0 or more"};
inline constexpr Key pin_radius_key{"radius_m", KeyType::number, false, "m",
                                    "radius of a round pin about the point, 0 or more; default 0"};
inline constexpr Key sphere_centres_key{"points_m", KeyType::two_vectors, true, "m",
                                        "centre of a sphere on each body, from its origin in its frame; on the ground "
                                        "world coordinates"};
inline constexpr Key radii_key{"radii_m", KeyType::two_numbers, true, "m", "radius of each sphere, 0 or more"};
inline constexpr Key box_centre_key{"centre_m", KeyType::vector, false, "m",
                                    "middle of the box, from the origin of body B in its frame; default its origin"};
inline constexpr Key box_size_key{"size_m", KeyType::vector, true, "m", "edges along the axes of body B, above 0"};
inline constexpr Key capsule_on_a_key{"ends_m", KeyType::two_vectors, true, "m",
                                      "both ends of the capsule's segment on body A, from its origin in its frame; on "
                                      "the ground world coordinates"};
inline constexpr Key capsule_on_b_key{"ends_m", KeyType::two_vectors, true, "m",
                                      "both ends of the capsule's segment on body B, from its origin in its frame"};
inline constexpr Key capsule_radius_key{"radius_m", KeyType::number, true, "m",
                                        "radius of the capsule about its segment, 0 or more"};
inline constexpr Key capsule_and_sphere_radii_key{"radii_m", KeyType::two_numbers, true, "m",
                                                  "radius of the capsule, and of the sphere, 0 or more"};
inline constexpr Key slot_point_key{"slot_point_m", KeyType::vector, true, "m",
                                    "a point half way between the walls of body A, from its origin in its frame; on "
                                    "the ground world coordinates"};
inline constexpr Key slot_normal_key{"slot_normal", KeyType::vector, true, "",
                                     "direction on A from wall 1 to wall 2, of any length"};
inline constexpr Key clearance_key{"clearance_m", KeyType::number, true, "m",
                                   "whole play of the point, or the pin, between the walls, 0 or more"};

// Limits of a coordinate of a joint: in joint coordinates alone.
inline constexpr Key lower_angle_key{"lower_rad", KeyType::number, false, "rad",
                                     "least angle, whole turns included; without it there is no lower end"};
inline constexpr Key upper_angle_key{"upper_rad", KeyType::number, false, "rad",
                                     "largest angle, whole turns included; without it there is no upper end"};
inline constexpr Key lower_displacement_key{"lower_m", KeyType::number, false, "m",
                                            "least displacement; without it there is no lower end"};
inline constexpr Key upper_displacement_key{"upper_m", KeyType::number, false, "m",
                                            "largest displacement; without it there is no upper end"};

inline constexpr Key joint_limits_keys[] = {type_key,
                                            joint_key,
                                            coordinate_key,
                                            lower_angle_key,
                                            upper_angle_key,
                                            lower_displacement_key,
                                            upper_displacement_key,
                                            normal_restitution_key};
inline constexpr Key point_plane_keys[] = {
    type_key,          bodies_key,   plane_point_key,        plane_normal_key,
    contact_point_key, friction_key, normal_restitution_key, tangential_restitution_key,
    tangents_key,      tangent_key};
inline constexpr Key sphere_plane_keys[] = {
    type_key,   bodies_key,   plane_point_key,        plane_normal_key,           sphere_centre_key,
    radius_key, friction_key, normal_restitution_key, tangential_restitution_key, tangents_key,
    tangent_key};
inline constexpr Key sphere_sphere_keys[] = {type_key,
                                             bodies_key,
                                             sphere_centres_key,
                                             radii_key,
                                             friction_key,
                                             normal_restitution_key,
                                             tangential_restitution_key};
inline constexpr Key capsule_plane_keys[] = {
    type_key,           bodies_key,   plane_point_key,        plane_normal_key,           capsule_on_b_key,
    capsule_radius_key, friction_key, normal_restitution_key, tangential_restitution_key, tangents_key,
    tangent_key};
inline constexpr Key sphere_capsule_keys[] = {type_key,
                                              bodies_key,
                                              capsule_on_a_key,
                                              sphere_centre_key,
                                              capsule_and_sphere_radii_key,
                                              friction_key,
                                              normal_restitution_key,
                                              tangential_restitution_key};
inline constexpr Key box_plane_keys[] = {
    type_key,     bodies_key,   plane_point_key,        plane_normal_key,           box_centre_key,
    box_size_key, friction_key, normal_restitution_key, tangential_restitution_key, tangents_key,
    tangent_key};
inline constexpr Key point_slot_keys[] = {
    type_key,          bodies_key,     slot_point_key, slot_normal_key,        clearance_key,
    contact_point_key, pin_radius_key, friction_key,   normal_restitution_key, tangential_restitution_key,
    tangents_key,      tangent_key};
inline constexpr Kind contact_kinds[] = {
    {"point_plane", point_plane_keys, "a point of B on a plane of A"},
    {"sphere_plane", sphere_plane_keys, "a sphere of B on a plane of A"},
    {"sphere_sphere", sphere_sphere_keys, "a sphere of A and a sphere of B, outside each other"},
    {"capsule_plane", capsule_plane_keys,
     "a capsule of B, a segment with a radius, on a plane of A: contacts end_1 and end_2"},
    {"sphere_capsule", sphere_capsule_keys, "a sphere of B on a capsule of A, outside each other"},
    {"box_plane", box_plane_keys, "the 8 corners of a box of B on a plane of A: contacts corner_1 to corner_8"},
    {"point_slot", point_slot_keys, "a point of B between two walls of A: contacts wall_1 and wall_2"},
    {"joint_limits", joint_limits_keys,
     "stops on a coordinate of a joint of the tree, without friction: contacts lower and upper; in joint coordinates "
     "alone. Their gaps are the way to the stop, of angles in rad"},
};

}  // namespace myriad::mechanism
