// A mechanism in joint coordinates, the same for every instance: the tree on which its bodies hang, what acts on a
// coordinate of the tree alone, and the elements that are rows between two links.
//
//   link parameters   link_parameter_count per link of the tree: kernels/tree/links.hpp
//   element, load     as in topology.hpp, but `body` is a link, and points and directions are in link frames, points
//                     from the link's origin; behind the elements that act stand those that count a watched angle
//   law               force -(k phi + d phi') on a coordinate, phi = q - f(t)
//   friction          force -(T tanh(q' / s) + d q'), at most one on a coordinate; in methods with contact -d q' and a
//                     force within [-T, T] that sticks (kernels/contact/loads.hpp), there with T + mu r |F| for T, F
//                     being the force in the joint when the step begins
//   rotor             inertia J that turns n times as fast as the coordinate: n^2 J q'' and (n q')^2 J / 2
//   force             F(t, q, q') on a coordinate, a formula of any coordinates and rates
//   prescribed        q = f(t): the coordinate leaves the unknowns
//   coupling          row phi = q_1 - ratio q_0 - offset between two coordinates of the tree
//
// A coordinate of a joint has the sign and the zero that the file gives it, whichever body the tree passes first. Not
// handled: bounds, which the author of the table has checked.
#pragma once
#include "kernels/mechanism/elements.hpp"
#include "kernels/mechanism/instructions.hpp"
#include "kernels/tree/topology.hpp"

namespace myriad {

constexpr int most_tree_rows = 48, most_tree_laws = 32, most_set_frictions = 16, most_couplings = 16,
              most_tree_instructions = 512, most_partial_derivatives = 128, most_spare_rows = 24;

struct CoordinateLaw {
    int freedom;
    int parameter;  // of k and d
    int function;   // f, or -1
};
struct PrescribedCoordinate {
    int freedom, function;
};
struct CoordinateCoupling {
    int freedom[2];
    int parameter;  // of ratio and offset
    int row;        // its multiplier, behind those of the elements; -1: it was removed as redundant and is only watched
};
struct CoordinateFriction {
    int freedom;
    int parameter;  // of T, d and s
    int bearing;    // parameter of mu and r (m; 1 on a displacement), or -1
};
struct CoordinateRotor {
    int freedom;
    int parameter;  // of J and n
};
// Instructions first .. derivatives - 1 make the force, those behind them up to end - 1 its partial derivatives.
struct CoordinateForce {
    int freedom;
    int first, derivatives, end;
    int value;  // the register of the force
    int first_partial, last_partial;
};
// Where a partial derivative stands in a matrix over the tree.
enum class PartialPlace { outside = 0, below = 1, above = 2 };  // below, or on the diagonal
struct PartialDerivative {
    int freedom;
    bool by_rate;
    int result;  // the register
    PartialPlace place;
};

// A joint of the tree: its link is the last one of the body that hangs on it; elements first .. last - 1 of the
// MechanismTable are its rows.
struct TreeJointRows {
    int link, first, last;
    bool is_backwards;  // the body that hangs on it is the first of its elements
};

// Row k of an element that was removed as redundant and moves with the coordinates.
struct SpareRow {
    int element, k;
    int constraint;  // its number among all constraint rows of the MechanismTable, from 0
};

// Where the multiplier of a row of the MechanismTable comes from.
enum class MultiplierSource {
    tree_joint = 0,  // from the wrench in the joint
    row = 1,         // `index`: row below
    law = 2,         // `index`: law
    prescribed = 3,  // `index`: prescribed coordinate
};
struct MultiplierPlace {
    MultiplierSource source;
    int index;
};

// Bits of JointTable::held_at_start: couplings change the rate only where they contradict it. It is a start value, or
// given velocities of bodies determine it.
constexpr int holds_start_rate = 2, holds_given_rate = 4;

struct JointTable {
    TreeTable tree;      // without links: joint coordinates do not take this mechanism
    int link_parameter;  // of link 0
    int elements, rows, constraint_rows, angles, loads, laws, prescribed, couplings, joints;
    // Of `angles` the last ones, which a sensor alone reads: element[elements + i] counts the i-th one.
    int watched_angles;
    bool is_symmetric;           // no joint of the tree turns about all axes, no force makes H unsymmetric
    bool starts_at_equilibrium;  // at rest, instead of in the state that assembly finds
    // Dry friction of joints is a law with a set of forces at rest, as methods with contact take it.
    bool friction_is_set;
    bool friction_follows_reactions;  // some has a bearing
    int spare_rows;
    SpareRow spare_row[most_spare_rows];
    Element element[most_elements];  // `row`: among those of this table; `angle`: among its counters
    int common_link[most_elements];  // the last link on both ways to the ground; -1: the ground
    Load load[most_loads];
    CoordinateLaw law[most_tree_laws];
    PrescribedCoordinate prescribed_coordinate[most_tree_freedoms];
    CoordinateCoupling coupling[most_couplings];
    TreeJointRows joint[most_tree_bodies];
    // Bits: couplings do not move the coordinate (1) at the start, because the file gives it; and those of rates.
    int held_at_start[most_tree_freedoms];
    // By the numbers of the MechanismTable. The freedom whose coordinate is the value of an element of one row (an
    // angle, a displacement); -1: none is.
    int freedom_of_element[most_elements];
    MultiplierPlace multiplier[most_rows];
    int link_of_body[most_tree_bodies];
    int counter_of_angle[most_angles];  // among this table's counters; -1: the angle is a coordinate
    int freedom_of_angle[most_angles];  // that coordinate's, else -1
    int frictions, rotors;
    CoordinateFriction friction[most_tree_laws];
    CoordinateRotor rotor[most_tree_laws];
    int coordinate_forces, coordinate_instructions, partial_derivatives;
    CoordinateForce coordinate_force[most_tree_laws];
    Instruction coordinate_instruction[most_tree_instructions];
    PartialDerivative partial_derivative[most_partial_derivatives];
};

}  // namespace myriad
