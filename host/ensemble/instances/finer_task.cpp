#include "host/ensemble/instances/finer_task.hpp"

#include <algorithm>
#include <cmath>

#include "host/study/study_schedule.hpp"

namespace myriad::ensemble {

namespace {

// Shares of the span: a step below them hardly moves the clock.
constexpr double resolved_by_clock_fp64 = 1e-15, resolved_by_clock_fp32 = 5e-7;

bool is_single(const study::Study& study) { return study.precision == backends::Precision::fp32; }

}  // namespace

std::optional<backends::Task> with_finer_steps(const study::Study& study, std::uint64_t refinement) {
    study::Study finer = study;
    finer.fixed.step_s /= static_cast<double>(refinement);
    finer.observation.every_steps *= refinement;
    const backends::Task task = finer.task();
    if (task.schedule.total_steps > largest_count(study.precision)) return std::nullopt;
    return task;
}

backends::Task with_finer_control(const study::Study& study, std::uint64_t attempts, double smallest_step,
                                  double tolerances) {
    study::Study finer = study;
    study::AdaptiveSteps& steps = finer.adaptive;
    const double resolved = (is_single(study) ? resolved_by_clock_fp32 : resolved_by_clock_fp64) * study.end_s;
    const double smaller = std::max(smallest_step * steps.smallest_step_s, resolved);
    steps.smallest_step_s = std::min(steps.smallest_step_s, smaller);
    const double most = static_cast<double>(steps.most_attempts) * static_cast<double>(attempts);
    steps.most_attempts = static_cast<std::uint64_t>(std::min(most, largest_count(study.precision)));
    // The step that the error control of a method of order 5 chooses falls with the fifth root of the tolerance.
    steps.largest_step_s = study::largest_step_s(study) * std::pow(tolerances, 0.2);
    steps.relative_tolerance *= tolerances;
    steps.absolute_tolerance *= tolerances;
    return finer.task();
}

}  // namespace myriad::ensemble
