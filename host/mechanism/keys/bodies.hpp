// Keys of a mechanism, of its tables, bodies and orientations.
#pragma once
#include "host/mechanism/keys/key.hpp"

namespace myriad::mechanism {

inline constexpr const char* ground_name = "ground";

// Keys of the mechanism.
inline constexpr Key gravity_key{"gravity_m_s2", KeyType::vector, false, "m/s^2", "gravity, world; default 0"};
inline constexpr Key parameters_key{"parameters", KeyType::structure, false, "",
                                    "named numbers, for expressions; they may be expressions of each other"};
inline constexpr Key tables_section_key{
    "tables", KeyType::structure, false, "",
    "functions given by points, by name. Expressions look them up for any argument: \"0.1 + 2 * cam(t)\". They are the "
    "same in all instances of a study"};
inline constexpr Key bodies_section_key{"bodies", KeyType::structure, true, "", "rigid bodies by name"};
inline constexpr Key joints_section_key{"joints", KeyType::structure, false, "", "constraints between bodies, by name"};
inline constexpr Key drivers_section_key{"drivers", KeyType::structure, false, "",
                                         "constraints that prescribe a motion in time, by name"};
inline constexpr Key couplings_section_key{
    "couplings", KeyType::structure, false, "",
    "gears, belts, racks, screws and the like: coordinates of joints that follow "
    "others, by name; in joint coordinates. A coupling knows ratios and no teeth: its torque or force "
    "(\"multiplier.<name>\") acts along the coordinates, and the force between teeth is in no joint's reaction"};
inline constexpr Key forces_section_key{"forces", KeyType::structure, false, "",
                                        "loads, springs, dampers and controllers, by name"};
inline constexpr Key contacts_section_key{
    "contacts", KeyType::structure, false, "",
    "unilateral contacts between bodies, with friction and impact, and limits of joints, by name. Their channels are "
    "along "
    "the normal, from A to B, and two tangents. On a plane tangent_1 is the projection of \"tangent\" on it, else that "
    "of "
    "the axis of A's frame which is farthest from the normal, the first among equals, and tangent_2 is normal x "
    "tangent_1. Between spheres they are the world's x and y, turned as the normal is from z, or x and -y, turned as "
    "it "
    "is from -z where it points down"};
inline constexpr Key sensors_section_key{"sensors", KeyType::structure, false, "", "channels to observe, by name"};
inline constexpr Key schema_key{"$schema", KeyType::text, false, "",
                                "for editors, which check the file by it; not read"};
inline constexpr Key assembly_key{
    "assembly", KeyType::assembly, false, "",
    "warn (default) or refuse, where the given poses contradict the joints by more than 1e-3 of the mechanism's size "
    "(the largest distance between points of its joints and forces and its centres of mass, as assembled) or 1e-3 rad; "
    "bodies without position and orientation are assembled silently. A study's \"assembly\" wins"};
inline constexpr Key coordinates_key{
    "coordinates", KeyType::coordinates, false, "",
    "joint (default): a step solves for the coordinates of a tree of joints and for the rows of the others, or in body "
    "coordinates where joint coordinates do not take the mechanism; body: for six coordinates of each body and the "
    "rows of all joints"};
inline constexpr Key start_key{
    "start", KeyType::start, false, "",
    "assembled (default): in the poses and velocities of the file, moved onto the joints; equilibrium: at rest, in a "
    "stable static equilibrium that the mechanism settles in from there, functions of time at time 0; in joint "
    "coordinates"};
inline constexpr Key mechanism_keys[] = {
    {"title", KeyType::text, false, "", "one line for reports"},
    {"description", KeyType::text, false, "", "what the mechanism is"},
    {"source", KeyType::text, false, "", "where its numbers come from"},
    {"assumed", KeyType::texts, false, "", "what the source does not publish and this file assumes"},
    assembly_key,
    coordinates_key,
    start_key,
    parameters_key,
    tables_section_key,
    gravity_key,
    bodies_section_key,
    joints_section_key,
    drivers_section_key,
    couplings_section_key,
    forces_section_key,
    contacts_section_key,
    sensors_section_key,
    schema_key,
};

// Keys of a table.
inline constexpr Key table_points_key{"points", KeyType::points, false, "",
                                      "[argument, value] by rising argument, 2 or more; in all tables of a mechanism "
                                      "up to 10,000"};
inline constexpr Key table_file_key{"file", KeyType::text, false, "",
                                    "instead of points a CSV file whose first row names the columns, relative to the "
                                    "mechanism file's folder"};
inline constexpr Key table_columns_key{"columns", KeyType::texts, false, "",
                                       "the file's columns of arguments and of values; default: it has just two"};
inline constexpr Key interpolation_key{
    "interpolation", KeyType::interpolation, false, "",
    "cubic_spline (default): twice continuously differentiable, not-a-knot at the ends unless these have slopes; "
    "monotone_cubic: once, and never beyond the values on both sides; linear: continuous alone, for forces"};
inline constexpr Key outside_key{
    "outside", KeyType::outside, false, "",
    "for arguments outside the points: refuse (default): there is no value, a study whose time leaves the points is "
    "refused and an instance that leaves them ends as not finite; hold: the value of the nearest point; extend: a "
    "straight line with the slope at the end"};
inline constexpr Key end_slopes_key{"end_slopes", KeyType::two_plain_numbers, false, "",
                                    "of a cubic spline at its first and last point, in the values' unit by the "
                                    "arguments'"};
inline constexpr Key table_keys[] = {table_points_key,  table_file_key, table_columns_key,
                                     interpolation_key, outside_key,    end_slopes_key};
// In the order of Interpolation and of Outside.
inline constexpr const char* interpolation_names[] = {"linear", "monotone_cubic", "cubic_spline"};
inline constexpr const char* outside_names[] = {"refuse", "hold", "extend"};

// Keys of a body.
inline constexpr Key mass_key{"mass_kg", KeyType::number, true, "kg", "mass, 0 or above"};
inline constexpr Key inertia_key{"inertia_kg_m2", KeyType::inertia, true, "kg m^2",
                                 "inertia about the centre of mass, in the axes of the body or of inertia_frame"};
inline constexpr Key inertia_frame_key{"inertia_frame", KeyType::orientation, false, "",
                                       "axes of the inertia, relative to the body; default those of the body"};
inline constexpr Key centre_of_mass_key{"centre_of_mass_m", KeyType::vector, false, "m",
                                        "centre of mass in the body frame; default its origin"};
inline constexpr Key position_key{
    "position_m", KeyType::vector, false, "m",
    "initial position of the body's origin, world; default 0. The channel \"position\" is that of "
    "the centre of mass"};
inline constexpr Key orientation_key{"orientation", KeyType::orientation, false, "",
                                     "initial orientation, body to world; default the axes of the world"};
inline constexpr Key velocity_key{"velocity_m_s", KeyType::vector, false, "m/s",
                                  "initial velocity of the body's origin, world; default: not given, and as the joints "
                                  "make it"};
inline constexpr Key angular_velocity_key{
    "angular_velocity_rad_s", KeyType::vector, false, "rad/s",
    "initial angular velocity, body frame; default: not given, and as the joints make it"};
inline constexpr Key angular_velocity_world_key{
    "angular_velocity_world_rad_s", KeyType::vector, false, "rad/s",
    "initial angular velocity, world, instead of the one in the body frame"};
inline constexpr Key pinned_key{
    "pinned", KeyType::pinned, false, "",
    "parts that assembly must not move: \"position\" (of the centre of mass), \"orientation\""};
inline constexpr Key body_keys[] = {
    mass_key,        inertia_key,  inertia_frame_key,    centre_of_mass_key,         position_key,
    orientation_key, velocity_key, angular_velocity_key, angular_velocity_world_key, pinned_key};
// Components of an inertia that is not a list of three.
inline constexpr const char* inertia_components[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
inline constexpr const char* pinned_names[] = {"position", "orientation"};
inline constexpr const char* load_frame_names[] = {"world", "body"};
inline constexpr const char* assembly_names[] = {"warn", "refuse"};    // in the order of AssemblyPolicy
inline constexpr const char* coordinates_names[] = {"joint", "body"};  // in the order of Coordinates

inline constexpr const char* mechanism_start_names[] = {"assembled", "equilibrium"};

// Keys of an orientation: one of the first four, or two of the axes.
inline constexpr Key quaternion_key{"quaternion", KeyType::structure, false, "", "w, x, y, z; of any length"};
inline constexpr Key rotation_vector_key{"rotation_vector_rad", KeyType::vector, false, "rad", "axis times angle"};
inline constexpr Key cardan_xyz_key{"cardan_xyz_rad", KeyType::vector, false, "rad", "angles a, b, c of Rx Ry Rz"};
inline constexpr Key matrix_key{"matrix", KeyType::structure, false, "", "rows of a rotation matrix, within 1e-3"};
inline constexpr Key x_axis_key{"x_axis", KeyType::vector, false, "", "direction of the x axis"};
inline constexpr Key y_axis_key{"y_axis", KeyType::vector, false, "", "direction of the y axis"};
inline constexpr Key z_axis_key{"z_axis", KeyType::vector, false, "", "direction of the z axis"};
inline constexpr Key orientation_keys[] = {quaternion_key, rotation_vector_key, cardan_xyz_key, matrix_key,
                                           x_axis_key,     y_axis_key,          z_axis_key};

}  // namespace myriad::mechanism
