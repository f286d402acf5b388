// Steps per second on the device by the number of instances: its kernels alone, and from parameters to results.
//
// The schedule of 1,000 steps is one fused launch; a schedule of one step has as much to load and store per step as
// launches that are not fused, so the ratio of the two is the gain of fusing.
#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "bench/operations/operation_counts.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"

namespace myriad::bench {

namespace {

const Workload one_step{.step_s = 1e-4, .end_s = 1e-4};
constexpr int repetitions_on_a_device = 3;

program::BenchRow measure(const backends::Availability& device, const Workload& workload, std::uint64_t instances) {
    const Ensemble ensemble = make_ensemble(workload, instances);
    const auto backend = backends::make_backend("cuda", {});
    Finished finished = run_ensemble(*backend, ensemble, Clock::wall);
    std::vector<double> kernel, end_to_end;
    for (int i = 0; i < repetitions_on_a_device; ++i) {
        finished = run_ensemble(*backend, ensemble, Clock::wall);
        kernel.push_back(finished.compute_seconds), end_to_end.push_back(finished.seconds);
    }
    program::BenchRow row = row_of("gpu", workload, ensemble, finished);
    row.backend = "cuda", row.hardware = device.detail, row.clock = "device";
    set_rates(row, kernel);
    const double rate = static_cast<double>(row.steps) / program::spread_of(end_to_end).median;
    if (row.converged_share == 1.0)
        row.figures.push_back({"with copies, to results in memory", rate, "instance-steps/s"});
    return row;
}

}  // namespace

void gpu(program::BenchReport& report) {
    for (const backends::Availability& device : backends::backends()) {
        if (device.name != "cuda") continue;
        if (!device.available) {
            program::BenchRow row;
            row.bench = "gpu", row.subject = thousand_steps.subject(), row.backend = "cuda";
            row.note = "not available: " + device.detail;
            report.rows.push_back(row);
            return;
        }
        const Ensemble for_cpu = make_ensemble(thousand_steps, 16'384u * static_cast<unsigned>(report.cores));
        const auto cpu = backends::make_backend("cpu", {});
        run_ensemble(*cpu, for_cpu, Clock::wall);
        const Finished on_cpu = run_ensemble(*cpu, for_cpu, Clock::wall);
        program::BenchRow cpu_row = row_of("gpu", thousand_steps, for_cpu, on_cpu);
        cpu_row.backend = "cpu", cpu_row.threads = report.cores, cpu_row.width = backends::cpu_widths().back();
        cpu_row.clock = "wall";
        set_rates(cpu_row, {on_cpu.seconds});
        report.rows.push_back(cpu_row);
        const double cpu_rate = cpu_row.instance_steps_per_s.median;
        const auto flops = static_cast<double>(operations_of("heavy_top", "rotation", "rk4").distinct.flops());
        double fused_rate = 0.0;
        for (const std::uint64_t instances : {1'000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
            program::BenchRow row = measure(device, thousand_steps, instances);
            fused_rate = row.instance_steps_per_s.median;
            row.figures.push_back({"against all cores of the cpu", fused_rate / cpu_rate, "times"});
            row.figures.push_back({"arithmetic", 1e-12 * flops * fused_rate, "TFLOP/s"});
            report.rows.push_back(row);
        }
        for (const std::uint64_t instances : {10'000u, 1'000'000u}) {
            program::BenchRow row = measure(device, one_step, instances);
            row.subject += ", one step per launch";
            report.rows.push_back(row);
        }
    }
}

}  // namespace myriad::bench
