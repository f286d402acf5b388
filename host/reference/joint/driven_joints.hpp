// Where the coordinates of a tree whose rows determine them are at a time: position, velocity and acceleration
// analysis.
//
//   phi(q, t) = 0 by Newton's method,   B J v = -phi_t - B V_p,   B J v' = -gamma - B A_p
//
// V_p, A_p: velocities and accelerations of the bodies that the prescribed coordinates alone give them, with the
// centripetal ones. Multipliers by inverse dynamics.
#pragma once
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

class DrivenJoints {
  public:
    // Throws StepFailure (singular_matrix).
    DrivenJoints(const MechanismModel& model, const MechanismState& assembled);

    // To `end_s`. Throws StepFailure: newton_stalled, singular_matrix.
    void step(double end_s, int most_iterations);

    const MechanismMotion& motion() const { return motion_; }
    const StartChange& start_change() const { return equations_.start_change(); }
    int iterations() const { return iterations_; }  // linear solves of positions

  private:
    JointEquations equations_;
    const MechanismModel& model_;
    JointState state_;
    Eigen::VectorXd acceleration_;
    MechanismMotion motion_;
    int iterations_ = 0;
};

}  // namespace myriad::reference
