// States within a step of an explicit method: the twin of kernels/run/within_step.hpp.
//
//   q(s) = q_0 moved by u(s),  u = B(s) (0, h v_0, u_1, h T(u_1)^-1 v_1),  v = B(s) (v_0, h a_0, v_1, h a_1),  a = v'/h
//
// B: Hermite's basis. u_1: from q_0 to q_1, of orientations the rotation vector. Drivers have their functions. A part
// of the step turns by no more than (384 tolerance)^(1/4).
#pragma once
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

class StepCourse {
  public:
    // Accelerations of the coordinates that no driver prescribes.
    StepCourse(const JointEquations& equations, JointState begin, Eigen::VectorXd begin_acceleration,
               const JointState& end, Eigen::VectorXd end_acceleration);

    int parts(double tolerance) const;
    MechanismMotion motion(double s) const;

  private:
    const JointEquations* equations_;
    JointState begin_;
    double h_, turn_ = 0.0;
    Eigen::VectorXd begin_acceleration_, end_acceleration_, end_rates_, u_, end_slope_;
};

}  // namespace myriad::reference
