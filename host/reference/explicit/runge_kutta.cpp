#include "host/reference/explicit/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

namespace myriad::reference {

namespace {

constexpr double reduction_after_failure = 0.1;
// In tolerances. A larger error does not follow the order of the method, and says nothing about a step that is small
// enough.
constexpr double largest_telling_error = 1e20;

}  // namespace

RungeKuttaStep runge_kutta_step(const ButcherTable& table, const LocalEquation& equation, double h) {
    const Eigen::Index stages = table.stages();
    Eigen::MatrixXd k(equation.size(), stages);
    const bool ends_with_last_stage = table.a.row(stages - 1) == table.b.transpose();
    for (Eigen::Index i = 0; i < stages; ++i) {
        const Eigen::VectorXd y = h * k.leftCols(i) * table.a.row(i).head(i).transpose();
        k.col(i) = ends_with_last_stage && i == stages - 1 ? equation.slope_at_end(y) : equation.slope(y);
        if (!(h * k.col(i)).allFinite()) throw StepFailure{"not_finite", "the rate of change is not finite"};
    }
    RungeKuttaStep step{h * k * table.b, {}};
    if (table.embedded_order > 0) step.embedded = h * k * table.b_embedded;
    if (!step.y.allFinite()) throw StepFailure{"not_finite", "the step's result is not finite"};
    return step;
}

double error_norm(const StepControl& control, const LocalEquation& equation, const RungeKuttaStep& step) {
    if (control.error_norm) return control.error_norm(equation, step);
    const Eigen::ArrayXd scale =
        control.absolute_tolerance + control.relative_tolerance * equation.magnitude(step.y).array();
    const Eigen::VectorXd distance = equation.distance(step.y - step.embedded);
    return std::sqrt((distance.head(scale.size()).array() / scale).square().mean());
}

void RungeKutta::accept(const RungeKuttaStep& step, double time_s, const Observer& observer) {
    equation_.advance(step.y);
    time_s_ = time_s;
    ++steps_taken_;
    observer(time_s);
}

void RungeKutta::run_fixed(double step_s, double stop_s, const Observer& observer) {
    const double start = time_s_;
    const double full_steps = std::floor((stop_s - start) / step_s + no_remainder);
    const auto step = [&](double h, double end_s) {
        equation_.time_to_jump(h, false);
        accept(runge_kutta_step(table_, equation_, h), end_s, observer);
    };
    for (double n = 1.0; n <= full_steps; ++n) step(step_s, start + n * step_s);
    const double remainder = stop_s - (start + full_steps * step_s);
    if (remainder > no_remainder * step_s) step(remainder, stop_s);
    time_s_ = stop_s;
}

RungeKutta::Attempt RungeKutta::try_step(const StepControl& control, double h) const {
    try {
        RungeKuttaStep step = runge_kutta_step(table_, equation_, h);
        const double error = error_norm(control, equation_, step);
        if (!(error <= largest_telling_error))
            return {{}, false, reduction_after_failure, "the error is not finite, or beyond the order of the method"};
        const double factor =
            std::min(control.greatest_increase, control.safety * std::pow(error, -1.0 / table_.order));
        return {std::move(step), error <= 1.0, factor, "the error exceeds the tolerance"};
    } catch (const StepFailure& failure) {
        return {{}, false, reduction_after_failure, failure.reason};
    }
}

void RungeKutta::run_controlled(const StepControl& control, double stop_s, const Observer& observer) {
    if (proposed_step_s_ == 0.0) {
        const double first = control.initial_step_s > 0.0 ? control.initial_step_s : control.largest_step_s;
        proposed_step_s_ = std::min({first, control.largest_step_s, stop_s - time_s_});
    }
    double h = proposed_step_s_;
    while (time_s_ < stop_s) {
        const double unclipped = h;
        bool clipped = h * (1.0 + no_remainder) >= stop_s - time_s_;
        if (clipped) h = stop_s - time_s_;
        double end_s = clipped ? stop_s : time_s_ + h;
        const double to_jump = equation_.time_to_jump(h, true);
        if (to_jump < h) h = to_jump, end_s = time_s_ + h, clipped = true;
        const Attempt attempt = try_step(control, h);
        if (attempt.accepted) {
            accept(attempt.step, end_s, observer);
            h = std::min(control.largest_step_s, attempt.factor * h);
            if (clipped) h = std::max(h, unclipped);
        } else {
            ++steps_rejected_;
            h *= attempt.factor;
            if (!(h >= control.smallest_step_s))
                throw StepFailure{"step_too_small", "the step fell below the smallest step: " + attempt.reason};
        }
    }
    proposed_step_s_ = h;
}

}  // namespace myriad::reference
