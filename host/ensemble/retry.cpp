#include "host/ensemble/retry.hpp"

#include <algorithm>

#include "kernels/status.hpp"

namespace myriad::ensemble {

namespace {

constexpr double refinement = 4.0;
constexpr double smaller_smallest_step = 1e-3;

struct Try {
    double refined;  // how many times smaller the step is
    bool on_reference;
};
constexpr Try tries[] = {{refinement, false}, {refinement * refinement, false}, {refinement * refinement, true}};

// The same study with steps `refined` times smaller, observed at the same times.
backends::Task refined_task(const study::Study& study, double refined) {
    study::Study finer = study;
    if (study.integrator.adaptive) {
        finer.adaptive.smallest_step_s *= smaller_smallest_step;
        finer.adaptive.most_attempts *= static_cast<std::uint64_t>(refined);
    } else {
        finer.fixed.step_s /= refined;
        finer.observation.every_steps *= static_cast<std::uint64_t>(refined);
    }
    return finer.task();
}

template <class Value>
void replace(const std::vector<Value>& from, std::uint64_t from_row, std::vector<Value>& to, std::uint64_t to_row,
             std::uint64_t count) {
    const std::uint64_t width = to.size() / count;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_row * width), width,
                to.begin() + static_cast<std::ptrdiff_t>(to_row * width));
}

void replace_instance(const backends::Chunk& from, std::uint64_t row, backends::Chunk& to, std::uint64_t instance) {
    const std::uint64_t count = to.count;
    replace(from.status, row, to.status, instance, count);
    replace(from.reason, row, to.reason, instance, count);
    replace(from.warnings, row, to.warnings, instance, count);
    replace(from.steps, row, to.steps, instance, count);
    replace(from.rejected, row, to.rejected, instance, count);
    replace(from.time_s, row, to.time_s, instance, count);
    replace(from.initial_state, row, to.initial_state, instance, count);
    replace(from.final_state, row, to.final_state, instance, count);
    replace(from.invariants_initial, row, to.invariants_initial, instance, count);
    replace(from.invariants_drift, row, to.invariants_drift, instance, count);
    replace(from.quantities, row, to.quantities, instance, count);
    replace(from.trajectory, row, to.trajectory, instance, count);
}

}  // namespace

bool retry_failed(const study::Study& study, const std::string& backend, const backends::Settings& settings,
                  const std::vector<double>& varied, backends::Chunk& chunk, std::vector<std::int32_t>& runs,
                  const std::atomic<bool>& stop) {
    for (const Try& attempt : tries) {
        std::vector<std::uint64_t> failed;
        for (std::uint64_t i = 0; i < chunk.count; ++i)
            if (chunk.status[i] != static_cast<std::int32_t>(Status::ok) &&
                chunk.status[i] != static_cast<std::int32_t>(Status::invalid_parameter))
                failed.push_back(i);
        if (failed.empty()) return true;
        std::vector<double> parameters;
        for (std::uint64_t p = 0; p < study.varied.size(); ++p)
            for (const std::uint64_t i : failed) parameters.push_back(varied[p * chunk.count + i]);

        const auto again = backends::make_backend(attempt.on_reference ? "reference" : backend, settings);
        again->prepare(refined_task(study, attempt.refined), failed.size());
        again->start(0, failed.size(), parameters.data());
        backends::Chunk result;
        if (!again->finish(0, result, stop)) return false;
        for (std::uint64_t row = 0; row < failed.size(); ++row) {
            ++runs[failed[row]];
            replace_instance(result, row, chunk, failed[row]);
        }
    }
    return true;
}

}  // namespace myriad::ensemble
