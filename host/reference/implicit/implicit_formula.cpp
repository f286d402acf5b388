#include "host/reference/implicit/implicit_formula.hpp"

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// A share of 1 + |s|: the cube root of round-off, where a central difference is most accurate.
constexpr double central_difference_share = 6e-6;

}  // namespace

ImplicitFormula::ImplicitFormula(const System& system, const FormulaMethod& method)
    : system_(system),
      method_(method),
      configuration_(system.initial_configuration()),
      velocity_(system.initial_velocity()),
      positions_(configuration_.position.size()) {
    const VectorXd acceleration = system.acceleration(configuration_, velocity_);
    const bool has_orientation = velocity_.size() > positions_;
    if (has_orientation) chart_ = make_orientation_chart(method.chart, configuration_.orientation);
    rates_.resize(positions_ + chart_size()), second_rates_.resize(positions_ + chart_size());
    rates_.head(positions_) = velocity_.head(positions_);
    second_rates_.head(positions_) = acceleration.head(positions_);
    if (has_orientation) {
        const VectorXd none = VectorXd::Zero(chart_size());
        const VectorXd rates = chart_->rates(none, velocity_.tail<3>());
        rates_.tail(chart_size()) = rates;
        second_rates_.tail(chart_size()) = chart_->second_rates(none, rates, acceleration.tail<3>());
    }
    algorithmic_ = second_rates_;
}

ImplicitFormula::Trial ImplicitFormula::trial(const ImplicitUpdate& update, const VectorXd& second_rates) const {
    const VectorXd increment = update.increment_start + update.increment_slope * second_rates;
    const VectorXd rates = update.rates_start + update.rates_slope * second_rates;
    Trial trial{configuration_, VectorXd(velocity_.size()), VectorXd(velocity_.size())};
    trial.configuration.position += increment.head(positions_);
    trial.velocity.head(positions_) = rates.head(positions_);
    trial.acceleration.head(positions_) = second_rates.head(positions_);
    if (chart_) {
        const Index l = chart_size();
        const ChartMotion motion = chart_->motion(increment.tail(l), rates.tail(l), second_rates.tail(l));
        trial.configuration.orientation = motion.orientation;
        trial.velocity.tail<3>() = motion.angular_velocity;
        trial.acceleration.tail<3>() = motion.angular_acceleration;
    }
    return trial;
}

VectorXd ImplicitFormula::turn(const ImplicitUpdate& update, const VectorXd& second_rates) const {
    return (update.increment_start + update.increment_slope * second_rates).tail(chart_size());
}

VectorXd ImplicitFormula::residual(const ImplicitUpdate& update, const VectorXd& second_rates) const {
    const Trial trial = this->trial(update, second_rates);
    return trial.acceleration - system_.acceleration(trial.configuration, trial.velocity);
}

MatrixXd ImplicitFormula::newton_matrix(const ImplicitUpdate& update, const VectorXd& second_rates) const {
    const Index size = rates_.size(), equations = velocity_.size();
    MatrixXd matrix = MatrixXd::Zero(size, size);
    for (Index k = 0; k < size; ++k) {
        VectorXd before = second_rates, after = second_rates;
        const double difference = central_difference_share * (1.0 + std::abs(second_rates[k]));
        before[k] -= difference, after[k] += difference;
        matrix.col(k).head(equations) = (residual(update, after) - residual(update, before)) / (after[k] - before[k]);
    }
    if (chart_) {
        const MatrixXd of_condition = chart_->condition_jacobian(turn(update, second_rates));
        matrix.bottomRightCorner(of_condition.rows(), chart_size()) = of_condition;
    }
    return matrix;
}

VectorXd ImplicitFormula::solve(const ImplicitUpdate& update) const {
    const Index size = rates_.size();
    // The condition in units of an acceleration, or its row would be as small as h^2 beside the others.
    const double scale = 1.0 / update.increment_slope;
    VectorXd second_rates = second_rates_;
    Decomposition<double> decomposition;
    NewtonIteration newton(method_.most_newton_iterations, NewtonMatrix::kept_while_it_contracts);
    for (bool ended = false; !ended;) {
        VectorXd right = VectorXd::Zero(size);
        right.head(velocity_.size()) = -residual(update, second_rates);
        if (chart_) {
            const VectorXd condition = chart_->condition(turn(update, second_rates));
            right.tail(condition.size()) = -scale * condition;
        }
        if (newton.needs_matrix()) {
            const MatrixXd matrix = newton_matrix(update, second_rates);
            if (!matrix.allFinite()) throw StepFailure{"not_finite", "the equations of the step are not finite"};
            decomposition = decomposed_newton_matrix(matrix);
        }
        const VectorXd correction = decomposition.solve(right);
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        second_rates += correction;
        ended = newton.ends_with(update.increment_slope * correction.norm());
    }
    return second_rates;
}

void ImplicitFormula::step(double h) {
    const ImplicitUpdate update =
        implicit_update(method_.name, method_.spectral_radius, h, rates_, second_rates_, algorithmic_);
    const VectorXd second_rates = solve(update);
    Trial end = trial(update, second_rates);
    if (chart_) {
        const VectorXd increment = turn(update, second_rates);
        if (method_.chart == "rotation" && !(increment.norm() <= method_.largest_step_rotation_rad))
            throw StepFailure{"step_rotation_too_large", "the body turns too far in a step"};
        chart_->advance(increment);
        end.configuration.orientation = orthonormalized(end.configuration.orientation);
    }
    rates_ = update.rates_start + update.rates_slope * second_rates;
    algorithmic_ = update.algorithmic_start + update.algorithmic_slope * second_rates;
    second_rates_ = second_rates;
    configuration_ = std::move(end.configuration), velocity_ = std::move(end.velocity);
}

}  // namespace myriad::reference
