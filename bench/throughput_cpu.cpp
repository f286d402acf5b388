// Steps per second on the CPU, with everything around the step but the drawing of samples: per core, and on all cores.
//
// Per core the clock is the running thread's own, so that other load on the machine does not count; on all cores it is
// the wall clock. The peak of the core is measured right before each repetition, and the fraction of the peak is the
// median over repetitions.
#include <algorithm>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "bench/operations/operation_counts.hpp"
#include "host/backends/cpu/cpu.hpp"

namespace myriad::bench {

namespace {

void measure(program::BenchReport& report, const Workload& workload, int width, int threads) {
    // Some hundredths of a second per repetition and core; whole blocks for every core.
    const Ensemble ensemble = make_ensemble(workload, (width == 1 ? 512u : 2048u) * static_cast<unsigned>(threads));
    const Clock clock = threads == 1 ? Clock::thread_cpu : Clock::wall;
    backends::Settings settings;
    settings.threads = threads, settings.width = width;
    const auto backend = backends::make_cpu_backend(settings);
    const StepOperations& counted = operations_of(workload.system, workload.chart, workload.integrator);
    std::vector<double> seconds, fractions;
    Finished finished = run_ensemble(*backend, ensemble, clock);
    const auto steps = static_cast<double>(steps_of(finished));
    for (int i = 0; i < repetitions; ++i) {
        const double peak = measure_peak_flops_per_s(width);
        finished = run_ensemble(*backend, ensemble, clock);
        seconds.push_back(finished.seconds);
        fractions.push_back(static_cast<double>(counted.distinct.flops()) * steps / finished.seconds / peak);
    }
    program::BenchRow row = row_of("throughput_cpu", workload, ensemble, finished);
    row.backend = "cpu", row.width = width, row.threads = threads;
    row.clock = clock == Clock::wall ? "wall" : "thread cpu";
    set_rates(row, seconds,
              validation::claimed_error({workload.system, workload.integrator, "", workload.chart}, row.backend));
    if (row.instance_steps_per_s.repetitions > 0) {
        const double rate = row.instance_steps_per_s.median;
        row.figures.push_back({"time", 1e9 / rate, "ns per instance-step"});
        row.figures.push_back({"counted flops", static_cast<double>(counted.distinct.flops()), "per step"});
        row.figures.push_back({"arithmetic", 1e-9 * rate * static_cast<double>(counted.distinct.flops()), "GFLOP/s"});
        if (threads == 1)
            row.figures.push_back(
                {"of the core's peak at this width", 100.0 * program::spread_of(fractions).median, "%"});
        const double simulated = workload.end_s * static_cast<double>(ensemble.instances);
        row.figures.push_back({"simulated time", simulated / row.seconds.median, "s/s"});
    }
    if (ensemble.adaptive && width > 1) {
        std::vector<double> attempts = attempts_of(finished);
        row.figures.push_back(
            {"lane efficiency of packs in the given order", 100.0 * lane_efficiency(attempts, width), "%"});
        std::sort(attempts.begin(), attempts.end());
        row.figures.push_back(
            {"lane efficiency of packs sorted by true cost", 100.0 * lane_efficiency(attempts, width), "%"});
    }
    report.rows.push_back(row);
}

}  // namespace

void throughput_cpu(program::BenchReport& report) {
    const std::vector<int> widths = backends::cpu_widths();
    const std::vector<Workload> workloads = {
        {.integrator = "rk4"},
        {.integrator = "rk67"},
        {.integrator = "ode23", .tolerance = 1e-6},
        {.integrator = "dopri5", .tolerance = 1e-8},
        {.chart = "cardan_xyz", .integrator = "rk4"},
        {.system = "free_rigid_body", .integrator = "rk4", .step_s = 1e-4},
        {.system = "free_rigid_body", .integrator = "dopri5", .tolerance = 1e-8},
        {.system = "free_rigid_body", .integrator = "energy_momentum_convective", .step_s = 1e-4},
        {.system = "free_rigid_body", .integrator = "energy_momentum_hamiltonian", .step_s = 1e-4},
        {.system = "free_rigid_body", .integrator = "energy_momentum_null_space", .step_s = 1e-4},
        {.system = "free_rigid_body", .integrator = "energy_momentum", .step_s = 1e-4},
        {.system = "free_rigid_body", .integrator = "livens_midpoint", .step_s = 1e-4},
    };
    for (const Workload& workload : workloads) {
        if (!study::is_built(workload.chart) || !study::is_built(workload.integrator)) continue;
        for (const int width : widths) measure(report, workload, width, 1);
        if (report.cores > 1) measure(report, workload, widths.back(), report.cores);
    }
}

}  // namespace myriad::bench
