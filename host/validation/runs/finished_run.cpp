#include "host/validation/runs/finished_run.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/ensemble/warnings/energy_size.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/system/status.hpp"

namespace myriad::validation {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr std::uint64_t never_reached = std::uint64_t{1} << 32;  // steps

std::size_t invariant_index(const study::Study& study, std::string_view name) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    for (std::size_t i = 0; i < certificate.size(); ++i)
        if (name == certificate[i].name) return i;
    throw std::logic_error("validation: nothing kept is called " + std::string(name));
}

// A GPU's kernels are compiled for the channels that they observe. There a run that observes some watches all of them,
// so that the runs of a system by one method share their kernels; but not of a mechanism, where the code of each
// channel takes the compiler long.
study::Study watched_on(const backends::Backend& backend, study::Study study) {
    const bool observes = !study.observation.groups.empty();
    if (study.mechanism || !observes || backend.name() != std::string_view(backends::names::cuda)) return study;
    study::ChannelGroup all;
    for (int channel = 0; channel < study.system->channel_count; ++channel) all.channels.push_back(channel);
    for (const study::ChannelGroup& group : study.observation.groups)
        for (const int channel : group.channels)  // a norm is none of the system's own
            if (std::ranges::find(all.channels, channel) == all.channels.end()) all.channels.push_back(channel);
    study.observation.groups = {std::move(all)};
    return study;
}

// The columns that `asked` names, of rows of what `watched` does.
std::vector<double> asked_columns(const study::Study& asked, const study::Study& watched,
                                  const std::vector<double>& rows) {
    const std::vector<int> all = observed_channels(watched), channels = observed_channels(asked);
    std::vector<std::size_t> columns;
    for (const int channel : channels)
        columns.push_back(static_cast<std::size_t>(std::ranges::find(all, channel) - all.begin()));
    std::vector<double> chosen;
    for (std::size_t row = 0; row < rows.size(); row += all.size())
        for (const std::size_t column : columns) chosen.push_back(rows[row + column]);
    return chosen;
}

double thread_cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

thread_local std::set<std::string> drifted_runs;

void note_drift(const FinishedRun& run) {
    const ensemble::EnergySize size(run.study);
    if (!size.is_known()) return;
    for (std::uint64_t i = 0; i < run.study.instances; ++i)
        if (run.ok(i) && size.drift_share(run.chunk, i) > ensemble::silent_energy_drift)
            drifted_runs.insert(run.study.system->name + " by " + run.study.integrator.name);
}

}  // namespace

std::vector<int> observed_channels(const study::Study& study) {
    std::vector<int> channels;
    for (const study::ChannelGroup& group : study.observation.groups)
        channels.insert(channels.end(), group.channels.begin(), group.channels.end());
    return channels;
}

bool FinishedRun::ok(std::uint64_t instance) const {
    return chunk.status.at(instance) == static_cast<std::int32_t>(Status::ok);
}

double FinishedRun::final_state(std::string_view address, std::uint64_t instance) const {
    if (!ok(instance)) return nan;
    const auto channel = static_cast<std::uint64_t>(study.system->scalar_channel(address, "validation"));
    const std::uint64_t channels = chunk.final_state.size() / chunk.count;
    if (channel >= channels) throw std::logic_error("validation: " + std::string(address) + " is no part of the state");
    return chunk.final_state.at(instance * channels + channel);
}

double FinishedRun::observed(std::string_view address, double time_s, std::uint64_t instance) const {
    const std::vector<double> times = study.observation_times_s();
    std::size_t row = 0;
    // Rows lie at accumulated multiples of the step.
    while (row < times.size() && std::abs(times[row] - time_s) > 1e-9) ++row;
    std::size_t column = 0, columns = 0;
    bool found = false;
    for (const study::ChannelGroup& group : study.observation.groups)
        for (const std::string& known : group.addresses) {
            if (known == address) column = columns, found = true;
            ++columns;
        }
    if (!found || row == times.size())
        throw std::logic_error("validation: " + std::string(address) + " is not observed at this time");
    return ok(instance) ? chunk.trajectory.at((instance * times.size() + row) * columns + column) : nan;
}

double FinishedRun::invariant_drift(std::string_view name, std::uint64_t instance) const {
    const std::size_t entries = chunk.invariants_drift.size() / chunk.count;
    return ok(instance) ? chunk.invariants_drift.at(instance * entries + invariant_index(study, name)) : nan;
}

double FinishedRun::energy_drift_share(std::uint64_t instance) const {
    return ok(instance) ? ensemble::EnergySize(study).drift_share(chunk, instance) : nan;
}

FinishedRun run_text(const std::string& study_json, backends::Backend& backend) {
    return run_study(study::parse_study(study_json, "validation", "."), backend);
}

FinishedRun run_study(study::Study study, backends::Backend& backend) {
    std::vector<double> sampled(study.varied.size() * study.instances);
    if (!sampled.empty()) study.sampler().sample(0, study.instances, sampled.data());
    return run_samples(std::move(study), sampled, backend);
}

FinishedRun run_samples(study::Study study, const std::vector<double>& sampled, backends::Backend& backend) {
    FinishedRun run{std::move(study), {}, sampled, 0.0};
    const std::uint64_t count = run.study.instances;
    const std::vector<double> varied = ensemble::record_parameters(run.study, count, sampled);
    const study::Study watched = watched_on(backend, run.study);
    backend.prepare(watched.task(), count);
    const double started = thread_cpu_seconds();
    backend.start(0, count, varied.data());
    const std::atomic<bool> never{false};
    if (!backend.finish(0, run.chunk, never)) throw std::logic_error("validation: a run stopped by itself");
    run.cpu_seconds = thread_cpu_seconds() - started;
    run.chunk.trajectory = asked_columns(run.study, watched, run.chunk.trajectory);
    ensemble::add_modes(run.study, ensemble::analyse_linearly(run.study, backend.name(), count, varied, 1), run.chunk);
    note_drift(run);
    return run;
}

std::set<std::string> take_drifted_runs() { return std::exchange(drifted_runs, {}); }

std::string json_number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    return text.data();
}

}  // namespace myriad::validation
