// The orders of the methods, measured on the fast heavy top.
//
//   fixed steps:   slope of log error over log step, from one halving
//   step control:  slope of log error over log tolerance, and over -log steps, fitted to tolerances a factor of four
//                  apart
//
// error = distance of the final quaternions + relative difference of the final angular velocities, against rk67 on the
// group with steps 20 times smaller. The error estimate of a pair goes with the power p of the step, p being the order
// of its higher method, and so does its global error at a fixed span: the error follows the tolerance, slope 1.
#include <algorithm>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/catalog/system_description.hpp"
#include "host/reference/explicit/butcher_tables.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

std::string study_text(const std::string& chart, const std::string& integrator, double end_s,
                       const std::string& control) {
    return R"({"system": "heavy_top", "instances": 1, "chart": ")" + chart + R"(", "integrator": {"name": ")" +
           integrator + R"(", "end_s": )" + json_number(end_s) + ", " + control + "}}";
}

std::string steps_of(double end_s, int steps) { return R"("step_s": )" + json_number(end_s / steps); }

double error(const FinishedRun& run, const FinishedRun& truth) {
    double minus = 0.0, plus = 0.0, rate = 0.0, rate_size = 0.0;
    for (const char* component : {"w", "x", "y", "z"}) {
        const std::string address = std::string("orientation.top.") + component;
        const double a = run.final_state(address), b = truth.final_state(address);
        minus += (a - b) * (a - b), plus += (a + b) * (a + b);
    }
    for (const char* component : {"x", "y", "z"}) {
        const std::string address = std::string("angular_velocity.top.") + component;
        const double a = run.final_state(address), b = truth.final_state(address);
        rate += (a - b) * (a - b), rate_size += b * b;
    }
    return std::sqrt(std::min(minus, plus)) + std::sqrt(rate / rate_size);
}

struct Ladder {
    const char* chart;
    double end_s;
    int steps;  // of the coarser of the two runs
    bool has_control = true;
};
// The top passes the singularity of the Cardan angles first at 0.0105 s; before it the error is regular. With body
// rates 9 to 25 steps of dopri5 suffice to there, too few for a slope.
constexpr Ladder ladders[] = {{"rotation", 0.1, 100},
                              {"euler_parameters", 0.1, 100},
                              {"cardan_xyz", 0.008, 80},
                              {"cardan_xyz_body_rate", 0.008, 20, false}};

struct Line {
    std::vector<double> x, y;
    double slope() const {
        double mean_x = 0.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
        const auto count = static_cast<double>(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / count, mean_y += y[i] / count;
        for (std::size_t i = 0; i < x.size(); ++i)
            xy += (x[i] - mean_x) * (y[i] - mean_y), xx += (x[i] - mean_x) * (x[i] - mean_x);
        return xy / xx;
    }
};

void add_fixed_steps(Rows& rows, backends::Backend& device, const Ladder& ladder, const FinishedRun& truth,
                     const std::string& integrator) {
    const auto error_of = [&](int steps) {
        return error(
            run_text(study_text(ladder.chart, integrator, ladder.end_s, steps_of(ladder.end_s, steps)), device), truth);
    };
    rows.add(integrator + " on " + ladder.chart + ": order",
             std::log2(error_of(ladder.steps) / error_of(2 * ladder.steps)), reference::butcher_table(integrator).order,
             {0.12, "the next term of the error is about the step times the fastest rate of the motion"},
             "order of the method, as published");
}

void add_step_control(Rows& rows, backends::Backend& device, const Ladder& ladder, const FinishedRun& truth,
                      const std::string& integrator) {
    Line over_tolerance, over_steps;
    for (double tolerance = 1e-6; tolerance > 1e-9; tolerance *= 0.25) {
        const FinishedRun run =
            run_text(study_text(ladder.chart, integrator, ladder.end_s,
                                R"("initial_step_s": 1e-4, "relative_tolerance": 0.0, "absolute_tolerance": )" +
                                    json_number(tolerance)),
                     device);
        const double log_error = std::log(error(run, truth));
        over_tolerance.x.push_back(std::log(tolerance)), over_tolerance.y.push_back(log_error);
        over_steps.x.push_back(-std::log(static_cast<double>(run.chunk.steps.front())));
        over_steps.y.push_back(log_error);
    }
    const int order = reference::butcher_table(integrator).order;
    rows.add(integrator + " on " + ladder.chart + ": slope of error over tolerance", over_tolerance.slope(), 1.0,
             {0.1, "the last step is cut short, and steps change size along the way"}, "error control per step");
    rows.add(integrator + " on " + ladder.chart + ": order, by steps taken", over_steps.slope(), order,
             {0.1 * order, "the same"}, "order of the method, as published");
}

}  // namespace

std::vector<Row> orders(const Subject& subject) {
    Rows rows("orders");
    for (const Ladder& ladder : ladders) {
        if (!study::is_built(ladder.chart)) continue;
        const FinishedRun truth = run_text(
            study_text("rotation", "rk67", ladder.end_s, steps_of(ladder.end_s, 20 * ladder.steps)), subject.device);
        for (const study::IntegratorDescription& integrator : study::all_integrators()) {
            if (integrator.implicit || integrator.contact) continue;
            if (integrator.adaptive && ladder.has_control)
                add_step_control(rows, subject.device, ladder, truth, integrator.name);
            if (!integrator.adaptive) add_fixed_steps(rows, subject.device, ladder, truth, integrator.name);
        }
    }
    return rows.take();
}

}  // namespace myriad::validation
