// Eigenvalues and null spaces of small matrices against Eigen's and against matrices made of known ones.
#include "host/mechanism/linear/eigenvalues.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

namespace myriad::mechanism {
namespace {

// Some operations on each entry for each of its rows.
constexpr double round_off_of_entries = 1e-13;

Eigen::MatrixXd as_eigen(const DenseMatrix& a) {
    return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
        a.entries.data(), static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.columns));
}
DenseMatrix from_eigen(const Eigen::MatrixXd& a) {
    DenseMatrix made(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index k = 0; k < a.cols(); ++k)
            made(static_cast<std::size_t>(i), static_cast<std::size_t>(k)) = a(i, k);
    return made;
}
Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
    std::mt19937 bits(seed);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd a(rows, columns);
    for (double& entry : a.reshaped()) entry = normal(bits);
    return a;
}

// The largest distance of an eigenvalue from the nearest one that is left.
double distance(std::vector<std::complex<double>> found, const Eigen::VectorXcd& expected) {
    double largest = found.size() == static_cast<std::size_t>(expected.size()) ? 0.0 : 1e300;
    for (const std::complex<double>& value : expected) {
        const auto nearest = std::min_element(found.begin(), found.end(), [&](const auto& a, const auto& b) {
            return std::abs(a - value) < std::abs(b - value);
        });
        if (nearest == found.end()) return 1e300;
        largest = std::max(largest, std::abs(*nearest - value));
        found.erase(nearest);
    }
    return largest;
}

TEST(LinearEigenvalues, AreThoseOfEigenForAnyRealMatrix) {
    for (const Eigen::Index n : {1, 2, 3, 4, 7, 31, 33, 60})
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const Eigen::MatrixXd a = random_matrix(n, n, seed + 100 * static_cast<unsigned>(n));
            const auto found = eigenvalues(from_eigen(a));
            ASSERT_TRUE(found) << n << ", seed " << seed;
            // The least condition of an eigenvalue of some thousand random ones is near 1e-3.
            EXPECT_LE(distance(*found, Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues()),
                      1e3 * round_off_of_entries * a.norm())
                << n << ", seed " << seed;
        }
}

TEST(LinearEigenvalues, StandInConjugatePairsThatEndInTheSameBits) {
    const auto found = eigenvalues(from_eigen(random_matrix(12, 12, 5)));
    ASSERT_TRUE(found);
    for (std::size_t i = 0; i < found->size(); ++i) {
        if ((*found)[i].imag() <= 0.0) continue;
        ASSERT_LT(i + 1, found->size());
        EXPECT_EQ((*found)[i + 1], std::conj((*found)[i]));
    }
}

TEST(LinearEigenvalues, OfAMatrixOfBadScalesComeBalanced) {
    // Of diag(d) [2 1; 1 2] diag(1/d): 1 and 3.
    DenseMatrix a(2, 2);
    a(0, 0) = a(1, 1) = 2.0, a(0, 1) = 1e9, a(1, 0) = 1e-9;
    const auto found = eigenvalues(a);
    ASSERT_TRUE(found);
    EXPECT_LE(distance(*found, Eigen::Vector2cd(1.0, 3.0)), round_off_of_entries);
}

TEST(LinearEigenvalues, OfACyclicPermutationAreTheRootsOfUnity) {
    // Shifts from its corner are zero: only exceptional ones let it go on.
    for (const std::size_t n : {3u, 4u, 6u}) {
        DenseMatrix a(n, n);
        for (std::size_t i = 0; i < n; ++i) a(i, (i + 1) % n) = 1.0;
        const auto found = eigenvalues(a);
        ASSERT_TRUE(found) << n;
        for (const auto& value : *found) {
            std::complex<double> power = 1.0;
            for (std::size_t k = 0; k < n; ++k) power *= value;
            EXPECT_LE(std::abs(power - 1.0), 1e-12) << n;
        }
    }
}

TEST(LinearEigenvalues, OfSymmetricMatricesAreThoseOfEigenMultipleOnesIncluded) {
    for (const Eigen::Index n : {1, 2, 5, 31, 33})
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const Eigen::MatrixXd q = random_matrix(n, n, seed).householderQr().householderQ();
            Eigen::VectorXd values = random_matrix(n, 1, seed + 50);
            for (Eigen::Index i = 1; i < n; i += 3) values[i] = values[i - 1];
            const Eigen::MatrixXd a = q * values.asDiagonal() * q.transpose();
            const std::vector<double> found = symmetric_eigenvalues(from_eigen(a));
            std::sort(values.begin(), values.end());
            for (Eigen::Index i = 0; i < n; ++i)
                EXPECT_NEAR(found[static_cast<std::size_t>(i)], values[i], round_off_of_entries * a.norm());
        }
}

TEST(LinearNullSpaces, AreOrthonormalAndWholeWhereRowsDependOnOthers) {
    for (const Eigen::Index n : {2, 6, 31})
        for (Eigen::Index rank = 0; rank <= n; rank += std::max<Eigen::Index>(1, n / 3)) {
            const Eigen::MatrixXd a = random_matrix(n, rank, 3) * random_matrix(rank, n, 4);
            const Eigen::MatrixXd basis = as_eigen(null_space(from_eigen(a), 1e-9 * std::max(1.0, a.norm())));
            ASSERT_EQ(basis.cols(), n - rank) << n;
            EXPECT_LE((a * basis).cwiseAbs().sum(), 1e-12 * n * std::max(1.0, a.norm()));
            EXPECT_LE((basis.transpose() * basis - Eigen::MatrixXd::Identity(n - rank, n - rank)).norm(), 1e-13 * n);
        }
}

}  // namespace
}  // namespace myriad::mechanism
