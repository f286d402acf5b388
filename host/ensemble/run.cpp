#include "host/ensemble/run.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <string_view>

#include "host/backends/backends.hpp"
#include "host/ensemble/chunk_size.hpp"
#include "host/ensemble/chunk_writer.hpp"
#include "host/ensemble/continuation.hpp"
#include "host/ensemble/failure_detail.hpp"
#include "host/ensemble/instances/device_comparison.hpp"
#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/ensemble/instances/retry.hpp"
#include "host/ensemble/memory_need.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/ensemble/summary.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/results/disk/disk_space.hpp"
#include "host/results/journal.hpp"
#include "host/results/reader.hpp"
#include "host/results/result_file.hpp"
#include "host/results/stored_instances.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/user_error.hpp"
#include "host/text/version.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Samples {
    std::vector<double> varied, fields;  // what the study varies, and what the backend's records hold
    LinearAnalysis linear;
};

// `range` in the study's numbering.
Samples draw(const study::Study& study, const std::string& backend, results::InstanceRange range, int threads) {
    Samples samples{std::vector<double>(study.varied.size() * range.count), {}, {}};
    if (!samples.varied.empty()) study.sampler().sample(range.first, range.count, samples.varied.data());
    samples.fields = record_parameters(study, range.count, samples.varied, threads);
    samples.linear = analyse_linearly(study, backend, range.count, samples.fields, threads);
    return samples;
}

results::Attributes file_attributes(const study::Study& study, const RunSummary& summary) {
    results::Attributes attributes = {{"program", std::string("myriad")},
                                      {"program_version", std::string(program_version())},
                                      {"program_commit", std::string(program_commit())},
                                      {"compiler", std::string(program_compiler())},
                                      {"study", study.canonical_json},
                                      {"study_file", study.file},
                                      {"title", study.title},
                                      {"system", study.system->name},
                                      {"chart", study.chart},
                                      {"integrator", study.integrator.name},
                                      {"precision", std::string(study::name_of(study.precision))},
                                      {"seed", study.seed ? std::to_string(*study.seed) : std::string("none")},
                                      {"device", summary.device},
                                      {"wall_time_s", summary.wall_seconds}};
    if (summary.step_check) attributes[check_stride_attribute] = static_cast<std::int64_t>(summary.step_check->stride);
    if (!summary.by_warning.empty()) attributes[warnings_attribute] = summary.warning_lines();
    if (study.mechanism) {
        // The text of the mechanism is part of the study's.
        attributes["coordinates"] = std::string(study::name_of(study.coordinates));
        if (!study.body_coordinates_because.empty())
            attributes["body_coordinates_because"] = study.body_coordinates_because;
        attributes["mechanism_title"] = study.mechanism->title;
        attributes["mechanism_source"] = study.mechanism->source;
    }
    return attributes;
}

// The state that the steps of one call of run_study share.
class Runner {
  public:
    Runner(const study::Study& study, const RunOptions& options, const std::atomic<bool>& stop)
        : study_(study),
          options_(options),
          stop_(stop),
          range_(options.range.value_or(results::InstanceRange{0, study.instances})),
          fingerprint_(fingerprint_of_run(study)),
          layout_(result_layout(study, range_)) {}

    RunSummary run() {
        summary_.instances = range_.count, summary_.range = range_;
        summary_.out = options_.out;
        summary_.journal = results::journal_path(options_.out);
        if (options_.overwrite) require_a_result_to_replace(options_.out);
        if (options_.resume) results::Journal::remove_behind_result(options_.out);
        if (options_.resume && is_complete(study_, options_.out, results::identity_of(fingerprint_, layout_))) {
            summary_.ending = Ending::complete_before;
            return summary_;
        }
        std::unique_ptr<backends::Backend> backend = prepared_backend();
        summary_.device = backend->device();
        if (!options_.resume) check_room(range_.count);
        results::Journal journal = open_journal();
        if (options_.resume) check_room(range_.count - journal.finished_instances());
        summary_.finished_before = journal.finished_instances();
        if (options_.started) options_.started(summary_.device, summary_.plan, summary_.finished_before);
        summary_.preparing_seconds = seconds_since(start_);

        if (!stopped_before(journal)) compute(*backend, journal);
        summary_.finished = journal.finished_instances();
        // A failure in the last chunk leaves nothing to stop, so the result is written.
        if (summary_.ending == Ending::stopped_on_failure && summary_.finished == range_.count)
            summary_.ending = Ending::complete;
        summary_.computing_seconds = backend->compute_seconds();
        if (summary_.ending == Ending::complete && options_.check_stride > 0) check_step(journal);
        const auto summarizing = std::chrono::steady_clock::now();
        summarize(study_, journal, *backend, summary_);
        summary_.statistics_seconds = seconds_since(summarizing);
        summary_.wall_seconds = seconds_since(start_);
        const auto closing = std::chrono::steady_clock::now();
        if (summary_.ending == Ending::complete)
            results::assemble(journal, fixed_datasets(study_, summary_, result_axes(study_)),
                              file_attributes(study_, summary_));
        summary_.closing_seconds = seconds_since(closing);
        summary_.wall_seconds = seconds_since(start_);
        return summary_;
    }

  private:
    // `auto` goes on with the cpu where the device turns out not to take the task.
    std::unique_ptr<backends::Backend> prepared_backend() {
        bool is_on_cpu = false;
        const auto prepare = [&](const std::string& name) {
            backends::Settings settings = options_.settings;
            settings.progress = [this](double share) { tell(share); };
            settings.starts_at_once = true;
            auto backend = backends::make_backend(name, settings);
            is_on_cpu = std::string_view(backend->name()) == backends::names::cpu;
            const backends::Task task = study_.task();
            summary_.plan = backend->prepare(task, range_.count);
            if (options_.warning)
                for (const std::string& idle : backends::idle_settings(backend->name(), settings, task))
                    options_.warning(idle);
            backend_ = backend->name();
            return backend;
        };
        try {
            return prepare(options_.backend);
        } catch (const UserError& error) {
            if (options_.backend != backends::names::automatic || is_on_cpu || error.exit_code() != ExitCode::device)
                throw;
            if (options_.warning) options_.warning(backends::not_on_the_gpu(error));
            return prepare(backends::names::cpu);
        }
    }

    // Warns of a full disk or memory before the first of the `missing` instances is computed.
    void check_room(std::uint64_t missing) const {
        const auto warn = [this](const std::optional<std::string>& warning) {
            if (warning && options_.warning) options_.warning(*warning);
        };
        warn(results::check_disk_space(options_.out, layout_, missing));
        const std::uint64_t chunk = std::min(summary_.plan.instances_per_chunk, missing);
        warn(check_memory(study_, range_.count, chunk * bytes_per_instance(layout_) * ChunkWriter::most_chunks));
    }

    // A study that stops at a failure does not go on past one that its journal holds.
    bool stopped_before(const results::Journal& journal) {
        if (study_.on_failure != study::OnFailure::stop) return false;
        const std::size_t column = column_of(journal.layout(), "/instance/status");
        for (const results::InstanceRange& range : journal.finished()) {
            std::vector<std::int32_t> status(range.count);
            journal.read(column, range, std::as_writable_bytes(std::span(status)));
            for (const std::int32_t one : status)
                if (one != static_cast<std::int32_t>(Status::ok)) summary_.ending = Ending::stopped_on_failure;
        }
        return summary_.ending == Ending::stopped_on_failure;
    }

    results::Journal open_journal() const {
        if (!options_.resume)
            return results::Journal::create(
                options_.out, fingerprint_, layout_,
                options_.overwrite ? results::IfPresent::replace : results::IfPresent::refuse);
        results::Journal journal = results::Journal::resume(
            options_.out, fingerprint_, layout_,
            [this](const auto& theirs, const auto& ours) { return objection_to_continuing(study_, theirs, ours); });
        tell_of(journal.discarded());
        take_over_shorter_result(journal);
        return journal;
    }

    void tell_of(const results::Discarded& discarded) const {
        if (discarded.bytes == 0 || !options_.warning) return;
        const std::string bytes = std::to_string(discarded.bytes) + " bytes";
        options_.warning(
            discarded.is_damage
                ? summary_.journal.string() + " is damaged: " + bytes +
                      " of it match no checksum, and the instances they held are computed again\n  the rest is whole, "
                      "but look after the disk and the memory of this machine"
                : "the last record of " + summary_.journal.string() + " was cut off, as by a kill or a full disk: " +
                      bytes + " are left out, and the instances they held are computed again");
    }

    // The instances of the result that this run extends, as far as the journal lacks them. The result stays.
    void take_over_shorter_result(results::Journal& journal) const {
        const auto standing = results::identity_of(options_.out);
        if (!standing || standing->instances.count >= range_.count ||
            !objection_to_continuing(study_, *standing, results::identity_of(fingerprint_, layout_)).empty())
            return;
        constexpr std::uint64_t block_bytes = 64u << 20;
        const std::uint64_t block = std::max<std::uint64_t>(1, block_bytes / results::bytes_per_instance(layout_));
        const results::StoredInstances stored(layout_, {{options_.out, standing->instances}});
        for (results::InstanceRange rows : journal.missing(block)) {
            if (rows.first >= standing->instances.count) break;
            rows.count = std::min(rows.count, standing->instances.count - rows.first);
            std::vector<std::vector<std::byte>> columns;
            for (const results::Column& column : layout_.columns)
                columns.emplace_back(rows.count * results::bytes_per_instance(column));
            stored.read(rows, {columns.begin(), columns.end()});
            journal.append(rows.first, rows.count, {columns.begin(), columns.end()});
        }
    }

    bool agrees_with_the_cpu(const backends::Backend& backend, DeviceComparison& comparison, std::uint64_t first_row,
                             const std::vector<double>& compared, const FinishedChunk& chunk) const {
        if (backend.name() != std::string(backends::names::cuda)) return true;
        return comparison.compare(backend.device(), backend.tools(), range_.first + first_row, compared, chunk.chunk,
                                  stop_);
    }

    void compute(backends::Backend& backend, results::Journal& journal) {
        const bool is_fixed = options_.settings.chunk != 0;
        const std::vector<results::InstanceRange> missing =
            journal.missing(is_fixed ? summary_.plan.instances_per_chunk : range_.count);
        std::deque<results::InstanceRange> gaps(missing.begin(), missing.end());
        ChunkSize size(summary_.plan.smallest_chunk, summary_.plan.instances_per_chunk);
        ChunkWriter writer(study_, journal);
        DeviceComparison comparison(study_.task(), study_.file);
        struct InFlight {
            results::InstanceRange rows;
            std::vector<double> varied, compared;
            LinearAnalysis linear;
            int buffer;
            std::chrono::steady_clock::time_point started;
        };
        std::deque<InFlight> in_flight;
        std::future<Samples> samples;
        results::InstanceRange drawn;
        const auto draw_next = [&] {
            drawn = {};
            if (gaps.empty()) return;
            results::InstanceRange& gap = gaps.front();
            drawn = {gap.first, is_fixed ? gap.count : std::min(gap.count, size.next())};
            gap = {gap.first + drawn.count, gap.count - drawn.count};
            if (gap.count == 0) gaps.pop_front();
            samples = std::async(std::launch::async, [this, drawn] {
                return draw(study_, backend_, {range_.first + drawn.first, drawn.count}, options_.settings.threads);
            });
        };
        progress_.instances = range_.count, progress_.saved = summary_.finished_before;
        computing_ = &backend;
        draw_next();
        int next_buffer = 0;
        auto ended = start_;
        while (summary_.ending == Ending::complete && (drawn.count > 0 || !in_flight.empty())) {
            if (drawn.count > 0 && in_flight.size() < static_cast<std::size_t>(backend.buffers())) {
                const auto waiting = std::chrono::steady_clock::now();
                Samples next = samples.get();
                summary_.drawing_seconds += seconds_since(waiting);
                backend.start(next_buffer, drawn.count, next.fields.data());
                in_flight.push_back({drawn, std::move(next.varied),
                                     DeviceComparison::compared_of(next.fields, drawn.count), std::move(next.linear),
                                     next_buffer, std::chrono::steady_clock::now()});
                next_buffer = (next_buffer + 1) % backend.buffers();
                draw_next();
                continue;
            }
            InFlight done = std::move(in_flight.front());
            in_flight.pop_front();
            progress_.chunk = done.rows.count;
            FinishedChunk chunk = writer.empty_chunk();
            chunk.first_row = done.rows.first;
            chunk.varied = std::move(done.varied);
            chunk.runs.assign(done.rows.count, 1);
            const bool is_finished = backend.finish(done.buffer, chunk.chunk, stop_) &&
                                     agrees_with_the_cpu(backend, comparison, done.rows.first, done.compared, chunk);
            if (!is_finished || !count(chunk)) {
                summary_.ending = Ending::interrupted;
                break;
            }
            add_modes(study_, done.linear, chunk.chunk);
            const auto began = std::max(done.started, ended);
            ended = std::chrono::steady_clock::now();
            size.took(done.rows.count, std::chrono::duration<double>(ended - began).count());
            progress_.saved += done.rows.count;
            const auto waiting = std::chrono::steady_clock::now();
            writer.push(std::move(chunk));
            summary_.saving_seconds += seconds_since(waiting);
            progress_.chunk = 0;
            tell(0.0);
        }
        if (samples.valid()) samples.wait();
        const auto waiting = std::chrono::steady_clock::now();
        writer.finish();
        summary_.saving_seconds += seconds_since(waiting);
        computing_ = nullptr;
        // It may have moved from one device to another.
        backend_ = backend.name(), summary_.device = backend.device();
    }

    // The journal keeps nothing of it: a run that is interrupted here checks again.
    void check_step(const results::Journal& journal) {
        if (study_.quantities.empty()) {
            if (options_.warning) options_.warning("--check-step has nothing to check: the study has no quantities");
            return;
        }
        backends::Settings settings = options_.settings;
        settings.progress = [this](double) { tell_of("checking the step"); };
        summary_.step_check =
            run_step_check(study_, backend_, settings, instances_run_once(journal), options_.check_stride, stop_);
        doing_.clear();
        if (!summary_.step_check) summary_.ending = Ending::interrupted;
    }

    void tell(double share_of_chunk) {
        if (!options_.progress) return;
        progress_.share_of_chunk = share_of_chunk;
        progress_.seconds = seconds_since(start_);
        progress_.doing = !doing_.empty() ? doing_ : computing_ ? computing_->doing() : std::string();
        options_.progress(progress_);
    }
    // Tells of work beside the chunks' own steps.
    void tell_of(const std::string& doing) {
        doing_ = doing;
        tell(progress_.chunk > 0 ? 1.0 : 0.0);
    }

    // Counts the steps of this call and applies the study's policy on failures. False where a retry was interrupted.
    bool count(FinishedChunk& chunk) {
        bool any_failed = false;
        for (std::uint64_t i = 0; i < chunk.chunk.count; ++i) {
            summary_.steps_this_time += static_cast<std::uint64_t>(chunk.chunk.steps[i] + chunk.chunk.rejected[i]);
            any_failed = any_failed || chunk.chunk.status[i] != static_cast<std::int32_t>(Status::ok);
        }
        if (!any_failed) return true;
        name_dead_points(study_, chunk.varied, chunk.chunk);
        if (study_.on_failure == study::OnFailure::stop) summary_.ending = Ending::stopped_on_failure;
        if (study_.on_failure != study::OnFailure::retry) return true;
        const bool is_done = retry_failed(
            study_, backend_, options_.settings, chunk.varied, chunk.chunk, chunk.runs,
            [this](const std::string& doing) { tell_of(doing); }, stop_);
        name_dead_points(study_, chunk.varied, chunk.chunk);
        doing_.clear();
        return is_done;
    }

    const study::Study& study_;
    const RunOptions& options_;
    const std::atomic<bool>& stop_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const results::InstanceRange range_;
    const results::Fingerprint fingerprint_;
    const results::Layout layout_;
    RunSummary summary_;
    Progress progress_;
    std::string backend_;  // that took the task
    std::string doing_;    // beside the chunks' own steps; mostly empty
    const backends::Backend* computing_ = nullptr;
};

}  // namespace

RunSummary run_study(const study::Study& study, const RunOptions& options, const std::atomic<bool>& stop) {
    return Runner(study, options, stop).run();
}

}  // namespace myriad::ensemble
