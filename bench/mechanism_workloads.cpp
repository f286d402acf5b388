#include "bench/mechanism_workloads.hpp"

#include <algorithm>

#include "host/study/study_coordinates.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

std::string study_of(const MechanismWorkload& workload, Coordinates coordinates, std::uint64_t instances,
                     const std::string& more) {
    const auto number = [](double value) { return std::to_string(value * 1e9) + "e-9"; };
    return R"({"mechanism": )" + std::string(validation::mechanism_text(workload.mechanism)) + R"(, "coordinates": ")" +
           study::name_of(coordinates) + R"(", "integrator": {"name": ")" + workload.integrator + R"(", "step_s": )" +
           number(workload.step_s) + R"(, "end_s": )" + number(workload.step_s * workload.steps) +
           (coordinates == Coordinates::body ? workload.options : "") + R"(}, "instances": )" +
           std::to_string(instances) + R"(, "design": {"kind": "monte_carlo", "seed": 1}, "parameters": {")" +
           workload.varied + R"(": {"normal": {"mean": )" + number(workload.nominal) + R"(, "standard_deviation": )" +
           number(1e-3 * workload.nominal) + "}}}" + more + "}";
}

std::string subject_of(const MechanismWorkload& workload, Coordinates coordinates) {
    return std::string(workload.mechanism) + " " + workload.integrator + ", " + study::name_of(coordinates);
}

NewtonFigures newton_figures(const Finished& finished, const study::Study& study) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    const auto place_of = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(certificate, name, &study::CertificateEntry::name) -
                                        certificate.begin());
    };
    const std::size_t entries = certificate.size(), newton = place_of("newton_iterations"),
                      residual_at = place_of("constraint_residual");
    double iterations = 0.0, busiest = 0.0, residual = 0.0;
    for (const backends::Chunk& chunk : finished.chunks)
        for (std::uint64_t i = 0; i < chunk.count; ++i) {
            const double* const drift = &chunk.invariants_drift[i * entries];
            const double own = drift[newton];
            iterations += own, busiest = std::max(busiest, own / static_cast<double>(chunk.steps[i]));
            residual = std::max(residual, drift[residual_at]);
        }
    return {iterations / static_cast<double>(steps_of(finished)), busiest, residual};
}

void add_newton_figures(program::BenchRow& row, const NewtonFigures& newton) {
    row.figures.push_back({"newton iterations", newton.per_step, "per step"});
    row.figures.push_back({"of the busiest instance", newton.of_the_busiest, "per step"});
    row.figures.push_back({"largest constraint residual", newton.largest_residual, "m or rad"});
}

}  // namespace myriad::bench
