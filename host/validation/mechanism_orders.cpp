// The orders of the implicit methods on mechanisms, on every chart, from one halving of the step:
// log2 of the ratio of the errors at a time.
//
//   free mechanisms      positions against converged values; generalized-alpha second, implicit Euler first
//   driven mechanisms    multipliers against those of kinematics, which are exact: long after the start, and the
//                        largest distance from the first step on
#include <string_view>

#include "host/catalog/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/driven_motions.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

struct Free {
    const char *mechanism, *channel;
    double time_s, value;
    std::vector<std::string> singular_charts;  // that its motion passes the singularity of, or starts at it
};
// Converged, to ten digits: see free_mechanisms.cpp.
const Free free_motions[] = {
    {"double_pendulum", "position.lower_rod.z", 1.0, reference_values::double_pendulum::rods_at_1_s[3], {"cardan_xyz"}},
    {"slider_crank_iftomm", "crank_angle", 0.5, reference_values::slider_crank_iftomm::motion_at_0_5_s[1], {}},
};

struct Order {
    const char* integrator;
    double order, step_s;
};
constexpr Order implicit_methods[] = {{"generalized_alpha", 2.0, 1e-3}, {"implicit_euler", 1.0, 2.5e-4}};

std::vector<Method> forms_of(const Free& known, const char* integrator, const Subject& subject) {
    std::vector<Method> forms;
    for (const char* chart : mechanism_charts) {
        // Half a minute there; free_mechanisms.cpp runs its charts.
        if (subject.is_reference_path() && std::string_view(chart) != "rotation") continue;
        bool is_singular = false;
        for (const std::string& singular : known.singular_charts) is_singular = is_singular || singular == chart;
        if (!is_singular && study::is_built_for_mechanisms(chart) && subject.takes(known.mechanism, integrator, chart))
            forms.push_back({.chart = chart});
    }
    forms.push_back({.coordinates = "joint"});
    return forms;
}

void add_positions(Rows& rows, const Free& known, const Subject& subject) {
    for (const Order& method : implicit_methods)
        for (Method form : forms_of(known, method.integrator, subject)) {
            form.integrator = method.integrator, form.end_s = known.time_s;
            const auto error = [&](double step_s) {
                form.step_s = step_s;
                const FinishedRun run =
                    run_mechanism(known.mechanism, form, subject.device, {known.time_s, {known.channel}});
                return std::abs(run.observed(known.channel, known.time_s) - known.value);
            };
            rows.add(std::string(known.mechanism) + ", " + known.channel + ", " + method.integrator + " " +
                         form_of(form) + ": order",
                     std::log2(error(method.step_s) / error(0.5 * method.step_s)), method.order,
                     {0.1, "the next term of the error"}, "order of the method");
        }
}

void add_multipliers(Rows& rows, backends::Backend& device) {
    const double end_s = 3.0;
    for (const char* mechanism : {"pendulum", "four_link", "slider_crank_haug"}) {
        const char* channel = driver_multiplier(mechanism);
        for (const char* coordinates : {"body", "joint"}) {
            const auto multiplier = [&](const char* integrator, double step_s) {
                // An error of a position counts over h^2 in a multiplier.
                return run_mechanism(mechanism,
                                     {.integrator = integrator,
                                      .step_s = step_s,
                                      .end_s = end_s,
                                      .newton_tolerance = newton_tolerance_at_round_off,
                                      .coordinates = coordinates},
                                     device, everything_of_driven(mechanism, end_s))
                    .observed(channel, end_s);
            };
            const double exact = multiplier("kinematics", 1e-2);
            for (const Order& method : implicit_methods) {
                const double step_s = 2e-3;
                const double error = std::abs(multiplier(method.integrator, step_s) - exact),
                             half_error = std::abs(multiplier(method.integrator, 0.5 * step_s) - exact);
                rows.add(std::string(mechanism) + ", " + channel + " at 3 s, " + method.integrator + " in " +
                             coordinates + " coordinates: order",
                         std::log2(error / half_error), method.order, {0.1, "the next term of the error"},
                         "order of the method");
            }
        }
    }
}

// By the start that the method has by default.
void add_multipliers_from_the_start(Rows& rows, const Subject& subject) {
    struct Driver {
        const char* mechanism;
        double joint_s, body_s;  // half of it leaves the error well above the round-off, which grows as 1/h^2
    };
    const double end_s = 0.2;
    for (const Driver& driver :
         {Driver{"pendulum", 4e-3, 4e-3}, Driver{"four_link", 1e-3, 2e-3}, Driver{"slider_crank_haug", 1e-3, 1e-3}}) {
        const char* channel = driver_multiplier(driver.mechanism);
        for (const std::string coordinates : {"body", "joint"}) {
            // Equations that hold all rows at once, as those of the reference path do, round by more.
            const double coarse_s =
                coordinates == "body" || subject.is_reference_path() ? driver.body_s : driver.joint_s;
            const auto run = [&](const char* integrator, double step_s) {
                return run_mechanism(driver.mechanism,
                                     {.integrator = integrator,
                                      .step_s = step_s,
                                      .end_s = end_s,
                                      .newton_tolerance = newton_tolerance_at_round_off,
                                      .coordinates = coordinates},
                                     subject.device, everything_of_driven(driver.mechanism, step_s));
            };
            for (const Order& method : implicit_methods) {
                const auto largest_distance = [&](double step_s) {
                    const FinishedRun found = run(method.integrator, step_s), exact = run("kinematics", step_s);
                    double largest = 0.0;
                    for (const double t : found.study.observation_times_s()) {
                        const double distance = std::abs(found.observed(channel, t) - exact.observed(channel, t));
                        if (!(distance <= largest)) largest = distance;
                    }
                    return largest;
                };
                rows.add(std::string(driver.mechanism) + ", " + channel + " from the first step to 0.2 s, " +
                             method.integrator + " in " + coordinates + " coordinates: order",
                         std::log2(largest_distance(coarse_s) / largest_distance(0.5 * coarse_s)), method.order,
                         {0.1, "the next term of the error"}, "order of the method");
            }
        }
    }
}

}  // namespace

std::vector<Row> mechanism_orders(const Subject& subject) {
    Rows rows("mechanism_orders");
    for (const Free& known : free_motions) add_positions(rows, known, subject);
    // As long again; the orders from the start on hold the same.
    if (!subject.is_reference_path()) add_multipliers(rows, subject.device);
    add_multipliers_from_the_start(rows, subject);
    return rows.take();
}

}  // namespace myriad::validation
