// The common part of the cases: ensembles to run, clocks, the peak of a core, and a row filled from a run's results.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/program/bench_report.hpp"
#include "host/study/study.hpp"
#include "host/validation/claimed_error.hpp"

namespace myriad::bench {

// A member of the catalog with its own published values, two parameters of which vary by one percent.
struct Workload {
    std::string system = "heavy_top", chart = "rotation", integrator = "rk4";
    double step_s = 1e-4, end_s = 0.1;  // step_s: of a method with a fixed step
    double tolerance = 1e-8;            // of a method that chooses its own
    bool has_all_spins = false;         // of 5 to 200 rad/s, a top's
    std::string subject() const {
        return system + " " + chart + " " + integrator + (has_all_spins ? ", spins of 5 to 200 rad/s" : "");
    }
};
inline const Workload thousand_steps{.step_s = 1e-4, .end_s = 0.1};

// The ensemble, ready for a backend: `varied` [field][instances].
struct Ensemble {
    backends::Task task;
    bool adaptive = false;
    double step_s = 0.0;
    std::vector<double> varied;
    std::uint64_t instances = 0;
};
Ensemble make_ensemble(const Workload& workload, std::uint64_t instances);
Ensemble make_ensemble(const study::Study& study);

// Of what is timed on the CPU.
inline constexpr int repetitions = 5;

enum class Clock { wall, thread_cpu };
// Seconds since an arbitrary time. A clock of the calling thread's own work loses nothing to other load on the machine
// but the share of a core that two hardware threads have in common.
double now_s(Clock clock);

// Runs the ensemble chunk by chunk in its order of instances; `seconds` from the first start to the last finish.
struct Finished {
    std::vector<backends::Chunk> chunks;
    double seconds = 0.0, compute_seconds = 0.0;
};
Finished run_ensemble(backends::Backend& backend, const Ensemble& ensemble, Clock clock);
// Whether this machine's compiler makes steps for the study's mechanism; elsewhere they are left out.
bool has_compiled_steps(const study::Study& study, int width);

// Bits that differ in anything a backend gives back, instance by instance; both hold the same instances in one order.
std::uint64_t differing_bits(const Finished& a, const Finished& b);

std::uint64_t steps_of(const Finished& finished);
// Accepted and rejected steps of each instance.
std::vector<double> attempts_of(const Finished& finished);
// How evenly the lanes of a pack, or a warp, of neighbours would be busy: attempts made over attempts waited for.
double lane_efficiency(const std::vector<double>& attempts, int lanes);
inline constexpr int lanes_of_a_warp = 32;
// The row's context, counts and certificate; its rates are left to the caller.
program::BenchRow row_of(const std::string& bench, const Workload& workload, const Ensemble& ensemble,
                         const Finished& finished);
program::BenchRow row_of(const std::string& bench, const std::string& subject, const study::SystemDescription& system,
                         const Ensemble& ensemble, const Finished& finished);
// Seconds and rates; a row with a failed instance gets no rate, nor one of which a claim of ensembles/expected/ fails.
void set_rates(program::BenchRow& row, const std::vector<double>& seconds,
               const validation::ClaimedError& claimed = {});

// Floating-point operations per second of independent fma on the calling thread, at a width of cpu_widths().
double measure_peak_flops_per_s(int width);

}  // namespace myriad::bench
