// Steps per second of systems with contact on the CPU, per core and on all cores, and what their contact problems took.
//
// Clocks as in throughput_cpu.cpp. There are no counted operations: how many a step has depends on which contacts are
// closed. The cost of a scheme relative to Moreau's at the same step stands in the papers' pages.
#include <algorithm>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/cpu.hpp"
#include "host/study/study.hpp"

namespace myriad::bench {

namespace {

constexpr int repetitions = 5;

struct ContactWorkload {
    const char* system;
    const char* integrator;
    const char* step_s;
    const char* end_s;
    const char* varied;
};

std::string study_of(const ContactWorkload& workload, std::uint64_t instances) {
    return std::string(R"({"system": ")") + workload.system + R"(", "integrator": {"name": ")" + workload.integrator +
           R"(", "step_s": )" + workload.step_s + R"(, "end_s": )" + workload.end_s + R"(}, "instances": )" +
           std::to_string(instances) + R"(, "design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" +
           workload.varied + "}}";
}

void measure(program::BenchReport& report, const ContactWorkload& workload, int width, int threads) {
    const std::uint64_t instances = (width == 1 ? 32u : 128u) * static_cast<unsigned>(threads);
    const study::Study study = study::parse_study(study_of(workload, instances), "bench", std::filesystem::path());
    const Ensemble ensemble = make_ensemble(study);
    const Clock clock = threads == 1 ? Clock::thread_cpu : Clock::wall;
    backends::Settings settings;
    settings.threads = threads, settings.width = width;
    const auto backend = backends::make_cpu_backend(settings);
    std::vector<double> seconds;
    Finished finished = run_ensemble(*backend, ensemble, clock);
    for (int i = 0; i < repetitions; ++i) {
        finished = run_ensemble(*backend, ensemble, clock);
        seconds.push_back(finished.seconds);
    }
    program::BenchRow row =
        row_of("contact", std::string(workload.system) + " " + workload.integrator, *study.system, ensemble, finished);
    row.backend = "cpu", row.width = width, row.threads = threads;
    row.clock = clock == Clock::wall ? "wall" : "thread cpu";
    set_rates(row, seconds);
    if (row.instance_steps_per_s.repetitions > 0)
        row.figures.push_back({"time", 1e9 / row.instance_steps_per_s.median, "ns per instance-step"});
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    for (std::size_t k = 0; k < certificate.size(); ++k) {
        double sum = 0.0;
        for (const backends::Chunk& chunk : finished.chunks)
            for (std::uint64_t i = 0; i < chunk.count; ++i) sum += chunk.invariants_drift[i * certificate.size() + k];
        const std::string& name = certificate[k].name;
        if (name == "impacts" || name == "mean_prox_iterations")
            row.figures.push_back({name, sum / static_cast<double>(instances), "mean of the instances"});
    }
    report.rows.push_back(row);
}

}  // namespace

void contact(program::BenchReport& report) {
    constexpr const char* crank = R"("clearance_m": {"uniform": {"low": 0.0005, "high": 0.0015}},
                                      "friction": {"uniform": {"low": 0.0, "high": 0.1}})";
    constexpr const char* ball = R"("friction": {"uniform": {"low": 0.1, "high": 0.4}},
                                     "initial_angular_velocity_rad_s[0]": {"uniform": {"low": -20, "high": 20}})";
    std::vector<ContactWorkload> workloads;
    for (const char* integrator :
         {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"}) {
        workloads.push_back({"slider_crank_clearance", integrator, "1e-4", "0.05", crank});
        workloads.push_back({"rolling_ball", integrator, "1e-3", "0.5", ball});
    }
    const std::vector<int> widths = backends::cpu_widths();
    for (const ContactWorkload& workload : workloads) {
        for (const int width : widths) measure(report, workload, width, 1);
        if (report.cores > 1) measure(report, workload, widths.back(), report.cores);
    }
}

}  // namespace myriad::bench
