#include "host/reference/joint/driven_joints.hpp"

#include <utility>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/joint/driver_jumps.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

Decomposition<double> decomposed(const MatrixXd& rows) {
    Decomposition<double> decomposition = full_pivoting(rows);
    if (!decomposition.is_invertible())
        throw StepFailure{"singular_matrix", "the constraints do not determine the motion"};
    return decomposition;
}

}  // namespace

DrivenJoints::DrivenJoints(const MechanismModel& model, const MechanismState& assembled)
    : equations_(model, assembled), model_(model), state_(equations_.start()) {
    AccelerationSolution start = equations_.accelerations(state_);
    acceleration_ = std::move(start.acceleration);
    motion_ = equations_.motion(equations_.bodies(state_, acceleration_), start.multipliers);
}

void DrivenJoints::step(double end_s, int most_iterations) {
    const double h = end_s - state_.time_s;
    const std::optional<FoundJump> jump = keep_branches(model_, state_.time_s, end_s, Bends::at_its_end);
    const VectorXd none = VectorXd::Zero(equations_.size()), no_multipliers = VectorXd::Zero(equations_.rows());
    JointState end = equations_.moved(state_, h * state_.v + 0.5 * h * h * acceleration_, none, end_s);
    VectorXd acceleration = none, multipliers = no_multipliers;
    iterations_ = 0;
    NewtonIteration newton(most_iterations, NewtonMatrix::of_its_point, "the constraints were not met");
    if (equations_.size() != equations_.rows())
        throw StepFailure{"singular_matrix", "the constraints do not determine the motion"};
    for (bool ended = equations_.size() == 0; !ended;) {
        const JointedBodies bodies = equations_.bodies(end, none);
        const MechanismTerms terms = equations_.terms(bodies, no_multipliers);
        const JointRows rows = equations_.joint_rows(end, bodies, terms);
        const VectorXd u = decomposed(rows.gradient).solve(-rows.value);
        end = equations_.moved(end, u, none, end_s);
        iterations_ = newton.corrections() + 1;
        ended = newton.ends_with(displacement_norm(model_, bodies.jacobian * u));
    }
    if (equations_.size() > 0) {
        const JointedBodies held = equations_.bodies(end, none);
        const MechanismTerms terms = equations_.terms(held, no_multipliers);
        const JointRows of_held = equations_.joint_rows(end, held, terms);
        const Decomposition<double> rows = decomposed(of_held.gradient);
        end.v = rows.solve(-of_held.rate);
        const JointedBodies unaccelerated = equations_.bodies(end, none);
        const MechanismTerms moving = equations_.terms(unaccelerated, no_multipliers);
        const JointRows of_moving = equations_.joint_rows(end, unaccelerated, moving);
        acceleration = rows.solve(-of_moving.acceleration_term);
        const VectorXd total = unaccelerated.acceleration + held.jacobian * acceleration;
        multipliers = full_pivoting(of_moving.gradient.transpose())
                          .solve(held.jacobian.transpose() * (moving.force - moving.mass * total));
    }
    equations_.foresee_angles(state_, end);
    motion_ = equations_.motion(equations_.bodies(end, acceleration), multipliers);
    state_ = std::move(end), state_.counted_angles = motion_.state.counted_angles;
    acceleration_ = std::move(acceleration);
    if (!jump) return;
    JointEquations::Behind behind = equations_.behind_jump(state_, motion_, jump->lies_before(end_s));
    state_ = std::move(behind.state), motion_ = std::move(behind.motion);
    acceleration_ = std::move(behind.accelerations.acceleration);
}

}  // namespace myriad::reference
