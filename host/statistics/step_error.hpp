// The error that the time step leaves in a quantity, judged by instances that were run again with finer steps.
//
//   change = |Q_h - Q_{h/2}| of each instance;   shrinkage = mean |Q_{h/2} - Q_{h/4}| / mean |Q_h - Q_{h/2}|
//
// A method of order p has a shrinkage of 2^-p and a change of (2^p - 1) / 2^p of its error; without convergence the
// shrinkage is 1 (Roache, Annu. Rev. Fluid Mech. 29, 1997, on grid refinement). Adaptive methods divide their
// tolerances by 32 instead, which halves the steps of a method of order 5. Not handled: an error that both steps share,
// as of a model or of a parameter.
#pragma once
#include <cstdint>
#include <span>

namespace myriad::study {

struct StepError {
    std::uint64_t count = 0;          // instances with a finite value at the given and at half the step
    std::uint64_t without = 0;        // instances with a value at the given step and none at half of it
    double change_share_95 = 0.0;     // at least 95 % of the instances change by no more; NaN with count 0
    double mean_shift = 0.0;          // mean of Q_{h/2} - Q_h; NaN with count 0
    double shrinkage = 0.0;           // NaN where no instance was run at a quarter, or where changes are round-off
    std::uint64_t quarter_count = 0;  // instances that the shrinkage is from
    // A method of order one or more shrinks by one half; with this it is nearer to no convergence at all.
    bool shrinks() const { return !(shrinkage > 0.75); }
};

// Element i of each belongs to one instance; NaN where the instance failed, has no value or was not run. Changes below
// `round_off` times the largest |Q| do not count as a failure to shrink.
StepError step_error(std::span<const double> at_step, std::span<const double> at_half,
                     std::span<const double> at_quarter, double round_off);

}  // namespace myriad::study
