#include "host/ensemble/replay.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/ensemble/continuation.hpp"
#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/ensemble/instances/retry.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_check.hpp"
#include "host/results/stored_instances.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

std::string text_attribute(const results::Attributes& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    const std::string* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text ? *text : std::string();
}

// A row of numbers from the file, whatever precision it was stored with.
std::vector<double> numbers(const results::Reader& reader, const std::string& dataset, std::uint64_t row) {
    return reader.read_rows<double>(dataset, row, 1);
}

// NaN against NaN is no difference, NaN against a number is NaN.
Difference compare(const std::string& what, const std::string& unit, const std::vector<double>& ours,
                   const std::vector<double>& reference) {
    Difference difference{what, unit, 0.0, 0.0};
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) && std::isnan(reference[i])) continue;
        const double distance = std::abs(ours[i] - reference[i]);
        if (!std::isnan(difference.largest) && !(distance <= difference.largest)) difference.largest = distance;
        difference.of_size = std::max(difference.of_size, std::abs(ours[i]));
    }
    return difference;
}

// A quaternion and its negative are one orientation: gives `reference` the sign that is nearer to `ours`.
void align_signs(const std::vector<double>& ours, std::vector<double>& reference) {
    for (std::size_t i = 0; i + 4 <= ours.size(); i += 4) {
        double product = 0.0;
        for (std::size_t k = i; k < i + 4; ++k) product += ours[k] * reference[k];
        if (product < 0.0)
            for (std::size_t k = i; k < i + 4; ++k) reference[k] = -reference[k];
    }
}

backends::Chunk repeated(const backends::Task& task, const std::vector<double>& fields, ReplayBy by) {
    if (by == ReplayBy::kernels) {
        // Traced steps have kernels on plain numbers beside vectors of any width.
        const int widest = backends::cpu_width(0);
        const bool is_plain = backends::cpu_kernel(task, widest).fp64.width == 1;
        const std::vector<int> widths = backends::cpu_widths();
        if (!is_plain && std::ranges::find(widths, 1) == widths.end())
            throw UserError(ExitCode::usage_or_input, "--kernels double",
                            "this build has no steps of one instance at a time",
                            "build with -DMYRIAD_SCALAR_STEPS=ON, as ./dev test and ./dev package do");
        backends::StepByStep steps(task, 1, fields.data(), is_plain ? widest : 1, 1, backends::names::double_kernels);
        while (steps.advance()) {
        }
        return steps.chunk();
    }
    const auto backend = backends::make_backend(backends::names::reference, {});
    backend->prepare(task, 1);
    backend->start(0, 1, fields.data());
    backends::Chunk chunk;
    backend->finish(0, chunk, std::atomic<bool>{false});
    return chunk;
}

study::Study study_of(const results::Reader& reader, const std::string& text, const std::string& other_build) {
    const std::filesystem::path& file = reader.path();
    try {
        return study::parse_study(text, file.string() + " (study)", file.parent_path(), {}, study::Purpose::repeat);
    } catch (const UserError& error) {
        if (other_build.empty()) throw;
        throw UserError(
            error.exit_code(), error.where(),
            "this program cannot repeat what " + other_build + " computed: " + error.what_is_wrong(),
            "run the study again by this program (" + error.remedy() + "), or replay the result by " + other_build);
    }
}

// Keeps the columns that the file has; another build may have had others.
results::Layout stored_part(results::Layout layout, const results::Reader& reader, const std::string& other_build) {
    if (other_build.empty()) return layout;
    const results::Layout stored = results::layout_of(reader);
    std::erase_if(layout.columns, [&](const results::Column& column) {
        return std::ranges::none_of(stored.columns, [&](const results::Column& one) {
            return one.path == column.path && one.type == column.type &&
                   one.shape_per_instance == column.shape_per_instance;
        });
    });
    return layout;
}

}  // namespace

Replay replay_instance(const std::filesystem::path& result, std::uint64_t instance, ReplayBy by) {
    const results::Reader reader(result);
    const results::InstanceRange held = reader.identity().instances;
    if (instance < held.first || instance >= held.end())
        throw UserError(ExitCode::usage_or_input, result.string(),
                        "there is no instance " + std::to_string(instance) + "; it holds " + text_of(held),
                        "give a number from " + std::to_string(held.first) + " to " + std::to_string(held.end() - 1));
    const std::uint64_t row = instance - held.first;
    const results::Attributes attributes = reader.attributes();
    const std::string text = text_attribute(attributes, "study");
    Replay replay;
    if (const results::RunIdentity run = reader.identity(); !is_of_this_build(run)) replay.other_build = build_of(run);
    const study::Study study = study_of(reader, text, replay.other_build);
    const results::Layout layout = result_layout(study, held), stored = stored_part(layout, reader, replay.other_build);
    results::check_columns(reader, stored);
    replay.instance = instance;
    replay.system = text_attribute(attributes, "system"), replay.integrator = study.integrator.name,
    replay.chart = study.chart;
    replay.precision = study::name_of(study.precision);
    std::vector<double> varied;
    for (const study::VariedParameter& parameter : study.varied) {
        varied.push_back(numbers(reader, "/parameters/" + parameter.address, row).front());
        replay.parameters.emplace_back(parameter.address, varied.back());
    }

    replay.run = results::read_codes(reader, "/instance/certificate/runs", row, 1, 1, last_run + 1).front();
    const std::vector<double> fields = record_parameters(study, 1, varied);
    backends::Chunk chunk = repeated(task_of_run(study, replay.run).value_or(study.task()), fields, by);
    const char* linear = by == ReplayBy::kernels ? backends::names::cpu : backends::names::reference;
    add_modes(study, analyse_linearly(study, linear, 1, fields, 1), chunk);
    ChunkColumns columns(study);
    columns.fill({instance, chunk, varied, {1}});
    const std::vector<std::span<const std::byte>> bytes = columns.spans();
    const auto reference = [&](const std::string& path) {
        const std::size_t index = column_of(layout, path);
        const std::byte* data = bytes[index].data();
        if (layout.columns[index].type == results::ElementType::float32) {
            const auto* single = reinterpret_cast<const float*>(data);
            return std::vector<double>(single, single + bytes[index].size() / sizeof(float));
        }
        const auto* number = reinterpret_cast<const double*>(data);
        return std::vector<double>(number, number + bytes[index].size() / sizeof(double));
    };

    const auto status =
        static_cast<Status>(results::read_codes(reader, "/instance/status", row, 1, 0, status_count).front());
    replay.status = name_of(status);
    replay.reference_status = name_of(static_cast<Status>(chunk.status.front()));
    replay.time_s = study.results.keeps_states ? numbers(reader, "/state/final/time", row).front()
                    : status == Status::ok     ? study.end_s
                                               : numbers(reader, "/instance/failed_time_s", row).front();
    replay.reference_time_s = chunk.time_s.front();
    replay.steps = reader.read_rows<std::int64_t>("/instance/certificate/steps", row, 1).front();
    replay.reference_steps = chunk.steps.front();

    for (const results::Column& column : stored.columns) {
        const bool compared = column.path.starts_with("/state/") || column.path.starts_with("/trajectory/") ||
                              column.path.starts_with("/quantities/");
        if (!compared) continue;
        const std::vector<double> ours = numbers(reader, column.path, row);
        std::vector<double> other = reference(column.path);
        if (column.path.find("orientation") != std::string::npos && ours.size() % 4 == 0) align_signs(ours, other);
        std::string what = column.path.substr(1);
        std::replace(what.begin(), what.end(), '/', ' ');
        replay.differences.push_back(compare(what, text_attribute(column.attributes, "unit"), ours, other));
    }
    if (replay.differences.empty())
        throw UserError(ExitCode::usage_or_input, result.string(), "it keeps nothing that could be compared",
                        "run with states, trajectories or quantities in \"results\": {\"keep\": [...]}");
    return replay;
}

}  // namespace myriad::ensemble
