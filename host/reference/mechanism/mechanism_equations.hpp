// The terms of the equations of motion of a mechanism at a state, and their derivatives.
//
//   M v' + B^T lambda = f(q, v, t)          translation: world frame; rotation: body frame
//   phi(q, t) = 0,   phi' = B v + phi_t,   phi'' = B v' + gamma
//   f: weight, -w x J w, loads, and -B^T (k phi + d phi') of the elements with a law
//   friction and rotors of an element's value u, with its gradient g and u'' = g v' + gamma_u:
//     f -= g^T (dry tanh(u' / rate) + viscous u'),   M += n^2 J g^T g,   f -= n^2 J gamma_u g^T
//     of set-valued friction the viscous part alone
//   a force along g of such values, rates and the time: f += g^T F(u_1, u_1', u_2 ..., t)
//
// Every derivative is automatic (forward_derivative.hpp): phi is written once over a scalar type and evaluated at
// x + e_x + n_x, R exp(e_r) exp(n_r), t + e_t + n_t. The derivatives by n are B and phi_t; the mixed ones by n and e
// are the derivatives of B and phi_t along e. A displacement of a body is (e_x world, e_r body), 6 numbers.
// Source: lgim eqs. 23, 39; rA paper sect. 2.1. The gyroscopic force has the sign of facts F. Not handled: contact.
#pragma once
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// One element: its rows, by the displacements of bodies i (0..5) and j (6..11), each a body even if it is the ground.
struct ElementTerms {
    Eigen::VectorXd phi, rate;                              // phi' as well
    Eigen::MatrixXd jacobian;                               // rows x 12
    Eigen::VectorXd phi_t, phi_tt;                          // partial derivatives in time
    std::vector<Eigen::MatrixXd> jacobian_by_displacement;  // per row: (n, e), 12 x 12
    Eigen::MatrixXd phi_t_by_displacement;                  // rows x 12; also the partial derivative of B in time
    Eigen::VectorXd acceleration_term;                      // gamma
    double time_function = 0.0, time_function_rate = 0.0;   // f, f'
};

// At rest in the world's origin for -1, the ground.
const BodyState& body_or_ground(const MechanismState& state, int body);

// Of the two bodies of an element: 12 numbers.
Eigen::VectorXd velocity_of_bodies(const ModelElement& element, const MechanismState& state);

ElementTerms element_terms(const MechanismModel& model, const MechanismState& state, std::size_t element);

// Counted over full turns: the one nearest to counted_angles; 0 for another kind.
double counted_angle(const MechanismModel& model, const MechanismState& state, std::size_t element);

struct MechanismTerms {
    Eigen::MatrixXd mass;   // 6 bodies x 6 bodies
    Eigen::VectorXd force;  // f
    Eigen::MatrixXd force_by_displacement, force_by_velocity;
    // The active rows of the constraints, in the order of the elements.
    Eigen::VectorXd constraint, constraint_rate, constraint_phi_t, acceleration_term;
    Eigen::MatrixXd constraint_jacobian;       // B
    Eigen::MatrixXd reaction_by_displacement;  // d(B^T lambda)/de at the multipliers given
    // The largest of all constraint rows, those found redundant included.
    double largest_constraint = 0.0, largest_constraint_rate = 0.0;
    // Which these are: counted over the constraint rows of all elements, those found redundant included; -1 for none.
    int worst_row = -1, worst_row_of_rates = -1;
    double kinetic_energy = 0.0, potential_energy = 0.0;  // of gravity and of the laws' springs
    double work_rate = 0.0;  // of loads, drivers (lambda phi_t), dampers (-d phi'^2), friction and forces along g
    double driver_work_rate = 0.0;  // of drivers alone
};

int constraint_rows(const MechanismModel& model);

MechanismTerms mechanism_terms(const MechanismModel& model, const MechanismState& state,
                               const Eigen::VectorXd& multipliers);

// Per element, 3 numbers: k phi + d phi' of a law, else its multipliers; 0 where there is no row.
std::vector<Eigen::Vector3d> element_multipliers(const MechanismModel& model, const MechanismState& state,
                                                 const Eigen::VectorXd& multipliers);

// The effect of an element on its body `side` (0: i, 1: j), which may be the ground, in the world frame: the force, N,
// and the torque, N m, about the centre of mass (ground: the origin). `multipliers` are those of this element.
struct Wrench {
    Eigen::Vector3d force, torque;
};
Wrench element_wrench(const MechanismModel& model, const MechanismState& state, std::size_t element,
                      const Eigen::Vector3d& multipliers, std::size_t side);

// 6 numbers per body: velocity (world), angular velocity (body).
Eigen::VectorXd velocity_vector(const MechanismState& state);
void set_velocity(MechanismState& state, const Eigen::VectorXd& velocity);
// q o exp(displacement).
void displace(MechanismState& state, const Eigen::VectorXd& displacement);

}  // namespace myriad::reference
