// The keys of a mechanism file with their units and meanings: one place for the reader, its messages, the descriptions
// of the numbers and the JSON Schema.
#pragma once
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "host/text/names_of.hpp"

namespace myriad::mechanism {

enum class KeyType {
    text,
    texts,            // a list of texts
    number,           // a number, or an expression of the named parameters
    function,         // a number, or an expression of the named parameters and of time t
    formula,          // the same, also of coordinates and rates of joints
    vector,           // three numbers
    vector_function,  // three functions
    two_numbers,      // one for each of the two bodies
    two_vectors,      // three numbers for each of the two bodies
    orientation,
    inertia,
    body,
    two_bodies,
    joint,
    flag,
    load_frame,  // "world" or "body"
    pinned,
    assembly,       // "warn" or "refuse"
    coordinates,    // "joint" or "body"
    start,          // "assembled" or "equilibrium"
    tangents,       // 1 or 2
    interpolation,  // as interpolation_names
    outside,        // as outside_names
    points,         // of a table
    two_plain_numbers,
    structure,
};

struct Key {
    const char* name;
    KeyType type;
    bool required;
    const char* unit;
    const char* meaning;
};

// By its "type".
using Kind = study::KindOf<Key>;

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
    "others, by name; in joint coordinates"};
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
    "assembled (default): in the poses and velocities of the file, moved onto the joints; equilibrium: at rest, in the "
    "static equilibrium that the mechanism settles in from there, functions of time at time 0; in joint coordinates"};
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
inline constexpr Key position_key{"position_m", KeyType::vector, false, "m",
                                  "initial position of the body's origin, world; default 0"};
inline constexpr Key orientation_key{"orientation", KeyType::orientation, false, "",
                                     "initial orientation, body to world; default the axes of the world"};
inline constexpr Key velocity_key{"velocity_m_s", KeyType::vector, false, "m/s",
                                  "initial velocity of the body's origin, world; default 0"};
inline constexpr Key angular_velocity_key{"angular_velocity_rad_s", KeyType::vector, false, "rad/s",
                                          "initial angular velocity, body frame; default 0"};
inline constexpr Key angular_velocity_world_key{
    "angular_velocity_world_rad_s", KeyType::vector, false, "rad/s",
    "initial angular velocity, world, instead of the one in the body frame"};
inline constexpr Key pinned_key{"pinned", KeyType::pinned, false, "",
                                "parts that assembly must not move: \"position\", \"orientation\""};
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
inline constexpr Key coordinate_key{
    "coordinate", KeyType::text, false, "",
    "the joint's coordinate, as sensors and drivers name it: \"angle\", \"displacement\", \"angle_1\", \"angle_2\", "
    "\"displacement_1\" ...; needed where the joint has several"};
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
inline constexpr Key joint_friction_keys[] = {type_key,       joint_key,          coordinate_key,
                                              dry_torque_key, viscous_torque_key, friction_rate_key,
                                              dry_force_key,  viscous_force_key,  friction_velocity_key};
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
    {"reaction_force", joint_sensor_keys, "force of a joint or driver on body B, world"},
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

using study::names_of;

}  // namespace myriad::mechanism
