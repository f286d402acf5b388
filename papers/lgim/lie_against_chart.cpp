#include "papers/lgim/lie_against_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "host/backends/cpu/cpu.hpp"
#include "host/validation/runs/finished_run.hpp"
#include "host/validation/runs/reference_values.hpp"

namespace myriad::validation {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double end_s = 1.0, largest_published_step_s = 1e-4, reference_step_s = 3.90625e-6;
constexpr int published_steps = 8, larger_steps = 4;
// Short runs are repeated until so much time has passed, and the fastest counts.
constexpr double least_measured_s = 0.05;

using Point = std::array<double, 3>;

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

struct Measured {
    Point centre_of_mass;
    double ns_per_instance;
};

Measured measure(backends::Backend& backend, int instances, const std::string& chart, const std::string& integrator,
                 double step_s) {
    const std::string study = R"({"system": "heavy_top", "chart": ")" + chart + R"(", "instances": )" +
                              std::to_string(instances) + R"(, "integrator": {"name": ")" + integrator +
                              R"(", "end_s": )" + json_number(end_s) + R"(, "step_s": )" + json_number(step_s) +
                              (integrator == "rk4" && chart == "rotation" ? R"(, "dexp_inverse": "full")" : "") + "}}";
    double fastest = std::numeric_limits<double>::infinity();
    for (double total = 0.0;;) {
        const FinishedRun run = run_text(study, backend);
        fastest = std::min(fastest, run.cpu_seconds), total += run.cpu_seconds;
        if (total < least_measured_s) continue;
        return {
            {run.final_state("position.top.x"), run.final_state("position.top.y"), run.final_state("position.top.z")},
            1e9 * fastest / instances};
    }
}

struct AtError {
    double step_s = nan, ns_per_instance = nan;
};

// Between the two neighbouring rows around the error that have the smallest steps: below them all errors are smaller.
AtError at_error(const std::vector<WorkPrecision>& rows, double WorkPrecision::*error, double WorkPrecision::*ns,
                 double wanted) {
    for (std::size_t i = rows.size(); i-- > 1;) {
        const WorkPrecision &coarse = rows[i - 1], &fine = rows[i];
        if (!(fine.*error <= wanted && wanted <= coarse.*error)) continue;
        const double share = std::log(wanted / fine.*error) / std::log(coarse.*error / fine.*error);
        const auto between = [&](double a, double b) { return a * std::pow(b / a, share); };
        return {between(fine.step_s, coarse.step_s), between(fine.*ns, coarse.*ns)};
    }
    return {};
}

}  // namespace

LieAgainstChart lie_against_chart() {
    backends::Settings settings;
    settings.threads = 1;
    const auto backend = backends::make_cpu_backend(settings);
    const int lanes = backends::cpu_widths().back();
    LieAgainstChart comparison{};
    comparison.device = backend->device();
    comparison.equal_error_m = 1e-6;
    comparison.published_time_ratio = 40.0;

    const Point truth = measure(*backend, lanes, "rotation", "rk67", reference_step_s).centre_of_mass;
    comparison.reference_distance_m = distance(truth, reference_values::heavy_top::position_at_1_s);
    for (int n = 1 - larger_steps; n <= published_steps; ++n) {
        const double step_s = std::ldexp(largest_published_step_s, 1 - n);
        const Measured group = measure(*backend, lanes, "rotation", "rk4", step_s);
        WorkPrecision row{step_s, distance(truth, group.centre_of_mass), nan, group.ns_per_instance, nan};
        if (n >= 1) {
            const Measured chart = measure(*backend, lanes, "cardan_xyz", "rk4", step_s);
            row.chart_error_m = distance(truth, chart.centre_of_mass);
            row.chart_ns_per_instance = chart.ns_per_instance;
        }
        comparison.rows.push_back(row);
    }
    const AtError group = at_error(comparison.rows, &WorkPrecision::group_error_m,
                                   &WorkPrecision::group_ns_per_instance, comparison.equal_error_m);
    const AtError chart = at_error(comparison.rows, &WorkPrecision::chart_error_m,
                                   &WorkPrecision::chart_ns_per_instance, comparison.equal_error_m);
    comparison.group_step_s = group.step_s, comparison.group_ns_per_instance = group.ns_per_instance;
    comparison.chart_step_s = chart.step_s, comparison.chart_ns_per_instance = chart.ns_per_instance;
    return comparison;
}

}  // namespace myriad::validation
