// Steps per second of the catalog's mechanisms on the CPU, in joint and in body coordinates, per core and on all cores,
// by steps that are interpreted and by steps compiled for the mechanism, where the machine has a compiler, with the
// parts of a step: Newton iterations, counted operations, the fraction of the core's peak, bytes.
//
// Two numbers of each mechanism vary by a tenth of a percent, so that the parameters are read per instance. Clocks as
// in throughput_cpu.cpp.
#include <algorithm>
#include <stdexcept>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "bench/mechanism_workloads.hpp"
#include "bench/operations/mechanism_operations.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/study/study.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/user_error.hpp"

namespace myriad::bench {

namespace {

void measure(program::BenchReport& report, const MechanismWorkload& workload, Coordinates coordinates, int width,
             int threads, const std::string& kernels = backends::names::interpreted_kernels) {
    const std::uint64_t instances = (width == 1 ? 32u : 128u) * static_cast<unsigned>(threads);
    const study::Study study =
        study::parse_study(study_of(workload, coordinates, instances), "bench", std::filesystem::path());
    Ensemble ensemble = make_ensemble(study);
    const Clock clock = threads == 1 ? Clock::thread_cpu : Clock::wall;
    backends::Settings settings;
    settings.threads = threads, settings.width = width, settings.kernels = kernels;
    const auto backend = backends::make_cpu_backend(settings);
    const MechanismOperations counted = count_mechanism_step(study);
    std::vector<double> seconds, fractions;
    Finished finished = run_ensemble(*backend, ensemble, clock);
    const auto steps = static_cast<double>(steps_of(finished));
    for (int i = 0; i < repetitions; ++i) {
        const double peak = measure_peak_flops_per_s(width);
        finished = run_ensemble(*backend, ensemble, clock);
        seconds.push_back(finished.seconds);
        fractions.push_back(static_cast<double>(counted.flops) * steps / finished.seconds / peak);
    }
    const NewtonFigures newton = newton_figures(finished, study);
    const bool is_compiled = kernels == backends::names::compiled_kernels;
    program::BenchRow row = row_of("mechanisms", subject_of(workload, coordinates) + (is_compiled ? ", compiled" : ""),
                                   *study.system, ensemble, finished);
    row.backend = "cpu", row.width = width, row.threads = threads;
    row.clock = clock == Clock::wall ? "wall" : "thread cpu";
    set_rates(row, seconds,
              validation::claimed_error({workload.mechanism, workload.integrator, study::name_of(coordinates)},
                                        is_compiled ? kernels : row.backend));
    add_newton_figures(row, newton);
    if (row.instance_steps_per_s.repetitions > 0) {
        const double rate = row.instance_steps_per_s.median;
        row.figures.push_back({"time", 1e9 / rate, "ns per instance-step"});
        row.figures.push_back({"counted flops", static_cast<double>(counted.flops), "per step"});
        row.figures.push_back({"arithmetic", 1e-9 * rate * static_cast<double>(counted.flops), "GFLOP/s"});
        if (threads == 1) {
            row.figures.push_back(
                {"of the core's peak at this width", 100.0 * program::spread_of(fractions).median, "%"});
        }
        row.figures.push_back(
            {"record", static_cast<double>(sizeof(double)) * backend->shape().record_fields, "B per instance"});
    }
    report.rows.push_back(row);
}

// The reference implementation in Eigen, one instance at a time: the second baseline.
void measure_twin(program::BenchReport& report, const MechanismWorkload& workload, Coordinates coordinates) {
    MechanismWorkload shorter = workload;
    shorter.steps = std::min(workload.steps, 50);
    const study::Study study = study::parse_study(study_of(shorter, coordinates, 2), "bench", std::filesystem::path());
    const Ensemble ensemble = make_ensemble(study);
    const auto backend = backends::make_backend("reference", {});
    std::vector<double> seconds;
    Finished finished;
    for (int i = 0; i < 3; ++i) {
        finished = run_ensemble(*backend, ensemble, Clock::thread_cpu);
        seconds.push_back(finished.seconds);
    }
    program::BenchRow row = row_of("mechanisms", subject_of(workload, coordinates), *study.system, ensemble, finished);
    row.backend = "reference", row.width = 1, row.threads = 1, row.clock = "thread cpu";
    row.note = "the reference implementation with Eigen, Newton to round-off";
    set_rates(row, seconds);
    report.rows.push_back(row);
}

// Explicit methods are for joint coordinates alone here; energy-momentum methods for body coordinates.
bool takes(const MechanismWorkload& workload, Coordinates coordinates) {
    const study::IntegratorDescription& method = study::find_integrator(workload.integrator, "bench");
    return coordinates == Coordinates::joint ? study::takes_joint_coordinates(method) : method.implicit;
}

}  // namespace

void mechanisms(program::BenchReport& report) {
    const std::vector<int> widths = backends::cpu_widths();
    const MechanismWorkload workloads[] = {
        {"heavy_top", "generalized_alpha", 1e-4, 500, "bodies.top.mass_kg", 15.0},
        {"heavy_top", "implicit_euler", 1e-4, 500, "bodies.top.mass_kg", 15.0},
        {"heavy_top", "energy_momentum_convective", 1e-4, 500, "bodies.top.mass_kg", 15.0},
        {"heavy_top", "energy_momentum", 1e-4, 500, "bodies.top.mass_kg", 15.0},
        {"heavy_top", "livens_midpoint", 1e-4, 500, "bodies.top.mass_kg", 15.0},
        {"double_pendulum", "generalized_alpha", 1e-3, 500, "parameters.upper_length_m", 4.0},
        {"double_pendulum", "implicit_euler", 1e-3, 500, "parameters.upper_length_m", 4.0},
        {"double_pendulum", "energy_momentum_convective", 1e-3, 500, "parameters.upper_length_m", 4.0},
        {"four_bar_loop", "energy_momentum_convective", 0.05, 200, "parameters.density_kg_m3", 1.0},
        {"four_bar_loop", "generalized_alpha", 0.05, 200, "parameters.density_kg_m3", 1.0},
        {"double_pendulum", "rk4", 1e-3, 500, "parameters.upper_length_m", 4.0},
        {"slider_crank_iftomm", "generalized_alpha", 1e-3, 250, "bodies.slider.mass_kg", 2.0},
        {"slider_crank_haug", "energy_momentum_convective", 1e-3, 250, "bodies.slider.mass_kg", 2.0},
        {"slider_crank_haug", "generalized_alpha", 1e-3, 250, "bodies.slider.mass_kg", 2.0},
        {"four_link", "generalized_alpha", 1e-3, 250, "bodies.rotor.mass_kg", 2.0},
        {"four_link", "kinematics", 1e-3, 250, "bodies.rotor.mass_kg", 2.0},
        {"puma560", "generalized_alpha", 1e-3, 125, "bodies.link_2.mass_kg", 17.4},
        {"puma560", "rk4", 1e-3, 125, "bodies.link_2.mass_kg", 17.4},
    };
    for (const MechanismWorkload& workload : workloads)
        for (const Coordinates coordinates : {Coordinates::joint, Coordinates::body}) {
            if (!takes(workload, coordinates)) continue;
            for (const int width : widths) measure(report, workload, coordinates, width, 1);
            if (report.cores > 1) measure(report, workload, coordinates, widths.back(), report.cores);
            if (has_compiled_steps(
                    study::parse_study(study_of(workload, coordinates, 1), "bench", std::filesystem::path()),
                    widths.back()))
                for (const int threads : {1, report.cores})
                    measure(report, workload, coordinates, widths.back(), threads, backends::names::compiled_kernels);
            measure_twin(report, workload, coordinates);
        }
}

}  // namespace myriad::bench
