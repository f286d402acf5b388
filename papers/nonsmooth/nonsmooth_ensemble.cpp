// The cost of a step of the timestepping schemes in an ensemble: Tables 3 and 5 of the nonsmooth paper again, with
// every lane of the vectors taken by a mechanism of its own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "papers/nonsmooth/nonsmooth.hpp"
#include "papers/sweep.hpp"

namespace myriad::bench {

namespace {

constexpr double step_s = 1e-5, end_s = 0.05;

struct Scheme {
    const char* name;
    const char* integrator;
    double radius;  // negative: it has none
    double table_3, table_5;
};
constexpr Scheme schemes[] = {{"Moreau", "moreau_midpoint", -1.0, 1.0, 1.0},
                              {"half-explicit", "half_explicit", -1.0, 1.35, 1.15},
                              {"generalized-alpha 0.8", "nonsmooth_generalized_alpha", 0.8, 4.15, 2.72},
                              {"Bathe", "nonsmooth_bathe", -1.0, 4.35, 3.15},
                              {"ED-alpha 0", "nonsmooth_ed_alpha", 0.0, 5.0, 3.4}};
constexpr std::size_t scheme_count = std::size(schemes);

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Cost {
    std::vector<double> ns_per_step, relative;
};
// The schemes take turns; the ratio is that of one turn.
Cost cost_of(const std::string& parameters, const Machine& machine) {
    constexpr int turns = 7;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<std::vector<double>> times(scheme_count), ratios(scheme_count);
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t i = 0; i < scheme_count; ++i) {
            const validation::Method method{.integrator = schemes[i].integrator,
                                            .step_s = step_s,
                                            .end_s = end_s,
                                            .spectral_radius = schemes[i].radius};
            const validation::FinishedRun run = validation::run_text(
                validation::study_text(R"("system": "slider_crank_clearance")", method, {}, parameters, machine.lanes),
                *machine.backend);
            bool ended_well = true;
            for (int lane = 0; lane < machine.lanes; ++lane)
                ended_well = ended_well && run.ok(static_cast<std::uint64_t>(lane));
            times[i].push_back(ended_well ? 1e9 * run.cpu_seconds / (end_s / step_s * machine.lanes) : nan);
            ratios[i].push_back(times[i].back() / times[0].back());
        }
    }
    Cost cost;
    for (std::size_t i = 0; i < scheme_count; ++i)
        cost.ns_per_step.push_back(median(times[i])), cost.relative.push_back(median(ratios[i]));
    return cost;
}

}  // namespace

void nonsmooth_ensemble(MarkdownPage& page) {
    const Machine machine = one_thread();
    const Cost held = cost_of(R"({"clearance_m": 0, "friction": 0,
        "slider.mass_kg": {"uniform": {"low": 0.07, "high": 0.08}}})",
                              machine),
               clear = cost_of(R"({"clearance_m": {"uniform": {"low": 0.0008, "high": 0.0012}}})", machine);
    MarkdownTable table{"Tables 3 and 5 in an ensemble: relative time of a step",
                        "Step 1e-5 s, 0.05 s; one thread, vectors of " + std::to_string(machine.lanes) +
                            " doubles, each lane a mechanism of its own: sliders of 0.07 to 0.08 kg bilateral, "
                            "clearances of 0.0008 to 0.0012 m unilateral. Processor time relative to Moreau's, the "
                            "schemes taking turns seven times, medians. The lanes of a vector wait for the one with "
                            "the most iterations.",
                        {"scheme", "bilateral", "paper", "unilateral", "paper", "bilateral (ns per instance and step)",
                         "unilateral (ns per instance and step)"},
                        {}};
    for (std::size_t i = 0; i < scheme_count; ++i)
        table.rows.push_back({schemes[i].name, figure(held.relative[i]), figure(schemes[i].table_3),
                              figure(clear.relative[i]), figure(schemes[i].table_5), figure(held.ns_per_step[i]),
                              figure(clear.ns_per_step[i])});
    page.tables.push_back(table);
}

}  // namespace myriad::bench
