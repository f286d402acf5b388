// Runs a study: samples are drawn ahead of the backend, finished chunks are written behind it, and a killed run goes on
// from its journal. The results do not depend on the backend, the chunks, the threads or the number of interruptions;
// only the end of a study with on_failure stop does.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/ensemble/instances/step_check.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/statistics/sensitivity.hpp"
#include "host/statistics/statistics.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// Progress of a run, all counted in its own instances.
struct Progress {
    std::uint64_t instances = 0, saved = 0;  // in all, and finished and handed to the journal
    std::uint64_t chunk = 0;                 // instances that are computed now
    double share_of_chunk = 0.0;             // how much of their span is done, 0 to 1
    double seconds = 0.0;                    // since the call
    std::string doing;                       // beside computing chunks: compiling, retries; mostly empty
};

struct RunOptions {
    std::string backend = backends::names::automatic;
    backends::Settings settings;
    std::filesystem::path out;
    bool resume = false, overwrite = false;
    // Instances of the study, in its numbering; absent: all of them.
    std::optional<results::InstanceRange> range;
    // Instances with a number divisible by it are run again with finer steps, to measure the error of the step in the
    // quantities; 0: none.
    std::uint64_t check_stride = 0;
    // Called from the running thread after each chunk, and within one about once a second.
    std::function<void(const Progress& progress)> progress;
    // A remark that a person may want to know, before the first chunk.
    std::function<void(const std::string&)> warning;
    // Called once, before the first chunk, when every existing file has been read.
    std::function<void(const std::string& device, const backends::MemoryPlan& plan, std::uint64_t finished_before)>
        started;
};

// Attribute of a result with the warnings of its summary; absent if there are none.
inline constexpr const char* warnings_attribute = "warnings";

// A number of the certificate other than a drift.
struct CertificateFigure {
    std::string name, unit;
    study::CertificateKind kind = study::CertificateKind::largest;
    double largest = 0.0;        // over all instances that ended ok; NaN where there is none
    std::uint64_t instance = 0;  // which has the largest
    double per_step = 0.0;       // of a total: over all accepted steps of those instances
    double share = 0.0;          // of an energy: of the size of that instance's energy; NaN where there is none
};

// complete_before: a resumed run has nothing left to do; its summary has only paths and numbers of instances.
enum class Ending { complete, stopped_on_failure, interrupted, complete_before };

struct InvariantDrift {
    std::string name, unit;
    double worst = 0.0;           // over all instances that ended ok; NaN where there is none
    double worst_relative = 0.0;  // to the size below, of the same instance; NaN where that is zero
    bool is_of_size = false;      // that of the energy (energy_size.hpp); false: the initial value
    std::uint64_t instance = 0;   // which has the worst
};

struct RunSummary {
    Ending ending = Ending::complete;
    std::filesystem::path out, journal;
    std::string device;
    std::uint64_t instances = 0, finished = 0, failed = 0, finished_before = 0;
    results::InstanceRange range;  // the instances in the study's numbering
    std::map<std::string, std::uint64_t> by_status;
    std::map<std::string, std::uint64_t> by_reason;        // of the failed ones: a sentence each
    std::map<std::string, std::uint64_t> first_by_reason;  // the first instance of each
    std::uint64_t warned = 0, retried = 0;
    std::map<std::string, std::uint64_t> by_warning;  // half a sentence each: "with an inertia that ..."
    std::uint64_t steps = 0, rejected_steps = 0, longest_steps = 0;
    std::map<std::string, std::uint64_t> by_worst_row;  // of those not assembled: "joints.hinge, row 2"
    std::vector<InvariantDrift> drifts;
    std::vector<CertificateFigure> figures;
    std::vector<study::QuantityStatistics> statistics;  // one for each quantity of the study
    // [quantity][varied parameter], where the study asks for them.
    std::vector<std::vector<study::Sensitivity>> sensitivities;
    std::vector<std::string> correlated;        // pairs of varied parameters whose shares overlap: "a and b"
    std::optional<StepCheck> step_check;        // where it was asked for, and the run is complete
    std::vector<study::StepError> step_errors;  // of it, one for each quantity
    backends::MemoryPlan plan;
    double wall_seconds = 0.0;          // everything, from the call on
    double preparing_seconds = 0.0;     // until the first chunk is started
    double computing_seconds = 0.0;     // the backend alone
    double drawing_seconds = 0.0;       // the backend waited for samples
    double saving_seconds = 0.0;        // the backend waited for the disk
    double statistics_seconds = 0.0;    // after the last chunk
    double closing_seconds = 0.0;       // the result file gets its head and its name
    std::uint64_t steps_this_time = 0;  // accepted and rejected ones that this call computed, those of retries left out
    // "3 with an inertia that ...", of each warning.
    std::vector<std::string> warning_lines() const {
        std::vector<std::string> lines;
        for (const auto& [what, count] : by_warning) lines.push_back(std::to_string(count) + " " + what);
        return lines;
    }
    double failed_share() const {
        return instances ? static_cast<double>(failed) / static_cast<double>(instances) : 0.0;
    }
};

// Throws UserError; what was finished until then stays in the journal. `stop` interrupts between two looks of the
// backend, with everything finished kept.
RunSummary run_study(const study::Study& study, const RunOptions& options, const std::atomic<bool>& stop);

}  // namespace myriad::ensemble
