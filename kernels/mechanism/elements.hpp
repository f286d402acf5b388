// The elements and loads between bodies, and the place of each number among the parameters of an instance.
//
//   element   a group of 1 or 3 scalar rows phi(q, t) between two bodies (body -1 is the ground). Without a law it is a
//             constraint phi = 0; with one it is a force element, lambda = k phi + d phi', whose force is -B^T lambda.
//   d         = (r_j + A_j s_j) - (r_i + A_i s_i), world frame; body 0 of an element is i, body 1 is j
//
//   kind                   rows  phi                            parameters, in this order (body vectors in body axes)
//   point                  3     d                              s_i[3] s_j[3]
//   coordinate_difference  1     c . d - f                      c[3] s_i[3] s_j[3]         CD, rA paper eq. 17
//   dot_1                  1     (A_i a) . (A_j b) - f          a[3] b[3]                  DP1
//   dot_2                  1     (A_i a) . d - f                a[3] s_i[3] s_j[3]         DP2
//   distance               1     |d| - f                        s_i[3] s_j[3]              D, but not squared
//   driven_angle           1     sin(angle - f), like DP1       a[3] g[3] b[3]        A_i (cos f g - sin f a) . A_j b
//   angle                  1     angle - f, over full turns     n[3] a[3] g[3] b[3]        from a to b about n
//   rotation_vector        3     log(F_i^T A_i^T A_j F_j) < pi  F_i[4] F_j[4] (w x y z)  frames fixed on the bodies
//   of a law then k[rows] d[rows]
//
// Points are relative to the centre of mass; all directions are of unit length, n, a, g right-handed and orthonormal.
// f is a function of time (tape.hpp), or 0 where `function` is -1. The parameters of a mechanism begin with gravity[3],
// length_scale, extent, then body_parameters per body; see the offsets below.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad {

// The reader of a file refuses a mechanism beyond these. Both limits of one coordinate count as one contact of
// most_counted_contacts, and have two places among most_contacts: together they never have more rows than a contact.
constexpr int most_bodies = 16, most_elements = 96, most_rows = 112, most_loads = 24, most_functions = 32,
              most_instructions = 512, most_registers = 48, most_angles = 24, most_mechanism_channels = 512,
              most_matrix_entries = 6144, most_mechanism_parameters = 2048, most_counted_contacts = 16,
              most_contacts = 2 * most_counted_contacts, most_interpolants = 16;

enum class ElementKind {
    point = 0,
    coordinate_difference = 1,
    dot_1 = 2,
    dot_2 = 3,
    distance = 4,
    driven_angle = 5,
    angle = 6,
    rotation_vector = 7,
};

MYRIAD_HD constexpr int rows_of(ElementKind kind) {
    return kind == ElementKind::point || kind == ElementKind::rotation_vector ? 3 : 1;
}
MYRIAD_HD constexpr int geometry_parameters(ElementKind kind) {
    switch (kind) {
        case ElementKind::point:
        case ElementKind::dot_1:
        case ElementKind::distance:
            return 6;
        case ElementKind::coordinate_difference:
        case ElementKind::dot_2:
        case ElementKind::driven_angle:
            return 9;
        case ElementKind::angle:
            return 12;
        default:
            return 8;
    }
}

// Where the points s_i, s_j stand among an element's parameters; -1 for a kind that has none
MYRIAD_HD constexpr int points_offset(ElementKind kind) {
    switch (kind) {
        case ElementKind::point:
        case ElementKind::distance:
            return 0;
        case ElementKind::coordinate_difference:
        case ElementKind::dot_2:
            return 3;
        default:
            return -1;
    }
}

// Which entries of row k at one body may be nonzero: bits 0 to 2 translation, 3 to 5 rotation.
MYRIAD_HD constexpr unsigned row_entries(ElementKind kind, int k) {
    switch (kind) {
        case ElementKind::point:
            return (1u << k) | 56u;
        case ElementKind::coordinate_difference:
        case ElementKind::dot_2:
        case ElementKind::distance:
            return 63u;
        default:
            return 56u;
    }
}

// Offsets of the parameters of an instance.
constexpr int gravity_parameter = 0;           // [3] m/s^2, world
constexpr int length_scale_parameter = 3;      // m: a tolerance of a position is relative to it
constexpr double least_length_scale_m = 1e-3;  // where all points lie in centres of mass
// 1, or more if the ground's points or the bodies in the file are farther from the origin than ten length scales: by as
// many times. Round-off of positions is relative to it and to the length scale.
constexpr int extent_parameter = 4;
constexpr double length_scales_of_extent = 10.0;
constexpr int first_body_parameter = 5;
constexpr int body_mass = 0, body_inertia = 1, body_position = 7, body_orientation = 10, body_velocity = 14,
              body_angular_velocity = 17;
// mass, inertia about the centre of mass in body axes (xx yy zz xy xz yz), and the state before assembly: centre of
// mass (world), orientation (w x y z, body to world), velocity of the centre of mass (world), angular velocity (body)
constexpr int body_parameters = 20;

struct Element {
    ElementKind kind;
    bool has_law;
    bool is_sensor;  // observed only: neither a constraint nor a force
    int body[2];     // -1: ground
    int parameter;   // offset of its first parameter
    int function;    // f, or -1
    int angle;       // kind angle: which counter of turns; else -1
    int row[3];      // its multipliers; -1 for a row that was removed as redundant and is only watched
};

enum class LoadKind { force_world = 0, force_body = 1, torque_world = 2, torque_body = 3 };

// A force at a body point, or a torque, whose components are functions of time.
struct Load {
    LoadKind kind;
    int body;
    int parameter;    // of the point, 3, relative to the centre of mass; -1 for a torque
    int function[3];  // -1: zero
};

}  // namespace myriad
