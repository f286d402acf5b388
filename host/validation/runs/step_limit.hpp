// The result of a method of order 1 for step 0, from runs with several steps, and the runs themselves side by side.
//
//   T(0) by Neville's scheme: the error of implicit Euler is a power series in the step h
//
// With the clock of a mechanism that nothing drives running s times faster - speeds times s, gravity times s^2 - a step
// h of the study is a step s h of the mechanism. So the instances of one study, of one step, are runs with as many
// steps: one pack of vectors holds them all, and the smallest step sets the cost.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

struct StepLimit {
    double value;
    double change;  // by the run with the smallest step: without it the limit would be value - change
};
// Steps fall, at least two. Terms in h, h^2, ... up to one less than the number of steps are taken out; what is left of
// the error is within the change as long as the last run makes the limit better.
StepLimit limit_of(const std::vector<double>& steps_s, std::vector<double> values);

// A number of the file that is a speed (power 1) or an acceleration (power 2) all of whose kind follow from it.
struct ClockNumber {
    const char* address;
    double value;
    int power;
};

// Implicit Euler with the steps h, h/2, h/3, ... h/runs.
class StepsSideBySide {
  public:
    StepsSideBySide(std::string_view mechanism, const std::vector<ClockNumber>& clock, double largest_step_s, int runs,
                    double end_s, const Observed& observed, backends::Backend& device);

    // The value of an observed scalar without a time in its unit, or of a rate (unit .../s), in the mechanism's own
    // time; `run` counts from 0, the largest step. NaN where a run did not end well.
    double value(int run, const std::string& channel, double time_s) const;
    StepLimit limit(const std::string& channel, double time_s) const;

  private:
    double speed_up(int run) const { return static_cast<double>(runs_) / (run + 1); }

    double largest_step_s_;
    int runs_;
    FinishedRun run_;
};

}  // namespace myriad::validation
