// The contacts of a mechanism at a state: gaps, and the velocities of the two bodies where they touch.
//
//   gap        as in mechanism_model.hpp, written once over a scalar type; its derivatives by the displacements of the
//              two bodies, found automatically, are the directions W of the normals
//   tangents   t . (velocity of the point of j - velocity of the point of i), both at the place where they touch;
//              linear in the velocities, and evaluated for one unit velocity after the other gives W of the tangents
//   turning    the rate of those velocities at constant v, by differentiation along the motion: (dW/dt) v
//
// A limit has the gradient of its element's value (mechanism_equations.hpp) as its normal, by the value's sign, and no
// tangents. Rows: normal, tangent 1, tangent 2, contact by contact, zero where a contact has no such tangent; then one
// for each set-valued friction, the gradient of its element's value. Columns: 6 per body, as in
// mechanism_equations.hpp.
// On a plane the tangents are R_i t and n x R_i t, between spheres those of tangents_across(). Not handled: coinciding
// centres.
#pragma once
#include <optional>

#include "host/reference/contact/nonsmooth_contact.hpp"
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

constexpr int rows_per_contact = 3;

Eigen::VectorXd contact_gaps(const MechanismModel& model, const MechanismState& state);
// W: u = W v.
Eigen::MatrixXd contact_directions(const MechanismModel& model, const MechanismState& state);
int set_valued_frictions(const MechanismModel& model);
// The sum, over contacts first .. last - 1 that are no limits, of their loads on their second bodies in the world.
Eigen::Vector3d contact_vector(const MechanismModel& model, const MechanismState& state, std::size_t first,
                               std::size_t last, const Eigen::VectorXd& loads);
// Columns: of two spheres from one centre to the other, world; of a capsule from the begin of its segment to the
// sphere's centre, in its axes; else zero.
Eigen::Matrix3Xd contact_ways(const MechanismModel& model, const MechanismState& state);
// The touch and the closest approach, as shares of the straight way between two such vectors; absent if the way does
// not lead into the contact and beyond that. A capsule counts as the sphere about the point of its segment that is
// nearest to the way. By searches, not by formulas.
std::optional<ContactPass> contact_pass(const ModelContact& contact, const Eigen::Vector3d& from,
                                        const Eigen::Vector3d& to);
Eigen::VectorXd contact_turning(const MechanismModel& model, const MechanismState& state);

// Additions of Moreau's rule to M d = h f of a step of h, from the velocities of the state, for bodies that no joint
// holds. Their gyroscopic term is -h w_m x (J - c) w^ instead of -h w x J w. w_m: the mean of both ends; w^: by the
// term alone after half a step; 3 c = trace J.
struct FreeTurning {
    Eigen::MatrixXd by_change;  // of d, on the left
    Eigen::VectorXd impulse;    // on the right
};
FreeTurning free_turning(const MechanismModel& model, const MechanismState& state, double h);

}  // namespace myriad::reference
