// The systems with a formula as the integrators of Livens' principle see them: coordinates that may be redundant, a
// kinetic energy whose mass may be singular, and the way back to the configuration and velocity of `System`.
//
//   mass_spring       q = (x1, q2, x2): constant mass of rank 2, one constraint             livens eqs. 106 to 109
//   spring_pendulum   q = (r, theta, phi): mass M(q), no constraint                         livens eqs. 110 to 112
//   heavy_top         q = quaternion about the fixed point, unit length a constraint        livens eqs. 45 to 48, 115
//   free_rigid_body   q = (position, quaternion)                                            the same
#pragma once
#include <memory>

#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

class LivensFormula : public LivensSystem {
  public:
    virtual Eigen::VectorXd initial_coordinates() const = 0;
    virtual Eigen::VectorXd initial_rate() const = 0;
    virtual Eigen::Index constraints() const = 0;
    virtual double kinetic_energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    virtual double potential_energy(const Eigen::VectorXd& q) const = 0;
    virtual double constraint_residual(const Eigen::VectorXd& q) const = 0;  // the largest
    virtual double constraint_rate(const Eigen::VectorXd&, const Eigen::VectorXd&) const { return 0.0; }
    // The momenta that a symmetry of T keeps under energy_momentum: for a body E(q) p / 2 about the point it turns
    // about (livens eq. 64); empty where there is none.
    virtual Eigen::VectorXd momentum_map(const Eigen::VectorXd&, const Eigen::VectorXd&) const { return {}; }
    virtual Configuration configuration(const Eigen::VectorXd& q) const = 0;
    virtual Eigen::VectorXd velocity(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
};

// The inverse in the co-kinetic energy of a body, whose mass is 4 G(q)^T J G(q) + 2 tr(J) q q^T: the one that holds at
// unit length, which the paper's ranking needs, or the exact one, with which hamiltonian_midpoint is livens_midpoint.
enum class InverseMass { at_unit_length, exact };

// Throws UserError for a system that is not in the list above and as the system's own reader does.
std::unique_ptr<LivensFormula> livens_formula(const std::string& system, const Parameters& parameters,
                                              InverseMass inverse_mass = InverseMass::at_unit_length);

std::unique_ptr<LivensFormula> livens_mass_spring(const Parameters& parameters);
std::unique_ptr<LivensFormula> livens_spring_pendulum(const Parameters& parameters);
std::unique_ptr<LivensFormula> livens_heavy_top(const Parameters& parameters, InverseMass inverse_mass);
std::unique_ptr<LivensFormula> livens_free_rigid_body(const Parameters& parameters, InverseMass inverse_mass);

// Livens eqs. 64, 74 and what facts F want watched:
//   generalized_energy            p . v - T + V less the work of loads
//   momentum_defect               |p - M(q) v|
//   velocity_constraint_residual  |g'(q) v|, of a body |q . v|
//   constraint_residual           |g|, of a body |q . q - 1| / 2
//   momentum_map                  where the system has one
void add_livens_observables(const LivensFormula& system, const LivensState& state, double work,
                            Observables& observables);

}  // namespace myriad::reference
