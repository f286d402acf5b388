// Steps per second of systems and mechanisms with contact and what their contact problems took: on the CPU per core and
// on all cores, with the fraction of the core's peak, and on a device, kernels alone.
//
// Clocks and peak as in throughput_cpu.cpp. The number of operations in a step depends on the data: they are counted
// over the first instances, whole runs, each instance on its own. A pack does more, for lanes whose neighbours iterate
// or touch where they do not: that is not counted, so the fraction is of useful work. The cost of a scheme relative to
// Moreau's at the same step stands in the papers' pages.
#include <algorithm>

#include "bench/cases.hpp"
#include "bench/device/on_device.hpp"
#include "bench/operations/contact_operations.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/study/study.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

constexpr std::uint64_t counted_instances = 4;

struct ContactWorkload {
    const char* system;  // or mechanism
    const char* integrator;
    const char* step_s;
    const char* end_s;
    const char* varied;
    bool is_mechanism = false;
};

std::string study_of(const ContactWorkload& workload, std::uint64_t instances) {
    const std::string subject = workload.is_mechanism
                                    ? R"("mechanism": )" + std::string(validation::mechanism_text(workload.system))
                                    : R"("system": ")" + std::string(workload.system) + R"(")";
    return "{" + subject + R"(, "integrator": {"name": ")" + workload.integrator + R"(", "step_s": )" +
           workload.step_s + R"(, "end_s": )" + workload.end_s + R"(}, "instances": )" + std::to_string(instances) +
           R"(, "design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" + workload.varied + "}}";
}

// What the contact problems took. Lanes wait in every problem, those of a run are known: their means tell the most that
// neighbours can have in common.
void add_contact_figures(program::BenchRow& row, const Finished& finished, const study::Study& study, int lanes) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    for (std::size_t k = 0; k < certificate.size(); ++k) {
        const std::string& name = certificate[k].name;
        if (name != "impacts" && name != "mean_prox_iterations") continue;
        std::vector<double> of_instances;
        for (const backends::Chunk& chunk : finished.chunks)
            for (std::uint64_t i = 0; i < chunk.count; ++i)
                of_instances.push_back(chunk.invariants_drift[i * certificate.size() + k]);
        double sum = 0.0;
        for (const double one : of_instances) sum += one;
        row.figures.push_back({name, sum / static_cast<double>(of_instances.size()), "mean of the instances"});
        if (name == "mean_prox_iterations" && lanes > 1)
            row.figures.push_back(
                {"the same, lane efficiency of the means at best", 100.0 * lane_efficiency(of_instances, lanes), "%"});
    }
}

void measure(program::BenchReport& report, const ContactWorkload& workload, const ContactOperations& counted, int width,
             int threads, const std::string& kernels = backends::names::interpreted_kernels) {
    const std::uint64_t instances = (width == 1 ? 32u : 128u) * static_cast<unsigned>(threads);
    const study::Study study = study::parse_study(study_of(workload, instances), "bench", std::filesystem::path());
    const Ensemble ensemble = make_ensemble(study);
    const Clock clock = threads == 1 ? Clock::thread_cpu : Clock::wall;
    backends::Settings settings;
    settings.threads = threads, settings.width = width;
    if (workload.is_mechanism) settings.kernels = kernels;
    const auto backend = backends::make_cpu_backend(settings);
    std::vector<double> seconds, fractions;
    Finished finished = run_ensemble(*backend, ensemble, clock);
    const double flops = counted.flops_per_step() * static_cast<double>(steps_of(finished));
    for (int i = 0; i < repetitions; ++i) {
        const double peak = measure_peak_flops_per_s(width);
        finished = run_ensemble(*backend, ensemble, clock);
        seconds.push_back(finished.seconds);
        fractions.push_back(flops / finished.seconds / peak);
    }
    const bool is_compiled = kernels == backends::names::compiled_kernels;
    program::BenchRow row =
        row_of("contact", std::string(workload.system) + " " + workload.integrator + (is_compiled ? ", compiled" : ""),
               *study.system, ensemble, finished);
    row.backend = "cpu", row.width = width, row.threads = threads;
    row.clock = clock == Clock::wall ? "wall" : "thread cpu";
    set_rates(row, seconds,
              validation::claimed_error({workload.system, workload.integrator, study::name_of(study.coordinates)},
                                        is_compiled ? kernels : row.backend));
    if (row.instance_steps_per_s.repetitions > 0) {
        const double rate = row.instance_steps_per_s.median;
        row.figures.push_back({"time", 1e9 / rate, "ns per instance-step"});
        row.figures.push_back({"counted flops", counted.flops_per_step(), "per step, mean of the first instances"});
        row.figures.push_back({"arithmetic", 1e-9 * rate * counted.flops_per_step(), "GFLOP/s"});
        if (threads == 1)
            row.figures.push_back(
                {"of the core's peak at this width", 100.0 * program::spread_of(fractions).median, "%"});
        row.figures.push_back(
            {"record", static_cast<double>(sizeof(double)) * backend->shape().record_fields, "B per instance"});
    }
    add_contact_figures(row, finished, study, width);
    report.rows.push_back(row);
}

std::vector<ContactWorkload> contact_workloads() {
    constexpr const char* crank = R"("clearance_m": {"uniform": {"low": 0.0005, "high": 0.0015}},
                                      "friction": {"uniform": {"low": 0.0, "high": 0.1}})";
    constexpr const char* ball = R"("contacts.floor.friction": {"uniform": {"low": 0.1, "high": 0.4}},
                                    "bodies.ball.angular_velocity_rad_s[0]": {"uniform": {"low": -20, "high": 20}})";
    constexpr const char* sphere = R"("contacts.floor.normal_restitution": {"uniform": {"low": 0.4, "high": 0.9}},
                                      "parameters.height_m": {"normal": {"mean": 1.0, "standard_deviation": 0.05}})";
    constexpr const char* slot = R"("parameters.clearance_m": {"uniform": {"low": 0.0005, "high": 0.001}},
                                    "parameters.friction": {"uniform": {"low": 0.01, "high": 0.1}})";
    std::vector<ContactWorkload> workloads;
    for (const char* integrator :
         {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"}) {
        workloads.push_back({"slider_crank_clearance", integrator, "1e-4", "0.05", crank});
        workloads.push_back({"rolling_sphere", integrator, "1e-3", "0.5", ball, true});
    }
    for (const char* integrator : {"moreau_midpoint", "nonsmooth_generalized_alpha", "nonsmooth_bathe"}) {
        workloads.push_back({"bouncing_sphere", integrator, "1e-3", "0.5", sphere, true});
        workloads.push_back({"slider_crank_slot", integrator, "1e-4", "0.02", slot, true});
    }
    return workloads;
}

constexpr std::uint64_t instances_on_a_device = 131'072;

void measure_contact_on_device(program::BenchReport& report, const std::string& device,
                               const ContactWorkload& workload) {
    const std::string subject = std::string(workload.system) + " " + workload.integrator;
    const study::Study study =
        study::parse_study(study_of(workload, instances_on_a_device), "bench", std::filesystem::path());
    try {
        OnDevice measured = measure_on_device("gpu_contact", subject, *study.system, make_ensemble(study), device);
        add_contact_figures(measured.row, measured.finished, study, lanes_of_a_warp);
        report.rows.push_back(measured.row);
    } catch (const UserError& error) {
        report.rows.push_back(
            row_not_measured("gpu_contact", subject, device, std::string("not measured: ") + error.what()));
    }
}

}  // namespace

void contact(program::BenchReport& report) {
    const std::vector<int> widths = backends::cpu_widths();
    for (const ContactWorkload& workload : contact_workloads()) {
        const ContactOperations counted = count_contact_steps(
            study::parse_study(study_of(workload, counted_instances), "bench", std::filesystem::path()),
            counted_instances);
        for (const int width : widths) measure(report, workload, counted, width, 1);
        if (report.cores > 1) measure(report, workload, counted, widths.back(), report.cores);
        if (workload.is_mechanism &&
            has_compiled_steps(study::parse_study(study_of(workload, 1), "bench", std::filesystem::path()),
                               widths.back()))
            measure(report, workload, counted, widths.back(), 1, backends::names::compiled_kernels);
    }
}

void gpu_contact(program::BenchReport& report) {
    const std::optional<std::string> device =
        device_of(report, "gpu_contact", "slider_crank_clearance moreau_midpoint");
    if (!device) return;
    for (const ContactWorkload& workload : contact_workloads()) measure_contact_on_device(report, *device, workload);
}

}  // namespace myriad::bench
