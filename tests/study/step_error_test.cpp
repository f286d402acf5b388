#include "host/statistics/step_error.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using myriad::study::step_error;
using myriad::study::StepError;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double no_round_off = 0.0;
constexpr double few_round_offs = 1e-13;  // of numbers of size 1 that are subtracted once

// Instances 0 ... count - 1 of a method whose error is constant(i) h^order, at h = 0.1 and its half and quarter.
struct Runs {
    std::vector<double> at_step, at_half, at_quarter;
    Runs(int count, double order, double constant = 1.0) {
        for (int i = 0; i < count; ++i) {
            const double exact = std::sin(static_cast<double>(i)), error = constant * (1.0 + i);
            at_step.push_back(exact + error * std::pow(0.1, order));
            at_half.push_back(exact + error * std::pow(0.05, order));
            at_quarter.push_back(exact + error * std::pow(0.025, order));
        }
    }
    StepError error(double round_off = no_round_off) const {
        return step_error(at_step, at_half, at_quarter, round_off);
    }
};

TEST(StepError, ShrinksByTwoToTheOrder) {
    for (const double order : {1.0, 2.0, 4.0}) {
        const StepError error = Runs(33, order).error();
        EXPECT_NEAR(error.shrinkage, std::pow(2.0, -order), few_round_offs * std::pow(10.0, order)) << order;
        EXPECT_TRUE(error.shrinks());
    }
}

TEST(StepError, ThatDoesNotFallWithTheStepIsSaid) {
    Runs runs(33, 1.0);
    for (std::size_t i = 0; i < runs.at_step.size(); ++i) {
        const double jump = i % 2 == 0 ? 0.3 : -0.3;
        runs.at_half[i] = runs.at_step[i] + jump, runs.at_quarter[i] = runs.at_half[i] - 0.9 * jump;
    }
    const StepError error = runs.error();
    EXPECT_NEAR(error.shrinkage, 0.9, few_round_offs);
    EXPECT_FALSE(error.shrinks());
}

TEST(StepError, HoldsTheChangeOfNinetyFiveInAHundred) {
    std::vector<double> at_step(100, 0.0), at_half(100), unknown(100, none);
    for (std::size_t i = 0; i < 100; ++i) at_half[(37 * i) % 100] = -static_cast<double>(i + 1);
    const StepError error = step_error(at_step, at_half, unknown, no_round_off);
    EXPECT_EQ(error.count, 100u);
    EXPECT_EQ(error.change_share_95, 95.0);
    EXPECT_EQ(error.mean_shift, -50.5);
}

TEST(StepError, OfOneInstanceIsItsChange) {
    const StepError error = Runs(1, 2.0).error();
    EXPECT_EQ(error.count, 1u);
    EXPECT_NEAR(error.change_share_95, 0.01 - 0.0025, few_round_offs);
    EXPECT_NEAR(error.mean_shift, 0.0025 - 0.01, few_round_offs);
}

TEST(StepError, LeavesOutWhatHasNoValueAndCountsWhatLostIt) {
    Runs runs(31, 1.0);
    runs.at_step[3] = none;  // failed already at the given step
    runs.at_half[4] = none, runs.at_half[7] = std::numeric_limits<double>::infinity();
    for (std::size_t i = 10; i < 31; ++i) runs.at_quarter[i] = none;
    const StepError error = runs.error();
    EXPECT_EQ(error.count, 28u);
    EXPECT_EQ(error.without, 2u);
    EXPECT_EQ(error.quarter_count, 7u);
    EXPECT_NEAR(error.shrinkage, 0.5, few_round_offs * 10.0);
}

TEST(StepError, OfNothingIsUnknown) {
    const std::vector<double> unknown(31, none);
    const StepError error = step_error(unknown, unknown, unknown, no_round_off);
    EXPECT_EQ(error.count, 0u);
    EXPECT_TRUE(std::isnan(error.change_share_95));
    EXPECT_TRUE(std::isnan(error.mean_shift));
    EXPECT_TRUE(error.shrinks()) << "nothing is known, so nothing is said";
}

TEST(StepError, BelowTheRoundOffIsNotBlamedForNotShrinking) {
    Runs runs(33, 1.0, 0.0);
    for (std::size_t i = 0; i < runs.at_step.size(); ++i) {
        runs.at_half[i] = runs.at_step[i] + 1e-12;
        runs.at_quarter[i] = runs.at_half[i] + 1e-12;
    }
    EXPECT_FALSE(runs.error(no_round_off).shrinks());
    const StepError error = runs.error(1e-9);
    EXPECT_TRUE(std::isnan(error.shrinkage));
    EXPECT_TRUE(error.shrinks());
}

}  // namespace
