// Redundant rows of mechanisms whose freedoms are known.
#include "host/mechanism/elimination/redundancy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace myriad::mechanism {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d skew(const Vector3d& v) {
    Matrix3d m;
    m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
    return m;
}

struct Rows {
    std::vector<double> jacobian;
    std::vector<int> classes;
    int columns;

    void add(const Eigen::RowVectorXd& row, int row_class) {
        for (int i = 0; i < columns; ++i) jacobian.push_back(row(i));
        classes.push_back(row_class);
    }
    IndependentRows independent() const { return independent_rows(jacobian, columns, classes); }
};

// Bodies with their frames along the world's; arms from the centres of mass to the joint. -1: ground.
void add_point(Rows& rows, int a, const Vector3d& arm_a, int b, const Vector3d& arm_b) {
    for (int i = 0; i < 3; ++i) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(rows.columns);
        if (a >= 0) {
            row(6 * a + i) = -1.0;
            row.segment<3>(6 * a + 3) = skew(arm_a).row(i);
        }
        if (b >= 0) {
            row(6 * b + i) = 1.0;
            row.segment<3>(6 * b + 3) = -skew(arm_b).row(i);
        }
        rows.add(row, 0);
    }
}
void add_parallel(Rows& rows, int a, int b, const Vector3d& axis) {
    const Vector3d f = axis.unitOrthogonal(), g = axis.cross(f);
    for (const Vector3d& direction : {f, g}) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(rows.columns);
        if (a >= 0) row.segment<3>(6 * a + 3) = axis.cross(direction).transpose();
        if (b >= 0) row.segment<3>(6 * b + 3) = direction.cross(axis).transpose();
        rows.add(row, 1);
    }
}

// Crank, coupler and rocker between four points of the plane; all axes along `axis`, or each along its own.
Rows four_bar_rows(const std::vector<Vector3d>& axes) {
    const Vector3d p[4] = {{0, 0, 0}, {0.4, 0.9, 0}, {2.3, 1.7, 0}, {2.9, -0.2, 0}};
    const Vector3d centre[3] = {(p[0] + p[1]) / 2, (p[1] + p[2]) / 2, (p[2] + p[3]) / 2};
    Rows rows{{}, {}, 18};
    for (int joint = 0; joint < 4; ++joint) {
        const int a = joint - 1, b = joint < 3 ? joint : -1;
        const Vector3d arm_a = a >= 0 ? Vector3d(p[joint] - centre[a]) : p[joint];
        const Vector3d arm_b = b >= 0 ? Vector3d(p[joint] - centre[b]) : p[joint];
        add_point(rows, a, arm_a, b, arm_b);
        add_parallel(rows, a, b, axes[static_cast<std::size_t>(joint)].normalized());
    }
    return rows;
}

TEST(Redundancy, OfAPlanarFourBarWithFourRevolutesIsThreeLateDirectionRows) {
    const Rows rows = four_bar_rows({{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
    const IndependentRows found = rows.independent();
    EXPECT_EQ(found.rank, 17);  // 18 unknowns, one freedom
    EXPECT_EQ(found.kept.size(), 17u);
    ASSERT_EQ(found.removed.size(), 3u);
    for (const int row : found.removed) {
        EXPECT_EQ(rows.classes[static_cast<std::size_t>(row)], 1);
        EXPECT_GE(row, 10);  // the first two joints keep all of theirs
    }
    EXPECT_LT(found.most_of_removed, 1e-14);
    EXPECT_GT(found.least_of_kept, 1e-2);
}

TEST(Redundancy, OfAFourBarWithSkewAxesIsNothing) {
    const IndependentRows found =
        four_bar_rows({{0, 0, 1}, {0.3, 0.1, 1}, {-0.2, 0.4, 1}, {0.5, -0.3, 1}}).independent();
    EXPECT_EQ(found.rank, 18);  // a structure: 18 of its 20 rows lock it
    EXPECT_EQ(found.removed.size(), 2u);
}

TEST(Redundancy, KeepsEveryRowOfAnOpenChain) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
    Rows rows{{}, {}, 36};
    for (int joint = 0; joint < 6; ++joint) {
        add_point(rows, joint - 1, vector(), joint, vector());
        add_parallel(rows, joint - 1, joint, vector().normalized());
    }
    const IndependentRows found = rows.independent();
    EXPECT_EQ(found.rank, 30);
    EXPECT_TRUE(found.removed.empty());
}

TEST(Redundancy, OfRandomProductsIsWhatTheirFactorsSay) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    for (const int rank : {0, 1, 5, 12}) {
        const auto draw = [&] { return normal(random); };
        const Eigen::MatrixXd left = Eigen::MatrixXd::NullaryExpr(17, rank, draw);
        const Eigen::MatrixXd right = Eigen::MatrixXd::NullaryExpr(rank, 12, draw);
        const Eigen::MatrixXd product = rank > 0 ? Eigen::MatrixXd(left * right) : Eigen::MatrixXd::Zero(17, 12);
        Rows rows{{}, {}, 12};
        for (int i = 0; i < 17; ++i) rows.add(product.row(i), i % 2);
        const IndependentRows found = rows.independent();
        EXPECT_EQ(found.rank, rank);
        ASSERT_EQ(found.kept.size(), static_cast<std::size_t>(rank));
        for (int k = 0; k < std::min(rank, 9); ++k)  // class 0 first: rows 0, 2, 4, ...
            EXPECT_NE(std::find(found.kept.begin(), found.kept.end(), 2 * k), found.kept.end()) << "row " << 2 * k;
    }
}

TEST(Redundancy, MakesEveryRemovedRowOfTheKeptOnes) {
    // A combination has the error of its rows over what is left of the least independent one.
    constexpr double round_off = 1e-13;
    std::mt19937_64 random(12);
    std::normal_distribution<double> normal;
    const auto draw = [&] { return normal(random); };
    const Eigen::MatrixXd product =
        Eigen::MatrixXd::NullaryExpr(17, 5, draw) * Eigen::MatrixXd::NullaryExpr(5, 12, draw);
    Rows rows{{}, {}, 12};
    for (int i = 0; i < 17; ++i) rows.add(product.row(i), i % 2);
    const IndependentRows found = rows.independent();
    const auto combinations = vanishing_combinations(rows.jacobian, 12, found);
    ASSERT_EQ(combinations.size(), 12u);
    for (std::size_t k = 0; k < combinations.size(); ++k) {
        const Eigen::Map<const Eigen::VectorXd> combination(combinations[k].data(), 17);
        EXPECT_LE((product.transpose() * combination).norm(), round_off / found.least_of_kept);
        for (const int removed : found.removed)
            EXPECT_EQ(combination[removed], removed == found.removed[k] ? 1.0 : 0.0);
    }
}

}  // namespace
}  // namespace myriad::mechanism
