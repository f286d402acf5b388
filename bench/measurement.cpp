#include "bench/measurement.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "bench/peak_table.hpp"
#include "host/backends/cpu/compiled_steps.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::bench {

namespace {

std::string study_text(const Workload& workload, std::uint64_t instances, bool adaptive) {
    const auto text = [](double value) { return std::to_string(value * 1e9) + "e-9"; };
    const std::string steps = adaptive ? R"("relative_tolerance": )" + text(workload.tolerance) +
                                             R"(, "absolute_tolerance": )" + text(workload.tolerance)
                                       : R"("step_s": )" + text(workload.step_s);
    const std::string spin = workload.has_all_spins ? R"({"uniform": {"low": 5.0, "high": 200.0}})"
                                                    : R"({"normal": {"mean": 150.0, "standard_deviation": 1.5}})";
    const std::string varied = workload.system == "heavy_top"
                                   ? R"("mass_kg": {"normal": {"mean": 15.0, "standard_deviation": 0.15}},
                 "initial_angular_velocity_rad_s[1]": )" +
                                         spin
                                   : R"("inertia_kg_m2.xx": {"normal": {"mean": 6.0, "standard_deviation": 0.06}},
                 "initial_angular_velocity_rad_s[0]": {"normal": {"mean": 10.0, "standard_deviation": 0.1}})";
    return R"({"system": ")" + workload.system + R"(", "chart": ")" + workload.chart +
           R"(", "integrator": {"name": ")" + workload.integrator + R"(", "end_s": )" + text(workload.end_s) + ", " +
           steps + R"(}, "instances": )" + std::to_string(instances) +
           R"(, "design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" + varied + "}}";
}

template <class Number>
std::uint64_t differing_bits(const std::vector<Number>& a, const std::vector<Number>& b) {
    if (a.size() != b.size()) throw std::logic_error("two runs of one ensemble have different shapes");
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if constexpr (sizeof(Number) == 8)
            count += static_cast<std::uint64_t>(
                std::popcount(std::bit_cast<std::uint64_t>(a[i]) ^ std::bit_cast<std::uint64_t>(b[i])));
        else
            count += static_cast<std::uint64_t>(
                std::popcount(std::bit_cast<std::uint32_t>(a[i]) ^ std::bit_cast<std::uint32_t>(b[i])));
    }
    return count;
}

// The chunks of a run as one.
backends::Chunk joined(const Finished& finished) {
    backends::Chunk all;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (const backends::Chunk& chunk : finished.chunks) {
        all.count += chunk.count;
        append(all.status, chunk.status), append(all.reason, chunk.reason), append(all.warnings, chunk.warnings);
        append(all.steps, chunk.steps), append(all.rejected, chunk.rejected), append(all.time_s, chunk.time_s);
        append(all.initial_state, chunk.initial_state), append(all.final_state, chunk.final_state);
        append(all.invariants_initial, chunk.invariants_initial);
        append(all.invariants_drift, chunk.invariants_drift);
        append(all.quantities, chunk.quantities), append(all.trajectory, chunk.trajectory);
    }
    return all;
}

PeakFunction peak_function(int width) {
#if defined(MYRIAD_HAS_AVX2)
    if (width == 4) return avx2_peak();
#endif
#if defined(MYRIAD_HAS_AVX512)
    if (width == 8) return avx512_peak();
#endif
#if defined(MYRIAD_HAS_SCALAR_STEPS)
    if (width == 1) return scalar_peak();
#endif
    throw std::logic_error("no peak kernel of this width");
}

}  // namespace

Ensemble make_ensemble(const study::Study& study) {
    Ensemble ensemble;
    ensemble.adaptive = study.integrator.adaptive;
    ensemble.task = study.task();
    ensemble.step_s = ensemble.adaptive ? 0.0 : study.fixed.step_s;
    ensemble.instances = study.instances;
    std::vector<double> sampled(study.varied.size() * study.instances);
    study.sampler().sample(0, study.instances, sampled.data());
    ensemble.varied = myriad::ensemble::record_parameters(study, study.instances, sampled);
    return ensemble;
}

Ensemble make_ensemble(const Workload& workload, std::uint64_t instances) {
    const bool adaptive = study::find_integrator(workload.integrator, "bench").adaptive;
    return make_ensemble(
        study::parse_study(study_text(workload, instances, adaptive), "bench", std::filesystem::path()));
}

double now_s(Clock clock) {
    timespec time{};
    clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Finished run_ensemble(backends::Backend& backend, const Ensemble& ensemble, Clock clock) {
    Finished finished;
    const std::atomic<bool> stop{false};
    const std::uint64_t size = backend.prepare(ensemble.task, ensemble.instances).instances_per_chunk;
    const std::uint64_t fields = ensemble.varied.size() / ensemble.instances;
    const std::uint64_t chunks = (ensemble.instances + size - 1) / size;
    finished.chunks.resize(chunks);
    const std::uint64_t in_flight = static_cast<std::uint64_t>(backend.buffers());
    std::vector<double> varied;
    const double started = now_s(clock);
    const auto start = [&](std::uint64_t chunk) {
        const std::uint64_t first = chunk * size, count = std::min(size, ensemble.instances - first);
        varied.resize(fields * count);
        for (std::uint64_t field = 0; field < fields; ++field)
            std::copy_n(ensemble.varied.data() + field * ensemble.instances + first, count,
                        varied.data() + field * count);
        backend.start(static_cast<int>(chunk % in_flight), count, varied.data());
    };
    for (std::uint64_t chunk = 0; chunk < std::min(in_flight, chunks); ++chunk) start(chunk);
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        backend.finish(static_cast<int>(chunk % in_flight), finished.chunks[chunk], stop);
        if (chunk + in_flight < chunks) start(chunk + in_flight);
    }
    finished.seconds = now_s(clock) - started;
    finished.compute_seconds = backend.compute_seconds();
    return finished;
}

bool has_compiled_steps(const study::Study& study, int width) {
    return backends::compile_steps(study.task(), width).has_value();
}

std::uint64_t differing_bits(const Finished& first, const Finished& second) {
    const backends::Chunk a = joined(first), b = joined(second);
    return differing_bits(a.status, b.status) + differing_bits(a.reason, b.reason) +
           differing_bits(a.warnings, b.warnings) + differing_bits(a.steps, b.steps) +
           differing_bits(a.rejected, b.rejected) + differing_bits(a.time_s, b.time_s) +
           differing_bits(a.initial_state, b.initial_state) + differing_bits(a.final_state, b.final_state) +
           differing_bits(a.invariants_initial, b.invariants_initial) +
           differing_bits(a.invariants_drift, b.invariants_drift) + differing_bits(a.quantities, b.quantities) +
           differing_bits(a.trajectory, b.trajectory);
}

std::uint64_t steps_of(const Finished& finished) {
    std::uint64_t steps = 0;
    for (const backends::Chunk& chunk : finished.chunks)
        for (std::uint64_t i = 0; i < chunk.count; ++i)
            steps += static_cast<std::uint64_t>(chunk.steps[i] + chunk.rejected[i]);
    return steps;
}

std::vector<double> attempts_of(const Finished& finished) {
    std::vector<double> attempts;
    for (const backends::Chunk& chunk : finished.chunks)
        for (std::uint64_t i = 0; i < chunk.count; ++i)
            attempts.push_back(static_cast<double>(chunk.steps[i] + chunk.rejected[i]));
    return attempts;
}

double lane_efficiency(const std::vector<double>& attempts, int lanes) {
    double made = 0.0, waited = 0.0;
    const auto width = static_cast<std::size_t>(lanes);
    for (std::size_t first = 0; first + width <= attempts.size(); first += width) {
        double longest = 0.0;
        for (std::size_t lane = 0; lane < width; ++lane) {
            made += attempts[first + lane];
            longest = std::max(longest, attempts[first + lane]);
        }
        waited += lanes * longest;
    }
    return made / waited;
}

program::BenchRow row_of(const std::string& bench, const Workload& workload, const Ensemble& ensemble,
                         const Finished& finished) {
    return row_of(bench, workload.subject(), study::find_system(workload.system, "bench"), ensemble, finished);
}

program::BenchRow row_of(const std::string& bench, const std::string& subject, const study::SystemDescription& system,
                         const Ensemble& ensemble, const Finished& finished) {
    program::BenchRow row;
    row.bench = bench;
    row.subject = subject;
    row.precision = study::name_of(ensemble.task.precision);
    row.step_s = ensemble.step_s;
    row.instances = ensemble.instances;
    row.steps = steps_of(finished);
    const auto& kept = system.certificate;
    std::uint64_t converged = 0;
    row.worst_relative_drift = 0.0;
    for (const backends::Chunk& chunk : finished.chunks)
        for (std::uint64_t i = 0; i < chunk.count; ++i) {
            if (chunk.status[i] != static_cast<std::int32_t>(Status::ok)) continue;
            ++converged;
            // The system's own come first; an integrator may have added others.
            const std::size_t entries = chunk.invariants_initial.size() / chunk.count;
            for (std::size_t k = 0; k < kept.size(); ++k) {
                if (!kept[k].is_kept || kept[k].is_of_size) continue;
                const double initial = std::abs(chunk.invariants_initial[i * entries + k]);
                const double relative = chunk.invariants_drift[i * entries + k] / initial;
                if (initial > 0.0 && relative > row.worst_relative_drift)
                    row.worst_relative_drift = relative, row.worst_invariant = kept[k].name;
            }
        }
    row.converged_share = static_cast<double>(converged) / static_cast<double>(ensemble.instances);
    return row;
}

void set_rates(program::BenchRow& row, const std::vector<double>& seconds, const validation::ClaimedError& claimed) {
    row.seconds = program::spread_of(seconds);
    const auto refuse = [&](const std::string& why) {
        row.note += (row.note.empty() ? "" : "; ") + ("no rate: " + why);
    };
    if (claimed.claims > 0) {
        row.figures.push_back({"claims", static_cast<double>(claimed.claims), "of ensembles/expected"});
        row.figures.push_back({"largest error of a claim", claimed.largest, "of its tolerance"});
    }
    if (claimed.failed()) return refuse("wrong by `myriad validate`: " + claimed.farthest);
    if (row.converged_share < 1.0) return refuse("instances failed");
    std::vector<double> rates;
    rates.reserve(seconds.size());
    for (const double one : seconds) rates.push_back(static_cast<double>(row.steps) / one);
    row.instance_steps_per_s = program::spread_of(rates);
}

double measure_peak_flops_per_s(int width) {
    const PeakFunction chains = peak_function(width);
    constexpr long long rounds = 4'000'000;  // some milliseconds
    // The chains go to addend / (1 - multiplier): neither overflow nor subnormal numbers.
    double best = 0.0;
    for (int repetition = 0; repetition < 3; ++repetition) {
        const double started = now_s(Clock::thread_cpu);
        const double sum = chains(rounds, 0.999, 0.001);
        const double seconds = now_s(Clock::thread_cpu) - started;
        if (!std::isfinite(sum)) throw std::logic_error("the peak kernel overflows");
        best = std::max(best, 2.0 * width * peak_chains * static_cast<double>(rounds) / seconds);
    }
    return best;
}

}  // namespace myriad::bench
