#include "host/ensemble/instances/retry.hpp"

#include <algorithm>

#include "host/backends/backends.hpp"
#include "host/ensemble/instances/finer_task.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

constexpr std::uint64_t refinement = 4;
constexpr double smaller_smallest_step = 1e-3;

std::uint64_t refinement_of(std::int32_t run) { return run == 2 ? refinement : refinement * refinement; }

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

// A smaller step helps neither refused parameters nor a start that does not meet the constraints. It does not help
// where a loop's rows lose rank, or the laws of an impact or a start have no solution.
bool can_be_helped(Status status, Reason reason) {
    constexpr Reason hopeless[] = {Reason::rows_lose_rank, Reason::loop_at_dead_point, Reason::spare_row_not_met,
                                   Reason::impact_did_not_converge, Reason::start_without_forces};
    return status != Status::ok && status != Status::invalid_parameter && status != Status::assembly_failed &&
           std::find(std::begin(hopeless), std::end(hopeless), reason) == std::end(hopeless);
}

// "retry 1 of 2, 3 instances at 1/4 of the step"
std::string text_of_run(const study::Study& study, std::int32_t run, std::uint64_t instances) {
    const std::string refined = std::to_string(refinement_of(run));
    return "retry " + std::to_string(run - 1) + " of " + std::to_string(last_run - 1) + ", " +
           std::to_string(instances) + (instances == 1 ? " instance " : " instances ") +
           (study.integrator.adaptive ? "with " + refined + " times the attempts" : "at 1/" + refined + " of the step");
}

}  // namespace

std::optional<backends::Task> task_of_run(const study::Study& study, std::int32_t run) {
    if (run == 1) return study.task();
    const std::uint64_t refined = refinement_of(run);
    if (!study.integrator.adaptive) return with_finer_steps(study, refined);
    return with_finer_control(study, refined, smaller_smallest_step, 1.0);
}

bool retry_failed(const study::Study& study, const std::string& backend, const backends::Settings& settings,
                  const std::vector<double>& varied, backends::Chunk& chunk, std::vector<std::int32_t>& runs,
                  const std::function<void(const std::string&)>& doing, const std::atomic<bool>& stop) {
    // A few instances with many steps each take a GPU longer than a core.
    const bool moves = backend == backends::names::cuda && study.precision == backends::Precision::fp64;
    const std::string by = moves ? backends::names::cpu : backend;
    backends::Settings own = settings;
    own.chunk = 0, own.notice = {};  // the run has said it
    if (moves) own.kernels.clear();
    for (std::int32_t run = 2; run <= last_run; ++run) {
        std::vector<std::uint64_t> failed;
        for (std::uint64_t i = 0; i < chunk.count; ++i)
            if (can_be_helped(static_cast<Status>(chunk.status[i]), static_cast<Reason>(chunk.reason[i])))
                failed.push_back(i);
        const std::optional<backends::Task> task = task_of_run(study, run);
        if (failed.empty()) return true;
        if (!task) continue;
        const std::string what = text_of_run(study, run, failed.size());
        std::uint64_t first = 0, count = 0;
        own.progress = [&](double share) {
            const double done =
                (static_cast<double>(first) + share * static_cast<double>(count)) / static_cast<double>(failed.size());
            doing(what + " (" + std::to_string(static_cast<int>(100.0 * done)) + " %)");
        };
        doing(what);
        const auto again = backends::make_backend(by, own);
        const std::uint64_t most = again->prepare(*task, failed.size()).instances_per_chunk;
        for (; first < failed.size(); first += most) {
            count = std::min<std::uint64_t>(most, failed.size() - first);
            std::vector<double> parameters;
            for (std::uint64_t p = 0; p < study.varied.size(); ++p)
                for (std::uint64_t row = 0; row < count; ++row)
                    parameters.push_back(varied[p * chunk.count + failed[first + row]]);
            again->start(0, count, record_parameters(study, count, parameters, settings.threads).data());
            backends::Chunk result;
            if (!again->finish(0, result, stop)) return false;
            for (std::uint64_t row = 0; row < count; ++row) {
                runs[failed[first + row]] = run;
                replace_instance(result, row, chunk, failed[first + row]);
            }
        }
    }
    return true;
}

}  // namespace myriad::ensemble
