// The claim of lgim sect. 4.1: at equal error the group needs far less work than Cardan angles.
#include "papers/lgim/lie_against_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace myriad::validation {

TEST(LieAgainstChart, TheGroupReachesTheErrorWithFarLargerSteps) {
    const LieAgainstChart comparison = lie_against_chart();
    std::printf("%s\n%-12s %-12s %-12s %-12s %-12s\n", comparison.device.c_str(), "step s", "group m", "chart m",
                "group ns", "chart ns");
    for (const WorkPrecision& row : comparison.rows)
        std::printf("%-12.4g %-12.3e %-12.3e %-12.4g %-12.4g\n", row.step_s, row.group_error_m, row.chart_error_m,
                    row.group_ns_per_instance, row.chart_ns_per_instance);
    std::printf("at %.1g m: steps %.3g s and %.3g s, ratio %.1f; times %.4g ns and %.4g ns, ratio %.1f (paper: %.0f)\n",
                comparison.equal_error_m, comparison.group_step_s, comparison.chart_step_s, comparison.step_ratio(),
                comparison.group_ns_per_instance, comparison.chart_ns_per_instance, comparison.time_ratio(),
                comparison.published_time_ratio);
    std::printf("reference off the known centre of mass by %.2e m\n", comparison.reference_distance_m);

    // Three coordinates known to a few units of their tenth decimal.
    EXPECT_LE(comparison.reference_distance_m, std::sqrt(3.0) * 3e-10);
    ASSERT_EQ(comparison.rows.size(), 12u);
    // The error of the group is regular: order 4 between the steps of 4e-4 and 1e-4 s.
    const double order = 0.5 * std::log2(comparison.rows[2].group_error_m / comparison.rows[4].group_error_m);
    EXPECT_NEAR(order, 4.0, 0.2);
    // The steps, and not the times, are the same on every machine. A coarse bound: the paper's claim is 40 in time.
    EXPECT_GE(comparison.step_ratio(), 10.0);
    EXPECT_GT(comparison.time_ratio(), 1.0);
}

}  // namespace myriad::validation
