#include "host/ensemble/instances/step_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/backends/backends.hpp"
#include "host/ensemble/instances/finer_task.hpp"
#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/results/result_check.hpp"
#include "host/statistics/no_value.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

constexpr const char *instances_path = "/check_step_instance", *refinement_path = "/check_step_refinement";

std::string path_of(const study::Quantity& quantity) { return "/check_step/" + quantity.name; }

constexpr std::uint64_t quarter_share = 4;  // of the checked instances, one in so many is run at a quarter as well
// Halving the steps of a method of order 5 divides its error by 32.
constexpr double tolerances_per_halving = 1.0 / 32.0;
// A method of order 3 then takes 3.2 times the steps.
constexpr std::uint64_t attempts_per_halving = 4;
constexpr double smallest_step_per_halving = 0.25;
// The share of Newton's tolerance and round-off in a quantity of size 1 over some thousand steps.
constexpr double round_off_fp64 = 1e-9, round_off_fp32 = 1e-4;

backends::Task halved(const study::Study& study, std::uint64_t halvings) {
    if (study.integrator.adaptive) {
        std::uint64_t attempts = 1;
        for (std::uint64_t i = 0; i < halvings; ++i) attempts *= attempts_per_halving;
        const double power = static_cast<double>(halvings);
        return with_finer_control(study, attempts, std::pow(smallest_step_per_halving, power),
                                  std::pow(tolerances_per_halving, power));
    }
    const std::optional<backends::Task> task = with_finer_steps(study, std::uint64_t{1} << halvings);
    if (!task)
        throw UserError(ExitCode::usage_or_input, study.file,
                        "--check-step needs finer steps than " + std::string(myriad::study::name_of(study.precision)) +
                            " can count",
                        "take \"precision\": \"fp64\", or leave --check-step out");
    return *task;
}

// The quantities of some instances: [quantity][instance], NaN of those that failed. None where `stop` was raised.
std::optional<std::vector<std::vector<double>>> quantities_of(const study::Study& study, const backends::Task& task,
                                                              const std::string& backend_name,
                                                              const backends::Settings& settings,
                                                              const std::vector<std::int64_t>& instances,
                                                              const std::atomic<bool>& stop) {
    std::vector<std::vector<double>> values(study.quantities.size());
    if (instances.empty()) return values;
    backends::Settings own_chunks = settings;
    own_chunks.chunk = 0, own_chunks.notice = {};  // the run has said it
    const auto backend = backends::make_backend(backend_name, own_chunks);
    const std::uint64_t most = backend->prepare(task, instances.size()).instances_per_chunk;
    for (std::uint64_t first = 0; first < instances.size(); first += most) {
        const std::uint64_t count = std::min<std::uint64_t>(most, instances.size() - first);
        std::vector<double> varied(study.varied.size() * count), one(study.varied.size());
        for (std::uint64_t row = 0; row < count && !one.empty(); ++row) {
            study.sampler().sample(static_cast<std::uint64_t>(instances[first + row]), 1, one.data());
            for (std::size_t p = 0; p < one.size(); ++p) varied[p * count + row] = one[p];
        }
        const std::vector<double> fields = record_parameters(study, count, varied, settings.threads);
        backend->start(0, count, fields.data());
        const LinearAnalysis linear = analyse_linearly(study, backend_name, count, fields, settings.threads);
        backends::Chunk chunk;
        if (!backend->finish(0, chunk, stop)) return std::nullopt;
        add_modes(study, linear, chunk);
        for (std::uint64_t row = 0; row < count; ++row)
            for (std::size_t q = 0; q < values.size(); ++q) {
                const bool is_ok = chunk.status[row] == static_cast<std::int32_t>(Status::ok);
                values[q].push_back(is_ok ? chunk.quantities[row * values.size() + q] : study::no_value);
            }
    }
    return values;
}

}  // namespace

std::uint64_t check_stride(double share) { return static_cast<std::uint64_t>(std::ceil(1.0 / share)); }

std::optional<StepCheck> run_step_check(const study::Study& study, const std::string& backend,
                                        const backends::Settings& settings, std::vector<std::int64_t> instances,
                                        std::uint64_t stride, const std::atomic<bool>& stop) {
    StepCheck check;
    check.stride = stride;
    const auto divisible = [](std::uint64_t by) {
        return [by](std::int64_t instance) { return static_cast<std::uint64_t>(instance) % by == 0; };
    };
    std::copy_if(instances.begin(), instances.end(), std::back_inserter(check.instances), divisible(stride));
    std::vector<std::int64_t> coarser;
    std::copy_if(instances.begin(), instances.end(), std::back_inserter(coarser), divisible(quarter_share * stride));

    auto half = quantities_of(study, halved(study, 1), backend, settings, check.instances, stop);
    if (!half) return std::nullopt;
    const auto quarter = quantities_of(study, halved(study, 2), backend, settings, coarser, stop);
    if (!quarter) return std::nullopt;
    check.half = std::move(*half);
    for (const std::vector<double>& values : *quarter) {
        std::vector<double>& spread = check.quarter.emplace_back(check.instances.size(), study::no_value);
        for (std::size_t row = 0, next = 0; row < spread.size() && next < coarser.size(); ++row)
            if (check.instances[row] == coarser[next]) spread[row] = values[next++];
    }
    return check;
}

study::StepError step_error_of(const study::Study& study, const StepCheck& check, std::size_t quantity,
                               std::span<const double> at_step) {
    const bool is_single = study.precision == backends::Precision::fp32;
    return study::step_error(at_step, check.half[quantity], check.quarter[quantity],
                             is_single ? round_off_fp32 : round_off_fp64);
}

std::vector<results::FixedDataset> step_check_datasets(const study::Study& study, const StepCheck& check) {
    const std::uint64_t rows = check.instances.size();
    if (rows == 0) return {};
    const std::string finer =
        study.integrator.adaptive ? "tolerances divided by 32, and by 1024" : "half the step, and at a quarter of it";
    std::vector<results::FixedDataset> datasets = {
        {instances_path,
         {rows},
         check.instances,
         {{"description", std::string("instances that were run again with finer steps")}},
         {}},
        {refinement_path,
         {2},
         std::vector<std::string>{"half", "quarter"},
         {{"description", std::string("of the step; of an adaptive method 1/32 and 1/1024 of the tolerances")}},
         {}}};
    for (std::size_t q = 0; q < study.quantities.size(); ++q) {
        std::vector<double> values;
        for (std::uint64_t row = 0; row < rows; ++row)
            values.insert(values.end(), {check.half[q][row], check.quarter[q][row]});
        datasets.push_back({path_of(study.quantities[q]),
                            {rows, 2},
                            values,
                            {{"unit", study.quantities[q].unit},
                             {"description", "the quantity at " + finer + "; NaN where that was not run, or failed"}},
                            {instances_path, refinement_path}});
    }
    return datasets;
}

std::optional<StepCheck> read_step_check(const study::Study& study, const results::Reader& reader) {
    const results::Attributes attributes = reader.attributes();
    const auto found = attributes.find(check_stride_attribute);
    const auto* stride = found == attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    if (!stride || *stride < 1) return std::nullopt;
    StepCheck check;
    check.stride = static_cast<std::uint64_t>(*stride);
    check.half.resize(study.quantities.size()), check.quarter.resize(study.quantities.size());
    if (!reader.has(instances_path)) return check;
    const results::InstanceRange held = reader.identity().instances;
    check.instances = reader.read<std::int64_t>(instances_path);
    std::int64_t next = static_cast<std::int64_t>(held.first);
    for (const std::int64_t instance : check.instances) {
        if (instance < next || instance >= static_cast<std::int64_t>(held.end()))
            throw UserError(ExitCode::usage_or_input, reader.path().string() + ": " + instances_path,
                            "instance " + std::to_string(instance) + " is out of place: the file is damaged",
                            "run its range again");
        next = instance + 1;
    }
    for (std::size_t q = 0; q < study.quantities.size(); ++q) {
        const std::vector<double> values =
            results::read_shaped<double>(reader, path_of(study.quantities[q]), {check.instances.size(), 2});
        for (std::size_t row = 0; row < check.instances.size(); ++row) {
            check.half[q].push_back(values[2 * row]);
            check.quarter[q].push_back(values[2 * row + 1]);
        }
    }
    return check;
}

StepCheck merged(const std::vector<StepCheck>& ranges) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    StepCheck all = ranges.front();
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        append(all.instances, ranges[i].instances);
        for (std::size_t q = 0; q < all.half.size(); ++q)
            append(all.half[q], ranges[i].half[q]), append(all.quarter[q], ranges[i].quarter[q]);
    }
    return all;
}

}  // namespace myriad::ensemble
