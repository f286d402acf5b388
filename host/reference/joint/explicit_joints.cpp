#include "host/reference/joint/explicit_joints.hpp"

#include <algorithm>
#include <utility>

#include "host/reference/joint/driver_jumps.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::VectorXd;

ExplicitJoints::ExplicitJoints(const MechanismModel& model, const MechanismState& assembled,
                               double largest_step_rotation_rad)
    : model_(model),
      equations_(model, assembled),
      largest_step_rotation_(largest_step_rotation_rad),
      state_(equations_.start()),
      motion_(moving(state_)) {}

JointState ExplicitJoints::at(const VectorXd& y) const {
    const Index n = equations_.size();
    if (!(equations_.largest_turn(y.head(n)) <= largest_step_rotation_))
        throw StepFailure{"step_rotation_too_large", "a stage of the step turns by more than the largest rotation"};
    return equations_.moved(state_, y.head(n), state_.v + y.segment(coordinates(), n),
                            state_.time_s + y[2 * coordinates()]);
}

VectorXd ExplicitJoints::slope(const VectorXd& y) const {
    const Index n = equations_.size(), prescribed = equations_.prescribed();
    const JointState state = at(y);
    VectorXd slope(size());
    if (n > 0) slope.head(n) = row_pivoting(equations_.tangent(y.head(n))).solve(state.v);
    slope.segment(n, prescribed) = equations_.prescribed_motion(state.time_s, 1);
    const AccelerationSolution solved = equations_.accelerations(state);
    slope.segment(coordinates(), n) = solved.acceleration;
    slope.segment(coordinates() + n, prescribed) = equations_.prescribed_motion(state.time_s, 2);
    const MechanismMotion moving = motion_of(state, solved);
    slope.tail<2>() << 1.0, mechanism_terms(model_, moving.state, moving.multipliers).work_rate;
    return slope;
}

MechanismMotion ExplicitJoints::motion_of(const JointState& state, const AccelerationSolution& solved) const {
    return equations_.motion(equations_.bodies(state, solved.acceleration), solved.multipliers);
}

MechanismMotion ExplicitJoints::moving(const JointState& state) {
    const AccelerationSolution solved = equations_.accelerations(state);
    acceleration_ = solved.acceleration;
    return motion_of(state, solved);
}

std::vector<MechanismMotion> ExplicitJoints::motions_within(double tolerance) const {
    std::vector<MechanismMotion> motions;
    if (!before_) return motions;
    const StepCourse course =
        to_jump_ ? *to_jump_ : StepCourse(equations_, *before_, acceleration_before_, state_, acceleration_);
    const int parts = course.parts(tolerance);
    for (int part = 1; part < parts; ++part)
        motions.push_back(course.motion(static_cast<double>(part) / static_cast<double>(parts)));
    return motions;
}

void ExplicitJoints::advance(const VectorXd& y) {
    JointState end = equations_.on_rows(at(y));
    equations_.foresee_angles(state_, end);
    acceleration_before_ = acceleration_;
    motion_ = moving(end);
    before_ = state_;
    end.counted_angles = motion_.state.counted_angles;
    to_jump_.reset();
    if (jump_) {
        to_jump_.emplace(equations_, state_, acceleration_before_, end, acceleration_);
        JointEquations::Behind behind = equations_.behind_jump(end, motion_, jump_->lies_before(end.time_s));
        end = std::move(behind.state), motion_ = std::move(behind.motion), jump_.reset();
        acceleration_ = std::move(behind.accelerations.acceleration);
    }
    motion_.step_work_j = y[size() - 1];
    state_ = std::move(end);
}

double ExplicitJoints::time_to_jump(double h, bool ends_steps) {
    const double begin_s = state_.time_s;
    jump_ = keep_branches(model_, begin_s, begin_s + h, ends_steps ? Bends::within : Bends::at_its_end);
    return jump_ ? std::min(h, jump_->time_s - begin_s) : h;
}

VectorXd ExplicitJoints::magnitude(const VectorXd& y) const {
    const JointState end = at(y);
    const auto speeds = [&](const JointState& state) {
        VectorXd all(coordinates());
        all << state.v, equations_.prescribed_motion(state.time_s, 1);
        return VectorXd(all.cwiseAbs());
    };
    VectorXd magnitude(2 * coordinates());
    magnitude << equations_.sizes(state_).cwiseMax(equations_.sizes(end)), speeds(state_).cwiseMax(speeds(end));
    return magnitude;
}

}  // namespace myriad::reference
