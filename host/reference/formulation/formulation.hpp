// A system as an ordinary differential equation in local coordinates y, which are zero at the start of every step; an
// explicit Runge-Kutta method on that equation is the method of the formulation.
//
//   "rotation"              y = (x - x_n, u, v - v_n)            R = R_n exp(u), u' = T_exp(u)^-1 w, v' = a(x, R, v)
//                           Runge-Kutta-Munthe-Kaas: lgim eqs. 24, 25, algorithm 3
//                           with dexp^-1 cut after two commutators, stages take a short series of exp(u) too, the end
//                           of a step exp(u) itself
//   "euler_parameters"      y = (x, p, v, w) - ( )_n             p' = p w / 2; p / |p| after each step, R of a stage
//                           from its p as if that were of unit length; for explicit methods
//   "cardan_xyz"            y = (x, rho, x', rho') - ( )_n       rho'' = G^-1 (w' - G' rho')
//                           classical formulation 2: lgim eqs. 12, 13, algorithm 2 ("Rxyz")
//   "cardan_xyz_body_rate"  y = (x, rho, x', w) - ( )_n          rho' = G^-1 w
//                           classical formulation 1: lgim eqs. 1, 2, 11
//
// A system without an orientation has y = (x, v) - ( )_n in every formulation.
//
// w: angular velocity, body, rad/s. Source of G: host/reference/mathematics/cardan_angles.hpp. Not handled:
// constraints.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

// The slope does not exist or is not to be trusted at these local coordinates; `status` is that of the instance.
struct StepFailure {
    std::string status, reason;
    int worst_row = -1;  // of assembly_failed: the constraint row that is farthest from being met, as MechanismTerms
    bool in_impact = false;  // of prox_stalled
};

// dy/dt = slope(y), to be stepped from y = 0.
class LocalEquation {
  public:
    virtual ~LocalEquation() = default;

    virtual Eigen::Index size() const = 0;
    // dy/dt at y. Throws StepFailure.
    virtual Eigen::VectorXd slope(const Eigen::VectorXd& y) const = 0;
    // The same where y is the end of a step, of a method whose last stage stands there.
    virtual Eigen::VectorXd slope_at_end(const Eigen::VectorXd& y) const { return slope(y); }
    // Before a step of length h is tried: the time until something ends it sooner, if steps end there, else h. A step
    // that goes on beyond has what ends it at its end.
    virtual double time_to_jump(double h, bool) { return h; }
    // The state at y becomes the one at which the local coordinates are zero.
    virtual void advance(const Eigen::VectorXd& y) = 0;
    // The sizes that a relative tolerance multiplies, by component: the larger of the coordinate's absolute values at 0
    // and y; 1 rad for an orientation, whose size says nothing. Coordinates beyond these (time) do not count.
    virtual Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const = 0;
    // A small difference of two y as lengths, rotations (rad) and rates, in the order of magnitude().
    virtual Eigen::VectorXd distance(const Eigen::VectorXd& difference) const { return difference; }
};

class Formulation : public LocalEquation {
  public:
    virtual Configuration configuration() const = 0;
    virtual Eigen::VectorXd velocity() const = 0;
};

// How "rotation" takes T_exp^-1. What the cut adds to a step is of sixth order: less than the error up to order 4.
enum class DexpInverse { cut, full };
inline constexpr int greatest_order_of_cut = 4;

std::vector<std::string> formulation_names();

// A formulation at the initial state. A step whose rotation vector u is longer than `largest_step_rotation_rad` fails
// with step_rotation_too_large; a |cos beta| below 1e-9 with chart_singular. Throws UserError for an unknown name.
std::unique_ptr<Formulation> make_formulation(const std::string& name, const System& system,
                                              double largest_step_rotation_rad,
                                              DexpInverse dexp_inverse = DexpInverse::full);

}  // namespace myriad::reference
