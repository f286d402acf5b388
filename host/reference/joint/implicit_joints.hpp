// One step of an index-3 method in joint coordinates: all forces and rows at the end of the step.
//
//   unknowns   s+ (derivatives of the rates of the coordinates) and lambda+ of the rows outside the tree
//   solved     J^T (M A+ + B^T lambda+ - f(q+, V+, t+)) = 0,   phi(q+, t+) = 0
//
// with q+, v+ as in implicit_update.hpp, q+ = q o exp(increment), and the first step from where implicit_start.hpp says
// where there are rows. Prescribed coordinates stand at their functions' values at the end of the step. Newton's matrix
// takes forces and rows by their exact derivatives and J, V, A by central differences; it is kept while it contracts,
// down to round-off, so that what comes out is the solution of the equations above. Source: lgim eqs. 33 to 43.
#pragma once
#include "host/reference/implicit/implicit_integrator.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

class ImplicitJoints {
  public:
    // On the chart "rotation". Throws StepFailure (singular_matrix).
    ImplicitJoints(const MechanismModel& model, const ImplicitMethod& method, const MechanismState& assembled);

    // To `end_s`. Throws StepFailure: newton_stalled, singular_matrix, not_finite, step_rotation_too_large; the motion
    // stays.
    void step(double end_s);

    const MechanismMotion& motion() const { return motion_; }
    const StartChange& start_change() const { return equations_.start_change(); }
    int iterations() const { return iterations_; }  // linear solves of the last step

  private:
    struct Trial {
        JointState state;
        JointedBodies bodies;
    };
    Trial trial(const ImplicitUpdate& update, const Eigen::VectorXd& acceleration, double time_s) const;
    Eigen::MatrixXd newton_matrix(const ImplicitUpdate& update, const Eigen::VectorXd& acceleration,
                                  const Eigen::VectorXd& multipliers, double time_s) const;
    void shift_start(double h);

    JointEquations equations_;
    const MechanismModel& model_;
    ImplicitMethod method_;
    JointState state_;
    Eigen::VectorXd acceleration_, multipliers_, algorithmic_;  // of the coordinates and rows
    MechanismMotion motion_;
    bool has_started_ = false;
    int iterations_ = 0;
};

}  // namespace myriad::reference
