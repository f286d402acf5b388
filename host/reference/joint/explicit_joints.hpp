// A tree of joints as an ordinary differential equation in local coordinates, for the explicit Runge-Kutta methods.
// Rows are solved for accelerations, and met after each step by the least change in the metric of the masses.
//
//   y = (u; v - v_n; t - t_n; W - W_n)   u' = v of slides and angles, T_exp(u)^-1 v of orientations (lgim eqs. 24, 25)
//
// u: increments of the coordinates since the step's start, prescribed ones last. The latter have the values and rates
// of their functions at the stages' times and at the step's end; what the method makes of u' = f', v' = f'' counts in
// the error alone. W: work of loads, drivers and dampers.
#pragma once
#include <optional>
#include <vector>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/driver_jumps.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/reference/joint/step_course.hpp"

namespace myriad::reference {

class ExplicitJoints : public LocalEquation {
  public:
    // Throws StepFailure (singular_matrix).
    ExplicitJoints(const MechanismModel& model, const MechanismState& assembled, double largest_step_rotation_rad);

    Eigen::Index size() const override { return 2 * coordinates() + 2; }
    // Throws StepFailure: step_rotation_too_large, singular_matrix.
    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override;
    // Throws StepFailure: invalid_parameter.
    double time_to_jump(double h, bool ends_steps) override;
    // Throws StepFailure: newton_stalled, singular_matrix.
    void advance(const Eigen::VectorXd& y) override;
    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override;

    const MechanismMotion& motion() const { return motion_; }
    // Within the last step, between parts that turn little; up to a jump at its end.
    std::vector<MechanismMotion> motions_within(double tolerance) const;
    const StartChange& start_change() const { return equations_.start_change(); }

  private:
    Eigen::Index coordinates() const { return equations_.size() + equations_.prescribed(); }
    JointState at(const Eigen::VectorXd& y) const;
    MechanismMotion motion_of(const JointState& state, const AccelerationSolution& solved) const;
    MechanismMotion moving(const JointState& state);

    const MechanismModel& model_;
    JointEquations equations_;
    double largest_step_rotation_;
    std::optional<FoundJump> jump_;  // at the end of the step
    JointState state_;
    Eigen::VectorXd acceleration_;  // of the coordinates
    MechanismMotion motion_;
    std::optional<JointState> before_;   // the begin of the last step
    std::optional<StepCourse> to_jump_;  // that step, if something jumps at its end
    Eigen::VectorXd acceleration_before_;
};

}  // namespace myriad::reference
