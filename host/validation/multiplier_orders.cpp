// The orders of the multipliers of driven mechanisms by implicit methods, from one halving of the step, against those
// of kinematics, which are exact: long after the start, and the largest distance from the first step on.
#include <string>
#include <string_view>

#include "host/catalog/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/driven_motions.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

namespace {

struct Order {
    const char* integrator;
    double order, step_s;
};
// The published inertias of the four link have no moment about one axis, which in body coordinates the papers' charts
// alone take.
std::string chart_of(std::string_view mechanism, std::string_view coordinates) {
    return mechanism == "four_link" && coordinates == "body" ? "rotation_vector" : "rotation";
}
constexpr Order implicit_methods[] = {{"generalized_alpha", 2.0, 1e-3}, {"implicit_euler", 1.0, 2.5e-4}};

void add_multipliers(Rows& rows, backends::Backend& device) {
    const double end_s = 3.0;
    for (const char* mechanism : {"pendulum", "four_link", "slider_crank_haug"}) {
        const char* channel = driver_multiplier(mechanism);
        for (const char* coordinates : {"body", "joint"}) {
            const std::string chart = chart_of(mechanism, coordinates);
            if (!study::is_built(chart)) continue;
            const auto multiplier = [&](const char* integrator, double step_s) {
                // An error of a position counts over h^2 in a multiplier.
                return run_mechanism(mechanism,
                                     {.integrator = integrator,
                                      .step_s = step_s,
                                      .end_s = end_s,
                                      .chart = chart,
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
            const std::string chart = chart_of(driver.mechanism, coordinates);
            if (!study::is_built(chart)) continue;
            // Equations that hold all rows at once, as those of the reference path do, round by more.
            const double coarse_s =
                coordinates == "body" || subject.is_reference_path() ? driver.body_s : driver.joint_s;
            const auto run = [&](const char* integrator, double step_s) {
                return run_mechanism(driver.mechanism,
                                     {.integrator = integrator,
                                      .step_s = step_s,
                                      .end_s = end_s,
                                      .chart = chart,
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

std::vector<Row> multiplier_orders(const Subject& subject) {
    Rows rows("multiplier_orders");
    // As long again; the orders from the start on hold the same.
    if (!subject.is_reference_path()) add_multipliers(rows, subject.device);
    add_multipliers_from_the_start(rows, subject);
    return rows.take();
}

}  // namespace myriad::validation
