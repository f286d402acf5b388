// How far the program is from a person who writes one kernel for one problem (bench/by_hand/): both on one core of the
// CPU, and both on a device where there is one.
//
// By hand there is no status, no certificate and no output; multiplications and additions contract on the device. On
// the CPU one instance goes through all steps after the other; the program uses its widest vectors. Where there is
// no device the kernels are compiled for an H200. A row of the program says how its rate compares, and how far the two
// are apart at the end, in metres or radians.
#include "bench/cases.hpp"
#include "bench/device/on_device.hpp"
#include "bench/problems_by_hand.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/kernel_by_hand.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"

namespace myriad::bench {

namespace {

constexpr std::uint64_t ensemble_on_a_core = 1'024, ensemble_on_a_device = 262'144;

std::string subject_by_hand(const ProblemByHand& problem) { return std::string(problem.name) + " by hand"; }

program::BenchRow row_by_hand(const ProblemByHand& problem, std::uint64_t instances) {
    program::BenchRow row;
    row.bench = "hand_written", row.subject = subject_by_hand(problem), row.precision = "fp64";
    row.step_s = problem.step_s, row.instances = instances;
    row.steps = instances * static_cast<std::uint64_t>(problem.steps);
    return row;
}

// The program's row beside that of the kernel by hand.
void compare(program::BenchRow& row, const program::BenchRow& by_hand, double difference) {
    if (row.instance_steps_per_s.repetitions > 0)
        row.figures.push_back({"against the one by hand",
                               row.instance_steps_per_s.median / by_hand.instance_steps_per_s.median,
                               "times its rate"});
    row.figures.push_back({"largest difference from it", difference, "m or rad"});
}
std::string program_subject(const ProblemByHand& problem) {
    return std::string(problem.name) + " by the program, " + problem.integrator;
}

void measure_on_cpu(program::BenchReport& report, const ProblemByHand& problem) {
    const study::Study study = study_of(problem, ensemble_on_a_core, problem.steps);
    const PreparedByHand start = prepare(problem, study);
    PreparedByHand end;
    std::vector<double> seconds;
    for (int i = 0; i <= repetitions; ++i) {
        end = start;
        const double started = now_s(Clock::thread_cpu);
        advance(problem, end, problem.steps);
        if (i > 0) seconds.push_back(now_s(Clock::thread_cpu) - started);
    }
    program::BenchRow by_hand = row_by_hand(problem, ensemble_on_a_core);
    by_hand.backend = "cpu", by_hand.width = 1, by_hand.threads = 1, by_hand.clock = "thread cpu";
    set_rates(by_hand, seconds);
    report.rows.push_back(by_hand);

    backends::Settings settings;
    settings.threads = 1, settings.width = backends::cpu_widths().back();
    const auto backend = backends::make_cpu_backend(settings);
    const Ensemble ensemble = make_ensemble(study);
    seconds.clear();
    Finished finished;
    for (int i = 0; i <= repetitions; ++i) {
        finished = run_ensemble(*backend, ensemble, Clock::thread_cpu);
        if (i > 0) seconds.push_back(finished.seconds);
    }
    program::BenchRow row = row_of("hand_written", program_subject(problem), *study.system, ensemble, finished);
    row.backend = "cpu", row.width = settings.width, row.threads = 1, row.clock = "thread cpu";
    set_rates(row, seconds);
    compare(row, by_hand, largest_difference(problem, start, end.state, finished));
    report.rows.push_back(row);
}

void measure_both_on_device(program::BenchReport& report, const ProblemByHand& problem, const std::string& device) {
    const study::Study study = study_of(problem, ensemble_on_a_device, problem.steps);
    const PreparedByHand start = prepare(problem, study);
    std::string why;
    const auto run = backends::run_by_hand(
        kernel_of(problem), {ensemble_on_a_device, start.parameters, start.state, problem.step_s, problem.steps},
        repetitions, why);
    if (!run) {
        report.rows.push_back(
            row_not_measured("hand_written", subject_by_hand(problem), device, "not available: " + why));
        return;
    }
    program::BenchRow by_hand = row_by_hand(problem, ensemble_on_a_device);
    by_hand.backend = "cuda", by_hand.hardware = device, by_hand.clock = "device";
    set_rates(by_hand, run->seconds);
    report.rows.push_back(by_hand);
    try {
        OnDevice measured =
            measure_on_device("hand_written", program_subject(problem), *study.system, make_ensemble(study), device);
        compare(measured.row, by_hand, largest_difference(problem, start, run->state, measured.finished));
        report.rows.push_back(measured.row);
    } catch (const UserError& error) {
        report.rows.push_back(row_not_measured("hand_written", program_subject(problem), device,
                                               std::string("not measured: ") + error.what()));
    }
}

void compile_for_a_device(program::BenchReport& report, const ProblemByHand& problem) {
    program::BenchRow row = row_by_hand(problem, 0);
    row.steps = 0, row.backend = "cuda", row.hardware = architecture_without_device;
    const backends::CompiledByHand compiled =
        backends::compile_by_hand(kernel_of(problem), architecture_without_device);
    row.note = compiled.compiler + ", compiled and not run";
    row.figures.push_back({"registers", 1.0 * compiled.registers, "per thread"});
    row.figures.push_back({"stack", 1.0 * compiled.stack_bytes, "B per thread"});
    row.figures.push_back({"compiling", compiled.seconds, "s"});
    report.rows.push_back(row);
}

}  // namespace

void hand_written(program::BenchReport& report) {
    for (const ProblemByHand& problem : problems_by_hand()) measure_on_cpu(report, problem);
    const std::optional<std::string> device = device_of(report, "hand_written", "kernels by hand");
    for (const ProblemByHand& problem : problems_by_hand()) {
        try {
            if (device)
                measure_both_on_device(report, problem, *device);
            else
                compile_for_a_device(report, problem);
        } catch (const UserError& error) {
            report.rows.push_back(row_not_measured("hand_written", subject_by_hand(problem), device.value_or(""),
                                                   std::string("not measured: ") + error.what()));
        }
    }
}

}  // namespace myriad::bench
