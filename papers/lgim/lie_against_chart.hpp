// Work and precision of one Runge-Kutta method on the rotation group and on Cardan angles: lgim sect. 4.1, Figs. 3 and
// 5, "heavy top without kinematic constraints".
//
//   error = |x_ref - x| of the centre of mass at t = 1 s, RK44, h_n = 1e-4 2^(1-n) s, n = 1..8
//
// and on the group as many larger steps as reach the errors of the chart. The reference is RK67 on the group with the
// paper's step. The chart passes its singularity 48 times in this second, at cos(beta) down to 0.022: its error is not
// monotonic where a passage is badly hit.
#pragma once
#include <string>
#include <vector>

namespace myriad::validation {

// NaN where not computed. A pack of instances is run on one thread with all lanes taken, as in an ensemble, and its
// time is shared among them.
struct WorkPrecision {
    double step_s;
    double group_error_m, chart_error_m;
    double group_ns_per_instance, chart_ns_per_instance;
};

struct LieAgainstChart {
    std::string device;
    std::vector<WorkPrecision> rows;  // the largest step first
    double equal_error_m;
    // At equal error, by interpolation between logarithms of error, step and time; NaN where the rows do not reach it.
    double group_step_s, chart_step_s;
    double group_ns_per_instance, chart_ns_per_instance;
    double step_ratio() const { return group_step_s / chart_step_s; }
    double time_ratio() const { return chart_ns_per_instance / group_ns_per_instance; }
    // The paper's CPU time in its code, at 1e-6 m: a figure to put beside ours, whose cost per step differs.
    double published_time_ratio;
    // The distance of the reference from the converged centre of mass known otherwise, which has ten decimals.
    double reference_distance_m;
};

// Some 10 to 30 s on one core.
LieAgainstChart lie_against_chart();

}  // namespace myriad::validation
