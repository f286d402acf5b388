// The Newton loop alone: when lanes converge, what they cost, and that none disturbs another; on square roots, where
// every matrix is made at its point, and on errors that an older matrix contracts by theta each time.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/math/newton.hpp"

namespace myriad::test {
namespace {

using Four = Pack<double, 4>;
constexpr double tolerance = 1e-6;

// x -> x - (x^2 - a) / (2 x) from 1.
template <class Real>
NewtonOutcome<Real> root_of(const Real& a, Real& x, int most_iterations, MaskOf<Real> active = true_mask<Real>()) {
    x = Real(1.0);
    return newton<Real>(active, most_iterations, Real(tolerance), [&](MaskOf<Real> going, bool) {
        const Real correction = (a - x * x) / (x + x);
        x = select(going, x + correction, x);
        return Correction<Real>{correction * correction, x < Real(0.0)};
    });
}
int iterations_by_hand(double a) {
    double x = 1.0;
    for (int k = 1;; ++k) {
        const double correction = (a - x * x) / (x + x);
        x += correction;
        if (std::abs(correction) <= tolerance) return k;
    }
}

TEST(NewtonLoop, EndsWithTheCorrectionThatIsWithinTheTolerance) {
    for (const double a : {1.0, 2.0, 50.0, 1e6}) {
        double x;
        const NewtonOutcome<double> outcome = root_of(a, x, 100);
        EXPECT_TRUE(outcome.converged);
        EXPECT_FALSE(outcome.perturbed);
        EXPECT_EQ(outcome.iterations, iterations_by_hand(a));
        EXPECT_NEAR(x, std::sqrt(a), 1e-12 * std::sqrt(a));  // the square of the tolerance, relative
    }
}

TEST(NewtonLoop, SaysThatItHasNotConvergedWithinItsIterations) {
    double x;
    const int needed = iterations_by_hand(50.0);
    EXPECT_TRUE(root_of(50.0, x, needed).converged);
    const NewtonOutcome<double> outcome = root_of(50.0, x, needed - 1);
    EXPECT_FALSE(outcome.converged);
    EXPECT_EQ(outcome.iterations, needed - 1);
    EXPECT_FALSE(root_of(1.0, x, 0).converged);
}

// No number, no root (the iteration wanders without an end), and a lane that was not asked: all beside 2 and 50.
TEST(NewtonLoop, FreezesLanesThatAreDoneAndGivesUpThoseThatAreNotFinite) {
    const double values[] = {2.0, std::numeric_limits<double>::quiet_NaN(), 50.0, 9.0};
    Four a, x;
    for (int lane = 0; lane < 4; ++lane) Lanes<Four>::set(a, lane, values[lane]);
    const NewtonOutcome<Four> outcome = root_of(a, x, 100, (a < Four(9.0)) | (Four(9.0) < a) | !(a == a));
    const Four converged = select(outcome.converged, Four(1.0), Four(0.0));
    const double expected_iterations[] = {static_cast<double>(iterations_by_hand(2.0)), 1.0,
                                          static_cast<double>(iterations_by_hand(50.0)), 0.0};
    for (int lane = 0; lane < 4; ++lane) {
        EXPECT_EQ(Lanes<Four>::get(converged, lane), lane == 0 || lane == 2) << lane;
        EXPECT_EQ(Lanes<Four>::get(outcome.iterations, lane), expected_iterations[lane]) << lane;
        double alone;
        root_of(values[lane], alone, 100);
        if (lane == 0 || lane == 2) EXPECT_EQ(Lanes<Four>::get(x, lane), alone) << lane;
    }
    EXPECT_EQ(Lanes<Four>::get(x, 3), 1.0);
}

TEST(NewtonLoop, ReportsAPivotThatWasLostInTheLastCorrectionOnly) {
    int count = 0;
    const auto lose = [&](int lost, int needed) {
        count = 0;
        return newton<double>(true, 10, tolerance, [&](bool, bool first) {
            EXPECT_EQ(first, count == 0);
            ++count;
            return Correction<double>{count == needed ? 0.0 : 1.0, count == lost};
        });
    };
    EXPECT_FALSE(lose(1, 3).perturbed);
    EXPECT_TRUE(lose(3, 3).perturbed);
    EXPECT_EQ(count, 3);
}

constexpr double acceleration = 1e-2, round_off_of_a_correction = 1e-14;

// Corrections of an error that falls by theta each, from the rule's own settings.
template <class Real>
NewtonOutcome<Real> contract(const Real& theta, Real& error, StoppingRule<Real>& rule, int most_iterations = 100) {
    return newton<Real>(true_mask<Real>(), most_iterations, rule, [&](MaskOf<Real> going, bool) {
        const Real correction = (Real(1.0) - theta) * error;
        error = select(going, theta * error, error);
        return Correction<Real>{correction * correction, !true_mask<Real>(), true_mask<Real>(), Real(acceleration),
                                Real(round_off_of_a_correction)};
    });
}
StoppingRule<double> older_matrix(double contraction = 1.0, double share = 1.0) {
    return {tolerance, true, share, contraction};
}

TEST(StoppingRule, LetsAnOlderMatrixGoOnUntilWhatRemainsIsNegligibleBesideTheAccelerations) {
    constexpr double start = 0.9e-4, negligible = 1e-8 * acceleration;
    for (const double theta : {0.6, 0.1, 1e-3, 1e-7}) {
        double error = start;
        StoppingRule<double> rule = older_matrix();
        const NewtonOutcome<double> outcome = contract(theta, error, rule);
        EXPECT_TRUE(outcome.converged);
        EXPECT_LE(error, negligible * (1.0 + 1e-12)) << theta;
        // Two corrections at least, which show theta.
        int needed = 2;
        while (std::pow(theta, needed) * start > negligible) ++needed;
        EXPECT_EQ(outcome.iterations, needed) << theta;
        EXPECT_NEAR(rule.contraction, theta, 1e-12 * theta);
    }
}

TEST(StoppingRule, KnowsTheContractionOfTheStepBefore) {
    constexpr double theta = 1e-3;
    double error = 5e-8;
    StoppingRule<double> known = older_matrix(theta), unknown = older_matrix();
    EXPECT_EQ(contract(theta, error, known).iterations, 1.0);
    // The matrix is older by then.
    EXPECT_EQ(known.contraction_after_step(), 2.0 * theta);
    error = 5e-8;
    EXPECT_EQ(contract(theta, error, unknown).iterations, 2.0);
    EXPECT_NEAR(unknown.contraction_after_step(), 2.0 * theta, 1e-15);
    // At rest, with nothing known.
    error = 0.0;
    StoppingRule<double> resting = older_matrix();
    EXPECT_TRUE(contract(theta, error, resting).converged);
    EXPECT_EQ(resting.contraction_after_step(), 1.0);
}

TEST(StoppingRule, LeavesNoMoreOfTheFirstCorrectionThanItsShare) {
    constexpr double theta = 0.1, share = 1e-6, start = 1e-10;
    double error = start;
    StoppingRule<double> rule = older_matrix(theta, share);
    contract(theta, error, rule);
    EXPECT_LE(error, share * start * (1.0 + 1e-12));
}

// Each step with a matrix of its own, and rows or not.
StoppingRule<double> matrix_of_the_step(double contraction, bool has_rows) {
    return {tolerance, true, 0.0, contraction, true, has_rows};
}

TEST(StoppingRule, EndsAStepOfAKnownContractionWithOneCorrection) {
    constexpr double theta = 1e-3;
    for (const bool has_rows : {false, true}) {
        double error = 5e-8;
        StoppingRule<double> rule = matrix_of_the_step(theta, has_rows);
        EXPECT_EQ(contract(theta, error, rule).iterations, 1.0) << has_rows;
        EXPECT_LE(error, 1e-8 * acceleration);
        // As slowly as the motion changes: the step before says nearly as much about the next one.
        EXPECT_NEAR(rule.contraction_after_step(), 1.03 * theta, 1e-15);
    }
    double error = 5e-8;
    StoppingRule<double> unknown = matrix_of_the_step(1.0, false);
    EXPECT_EQ(contract(theta, error, unknown).iterations, 2.0);
    EXPECT_NEAR(unknown.contraction_after_step(), 1.03 * theta, 1e-15);
    // Steps that are told to measure it take a second correction.
    error = 5e-8;
    StoppingRule<double> measuring = matrix_of_the_step(1.5 * theta, false);
    measuring.measures = true;
    EXPECT_EQ(contract(theta, error, measuring).iterations, 2.0);
    EXPECT_NEAR(measuring.contraction_after_step(), 1.03 * theta, 1e-12 * theta);
}

TEST(StoppingRule, DoesNotTrustAContractionThatIsSmallByChance) {
    constexpr double theta = 1e-6, before = 1e-3;
    double error = 5e-8;
    StoppingRule<double> rule = matrix_of_the_step(before, true);
    rule.measures = true;
    contract(theta, error, rule);
    EXPECT_NEAR(rule.contraction, theta, 1e-9 * theta);
    EXPECT_NEAR(rule.contraction_after_step(), 1.03 * 0.5 * before, 1e-15);
}

TEST(StoppingRule, TakesASecondCorrectionWhereTheSquareOfTheFirstWouldShowInRows) {
    constexpr double theta = 1e-9, shows = 0.1 * 1e-8 * acceleration;
    for (const double square : {0.9 * shows, 1.1 * shows}) {
        double with_rows = std::sqrt(square), without_rows = with_rows;
        StoppingRule<double> held = matrix_of_the_step(theta, true), free = matrix_of_the_step(theta, false);
        EXPECT_EQ(contract(theta, with_rows, held).iterations, square < shows ? 1.0 : 2.0);
        EXPECT_EQ(contract(theta, without_rows, free).iterations, 1.0);
    }
}

TEST(StoppingRule, AsksForANewMatrixWhereThreeMoreCorrectionsWouldNotDo) {
    for (const double theta : {0.5, 0.01}) {
        double error = 1e-4;
        StoppingRule<double> rule = older_matrix();
        contract(theta, error, rule, 2);
        EXPECT_EQ(rule.falls_slowly, theta == 0.5);
    }
    // One that is made at its point ends by the tolerance, and says nothing about the next step.
    StoppingRule<double> rule = older_matrix(1e-3);
    const NewtonOutcome<double> outcome = newton<double>(true, 10, rule, [](bool, bool) {
        return Correction<double>{0.9 * tolerance * tolerance, false, false, acceleration, round_off_of_a_correction};
    });
    EXPECT_TRUE(outcome.converged);
    EXPECT_EQ(outcome.iterations, 1.0);
    EXPECT_EQ(rule.contraction_after_step(), 1.0);
}

TEST(StoppingRule, EndsInRoundOffThatDoesNotFall) {
    const double lengths[] = {0.3, 0.5, 0.4, 0.6};
    int count = 0;
    StoppingRule<double> rule = older_matrix(1.0, 1e-4);
    const NewtonOutcome<double> outcome = newton<double>(true, 4, rule, [&](bool, bool) {
        const double length = lengths[count++] * round_off_of_a_correction;
        return Correction<double>{length * length, false, true, 0.0, round_off_of_a_correction};
    });
    EXPECT_TRUE(outcome.converged);
    EXPECT_EQ(outcome.iterations, 2.0);
    EXPECT_FALSE(rule.falls_slowly);
}

TEST(StoppingRule, GivesALaneBesideOthersItsOwnBits) {
    const double thetas[] = {0.3, std::numeric_limits<double>::quiet_NaN(), 1e-3, 1.5};
    Four theta, error(1e-4);
    for (int lane = 0; lane < 4; ++lane) Lanes<Four>::set(theta, lane, thetas[lane]);
    StoppingRule<Four> rule{Four(tolerance), true, Four(1e-4)};
    const NewtonOutcome<Four> outcome = contract(theta, error, rule, 50);
    const Four converged = select(outcome.converged, Four(1.0), Four(0.0));
    for (int lane = 0; lane < 4; ++lane) {
        double alone = 1e-4;
        StoppingRule<double> own = older_matrix(1.0, 1e-4);
        const NewtonOutcome<double> by_itself = contract(thetas[lane], alone, own, 50);
        EXPECT_EQ(by_itself.converged, lane % 2 == 0) << lane;
        EXPECT_EQ(Lanes<Four>::get(converged, lane) == 1.0, by_itself.converged) << lane;
        EXPECT_EQ(Lanes<Four>::get(outcome.iterations, lane), by_itself.iterations) << lane;
        if (lane == 1) continue;
        EXPECT_EQ(Lanes<Four>::get(error, lane), alone) << lane;
        EXPECT_EQ(Lanes<Four>::get(rule.contraction_after_step(), lane), own.contraction_after_step()) << lane;
    }
}

}  // namespace
}  // namespace myriad::test
