// Each decomposition against systems whose solutions are known by hand.
#include "host/reference/mathematics/decomposition.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

namespace myriad::reference {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using LongMatrix = Decomposition<long double>::Matrix;
using LongVector = Decomposition<long double>::Vector;

// Round-off of a few operations on numbers up to ten.
constexpr double rounded = 1e-14;
constexpr long double long_rounded = 1e-17L;

// |A| |A^-1| by Frobenius' norm: sqrt(29) sqrt(77), as A^-1 = [4 3 -1; -2 -2 1; 5 4 -1].
constexpr double condition = 47.3;
MatrixXd regular() { return MatrixXd{{2.0, 1.0, -1.0}, {-3.0, -1.0, 2.0}, {-2.0, 1.0, 2.0}}; }

TEST(Decomposition, SolvesARegularSystemByEveryPivoting) {
    const VectorXd right{{8.0, -11.0, -3.0}}, x{{2.0, 3.0, -1.0}};
    // A solver that is backward stable is off by the condition times the round-off of its numbers.
    const double off = condition * std::numeric_limits<double>::epsilon() * x.norm();
    for (const Decomposition<double>& of : {full_pivoting(regular()), least_norm(regular()), row_pivoting(regular())}) {
        EXPECT_TRUE(of.is_invertible());
        EXPECT_LE((of.solve(right) - x).norm(), off);
    }
    EXPECT_LE((inverse(regular()) * regular() - MatrixXd::Identity(3, 3)).norm(), off);
}

TEST(Decomposition, SolvesAllColumnsAsItSolvesEach) {
    const MatrixXd right{{8.0, 1.0}, {-11.0, 0.0}, {-3.0, -4.0}};
    const Decomposition<double> of = full_pivoting(regular());
    const MatrixXd solution = of.solve(right);
    ASSERT_EQ(solution.cols(), 2);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(VectorXd(solution.col(k)), of.solve(right.col(k)));
    EXPECT_EQ(of.solve(MatrixXd(3, 0)).rows(), 3);
    EXPECT_EQ(of.solve(MatrixXd(3, 0)).cols(), 0);
}

TEST(Decomposition, KnowsASingularMatrix) {
    const MatrixXd singular{{1.0, 2.0}, {2.0, 4.0}};
    EXPECT_FALSE(full_pivoting(singular).is_invertible());
    EXPECT_FALSE(least_norm(singular).is_invertible());
}

// x + 2 y = 5 twice: the nearest to zero is (1, 2). A single row of three, and three rows for one unknown.
TEST(Decomposition, TakesTheShortestOfManySolutionsAndTheNearestWhereThereIsNone) {
    EXPECT_LE((least_norm(MatrixXd{{1.0, 2.0}, {2.0, 4.0}}).solve(VectorXd{{5.0, 10.0}}) - VectorXd{{1.0, 2.0}}).norm(),
              rounded);
    EXPECT_LE((least_norm(MatrixXd{{2.0, -1.0, 2.0}}).solve(VectorXd{{9.0}}) - VectorXd{{2.0, -1.0, 2.0}}).norm(),
              rounded);
    EXPECT_NEAR(least_norm(MatrixXd{{1.0}, {1.0}, {1.0}}).solve(VectorXd{{1.0, 2.0, 6.0}})[0], 3.0, rounded);
}

TEST(Decomposition, InLongDoubleLeavesOutPivotsBelowTheThreshold) {
    const LongMatrix nearly{{1.0L, 0.0L}, {0.0L, 1e-14L}};
    const LongVector right{{3.0L, 1e-14L}};
    EXPECT_TRUE(full_pivoting(nearly, 1e-15L).is_invertible());
    EXPECT_FALSE(full_pivoting(nearly, 1e-13L).is_invertible());
    EXPECT_LE((least_norm(nearly, 1e-15L).solve(right) - LongVector{{3.0L, 1.0L}}).norm(), long_rounded);
    EXPECT_LE((least_norm(nearly, 1e-13L).solve(right) - LongVector{{3.0L, 0.0L}}).norm(), long_rounded);
}

}  // namespace
}  // namespace myriad::reference
