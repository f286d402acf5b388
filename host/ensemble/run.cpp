#include "host/ensemble/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "host/ensemble/memory_need.hpp"
#include "host/ensemble/record_parameters.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/ensemble/retry.hpp"
#include "host/ensemble/statistics_datasets.hpp"
#include "host/ensemble/summary.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/program/version.hpp"
#include "host/results/disk_space.hpp"
#include "host/results/journal.hpp"
#include "host/results/result_file.hpp"
#include "host/user_error.hpp"
#include "kernels/status.hpp"

namespace myriad::ensemble {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct FinishedChunk {
    std::uint64_t first = 0;
    backends::Chunk chunk;
    std::vector<double> varied;
    std::vector<std::int32_t> runs;
};

// Writes finished chunks behind the backend's back. Its error appears at the next push() or at finish().
class Writer {
  public:
    Writer(const study::Study& study, results::Journal& journal)
        : columns_(study), journal_(journal), thread_([this] { write(); }) {}
    ~Writer() {
        close();
        if (thread_.joinable()) thread_.join();
    }
    void push(FinishedChunk chunk) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return queue_.size() < most_waiting || error_; });
        if (error_) std::rethrow_exception(error_);
        queue_.push_back(std::move(chunk));
        changed_.notify_all();
    }
    void finish() {
        close();
        thread_.join();
        if (error_) std::rethrow_exception(error_);
        journal_.sync();
    }

  private:
    static constexpr std::size_t most_waiting = 2;  // bounds the memory of a run whose disk is slower than its backend

    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    void write() {
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return !queue_.empty() || closed_; });
            if (queue_.empty()) return;
            const FinishedChunk chunk = std::move(queue_.front());
            queue_.pop_front();
            changed_.notify_all();
            lock.unlock();
            try {
                columns_.fill(chunk.first, chunk.chunk, chunk.varied, chunk.runs);
                journal_.append(chunk.first, chunk.chunk.count, columns_.spans());
            } catch (...) {
                lock.lock();
                error_ = std::current_exception();
                queue_.clear();
                changed_.notify_all();
                return;
            }
        }
    }

    ChunkColumns columns_;
    results::Journal& journal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<FinishedChunk> queue_;
    bool closed_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

// What Writer holds at its fullest: those that wait, and the one it writes, in the file's order beside the backend's.
constexpr std::uint64_t chunks_on_their_way = 4;

struct Samples {
    std::vector<double> varied, fields;  // what the study varies, and what the backend's records hold
};

Samples draw(const study::Study& study, results::InstanceRange range, int threads) {
    Samples samples{std::vector<double>(study.varied.size() * range.count), {}};
    if (!samples.varied.empty()) study.sampler().sample(range.first, range.count, samples.varied.data());
    samples.fields = record_parameters(study, range.count, samples.varied, threads);
    return samples;
}

results::Attributes file_attributes(const study::Study& study, const RunSummary& summary) {
    results::Attributes attributes = {
        {"program", std::string("myriad")},
        {"program_version", std::string(program_version())},
        {"program_commit", std::string(program_commit())},
        {"compiler", std::string(program_compiler())},
        {"study", study.canonical_json},
        {"study_file", study.file},
        {"title", study.title},
        {"system", study.system->name},
        {"chart", study.chart},
        {"integrator", study.integrator.name},
        {"precision", std::string(study.precision == backends::Precision::fp64 ? "fp64" : "fp32")},
        {"seed", study.seed ? std::to_string(*study.seed) : std::string("none")},
        {"device", summary.device},
        {"wall_time_s", summary.wall_seconds}};
    if (study.mechanism) {
        // The text itself is part of the study's.
        attributes["mechanism_title"] = study.mechanism->title;
        attributes["mechanism_source"] = study.mechanism->source;
    }
    return attributes;
}

// One call of run_study: what its steps share.
class Runner {
  public:
    Runner(const study::Study& study, const RunOptions& options, const std::atomic<bool>& stop)
        : study_(study), options_(options), stop_(stop) {}

    RunSummary run() {
        const auto start = std::chrono::steady_clock::now();
        std::unique_ptr<backends::Backend> backend = prepared_backend();
        summary_.instances = study_.instances;
        summary_.out = options_.out;
        summary_.journal = results::journal_path(options_.out);
        summary_.device = backend->device();
        if (!options_.resume) check_room(study_.instances);
        results::Journal journal = open_journal();
        if (options_.resume) check_room(study_.instances - journal.finished_instances());
        summary_.finished_before = journal.finished_instances();
        if (options_.started) options_.started(summary_.device, summary_.plan, summary_.finished_before);
        summary_.preparing_seconds = seconds_since(start);

        if (!stopped_before(journal)) compute(*backend, journal, start);
        summary_.finished = journal.finished_instances();
        // A failure in the last chunk leaves nothing to stop: the result is written.
        if (summary_.ending == Ending::stopped_on_failure && summary_.finished == study_.instances)
            summary_.ending = Ending::complete;
        summary_.computing_seconds = backend->compute_seconds();
        const auto assembling = std::chrono::steady_clock::now();
        summarize(study_, journal, *backend, summary_);
        summary_.wall_seconds = seconds_since(start);
        if (summary_.ending == Ending::complete) {
            std::vector<results::FixedDataset> fixed = result_axes(study_);
            for (results::FixedDataset& dataset : statistics_datasets(statistics_report(study_, summary_)))
                fixed.push_back(std::move(dataset));
            results::assemble(journal, fixed, file_attributes(study_, summary_));
        }
        summary_.assembling_seconds = seconds_since(assembling);
        summary_.wall_seconds = seconds_since(start);
        return summary_;
    }

  private:
    // `auto` goes on with the cpu where the device turns out not to take the task.
    std::unique_ptr<backends::Backend> prepared_backend() {
        const auto prepare = [this](const std::string& name) {
            auto backend = backends::make_backend(name, options_.settings);
            summary_.plan = backend->prepare(study_.task(), study_.instances);
            backend_ = name;
            return backend;
        };
        try {
            return prepare(options_.backend);
        } catch (const UserError& error) {
            if (options_.backend != "auto" || error.exit_code() != ExitCode::device) throw;
            if (options_.warning) options_.warning(std::string("not on the GPU: ") + error.what());
            return prepare("cpu");
        }
    }

    // Of `missing` instances that are yet to be computed, before the first.
    void check_room(std::uint64_t missing) const {
        const results::Layout layout = result_layout(study_);
        const auto warn = [this](const std::optional<std::string>& warning) {
            if (warning && options_.warning) options_.warning(*warning);
        };
        warn(results::check_disk_space(options_.out, layout, missing));
        const std::uint64_t chunk = std::min(summary_.plan.instances_per_chunk, missing);
        warn(check_memory(study_, study_.instances, chunk * bytes_per_instance(layout) * chunks_on_their_way));
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
        const results::Fingerprint fingerprint{study_.fingerprint() + "-" + program_version(),
                                               study_.file + " (" + std::to_string(study_.instances) +
                                                   " instances of " + study_.system->name + ", myriad " +
                                                   program_version() + ")"};
        const results::Layout layout = result_layout(study_);
        if (options_.resume) return results::Journal::resume(options_.out, fingerprint, layout);
        return results::Journal::create(options_.out, fingerprint, layout,
                                        options_.overwrite ? results::IfPresent::replace : results::IfPresent::refuse);
    }

    void compute(backends::Backend& backend, results::Journal& journal, std::chrono::steady_clock::time_point start) {
        const std::vector<results::InstanceRange> ranges = journal.missing(summary_.plan.instances_per_chunk);
        Writer writer(study_, journal);
        struct InFlight {
            results::InstanceRange range;
            std::vector<double> varied;
            int buffer;
        };
        std::deque<InFlight> in_flight;
        std::uint64_t finished = summary_.finished_before;
        std::future<Samples> samples;
        const auto draw_next = [&](std::size_t next) {
            if (next < ranges.size())
                samples = std::async(std::launch::async, [this, range = ranges[next]] {
                    return draw(study_, range, options_.settings.threads);
                });
        };
        draw_next(0);
        std::size_t next = 0;
        while (summary_.ending == Ending::complete && (next < ranges.size() || !in_flight.empty())) {
            if (next < ranges.size() && in_flight.size() < static_cast<std::size_t>(backend.buffers())) {
                const int buffer = static_cast<int>(next % static_cast<std::size_t>(backend.buffers()));
                Samples drawn = samples.get();
                backend.start(buffer, ranges[next].count, drawn.fields.data());
                in_flight.push_back({ranges[next], std::move(drawn.varied), buffer});
                draw_next(++next);
                continue;
            }
            InFlight done = std::move(in_flight.front());
            in_flight.pop_front();
            FinishedChunk chunk;
            chunk.first = done.range.first;
            chunk.varied = std::move(done.varied);
            chunk.runs.assign(done.range.count, 1);
            if (!backend.finish(done.buffer, chunk.chunk, stop_) || !count(chunk)) {
                summary_.ending = Ending::interrupted;
                break;
            }
            finished += done.range.count;
            writer.push(std::move(chunk));
            if (options_.progress) options_.progress(finished, study_.instances, seconds_since(start));
        }
        if (samples.valid()) samples.wait();
        writer.finish();
    }

    // Counts the steps of this call and applies the study's policy on failures. False where a retry was interrupted.
    bool count(FinishedChunk& chunk) {
        bool any_failed = false;
        for (std::uint64_t i = 0; i < chunk.chunk.count; ++i) {
            summary_.steps_this_time += static_cast<std::uint64_t>(chunk.chunk.steps[i] + chunk.chunk.rejected[i]);
            any_failed = any_failed || chunk.chunk.status[i] != static_cast<std::int32_t>(Status::ok);
        }
        if (!any_failed) return true;
        if (study_.on_failure == study::OnFailure::stop) summary_.ending = Ending::stopped_on_failure;
        if (study_.on_failure != study::OnFailure::retry) return true;
        return retry_failed(study_, backend_, options_.settings, chunk.varied, chunk.chunk, chunk.runs, stop_);
    }

    const study::Study& study_;
    const RunOptions& options_;
    const std::atomic<bool>& stop_;
    RunSummary summary_;
    std::string backend_;  // that took the task
};

}  // namespace

RunSummary run_study(const study::Study& study, const RunOptions& options, const std::atomic<bool>& stop) {
    return Runner(study, options, stop).run();
}

}  // namespace myriad::ensemble
