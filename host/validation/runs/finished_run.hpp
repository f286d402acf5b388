// A study run on a backend without a result file, and its values by the addresses of their channels.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "host/backends/interface/backend.hpp"
#include "host/study/study.hpp"

namespace myriad::validation {

struct FinishedRun {
    study::Study study;
    backends::Chunk chunk;
    std::vector<double> sampled;  // [study.varied][instance]
    double cpu_seconds = 0.0;     // of the calling thread, from the start of the chunk to its end

    bool ok(std::uint64_t instance = 0) const;
    // NaN for an instance that did not end well. `address` is that of one scalar: "position.top.x" for the final state,
    // which holds the channels of bodies; an observed channel for observed(), a kept one for the invariants.
    double final_state(std::string_view address, std::uint64_t instance = 0) const;
    double observed(std::string_view address, double time_s, std::uint64_t instance = 0) const;
    double invariant_drift(std::string_view name, std::uint64_t instance = 0) const;
    // The drift of the energy as a share of its size.
    double energy_drift_share(std::uint64_t instance = 0) const;
};

// All instances at once. Throws UserError as parse_study and the backend do.
FinishedRun run_text(const std::string& study_json, backends::Backend& backend);
FinishedRun run_study(study::Study study, backends::Backend& backend);

// The same with these samples, [study.varied][instance], in place of the study's own. On a GPU the kernels may observe
// more channels than the study, so that several studies share them; the run has the study's own.
FinishedRun run_samples(study::Study study, const std::vector<double>& sampled, backends::Backend& backend);

// "heavy_top by rk4": those of the calling thread since the last call whose energy drifted so far that `run` would
// warn.
std::set<std::string> take_drifted_runs();

// The columns of its trajectory.
std::vector<int> observed_channels(const study::Study& study);

// So that reading it gives the same double.
std::string json_number(double value);

}  // namespace myriad::validation
