// A study run from Python: progress and warnings as calls back, Ctrl-C as a stop with everything finished kept.
#include "host/ensemble/run.hpp"

#include <deque>
#include <filesystem>
#include <variant>

#include "host/ensemble/merge.hpp"
#include "host/program/instance_selection.hpp"
#include "host/program/run_text.hpp"
#include "host/program/text/json_output.hpp"
#include "python/extension/engine_thread.hpp"
#include "python/extension/nanobind.hpp"

namespace myriad::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

struct Started {
    std::string device;
    std::uint64_t finished_before = 0;
};
using Event = std::variant<Started, ensemble::Progress, std::string>;

// From the running thread to the one that waits. Of progress only the last report is kept.
class Events {
  public:
    void push(Event event) {
        const std::lock_guard lock(mutex_);
        if (std::holds_alternative<ensemble::Progress>(event) && !events_.empty() &&
            std::holds_alternative<ensemble::Progress>(events_.back()))
            events_.pop_back();
        events_.push_back(std::move(event));
    }
    std::deque<Event> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(events_, {});
    }

  private:
    std::mutex mutex_;
    std::deque<Event> events_;
};

const char* name_of(ensemble::Ending ending) {
    switch (ending) {
        case ensemble::Ending::complete:
            return "complete";
        case ensemble::Ending::stopped_on_failure:
            return "stopped_on_failure";
        case ensemble::Ending::interrupted:
            return "interrupted";
        case ensemble::Ending::complete_before:
            return "complete_before";
    }
    return "";
}

void tell(const Event& event, const nb::object& started, const nb::object& progress, const nb::object& warning) {
    if (const auto* begun = std::get_if<Started>(&event))
        started(begun->device, begun->finished_before);
    else if (const auto* text = std::get_if<std::string>(&event))
        warning(*text);
    else if (const auto* now = std::get_if<ensemble::Progress>(&event))
        progress(now->instances, now->saved, now->share_of_chunk * static_cast<double>(now->chunk), now->seconds,
                 now->doing);
}

nb::dict run(const std::shared_ptr<study::Study>& study, const std::string& out, const std::string& backend,
             const std::vector<int>& devices, int threads, std::uint64_t chunk, const std::optional<std::string>& range,
             const std::optional<std::string>& shard, bool resume, bool overwrite, double check_share,
             const nb::object& started, const nb::object& progress, const nb::object& warning) {
    Events events;
    ensemble::RunOptions options;
    options.backend = backend;
    options.settings.devices = devices, options.settings.threads = threads, options.settings.chunk = chunk;
    options.settings.notice = [&](const std::string& text) { events.push(text); };
    options.out = out;
    options.resume = resume, options.overwrite = overwrite;
    options.range = program::selected_instances(range, shard, study->instances);
    if (check_share > 0.0) options.check_stride = ensemble::check_stride(check_share);
    options.warning = options.settings.notice;
    options.started = [&](const std::string& device, const backends::MemoryPlan&, std::uint64_t finished) {
        events.push(Started{device, finished});
    };
    options.progress = [&](const ensemble::Progress& now) { events.push(now); };

    std::atomic<bool> stop{false};
    ensemble::RunSummary summary;
    const nb::object kept = run_on_engine([&] { summary = ensemble::run_study(*study, options, stop); }, stop,
                                          [&] {
                                              for (const Event& event : events.take())
                                                  tell(event, started, progress, warning);
                                          });
    nb::dict ended;
    ended["ending"] = name_of(summary.ending);
    ended["exception"] = kept;
    ended["out"] = summary.out.string(), ended["journal"] = summary.journal.string();
    ended["instances"] = summary.instances, ended["finished"] = summary.finished, ended["failed"] = summary.failed;
    if (summary.ending != ensemble::Ending::complete_before) {
        ended["summary"] = program::json_text(program::summary_json(*study, summary));
        ended["text"] = program::summary_text(*study, summary);
    }
    return ended;
}

// The file of shard K/R beside that of the whole study, and how many instances it has.
std::pair<std::string, std::uint64_t> part(const std::shared_ptr<study::Study>& study, const std::string& out,
                                           const std::string& shard) {
    const auto range = program::selected_instances(std::nullopt, shard, study->instances);
    return {program::part_beside(out, *range).string(), range->count};
}

bool is_merged(const std::shared_ptr<study::Study>& study, const std::string& out, bool resume, bool overwrite) {
    bool is = false;
    run_on_engine([&] { is = ensemble::is_merged(*study, out, resume, overwrite); });
    return is;
}

// Returns instances and how many of them failed.
std::pair<std::uint64_t, std::uint64_t> merge(const std::vector<std::string>& parts, const std::string& out, bool link,
                                              bool overwrite) {
    ensemble::RunSummary summary;
    run_on_engine([&] {
        summary = ensemble::merge_results({parts.begin(), parts.end()}, out, link,
                                          overwrite ? results::IfPresent::replace : results::IfPresent::refuse)
                      .summary;
    });
    return {summary.instances, summary.failed};
}

}  // namespace

void bind_run(nb::module_& module) {
    module.def("part", &part, "study"_a, "out"_a, "shard"_a);
    module.def("is_merged", &is_merged, "study"_a, "out"_a, "resume"_a, "overwrite"_a);
    module.def("merge", &merge, "parts"_a, "out"_a, "link"_a, "overwrite"_a);
    module.def("run", &run, "study"_a, "out"_a, "backend"_a, "devices"_a, "threads"_a, "chunk"_a, "range"_a.none(),
               "shard"_a.none(), "resume"_a, "overwrite"_a, "check_share"_a, "started"_a, "progress"_a, "warning"_a);
}

}  // namespace myriad::python
