// --check-step: a share of the instances again with finer steps, to measure the error of the step in each quantity.
//
// Instance i is run at half the step where i is divisible by `stride`, and at a quarter of it where it is divisible by
// 4 `stride`: by the number in the whole study, so that ranges, chunks and resumed runs check the same instances.
// Adaptive methods keep their first step and divide both tolerances by 32, and again. Instances that failed, or that a
// retry gave finer steps already, are left out. The checked instances count in no other statistic.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/reader.hpp"
#include "host/statistics/step_error.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// The attribute of a result's root that holds the stride of its check.
inline constexpr const char* check_stride_attribute = "check_step_stride";

// ceil(1 / share) for a share in (0, 1].
std::uint64_t check_stride(double share);

struct StepCheck {
    std::uint64_t stride = 1;
    std::vector<std::int64_t> instances;  // that were run again, ascending
    // [quantity][entry of `instances`]; NaN where the run failed, or was not asked for.
    std::vector<std::vector<double>> half, quarter;
};

// Runs those of `instances` that are checked, on `backend`. None where `stop` was raised. Throws UserError where the
// precision cannot count so many steps.
std::optional<StepCheck> run_step_check(const study::Study& study, const std::string& backend,
                                        const backends::Settings& settings, std::vector<std::int64_t> instances,
                                        std::uint64_t stride, const std::atomic<bool>& stop);

// The step error of quantity q. `at_step` holds its values at the study's own step, one for each of check.instances.
study::StepError step_error_of(const study::Study& study, const StepCheck& check, std::size_t quantity,
                               std::span<const double> at_step);

// /check_step/<quantity> [K, 2]: the values at half and at a quarter of the step (/check_step_refinement), of the
// instances /check_step_instance [K].
std::vector<results::FixedDataset> step_check_datasets(const study::Study& study, const StepCheck& check);

// The same from the result of a range; nothing where it was not checked. Throws UserError for datasets that do not fit.
std::optional<StepCheck> read_step_check(const study::Study& study, const results::Reader& reader);
// Those of ranges, in the order of their instances, as one.
StepCheck merged(const std::vector<StepCheck>& ranges);

}  // namespace myriad::ensemble
