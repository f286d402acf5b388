// The Newton loop alone, on square roots: when lanes converge, what they cost, and that none disturbs another.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/newton.hpp"

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
    const NewtonOutcome<Four> outcome = root_of(a, x, 100, a < Four(9.0) | Four(9.0) < a | !(a == a));
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

}  // namespace
}  // namespace myriad::test
