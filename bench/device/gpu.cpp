// Steps per second of bodies on the device: its kernels alone, and from parameters to results. rk4 by the number of
// instances, other methods at a million.
//
// The schedule of 1,000 steps is one fused launch; a schedule of one step has as much to load and store per step as
// launches that are not fused, so the ratio of the two is the gain of fusing.
#include <algorithm>

#include "bench/cases.hpp"
#include "bench/device/on_device.hpp"
#include "bench/operations/operation_counts.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"

namespace myriad::bench {

namespace {

const Workload one_step{.step_s = 1e-4, .end_s = 1e-4};
constexpr std::uint64_t instances_of_other_methods = 1'000'000;

// Beside rk4 on the rotation group; what ensembles of spins from 5 to 200 rad/s cost methods that choose their steps.
const std::vector<Workload> other_methods = {
    {.chart = "euler_parameters", .integrator = "rk4"},
    {.integrator = "rk67"},
    {.integrator = "generalized_alpha"},
    {.integrator = "ode23", .tolerance = 1e-6},
    {.integrator = "dopri5", .tolerance = 1e-8},
    {.integrator = "ode23", .tolerance = 1e-6, .has_all_spins = true},
    {.integrator = "dopri5", .tolerance = 1e-8, .has_all_spins = true},
    {.system = "free_rigid_body", .integrator = "energy_momentum"},
};

program::BenchRow measure(const std::string& device, const Workload& workload, std::uint64_t instances) {
    const Ensemble ensemble = make_ensemble(workload, instances);
    OnDevice measured =
        measure_on_device("gpu", workload.subject(), study::find_system(workload.system, "bench"), ensemble, device);
    program::BenchRow& row = measured.row;
    if (row.converged_share < 1.0) return row;
    const double rate = static_cast<double>(row.steps) / program::spread_of(measured.wall_seconds).median;
    row.figures.push_back({"with copies, to results in memory", rate, "instance-steps/s"});
    if (const auto* counted = find_operations(workload.system, workload.chart, workload.integrator)) {
        const auto flops = static_cast<double>(counted->distinct.flops());
        row.figures.push_back({"arithmetic", 1e-12 * flops * row.instance_steps_per_s.median, "TFLOP/s"});
    }
    if (ensemble.adaptive) {
        std::vector<double> attempts = attempts_of(measured.finished);
        row.figures.push_back(
            {"lane efficiency of warps in the given order", 100.0 * lane_efficiency(attempts, lanes_of_a_warp), "%"});
        std::sort(attempts.begin(), attempts.end());
        row.figures.push_back(
            {"lane efficiency of warps sorted by true cost", 100.0 * lane_efficiency(attempts, lanes_of_a_warp), "%"});
    }
    return row;
}

}  // namespace

void gpu(program::BenchReport& report) {
    const std::optional<std::string> device = device_of(report, "gpu", thousand_steps.subject());
    if (!device) return;
    const Ensemble for_cpu = make_ensemble(thousand_steps, 16'384u * static_cast<unsigned>(report.cores));
    const auto cpu = backends::make_backend("cpu", {});
    run_ensemble(*cpu, for_cpu, Clock::wall);
    const Finished on_cpu = run_ensemble(*cpu, for_cpu, Clock::wall);
    program::BenchRow cpu_row = row_of("gpu", thousand_steps, for_cpu, on_cpu);
    cpu_row.backend = "cpu", cpu_row.threads = report.cores, cpu_row.width = backends::cpu_widths().back();
    cpu_row.clock = "wall";
    set_rates(cpu_row, {on_cpu.seconds});
    report.rows.push_back(cpu_row);
    for (const std::uint64_t instances : {1'000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
        program::BenchRow row = measure(*device, thousand_steps, instances);
        row.figures.push_back({"against all cores of the cpu",
                               row.instance_steps_per_s.median / cpu_row.instance_steps_per_s.median, "times"});
        report.rows.push_back(row);
    }
    for (const std::uint64_t instances : {10'000u, 1'000'000u}) {
        program::BenchRow row = measure(*device, one_step, instances);
        row.subject += ", one step per launch";
        report.rows.push_back(row);
    }
    for (const Workload& workload : other_methods) {
        if (!study::is_built(workload.chart) || !study::is_built(workload.integrator)) continue;
        try {
            report.rows.push_back(measure(*device, workload, instances_of_other_methods));
        } catch (const UserError& error) {
            report.rows.push_back(
                row_not_measured("gpu", workload.subject(), *device, std::string("not measured: ") + error.what()));
        }
    }
}

}  // namespace myriad::bench
