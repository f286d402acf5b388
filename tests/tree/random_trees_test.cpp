// 1,000 random trees of every joint against the twin, which differentiates the positions of the bodies, and against
// Eigen.
#include "tests/tree/random_trees.hpp"

#include <gtest/gtest.h>

#include <set>

namespace myriad::tree {
namespace {

// Spins of up to 10 rad/s: small enough for a matrix that stays near the positive definite one of the masses
constexpr double step_s = 0.01;

template <class Look>
void for_random_trees(Look&& look) {
    for (std::uint64_t seed = 0; seed < random_trees; ++seed) {
        const RandomTree random(seed, seed + random_trees);
        ASSERT_EQ(random.table().bodies, static_cast<int>(random.bodies.size())) << "tree " << seed;
        look(random, *run_of(random));
        if (testing::Test::HasFailure()) FAIL() << "tree " << seed;
    }
}

TEST(RandomTrees, HaveEveryJointUnderEveryOther) {
    std::set<std::pair<int, int>> seen;
    for (std::uint64_t seed = 0; seed < random_trees; ++seed)
        for (const RandomTree random(seed, seed); const reference::TwinBody& body : random.bodies)
            seen.insert(
                {body.parent < 0 ? -1 : static_cast<int>(random.bodies[static_cast<std::size_t>(body.parent)].joint),
                 static_cast<int>(body.joint)});
    // Each of nine on the ground, each but the free one on each of nine
    EXPECT_EQ(seen.size(), 9U + 9U * 8U);
}

// Angles through several turns, orientations through half a radian and more
TEST(RandomTrees, RetractToTheConfigurationOfTheTwin) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        TreeRates<double, TableTree> u = run.a;
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            const int first = link.freedom + link.slides;
            if (link.turning == TreeTurning::about_z) u[first] *= 10.0;
            for (int k = 0; k < 3 && link.turning == TreeTurning::any; ++k) u[first + k] *= 0.25;
        }
        const auto reached = random.twin().retract(random.q, run.of(u));
        const auto expected = random.twin().motion(reached, random.v, random.a);
        const TreeConfiguration<double, TableTree> start = run.q;
        retract(start, u, run.q);
        run.move(false);
        for (int b = 0; b < run.table.bodies; ++b) {
            const BodyState<double> state = body_state(run.links, run.poses, run.table.last_link[b]);
            const Rotation<double>& r = state.orientation;
            const Vec<3, double>& x = state.position;
            const auto& twin = expected[static_cast<std::size_t>(b)];
            ASSERT_LE(relative_difference(Eigen::Vector3d(x[0], x[1], x[2]), twin.position), round_off);
            ASSERT_LE(relative_difference(Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix(), twin.orientation),
                      round_off);
        }
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            if (link.turning != TreeTurning::about_z) continue;
            const int field = link.field + link.slides;
            ASSERT_NEAR(run.q.whole_angle(field), start[field] + u[link.freedom + link.slides], round_off);
        }
    });
}

TEST(RandomTrees, HaveTheMassMatrixOfTheTwin) {
    for_random_trees([&](const RandomTree& random, TreeRun<double>& run) {
        ASSERT_LE(relative_difference(run.dense(true), random.twin().mass_matrix(random.q)), round_off);
    });
}

TEST(RandomTrees, TakeForcesThatDependOnAccelerationsByTheMassMatrix) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::VectorXd with = run.of(run.forces), a = run.of(run.a);
        const Eigen::MatrixXd mass = run.dense(true);
        for (int i = 0; i < run.table.freedoms; ++i) run.a[i] = 0.0;
        run.move();
        ASSERT_LE(relative_difference(with - run.of(run.forces), mass * a), round_off);
    });
}

TEST(RandomTrees, EliminationSolvesWhatADenseSolveDoes) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::MatrixXd mass = run.dense(true);
        const Eigen::VectorXd b = run.of(run.a);
        if (b.size() == 0) return;
        TreeRates<double, TableTree> x = run.a;
        ASSERT_EQ(factor_symmetric(run.matrix), -1.0);
        solve_symmetric(run.matrix, x.e);
        const Eigen::VectorXd found = run.of(x), expected = mass.partialPivLu().solve(b);
        ASSERT_LE((mass * found - b).norm() / (mass.norm() * found.norm() + b.norm()), round_off);
        const double condition = Eigen::JacobiSVD<Eigen::MatrixXd>(mass).singularValues()(0) /
                                 Eigen::JacobiSVD<Eigen::MatrixXd>(mass).singularValues().tail<1>()(0);
        ASSERT_LE((found - expected).norm(), 1e-15 * condition * static_cast<double>(b.size()) * expected.norm());
    });
}

TEST(RandomTrees, EliminationTakesGyroscopicTermsUnsymmetrically) {
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        mirror(run.matrix);
        add_gyroscopic_blocks(run.v, run.composites, run.motions, step_s, run.matrix);
        const Eigen::MatrixXd matrix = run.dense(false);
        TreeRates<double, TableTree> x = run.a;
        ASSERT_EQ(factor(run.matrix), -1.0);
        solve(run.matrix, x.e);
        const Eigen::VectorXd found = run.of(x), b = run.of(run.a);
        if (b.size() == 0) return;
        ASSERT_LE((matrix * found - b).norm() / (matrix.norm() * found.norm() + b.norm()), round_off);
    });
}

// The forces are quadratic in the rates, so that a central difference of any step has nothing but round-off.
TEST(RandomTrees, GyroscopicBlocksAreTheDerivativeByTheRateOfAnOuterOrientation) {
    int blocks = 0;
    for_random_trees([&](const RandomTree&, TreeRun<double>& run) {
        const Eigen::MatrixXd mass = run.dense(true);
        mirror(run.matrix);
        add_gyroscopic_blocks(run.v, run.composites, run.motions, 1.0, run.matrix);
        const Eigen::MatrixXd block = run.dense(false) - mass;
        for (int l = 0; l < run.table.links; ++l) {
            const TreeLink& link = run.table.link[l];
            if (link.turning != TreeTurning::any) continue;
            bool outer = true;  // all that hangs on it is fixed to it
            for (int k = l + 1; k < run.table.links; ++k)
                for (int p = k; p >= 0; p = run.table.link[p].parent)
                    if (run.table.link[p].parent == l &&
                        (run.table.link[k].slides > 0 || run.table.link[k].turning != TreeTurning::none))
                        outer = false;
            if (!outer) continue;
            const int first = link.freedom + link.slides;
            for (int j = 0; j < 3; ++j) {
                const double rate = run.v[first + j];
                run.v[first + j] = rate + 0.5, run.move();
                const Eigen::VectorXd above = run.of(run.forces);
                run.v[first + j] = rate - 0.5, run.move();
                const Eigen::VectorXd slope = above - run.of(run.forces);
                run.v[first + j] = rate;
                ASSERT_LE(relative_difference(block.block<3, 1>(first, first + j), slope.segment<3>(first)),
                          10.0 * round_off);
            }
            ++blocks;
        }
    });
    EXPECT_GT(blocks, 300);
}

}  // namespace
}  // namespace myriad::tree
