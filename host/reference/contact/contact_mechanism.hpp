// The contacts of a mechanism at a state: gaps, and the velocities of the two bodies where they touch.
//
//   gap        as in mechanism_model.hpp, written once over a scalar type; its derivatives by the displacements of the
//              two bodies, found automatically, are the directions W of the normals
//   tangents   t . (velocity of the point of j - velocity of the point of i), both at the place where they touch;
//              linear in the velocities, and evaluated for one unit velocity after the other gives W of the tangents
//   turning    the rate of those velocities at constant v, by differentiation along the motion: (dW/dt) v
//
// Rows: normal, tangent 1, tangent 2, contact by contact; columns: 6 per body, as in mechanism_equations.hpp. On a
// plane the tangents are R_i t and n x R_i t, between spheres those of tangents_across(). Not handled: coinciding
// centres.
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

constexpr int rows_per_contact = 3;

Eigen::VectorXd contact_gaps(const MechanismModel& model, const MechanismState& state);
// W: u = W v.
Eigen::MatrixXd contact_directions(const MechanismModel& model, const MechanismState& state);
Eigen::VectorXd contact_turning(const MechanismModel& model, const MechanismState& state);

}  // namespace myriad::reference
