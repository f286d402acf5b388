// The work-precision comparison of the lgim paper: what the group and the chart need for the same error.
#include <array>
#include <cmath>
#include <cstdio>

#include "papers/lgim/lie_against_chart.hpp"
#include "papers/pages.hpp"

namespace myriad::bench {

void lie_against_chart(program::BenchReport& report) {
    const validation::LieAgainstChart found = validation::lie_against_chart();
    const auto row = [&](const std::string& subject) {
        program::BenchRow made;
        made.bench = "lie_against_chart", made.subject = subject;
        made.backend = "cpu", made.hardware = found.device, made.precision = "fp64";
        return made;
    };
    for (const validation::WorkPrecision& work : found.rows) {
        std::array<char, 64> step{};
        std::snprintf(step.data(), step.size(), "heavy top to 1 s, rk4, step %.3g s", work.step_s);
        program::BenchRow made = row(step.data());
        made.step_s = work.step_s;
        const auto add = [&](const char* name, double value, const char* unit) {
            if (!std::isnan(value)) made.figures.push_back({name, value, unit});
        };
        add("error on the rotation group", work.group_error_m, "m");
        add("error on Cardan angles", work.chart_error_m, "m");
        add("time on the rotation group", work.group_ns_per_instance, "ns per instance");
        add("time on Cardan angles", work.chart_ns_per_instance, "ns per instance");
        report.rows.push_back(made);
    }
    program::BenchRow equal = row("at an error of 1e-6 m");
    equal.figures = {
        {"step on the rotation group", found.group_step_s, "s"},
        {"step on Cardan angles", found.chart_step_s, "s"},
        {"ratio of the steps", found.step_ratio(), ""},
        {"ratio of the CPU times, Cardan angles to group", found.time_ratio(), ""},
        {"the paper's statement for its code, CPU time", found.published_time_ratio, ""},
        {"distance of the reference from the converged value known otherwise", found.reference_distance_m, "m"}};
    report.rows.push_back(equal);
}

}  // namespace myriad::bench
