// A study's task with smaller steps, for instances that are run again: retries of failed ones, checks of the step.
#pragma once
#include <cstdint>
#include <optional>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// Fixed steps divided by `refinement`, rows of the trajectory at the same times; none where the precision cannot count
// so many steps.
std::optional<backends::Task> with_finer_steps(const study::Study& study, std::uint64_t refinement);

// Adaptive methods: `attempts` times the attempts, a smallest step of `smallest_step` times the study's, or the
// smallest that the clock resolves, and tolerances times `tolerances`.
backends::Task with_finer_control(const study::Study& study, std::uint64_t attempts, double smallest_step,
                                  double tolerances);

}  // namespace myriad::ensemble
