// The part of a mechanism that is the same for every instance: bodies, elements, loads and contacts (elements.hpp),
// functions of time, channels, and how its equations are solved in body coordinates and in joint coordinates.
#pragma once
#include "kernels/math/piecewise_polynomial.hpp"
#include "kernels/mechanism/joint_table.hpp"
#include "kernels/system/reduction.hpp"

namespace myriad {

// A unilateral contact with friction and impact. Whatever a file calls it, it becomes one of
//   sphere_plane   g = (A_i n) . d - r_j + c/2        s_i[3] n[3] t[3] s_j[3]: a plane of body i, a sphere of body j
//   sphere_sphere  g = |d| - r_i - r_j + c/2          s_i[3] s_j[3]
//   sphere_capsule as sphere_sphere, from the point of the segment s_i to e_i that is nearest     s_i[3] s_j[3] e_i[3]
//   lower_limit    g = q - p,  upper_limit  g = p - q       p: q is a coordinate of the tree, the value of `element`;
//                                                           in joint coordinates alone, without tangents
// with d as above, radii r and a play c. A point is a sphere without radius; a box has its corners, a slot two walls,
// a capsule before a plane its two ends. An upper limit stands behind the lower one of its coordinate.
enum class ContactKind { sphere_plane = 0, sphere_sphere = 1, sphere_capsule = 2, lower_limit = 3, upper_limit = 4 };
constexpr int contact_directions = 3;  // normal and two tangents: t and n x t, or any two across d
// Surfaces through which a straight way leads out again.
MYRIAD_HD constexpr bool is_round(ContactKind kind) {
    return kind == ContactKind::sphere_sphere || kind == ContactKind::sphere_capsule;
}
MYRIAD_HD constexpr bool is_limit(ContactKind kind) {
    return kind == ContactKind::lower_limit || kind == ContactKind::upper_limit;
}

struct Contact {
    ContactKind kind;
    int body[2];    // -1: ground
    int parameter;  // offset of the points and directions above
    int radius[2];  // offsets; -1: 0
    int play;       // offset; -1: 0
    int law;        // offset of friction, normal and tangential restitution
    int element;    // of a limit: which element measures its coordinate; -1
    int tangents;   // directions of friction: 2, 1 (along t alone) or 0 (a limit)
    int size = -1;  // offset of the length that a penetration is compared with; -1, or where it is 0: that of points
};

// Observables beside the channels of the bodies.
enum class ChannelKind {
    acceleration = 0,          // of the centre of mass of body a, world, component b
    angular_acceleration = 1,  // of body a, body frame, component b
    total_energy = 2,
    kinetic_energy = 3,
    potential_energy = 4,     // of gravity and of the laws' springs
    work = 5,                 // J, done by loads, drivers and dampers since the start
    multiplier = 6,           // of row a
    constraint_residual = 7,  // the largest |phi| of all constraint rows, those removed as redundant included
    velocity_residual = 8,    // the largest |phi'|
    point_position = 9,       // of the body point at parameter c of body a, world, component b
    point_velocity = 10,
    element_value = 11,  // phi + f of element a (angle, length, coordinate), row b
    element_rate = 12,
    joint_force = 13,            // on body j of the elements a .. c - 1, world, component b; b - 3 of the opposite
    joint_torque = 14,           // the same, about the joint's point on body j, or its centre of mass where it has none
    newton_iterations = 15,      // of the last step
    assembly_correction = 16,    // how far assembly moved the initial state, m and rad
    contact_gap = 17,            // of contact a
    contact_velocity = 18,       // of contact a in direction b: 0 normal, 1 and 2 tangential
    contact_force = 19,          // apart from impacts
    contact_impulse = 20,        // of an impact at the end of the step, else 0
    contact_record = 21,         // entry a of the record of all contacts: kernels/contact/channels.hpp
    joint_impulse = 22,          // as joint_force, of an impact at the end of the step, else 0
    joint_angular_impulse = 23,  // as joint_torque
    joint_orientation = 24,      // of body B relative to body A of element a, component b: w (0 or more), x, y, z
    joint_angular_velocity = 25,  // the same, in the axes of B
    coupling_multiplier = 26,     // of row a of the joint coordinates
    contact_force_vector = 27,    // of contacts a .. c - 1 on their body j, world, component b: as contact_force
    contact_impulse_vector = 28,  // the same of contact_impulse
    // Rates alone, of joint coordinates:
    element_acceleration = 29,  // of an element_rate that is a coordinate of the tree
    point_acceleration = 30,
    element_line = 31,  // component b of the line whose length element a is, of kind distance; world
    element_line_rate = 32,
};

struct Channel {
    ChannelKind kind;
    int a, b, c;
};

// The channel that is the rate of another; of one without a rate that channel itself.
MYRIAD_HD constexpr Channel rate_of(const Channel& channel) {
    Channel rate = channel;
    switch (channel.kind) {
        case ChannelKind::element_value:
            rate.kind = ChannelKind::element_rate;
            break;
        case ChannelKind::element_rate:
            rate.kind = ChannelKind::element_acceleration;
            break;
        case ChannelKind::point_position:
            rate.kind = ChannelKind::point_velocity;
            break;
        case ChannelKind::point_velocity:
            rate.kind = ChannelKind::point_acceleration;
            break;
        case ChannelKind::contact_gap:
            rate.kind = ChannelKind::contact_velocity;
            break;
        default:
            break;
    }
    return rate;
}
// A mechanism's channel by its number, which counts on from the channels of the bodies.
template <class Topology>
MYRIAD_HD Channel channel_or_rate(const Topology& topology, int index, int of_bodies) {
    if (index >= vectors_of_channels) {
        const bool is_rate = index >= rates_of_vectors;
        const int of_line = index - (is_rate ? rates_of_vectors : vectors_of_channels);
        return {is_rate ? ChannelKind::element_line_rate : ChannelKind::element_line,
                topology.channel(of_line / 3 - of_bodies).a, of_line % 3, 0};
    }
    if (index >= rates_of_channels) return rate_of(topology.channel(index - rates_of_channels - of_bodies));
    return topology.channel(index - of_bodies);
}

// Codes of the steps of Elimination::factor_program.
constexpr int most_run_products = 8;  // as many factors of a row and a column as stay in registers
constexpr unsigned short pivot_step = 0, clear_step = 1;
MYRIAD_HD constexpr unsigned short run_step(int products, bool from_zero, bool scaled) {
    return static_cast<unsigned short>(2 + 4 * products + (from_zero ? 2 : 0) + (scaled ? 1 : 0));
}

// The saddle-point matrix of one Newton correction and how it is eliminated without pivoting, decided when the file is
// read. Unknown and equation 6 b + i belong to body b (0..2 translation, world; 3..5 rotation, body frame), 6 bodies +
// r to multiplier r. A slot is the place of an entry in the packed matrix, fill included; -1 where the entry is zero.
struct Elimination {
    int unknowns, slots;
    short body_slot[most_bodies][6][6];  // row, column inside the body's block
    short row_slot[most_rows][2][6];     // (multiplier row r, unknown i of body 0 or 1 of its element)
    short column_slot[most_rows][2][6];  // (equation i of body 0 or 1, multiplier r)
    short diagonal_slot[most_rows];      // of rows with a law; -1 for constraints
    // The factors have a symmetric pattern in the order of the pivots: u(k, j) has slot s(k, j), and l(j, k) the next
    // one. A sequence of steps, each with its code (above) first:
    //   clear  clear_step, slot                                      matrix[slot] = 0
    //   pivot  pivot_step, slot, from_zero, products of bodies, products of multipliers, s(p, k) x all products
    //   run    run_step(products, from_zero, scaled), entries, s(p, k) x products, (s(k, j), s(p, j) x products) x
    //   entries
    // An entry is (from_zero ? 0 : matrix[slot]), then fma(-l, u, entry) per product, in this order. A run does this
    // for u(k, j) and l(j, k); if it is scaled, l is then multiplied by the reciprocal of the pivot before it, which is
    // what a pivot's slot is left with. Bodies and multipliers contribute to a pivot with opposite signs: its
    // magnitudes before and between them say how much it cancelled.
    const unsigned short* factor_program;
    // forward: per pivot with products   equation, products, (slot of u beside l, equation) x products
    // backward: per pivot, last first   unknown, equation, pivot slot, products, (slot of u, unknown) x products,
    //           the unknown that was found last also last
    const unsigned short* forward_program;
    const unsigned short* backward_program;
    int factor_length, forward_length, backward_length;
};

// Bits of MechanismTable::pinned. The file gives the body no mass, and the elimination is planned for that; assembly
// does not change its velocity, or its angular velocity, because it is given.
constexpr int planned_without_mass = 4, holds_velocity = 8, holds_angular_velocity = 16;
// The file or the study gives this of a body.
constexpr int gives_velocity = 32, gives_angular_velocity = 64, gives_position = 128, gives_orientation = 256;

// How a body moves at the start (start_motion.hpp): the entries of a line of MechanismTable::start_motion. Bodies stand
// behind those that carry them, in the tree of all joints, whatever coordinates a run has.
constexpr int most_start_drivers = 3;  // of one joint
// An entry `origin`: a free body turns as given, and no velocity is; the origin of its frame rests.
constexpr int origin_rests = -1;
// An entry `part`. A body outside of which no velocity is given rides on its carrier. Of the others some have a given
// velocity that only several joints inward can meet together (start_together.hpp).
constexpr int part_rides = 0, part_moves = 1, part_waits = 2;
// An entry `hangs` (start_pose.hpp): the body has no given position; or a driver moves it, and it carries such bodies.
constexpr int hangs_nothing = 0, hangs_on_it = 1, hangs_itself = 2;
struct StartMotion {
    enum : int {
        body,
        carrier,         // -1: the ground
        first_element,   // of the joint's rows; -1: a free body
        last_element,    // the one behind
        point_element,   // an element whose second point is the joint's; -1: none
        linear_from,     // the body whose given velocity it has: itself, or one that is welded to it; -1: none
        angular_from,    // the same of the angular velocity
        origin,          // parameter of the centre of mass in the frame whose origin has linear_from; 0: none, it has
        axis_element,    // of two rows, the first, that keep the axes parallel; -1: none
        part,            // above
        across_element,  // a universal joint's row; -1: none
        hangs,           // above
        driver,          // elements of drivers on the joint, -1 behind them
        count = driver + most_start_drivers
    };
};

struct MechanismTable {
    int bodies, elements, rows, loads, functions, instructions, angles, channels, parameters, contacts;
    int constraint_rows;      // of `rows`, those without a law
    int pinned[most_bodies];  // bits: 1 the position, 2 the orientation is not moved by assembly; and those above
    int start_motion[most_bodies][StartMotion::count];
    bool moves_at_start;   // false: nothing moves but what rows demand
    bool starts_together;  // whether a given velocity waits
    // Parameters, 0 for none: the angle that a counter of turns starts nearest to, else 0; and 1 + the number of the
    // constraint row that the start values of joints leave open (assembly.hpp), 0 where there is none. Behind this one:
    // how far the start values have changed given poses, and given velocities, as the certificate measures it.
    int start_angle[most_angles], open_start_row;
    Element element[most_elements];
    Load load[most_loads];
    Contact contact[most_contacts];
    int function_register[most_functions];  // which register holds the function's value when all instructions have run
    Instruction instruction[most_instructions];
    // Tables that functions look up, the same for every instance, and the pieces of all of them.
    int interpolants, pieces;
    int corners;  // instructions that rates of drivers may jump by
    PiecewisePolynomial interpolant[most_interpolants];
    const PolynomialPiece* piece;
    Channel channel[most_mechanism_channels];  // those after the bodies' own ones
    Elimination elimination;
    JointTable joint;
};

}  // namespace myriad
