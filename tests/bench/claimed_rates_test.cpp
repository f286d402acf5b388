// A rate counts only if the numbers are right: rows of the bench say how far the claims of ensembles/expected/ are from
// what their method computes, and a row of which one fails has no rate.
#include <gtest/gtest.h>

#include <limits>

#include "bench/measurement.hpp"

namespace myriad::bench {
namespace {

validation::Row row_that_is_off_by(double difference, double tolerance) {
    return {"case", "off by " + std::to_string(difference), 2.0 + difference, 2.0, tolerance, "source", "reason"};
}
program::BenchRow rated(const validation::ClaimedError& claimed) {
    program::BenchRow row;
    row.steps = 100, row.converged_share = 1.0;
    set_rates(row, {0.5, 0.5, 0.5}, claimed);
    return row;
}

TEST(ClaimedError, IsTheLargestShareOfATolerance) {
    const validation::ClaimedError error = validation::claimed_error_of(
        {row_that_is_off_by(0.25, 1.0), row_that_is_off_by(-1.0, 2.0), row_that_is_off_by(0.0, 0.0)});
    EXPECT_EQ(error.claims, 3u);
    EXPECT_EQ(error.largest, 0.5);
    EXPECT_EQ(error.farthest, "case, off by -1.000000");
    EXPECT_FALSE(error.failed());
}

TEST(ClaimedError, IsInfiniteWhereACountIsWrongOrThereIsNoNumber) {
    for (const validation::Row& wrong :
         {row_that_is_off_by(1.0, 0.0), row_that_is_off_by(std::numeric_limits<double>::quiet_NaN(), 1.0)}) {
        const validation::ClaimedError error = validation::claimed_error_of({wrong, row_that_is_off_by(3.0, 1.0)});
        EXPECT_EQ(error.largest, std::numeric_limits<double>::infinity());
        EXPECT_EQ(error.farthest, "case, " + wrong.quantity);
        EXPECT_TRUE(error.failed());
    }
}

TEST(Rate, IsRefusedWhereAClaimFails) {
    const program::BenchRow right = rated({2, 0.5, "case, position"}), wrong = rated({2, 1.5, "case, position"});
    EXPECT_EQ(right.instance_steps_per_s.median, 200.0);
    EXPECT_EQ(right.figures.back().value, 0.5);
    EXPECT_TRUE(right.note.empty());
    EXPECT_EQ(wrong.instance_steps_per_s.repetitions, 0);
    EXPECT_EQ(wrong.note, "no rate: wrong by `myriad validate`: case, position");
    EXPECT_EQ(wrong.seconds.median, 0.5);
}

TEST(Rate, OfWhatNothingIsClaimedHasNoFigureOfClaims) { EXPECT_TRUE(rated({}).figures.empty()); }

// Of other methods, coordinates, charts and forms nothing is counted.
TEST(ClaimedError, IsOfTheMethodAndCoordinatesOfTheRow) {
    const auto claims = [](const validation::Claimed& claimed, const char* form) {
        const validation::ClaimedError& error = validation::claimed_error(claimed, form);
        EXPECT_FALSE(error.failed()) << error.farthest;
        return error.claims;
    };
    EXPECT_GT(claims({"heavy_top", "rk4"}, "cpu"), 0u);
    EXPECT_GT(claims({"rolling_sphere", "nonsmooth_bathe", "body"}, "cpu"), 0u);
    EXPECT_GT(claims({"four_bar_loop", "energy_momentum_convective", "body"}, "cpu"), 0u);
    EXPECT_EQ(claims({"four_bar_loop", "energy_momentum_convective", "joint"}, "cpu"), 0u);
    EXPECT_EQ(claims({"four_bar_loop", "rk4", "joint"}, "cpu"), 0u);
    EXPECT_EQ(claims({"no_such_mechanism", "rk4"}, "cpu"), 0u);
}

}  // namespace
}  // namespace myriad::bench
