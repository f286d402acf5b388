// Explicit Runge-Kutta steps on an equation in local coordinates (a formulation), with fixed steps or with step
// control.
//
//   k_i = f(h sum_j a_ij k_j),   y = h sum_i b_i k_i,   y^ = h sum_i b^_i k_i          (y is zero at the step's start)
//
// Step control (Hairer, Norsett, Wanner, Solving ODEs I, sect. II.4, with the constants of the code the paper used):
//   error  = sqrt( sum_i ((y_i - y^_i) / (absolute_tolerance + relative_tolerance * magnitude_i))^2 / n )
//            where y - y^ stands for its distance() in lengths, rotations and rates
//   factor = 0.9 * error^(-1/p), p the order of the method (that of the embedded one plus 1), at most 2, no lower bound
//   accepted if error <= 1; the next or repeated step is factor * h, at most largest_step_s
//   first step: initial_step_s, else largest_step_s, else the span
//   a step that cannot be evaluated (chart singular, rotation too large, not finite) is rejected and repeated with h/10
//   a step to be repeated below smallest_step_s ends the run with step_too_small
//   a step that would reach, or fall short by less than 1e-9 of itself of, a stop ends there; after the stop the run
//   goes on with the step that was proposed before it was clipped, if that is the longer one
// `magnitude` is that of the equation, n the number of its coordinates that count. Not handled: stiffness, dense
// output.
#pragma once
#include <functional>
#include <limits>
#include <optional>

#include "host/reference/explicit/butcher_tables.hpp"
#include "host/reference/formulation/formulation.hpp"

namespace myriad::reference {

// A remainder of the span below this share of a step is round-off of the span divided by the step.
inline constexpr double no_remainder = 1e-9;

// Local coordinates at the end of a step; `embedded` is empty where the method has no second row of weights.
struct RungeKuttaStep {
    Eigen::VectorXd y, embedded;
};

// Throws StepFailure, also where a value is not finite.
RungeKuttaStep runge_kutta_step(const ButcherTable& table, const LocalEquation& equation, double h);

struct StepControl {
    double relative_tolerance = 0.0, absolute_tolerance = 0.0;
    double initial_step_s = 0.0;  // 0: the largest step
    double largest_step_s = std::numeric_limits<double>::infinity();
    double smallest_step_s = 1e-12;
    double safety = 0.9, greatest_increase = 2.0;
    // Replaces the error norm above, to follow a published code to its digits.
    std::function<double(const LocalEquation&, const RungeKuttaStep&)> error_norm;
};

double error_norm(const StepControl& control, const LocalEquation& equation, const RungeKuttaStep& step);

class RungeKutta {
  public:
    // Called after every accepted step.
    using Observer = std::function<void(double time_s)>;

    RungeKutta(const ButcherTable& table, LocalEquation& equation) : table_(table), equation_(equation) {}

    // Full steps from the present time to `stop_s`, then one shorter step; a remainder below 1e-9 of a step is none.
    // Throws StepFailure with the equation at the last good state.
    void run_fixed(double step_s, double stop_s, const Observer& observer);
    // Throws StepFailure likewise.
    void run_controlled(const StepControl& control, double stop_s, const Observer& observer);

    double time_s() const { return time_s_; }
    long steps_taken() const { return steps_taken_; }
    long steps_rejected() const { return steps_rejected_; }

  private:
    struct Attempt {
        RungeKuttaStep step;
        bool accepted;
        double factor;       // of the next or the repeated step
        std::string reason;  // of a rejection
    };
    Attempt try_step(const StepControl& control, double h) const;
    void accept(const RungeKuttaStep& step, double time_s, const Observer& observer);

    const ButcherTable& table_;
    LocalEquation& equation_;
    double time_s_ = 0.0, proposed_step_s_ = 0.0;
    long steps_taken_ = 0, steps_rejected_ = 0;
};

}  // namespace myriad::reference
