#include "host/reference/joint/implicit_joints.hpp"

#include <utility>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/implicit/implicit_start.hpp"
#include "host/reference/joint/driver_jumps.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// A share of 1 + |s|: the cube root of round-off, where a central difference is most accurate.
constexpr double difference_share = 6e-6;

VectorXd increment_of(const ImplicitUpdate& update, const VectorXd& acceleration) {
    return update.increment_start + update.increment_slope * acceleration;
}

}  // namespace

ImplicitJoints::ImplicitJoints(const MechanismModel& model, const ImplicitMethod& method,
                               const MechanismState& assembled)
    : equations_(model, assembled), model_(model), method_(method), state_(equations_.start()) {
    AccelerationSolution start = equations_.accelerations(state_);
    acceleration_ = algorithmic_ = std::move(start.acceleration);
    multipliers_ = std::move(start.multipliers);
    motion_ = equations_.motion(equations_.bodies(state_, acceleration_), multipliers_);
}

ImplicitJoints::Trial ImplicitJoints::trial(const ImplicitUpdate& update, const VectorXd& acceleration,
                                            double time_s) const {
    Trial trial;
    trial.state = equations_.moved(state_, increment_of(update, acceleration),
                                   update.rates_start + update.rates_slope * acceleration, time_s);
    trial.bodies = equations_.bodies(trial.state, acceleration);
    return trial;
}

MatrixXd ImplicitJoints::newton_matrix(const ImplicitUpdate& update, const VectorXd& acceleration,
                                       const VectorXd& multipliers, double time_s) const {
    const Index n = equations_.size(), rows = equations_.rows();
    const Trial moving = trial(update, acceleration, time_s);
    const JointedBodies& here = moving.bodies;
    const MechanismTerms terms = equations_.terms(here, multipliers);
    const VectorXd unbalanced = terms.mass * here.acceleration +
                                terms.constraint_jacobian.transpose() * multipliers.head(terms.constraint.size()) -
                                terms.force;
    const MatrixXd tangent = equations_.tangent(increment_of(update, acceleration));
    // Of the bodies' displacements by s+.
    const MatrixXd moved = update.increment_slope * here.jacobian * tangent;
    MatrixXd by_acceleration = (terms.reaction_by_displacement - terms.force_by_displacement) * moved, turned(n, n);
    for (Index k = 0; k < n; ++k) {
        VectorXd before = acceleration, after = acceleration;
        const double difference = difference_share * (1.0 + std::abs(acceleration[k]));
        before[k] -= difference, after[k] += difference;
        const JointedBodies one = trial(update, before, time_s).bodies, other = trial(update, after, time_s).bodies;
        const double by = 1.0 / (after[k] - before[k]);
        by_acceleration.col(k) +=
            by * (terms.mass * (other.acceleration - one.acceleration) -
                  terms.force_by_velocity * (velocity_vector(other.state) - velocity_vector(one.state)));
        turned.col(k) = by * (other.jacobian - one.jacobian).transpose() * unbalanced;
    }
    MatrixXd matrix = MatrixXd::Zero(n + rows, n + rows);
    matrix.topLeftCorner(n, n) = here.jacobian.transpose() * by_acceleration + turned;
    const MatrixXd gradient = equations_.joint_rows(moving.state, here, terms).gradient;
    matrix.topRightCorner(n, rows) = gradient.transpose();
    matrix.bottomLeftCorner(rows, n) = gradient * tangent;
    return matrix;
}

void ImplicitJoints::shift_start(double h) {
    has_started_ = true;
    if (method_.published_start || equations_.rows() == 0) return;
    const VectorXd &w = state_.v, &s = acceleration_;
    const ImplicitStart start = implicit_start(
        method_.name, method_.spectral_radius, h, w, s, equations_.bracket(w, s),
        [&](const VectorXd& x) {
            const JointedBodies bodies = equations_.bodies(state_, s);
            const MechanismTerms terms = equations_.terms(bodies, multipliers_);
            const MatrixXd& J = bodies.jacobian;
            return projected_on_rows(J.transpose() * terms.mass * J,
                                     equations_.joint_rows(state_, bodies, terms).gradient, x);
        },
        [&](double d) {
            return equations_
                .accelerations(equations_.moved(state_, d * w + 0.5 * d * d * s, w + d * s, state_.time_s + d))
                .acceleration;
        });
    state_.v = start.rates, algorithmic_ = start.algorithmic;
}

void ImplicitJoints::step(double end_s) {
    const double h = end_s - state_.time_s;
    if (!has_started_) shift_start(h);
    const std::optional<FoundJump> jump = keep_branches(model_, state_.time_s, end_s, Bends::at_its_end);
    const ImplicitUpdate update =
        implicit_update(method_.name, method_.spectral_radius, h, state_.v, acceleration_, algorithmic_);
    const Index n = equations_.size(), rows = equations_.rows();
    // Rows in units of an acceleration, or they would be as small as h^2 beside the masses.
    const double scale = 1.0 / update.increment_slope;

    VectorXd acceleration = acceleration_, multipliers = multipliers_;
    Decomposition<double> decomposition;
    NewtonIteration newton(method_.most_newton_iterations, NewtonMatrix::kept_while_it_contracts);
    iterations_ = 0;
    for (bool ended = n == 0; !ended;) {
        const Trial moving = trial(update, acceleration, end_s);
        const JointedBodies& bodies = moving.bodies;
        const MechanismTerms terms = equations_.terms(bodies, multipliers);
        const JointRows of_rows = equations_.joint_rows(moving.state, bodies, terms);
        VectorXd residual(n + rows);
        residual << bodies.jacobian.transpose() * (terms.mass * bodies.acceleration - terms.force) +
                        of_rows.gradient.transpose() * multipliers,
            scale * of_rows.value;
        if (newton.needs_matrix()) {
            const MatrixXd matrix = newton_matrix(update, acceleration, multipliers, end_s);
            if (!residual.allFinite() || !matrix.allFinite())
                throw StepFailure{"not_finite", "the equations of the step are not finite"};
            decomposition = decomposed_newton_matrix(matrix);
        }
        const VectorXd correction = decomposition.solve(-residual);
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        acceleration += correction.head(n), multipliers += correction.tail(rows);
        iterations_ = newton.corrections() + 1;
        ended = newton.ends_with(
            displacement_norm(model_, bodies.jacobian * (update.increment_slope * correction.head(n))));
    }

    if (!(equations_.largest_turn(increment_of(update, acceleration)) <= method_.largest_step_rotation_rad))
        throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
    Trial end = trial(update, acceleration, end_s);
    equations_.foresee_angles(state_, end.state);
    end.bodies.state.counted_angles = end.state.counted_angles;
    motion_ = equations_.motion(end.bodies, multipliers);
    algorithmic_ = update.algorithmic_start + update.algorithmic_slope * acceleration;
    state_ = std::move(end.state), state_.counted_angles = motion_.state.counted_angles;
    acceleration_ = std::move(acceleration), multipliers_ = std::move(multipliers);
    if (!jump) return;
    JointEquations::Behind behind = equations_.behind_jump(state_, motion_, jump->lies_before(end_s));
    state_ = std::move(behind.state), motion_ = std::move(behind.motion);
    acceleration_ = algorithmic_ = std::move(behind.accelerations.acceleration);
    multipliers_ = std::move(behind.accelerations.multipliers);
}

}  // namespace myriad::reference
