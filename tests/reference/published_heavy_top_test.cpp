// The published values of the heavy top with step control (facts A.1) by the error norm of the code behind them: the
// angular velocity about the world's y axis at 2 s. `myriad validate` meets the others, and these with our norm.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <limits>

#include "host/validation/runs/reference_values.hpp"
#include "tests/reference/models.hpp"
#include "tests/reference/published_error_norm.hpp"

namespace myriad::reference {

namespace {

namespace known = reference_values::heavy_top;
constexpr double end_s = 2.0, fastest_rad_s = 150.0;

void tabulate(const std::string& run, double ours, double published) {
    std::printf("%-38s ours %.14f published %.14f difference %9.2e own error %9.2e\n", run.c_str(), ours, published,
                ours - published, ours - known::omega_y);
}

double omega_y(const Result& result) {
    EXPECT_EQ(result.status, "ok") << result.reason;
    return world_angular_velocity(result).y();
}

struct AdaptiveCase {
    std::string integrator;
    double absolute_tolerance, relative_tolerance, published;

    std::string name() const {
        char text[80];
        std::snprintf(text, sizeof text, "%s atol %g rtol %g", integrator.c_str(), absolute_tolerance,
                      relative_tolerance);
        return text;
    }
};

Result run_with_published_norm(const AdaptiveCase& published_case, double largest_step_s, double initial_step_s) {
    PublishedErrorNorm norm(published_case.absolute_tolerance, published_case.relative_tolerance);
    Settings settings;
    settings.end_s = end_s;
    settings.control.absolute_tolerance = published_case.absolute_tolerance;
    settings.control.relative_tolerance = published_case.relative_tolerance;
    settings.control.error_norm = std::ref(norm);
    settings.control.largest_step_s = largest_step_s;
    settings.control.initial_step_s = initial_step_s;
    return run_reference("heavy_top", published_case.integrator, fast_top(), settings);
}

const std::vector<AdaptiveCase> absolute_cases{{"ode23", 1e-10, 0.0, known::omega_y_ode23_1e_10},
                                               {"ode23", 1e-12, 0.0, known::omega_y_ode23_1e_12},
                                               {"dopri5", 1e-10, 0.0, known::omega_y_dopri5_1e_10},
                                               {"dopri5", 1e-12, 0.0, known::omega_y_dopri5_1e_12},
                                               {"dopri5", 1e-14, 0.0, known::omega_y_dopri5_1e_14}};
const std::vector<AdaptiveCase> relative_cases{{"ode23", 1e-8, 1e-8, known::omega_y_ode23_1e_8_relative},
                                               {"dopri5", 1e-8, 1e-8, known::omega_y_dopri5_1e_8_relative}};

}  // namespace

TEST(PublishedStepControl, IsMetToRoundOffWithAnAbsoluteTolerance) {
    for (const AdaptiveCase& published_case : absolute_cases) {
        const Result result = run_with_published_norm(published_case, 0.01, 0.0);
        const double ours = omega_y(result);
        tabulate(published_case.name() + " its norm", ours, published_case.published);
        EXPECT_NEAR(ours, published_case.published,
                    reference_values::round_off(static_cast<double>(result.steps_taken), fastest_rad_s))
            << published_case.name();
    }
}

TEST(PublishedStepControl, IsMetToTheStepWithAnAbsoluteTolerance) {
    // The stored test of the publishing code: at most 1e-3 s, 8517 steps.
    EXPECT_EQ(run_with_published_norm(absolute_cases[2], 1e-3, 0.0).steps_taken, 8517);
}

// With a relative tolerance the published scale passes through zero, and round-off decides which steps are rejected:
// changes of the first step in its last digits show how far that carries.
TEST(PublishedStepControl, WithARelativeToleranceLiesInTheSpreadOfItsRoundOff) {
    for (const AdaptiveCase& published_case : relative_cases) {
        double least = 0.0, greatest = -1e9;
        long fewest = 1'000'000'000, most = 0;
        for (int k = 0; k < 24; ++k) {
            const double first_step = 0.01 * (1.0 - k * 4 * std::numeric_limits<double>::epsilon());
            const Result result = run_with_published_norm(published_case, 0.01, first_step);
            const double ours = omega_y(result);
            least = std::min(least, ours), greatest = std::max(greatest, ours);
            fewest = std::min(fewest, result.steps_taken), most = std::max(most, result.steps_taken);
        }
        tabulate(published_case.name() + " least", least, published_case.published);
        tabulate(published_case.name() + " greatest", greatest, published_case.published);
        std::printf("  steps %ld to %ld\n", fewest, most);
        // 24 samples do not reach the ends of the distribution: its width is allowed on either side of the middle.
        EXPECT_NEAR(published_case.published, 0.5 * (least + greatest), greatest - least) << published_case.name();
        if (published_case.integrator == "dopri5") {
            EXPECT_LE(std::abs(2 * 3258 - (fewest + most)), 2 * (most - fewest));
        }
    }
}

}  // namespace myriad::reference
