// The planned elimination against a pivoted dense factorization, over structures of mechanisms.
#include "kernels/mechanism/elimination.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/topology/elimination_problems.hpp"

namespace myriad::mechanism {
namespace {

using J = JointRows;
using Doubles = Pack<double, 8>;

// A backward stable solution is off by a few n epsilon times the condition number; growth of the factors, which static
// pivots bound to 1 / 0.05 where they are chosen on values, comes on top.
constexpr double error_per_condition = 1000.0 * std::numeric_limits<double>::epsilon();

std::vector<Example> examples() {
    std::vector<Example> list;
    for (const int bodies : {1, 2, 3, 6, 16}) {
        for (const J type : {J::point, J::revolute, J::spherical_and_law}) list.push_back(chain(bodies, type));
        Example tree{"tree", {}, bodies};
        for (int b = 0; b < bodies; ++b)
            tree.joints.push_back({b % 3 == 0 ? J::point : J::revolute, (b + 1) / 2 - 1, b});
        list.push_back(tree);
        Example loop = chain(bodies, J::revolute);
        loop.name = "loop through the ground";
        loop.joints.push_back({J::point, bodies - 1, -1});
        if (bodies > 2) list.push_back(loop);  // fewer bodies cannot close it
        Example free{"free loop", {}, bodies};
        for (int b = 0; b < bodies; ++b) free.joints.push_back({J::point, b, (b + 1) % bodies});
        if (bodies > 2) list.push_back(free);
        Example laws{"bodies on laws alone", {}, bodies};
        for (int b = 0; b < bodies; ++b) laws.joints.push_back({J::distance, b % 2 == 0 ? -1 : b - 1, b});
        list.push_back(laws);
        Example stiff = chain(bodies, J::revolute);
        stiff.name = "full blocks";
        for (int b = 0; b < bodies; b += 2) stiff.stiff_bodies.push_back(b);
        list.push_back(stiff);
        Example rods = chain(bodies, J::revolute);
        rods.name = "published inertias";
        for (int b = 0; b < bodies; ++b)
            rods.inertia.push_back(b % 2 == 0 ? Eigen::Vector3d(4, 2, 0) : Eigen::Vector3d(0, 0.35, 0));
        list.push_back(rods);
        if (bodies > 1) {
            Example mixed = chain(bodies, J::fixed);
            mixed.name = "no body at the ground";
            mixed.joints[0].a = 1;
            mixed.joints.erase(mixed.joints.begin() + 1);
            list.push_back(mixed);
        }
    }
    Example ladder{"two loops", {}, 6};
    for (const auto& [a, b] : {std::pair{-1, 0}, {0, 1}, {1, 2}, {2, -1}, {1, 3}, {3, 4}, {4, 5}, {5, -1}})
        ladder.joints.push_back({J::point, a, b});
    list.push_back(ladder);
    return list;
}

struct Planned {
    EliminationProblem problem;
    Eigen::MatrixXd matrix;
    EliminationPlan plan;
};

Planned planned(const Example& example, std::mt19937_64& random) {
    Planned p;
    p.problem = structure_of(example);
    p.matrix = values_of(example, p.problem, random);
    add_nominal(p.problem, p.matrix);
    p.plan = plan_elimination(p.problem);
    return p;
}

template <class Real>
struct Solved {
    std::vector<Real> matrix, right_hand_side, solution;
    MaskOf<Real> weak;
};

// Lane l holds matrices[l % count] and right_hand_sides[l % count].
template <class Real>
Solved<Real> solved(const Planned& p, const std::vector<Eigen::MatrixXd>& matrices,
                    const std::vector<Eigen::VectorXd>& right_hand_sides) {
    using Number = NumberOf<Real>;
    const Elimination& e = p.plan.elimination;
    Solved<Real> s{};
    // Slots of fill must not be read before they are written.
    s.matrix.assign(static_cast<std::size_t>(e.slots), Real(std::numeric_limits<double>::quiet_NaN()));
    s.right_hand_side.resize(static_cast<std::size_t>(e.unknowns));
    s.solution.resize(static_cast<std::size_t>(e.unknowns));
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
        const std::size_t which = static_cast<std::size_t>(lane) % matrices.size();
        scatter(p.problem, e, matrices[which], [&](int slot, double value) {
            Lanes<Real>::set(s.matrix[static_cast<std::size_t>(slot)], lane, static_cast<Number>(value));
        });
        for (int i = 0; i < e.unknowns; ++i)
            Lanes<Real>::set(s.right_hand_side[static_cast<std::size_t>(i)], lane,
                             static_cast<Number>(right_hand_sides[which](i)));
    }
    s.weak = factor(e, s.matrix.data());
    solve(e, s.matrix.data(), s.right_hand_side.data(), s.solution.data());
    return s;
}

Eigen::VectorXd random_vector(int size, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return Eigen::VectorXd::NullaryExpr(size, [&] { return uniform(random); });
}

template <class Real>
Eigen::VectorXd lane_of_solution(const Solved<Real>& s, int lane) {
    Eigen::VectorXd x(static_cast<int>(s.solution.size()));
    for (int i = 0; i < x.size(); ++i) x(i) = Lanes<Real>::get(s.solution[static_cast<std::size_t>(i)], lane);
    return x;
}

std::string label(const Example& example) {
    return example.name + ", " + std::to_string(example.bodies) + " bodies, " + std::to_string(example.joints.size()) +
           " joints";
}

TEST(Elimination, SolvesWhatAPivotedDenseFactorizationSolves) {
    std::mt19937_64 random(20240501);
    for (const Example& example : examples()) {
        const Planned p = planned(example, random);
        ASSERT_EQ(p.plan.refusal, "") << label(example);
        const Eigen::VectorXd b = random_vector(p.problem.unknowns(), random);
        const Eigen::FullPivLU<Eigen::MatrixXd> dense(p.matrix);
        const Eigen::VectorXd expected = dense.solve(b);
        const double condition = 1.0 / dense.rcond();
        const Solved<double> s = solved<double>(p, {p.matrix}, {b});
        EXPECT_FALSE(s.weak) << label(example);
        EXPECT_LE((lane_of_solution(s, 0) - expected).norm(), error_per_condition * condition * expected.norm())
            << label(example) << ", condition " << condition << ", weakest pivot " << p.plan.weakest_pivot;
    }
}

TEST(Elimination, IsSafeAtPosesThatWereNotPlannedFor) {
    std::mt19937_64 random(5);
    for (const Example& example : examples()) {
        const Planned p = planned(example, random);
        for (int pose = 0; pose < 5; ++pose) {
            const Eigen::MatrixXd matrix = values_of(example, p.problem, random);
            const Eigen::VectorXd b = random_vector(p.problem.unknowns(), random);
            const Eigen::FullPivLU<Eigen::MatrixXd> dense(matrix);
            const Eigen::VectorXd expected = dense.solve(b);
            const double condition = 1.0 / dense.rcond();
            const Solved<double> s = solved<double>(p, {matrix}, {b});
            EXPECT_FALSE(s.weak) << label(example);
            EXPECT_LE((lane_of_solution(s, 0) - expected).norm(), error_per_condition * condition * expected.norm())
                << label(example) << ", condition " << condition;
        }
    }
}

// Two rows that say the same: their multipliers are not determined, the motion is.
TEST(Elimination, ReportsARankDeficientMatrixInItsLaneAndStaysFinite) {
    std::mt19937_64 random(13);
    const Example example = chain(3, J::revolute);
    const Planned p = planned(example, random);
    Eigen::MatrixXd deficient = p.matrix;
    const int first = 18 + 8, second = 18 + 9;  // the direction rows of the second joint
    deficient.row(second) = 3.0 * deficient.row(first);
    deficient.col(second) = 3.0 * deficient.col(first);
    const Eigen::VectorXd b = random_vector(p.problem.unknowns(), random);
    std::vector<Eigen::MatrixXd> matrices(8, p.matrix);
    matrices[5] = deficient;
    const auto s = solved<Doubles>(p, matrices, std::vector<Eigen::VectorXd>(8, b));
    for (int lane = 0; lane < 8; ++lane) {
        EXPECT_EQ(lane_of(s.weak, lane), lane == 5);
        EXPECT_TRUE(lane_of_solution(s, lane).allFinite()) << "lane " << lane;
    }
    EXPECT_EQ(lane_of_solution(s, 4), lane_of_solution(s, 3));
}

TEST(Elimination, OfAllZerosIsReportedAndFinite) {
    std::mt19937_64 random(13);
    const Planned p = planned(chain(2, J::revolute), random);
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(p.problem.unknowns(), p.problem.unknowns());
    const auto s = solved<double>(p, {zero}, {random_vector(p.problem.unknowns(), random)});
    EXPECT_TRUE(s.weak);
    EXPECT_TRUE(lane_of_solution(s, 0).allFinite());
}

TEST(Elimination, LeavesANotANumberOne) {
    std::mt19937_64 random(13);
    const Planned p = planned(chain(2, J::revolute), random);
    Eigen::MatrixXd broken = p.matrix;
    broken(3, 3) = std::numeric_limits<double>::quiet_NaN();
    std::vector<Eigen::MatrixXd> matrices(8, p.matrix);
    matrices[2] = broken;
    const Eigen::VectorXd b = random_vector(p.problem.unknowns(), random);
    const auto s = solved<Doubles>(p, matrices, std::vector<Eigen::VectorXd>(8, b));
    EXPECT_FALSE(any(s.weak));
    EXPECT_TRUE(lane_of_solution(s, 2).hasNaN());
    EXPECT_TRUE(lane_of_solution(s, 1).allFinite());
}

}  // namespace
}  // namespace myriad::mechanism
