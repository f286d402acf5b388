// The order of every method on every formulation, measured on the heavy top of the facts, A.1.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/reference/models.hpp"

namespace myriad::reference {

namespace {

// The slope of log error over log step of the last halving; the next term of the error changes it by about h times the
// fastest rate of the problem, 10 % of an order at these steps.
constexpr double slope_tolerance = 0.12;

struct Ladder {
    std::string chart;
    double end_s;
    int steps;  // of the coarser of the two runs
    DexpInverse dexp_inverse = DexpInverse::full;
};

double error(const Result& result, const Result& truth) {
    return (result.final_configuration.orientation - truth.final_configuration.orientation).norm() +
           (result.final_velocity - truth.final_velocity).norm() / truth.final_velocity.norm();
}

double measured_order(const std::string& integrator, const Ladder& ladder) {
    // Ten times smaller steps than the finer run, on the group and with the method of order 6.
    const Result truth =
        run_reference("heavy_top", "rk67", fast_top(), fixed_steps(ladder.end_s, ladder.end_s / (20 * ladder.steps)));
    const auto run = [&](int steps) {
        Settings settings = fixed_steps(ladder.end_s, ladder.end_s / steps, ladder.chart);
        settings.dexp_inverse = ladder.dexp_inverse;
        return error(run_reference("heavy_top", integrator, fast_top(), settings), truth);
    };
    const double coarse = run(ladder.steps), fine = run(2 * ladder.steps);
    const double order = std::log2(coarse / fine);
    std::printf("%-21s %-7s error %.2e -> %.2e  order %.3f\n", ladder.chart.c_str(), integrator.c_str(), coarse, fine,
                order);
    return order;
}

}  // namespace

TEST(MeasuredOrder, IsThatOfTheTableOnTheRotationGroup) {
    for (const ButcherTable& table : butcher_tables())
        EXPECT_NEAR(measured_order(table.name, {"rotation", 0.1, 100}), table.order, slope_tolerance) << table.name;
}

TEST(MeasuredOrder, IsThatOfTheTableWithDexpInverseCutAndOnUnitQuaternions) {
    for (const Ladder& ladder : {Ladder{"rotation", 0.1, 100, DexpInverse::cut}, Ladder{"euler_parameters", 0.1, 100}})
        for (const ButcherTable& table : butcher_tables())
            EXPECT_NEAR(measured_order(table.name, ladder), table.order, slope_tolerance) << table.name;
}

TEST(MeasuredOrder, IsThatOfTheTableOnTheCardanChart) {
    // The top passes the chart's singularity every 0.021 s, first at 0.0105 s; before it the error is regular.
    // The body rates are smoother than the angles' rates, so their errors reach round-off with larger steps.
    for (const Ladder& ladder : {Ladder{"cardan_xyz", 0.008, 80}, Ladder{"cardan_xyz_body_rate", 0.008, 40}})
        for (const ButcherTable& table : butcher_tables())
            EXPECT_NEAR(measured_order(table.name, ladder), table.order, slope_tolerance) << table.name;
}

}  // namespace myriad::reference
