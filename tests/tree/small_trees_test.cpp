// Kernels for small trees have the bits of those for all, and single precision agrees to its own round-off.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/tree/random_trees.hpp"

namespace myriad::tree {
namespace {

constexpr int topologies = 100;

template <class Real, class Topology>
void take_step(TreeRun<Real, Topology>& run, TreeConfiguration<Real, Topology>& end) {
    run.evaluate();
    retract(run.q, run.v, end);
    settle(end);
    mirror(run.matrix);
    add_gyroscopic_blocks(run.v, run.composites, run.motions, Real(1e-3), run.matrix);
    factor(run.matrix);
    solve(run.matrix, run.forces.e);
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// A kernel that is compiled for small trees has the bits of the one for all.
TEST(TreeLanes, HaveTheSameBitsWithSmallerCapacities) {
    using Small = SizedTree<6, 12, 60>;
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 10 * topologies; ++seed) {
        const RandomTree random(seed, seed);
        if (!fits<Small>(random.table())) continue;
        const auto large = std::make_unique<TreeRun<double>>(random);
        const auto small = std::make_unique<TreeRun<double, Small>>(random);
        TreeConfiguration<double, TableTree> large_end{};
        TreeConfiguration<double, Small> small_end{};
        take_step(*large, large_end), take_step(*small, small_end);
        for (int i = 0; i < large->table.freedoms; ++i)
            ASSERT_TRUE(same_bits(large->forces[i], small->forces[i])) << "tree " << seed;
        for (int i = 0; i < large->table.fields; ++i)
            ASSERT_TRUE(same_bits(large_end[i], small_end[i])) << "tree " << seed;
        ++compared;
    }
    EXPECT_GT(compared, topologies);
}

TEST(TreeLanes, SinglePrecisionAgreesToItsRoundOff) {
    constexpr double single_round_off = 2e-5;  // round_off times the ratio of the precisions
    for (std::uint64_t seed = 0; seed < topologies; ++seed) {
        const RandomTree random(seed, seed);
        const auto expected = run_of(random);
        const auto found = run_of<float>(random);
        ASSERT_LE(relative_difference(found->of(found->forces), expected->of(expected->forces)), single_round_off)
            << seed;
        ASSERT_LE(relative_difference(found->dense(true), expected->dense(true)), single_round_off) << seed;
    }
}

}  // namespace
}  // namespace myriad::tree
