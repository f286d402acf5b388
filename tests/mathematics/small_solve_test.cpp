// Small dense systems of equations and symmetric 3x3 matrices against Eigen, one at a time and in lanes.
#include "kernels/math/small_solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "kernels/math/small_factors.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::test {
namespace {

using backends::uniform;
using Four = Pack<double, 4>;

// Condition numbers of the matrices below reach some hundreds; Eigen has as much round-off.
constexpr double solved = 1e-12;
// Those of matrices without any order, in the worst of the cases.
constexpr double solved_after_exchange = 1e-9;

template <int N>
struct Problem {
    Eigen::Matrix<double, N, N> matrix;
    Eigen::Matrix<double, N, 1> right;
    SquareMatrix<N, double> m;
    Vec<N, double> b;

    void copy() {
        for (int i = 0; i < N; ++i) {
            b[i] = right[i];
            for (int j = 0; j < N; ++j) m.e[i][j] = matrix(i, j);
        }
    }
};

// Entries from -1/2 to 1/2.
template <int N>
Problem<N> any_problem(std::uint64_t instance) {
    Problem<N> p;
    std::uint64_t draw = 0;
    for (int i = 0; i < N; ++i) {
        p.right[i] = uniform(instance, draw++) - 0.5;
        for (int j = 0; j < N; ++j) p.matrix(i, j) = uniform(instance, draw++) - 0.5;
    }
    p.copy();
    return p;
}
// A A^T + 1/10, and with `turning` a part that is not symmetric: safe without an exchange of rows.
template <int N>
Problem<N> definite_problem(std::uint64_t instance, bool turning) {
    Problem<N> p = any_problem<N>(instance);
    const Eigen::Matrix<double, N, N> a = p.matrix;
    p.matrix = a * a.transpose() + 0.1 * Eigen::Matrix<double, N, N>::Identity();
    if (turning) p.matrix += 0.3 * (a - a.transpose());
    p.copy();
    return p;
}
template <int N>
double distance(const Vec<N, double>& found, const Eigen::Matrix<double, N, 1>& expected) {
    return (Eigen::Map<const Eigen::Matrix<double, N, 1>>(found.e) - expected).norm() / (1.0 + expected.norm());
}

template <class Size>
class SmallSolve : public testing::Test {};
template <int N>
struct Of {
    static constexpr int size = N;
};
using Sizes = testing::Types<Of<1>, Of<2>, Of<3>, Of<6>, Of<9>>;
TYPED_TEST_SUITE(SmallSolve, Sizes);

TYPED_TEST(SmallSolve, FindsWhatEigenFinds) {
    constexpr int n = TypeParam::size;
    for (std::uint64_t instance = 0; instance < 31; ++instance) {
        const Problem<n> symmetric = definite_problem<n>(instance, false),
                         turning = definite_problem<n>(instance, true);
        const Eigen::Matrix<double, n, 1> x = symmetric.matrix.ldlt().solve(symmetric.right),
                                          y = turning.matrix.fullPivLu().solve(turning.right);
        EXPECT_LE(distance(solve_symmetric(symmetric.m, symmetric.b), x), solved) << instance;
        EXPECT_LE(distance(solve(turning.m, turning.b), y), solved) << instance;
        SmallFactors<n, double> factors;
        factors.factor(turning.m);
        EXPECT_LE(distance(factors.solve(turning.b), y), solved) << instance;
        // The factors serve other right-hand sides, too.
        const Eigen::Matrix<double, n, 1> z = turning.matrix.fullPivLu().solve(symmetric.right.reverse());
        Vec<n, double> reversed;
        for (int i = 0; i < n; ++i) reversed[i] = symmetric.right[n - 1 - i];
        EXPECT_LE(distance(factors.solve(reversed), z), solved) << instance;
    }
}

TYPED_TEST(SmallSolve, ReadsTheLowerTriangleOfASymmetricMatrixOnly) {
    constexpr int n = TypeParam::size;
    Problem<n> p = definite_problem<n>(5, false);
    const Eigen::Matrix<double, n, 1> x = p.matrix.ldlt().solve(p.right);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) p.m.e[i][j] = std::nan("");
    EXPECT_LE(distance(solve_symmetric(p.m, p.b), x), solved);
}

TYPED_TEST(SmallSolve, ExchangesRowsWhereAPivotVanishes) {
    constexpr int n = TypeParam::size;
    for (std::uint64_t instance = 0; instance < 31; ++instance) {
        Problem<n> p = any_problem<n>(instance);
        if (n > 1) p.matrix(0, 0) = 0.0;
        p.copy();
        const Eigen::Matrix<double, n, 1> x = p.matrix.fullPivLu().solve(p.right);
        EXPECT_LE(distance(solve_with_exchange(p.m, p.b), x), solved_after_exchange) << instance;
        EXPECT_LE(distance(solve_large_with_exchange(p.m, p.b), x), solved_after_exchange) << instance;
    }
}

TEST(SmallSolve, TakesAsMuchOfALargerMatrixAsItIsTold) {
    Problem<4> p = any_problem<4>(2);
    SquareMatrix<7, double> room;
    Vec<7, double> b;
    for (int i = 0; i < 7; ++i) {
        b[i] = i < 4 ? p.b[i] : std::nan("");
        for (int j = 0; j < 7; ++j) room.e[i][j] = i < 4 && j < 4 ? p.m.e[i][j] : std::nan("");
    }
    const auto found = solve_large_with_exchange(room, b, [] { return 4; });
    const Eigen::Vector4d x = p.matrix.fullPivLu().solve(p.right);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[i], x[i], solved_after_exchange);
}

TEST(SmallSolve, OfASingularMatrixIsNotFinite) {
    Problem<3> p = definite_problem<3>(1, false);
    p.matrix.col(0).setZero(), p.matrix.row(0).setZero();
    p.copy();
    SmallFactors<3, double> factors;
    factors.factor(p.m);
    const Vec<3, double> results[] = {solve_symmetric(p.m, p.b), solve(p.m, p.b), factors.solve(p.b),
                                      solve_with_exchange(p.m, p.b), solve_large_with_exchange(p.m, p.b)};
    for (const Vec<3, double>& result : results)
        EXPECT_FALSE(std::isfinite(result[0]) && std::isfinite(result[1]) && std::isfinite(result[2]));
}

// Which rows change places differs from lane to lane.
TEST(SmallSolve, HasTheSameBitsInEveryLane) {
    constexpr int n = 6;
    SquareMatrix<n, Four> definite, any;
    Vec<n, Four> b;
    for (int lane = 0; lane < 4; ++lane) {
        const auto number = static_cast<std::uint64_t>(lane);
        const Problem<n> of_definite = definite_problem<n>(number, true), of_any = any_problem<n>(number);
        for (int i = 0; i < n; ++i) {
            Lanes<Four>::set(b[i], lane, of_any.b[i]);
            for (int j = 0; j < n; ++j) {
                Lanes<Four>::set(definite.e[i][j], lane, of_definite.m.e[i][j]);
                Lanes<Four>::set(any.e[i][j], lane, of_any.m.e[i][j]);
            }
        }
    }
    SmallFactors<n, Four> factors;
    factors.factor(definite);
    const Vec<n, Four> factored = factors.solve(b);
    const Vec<n, Four> exchanged = solve_large_with_exchange(any, b);
    for (int lane = 0; lane < 4; ++lane) {
        Problem<n> of_definite = definite_problem<n>(static_cast<std::uint64_t>(lane), true),
                   of_any = any_problem<n>(static_cast<std::uint64_t>(lane));
        SmallFactors<n, double> alone;
        alone.factor(of_definite.m);
        const Vec<n, double> x = alone.solve(of_any.b), y = solve_large_with_exchange(of_any.m, of_any.b);
        for (int i = 0; i < n; ++i) {
            EXPECT_EQ(Lanes<Four>::get(factored[i], lane), x[i]);
            EXPECT_EQ(Lanes<Four>::get(exchanged[i], lane), y[i]);
        }
    }
}

TEST(SmallMatrix, OfThreeIsThatOfEigen) {
    for (std::uint64_t instance = 0; instance < 31; ++instance) {
        const Problem<3> p = definite_problem<3>(instance, false), q = any_problem<3>(instance + 100);
        const Eigen::Matrix3d& s = p.matrix;
        const Symmetric3<double> symmetric{s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(0, 2), s(1, 2)};
        EXPECT_NEAR(determinant(symmetric), s.determinant(), solved);
        const Mat3<double> inverted = matrix_of(inverse(symmetric)), other{{{q.m.e[0][0], q.m.e[0][1], q.m.e[0][2]},
                                                                            {q.m.e[1][0], q.m.e[1][1], q.m.e[1][2]},
                                                                            {q.m.e[2][0], q.m.e[2][1], q.m.e[2][2]}}};
        const Mat3<double> product = matrix_of(symmetric) * other, turned = transpose(other);
        const Eigen::Matrix3d expected = s.inverse(), expected_product = s * q.matrix;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                EXPECT_NEAR(inverted.e[i][j], expected(i, j), solved * expected.norm());
                EXPECT_NEAR(product.e[i][j], expected_product(i, j), solved);
                EXPECT_EQ(turned.e[i][j], q.matrix(j, i));
            }
        const Eigen::Vector3d v = q.right, w = p.right, across = v.cross(w), times = s * v;
        const Vec<3, double> crossed = cross(q.b, p.b), added = add_cross(q.b, p.b, q.b), skewed = skew(q.b) * p.b,
                             multiplied = symmetric * q.b;
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(crossed[i], across[i], solved);
            EXPECT_NEAR(skewed[i], across[i], solved);
            EXPECT_NEAR(added[i], across[i] + v[i], solved);
            EXPECT_NEAR(multiplied[i], times[i], solved);
        }
        EXPECT_NEAR(dot(q.b, p.b), v.dot(w), solved);
    }
}

}  // namespace
}  // namespace myriad::test
