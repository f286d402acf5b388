#include "host/validation/runs/step_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/backends/backends.hpp"

namespace myriad::validation {

namespace {

std::vector<double> values_at(const std::vector<double>& steps_s, double (*function)(double)) {
    std::vector<double> values;
    for (const double step_s : steps_s) values.push_back(function(step_s));
    return values;
}

}  // namespace

TEST(StepLimit, IsExactForAPolynomialOfOneDegreeLessThanThereAreSteps) {
    const std::vector<double> steps_s = {0.4, 0.2, 0.1, 0.07};
    const auto cubic = [](double h) { return 3.0 - 2.0 * h + 5.0 * h * h - 7.0 * h * h * h; };
    const StepLimit limit = limit_of(steps_s, values_at(steps_s, cubic));
    EXPECT_NEAR(limit.value, 3.0, 1e-14);
    // Without the last run a cubic term is left: -7 times the product of the three steps, with the sign of Lagrange.
    EXPECT_NEAR(limit.change, 7.0 * 0.4 * 0.2 * 0.1, 1e-14);
}

TEST(StepLimit, ChangesByMoreThanItsErrorWhereTheSeriesConverges) {
    const std::vector<double> steps_s = {0.3, 0.15, 0.1, 0.075};
    const StepLimit limit = limit_of(steps_s, values_at(steps_s, [](double h) { return std::exp(2.0 * h); }));
    EXPECT_LT(std::abs(limit.value - 1.0), std::abs(limit.change));
    EXPECT_LT(std::abs(limit.change), 0.02);
}

// A faster clock is a larger step: each instance ends as a run of its own does.
TEST(StepsSideBySide, AreRunsWithTheirSteps) {
    const auto device = backends::make_backend("cpu", {});
    const Observed observed{0.5, {"slider", "crank_angle", "crank_rate"}};
    const double largest_step_s = 2e-3, end_s = 1.0;
    const StepsSideBySide runs("slider_crank_iftomm",
                               {{"gravity_m_s2[2]", -9.81, 2}, {"parameters.crank_rate_rad_s", 6.0, 1}}, largest_step_s,
                               3, end_s, observed, *device);
    constexpr double newton_tolerance = 1e-13;
    for (int run = 0; run < 3; ++run) {
        const double step_s = largest_step_s / (run + 1);
        const FinishedRun own = run_mechanism("slider_crank_iftomm",
                                              {.integrator = "implicit_euler",
                                               .step_s = step_s,
                                               .end_s = end_s,
                                               .newton_tolerance = newton_tolerance,
                                               .start = "published"},
                                              *device, observed);
        for (const std::string& channel : observed.channels)
            for (const double time_s : {0.5, 1.0})
                // Newton's method leaves its tolerance of positions in each step, over a step in the rate.
                EXPECT_NEAR(runs.value(run, channel, time_s), own.observed(channel, time_s),
                            newton_tolerance / step_s * (end_s / step_s))
                    << channel << " at " << time_s << " s of run " << run;
    }
    // Not the same numbers in the first place.
    EXPECT_GT(std::abs(runs.value(0, "crank_angle", 1.0) - runs.value(2, "crank_angle", 1.0)), 0.1);
}

}  // namespace myriad::validation
