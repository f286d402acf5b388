// A lane of a pack has the bits of the same tree alone, and single precision agrees to its own round-off.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/tree/random_trees.hpp"

namespace myriad::tree {
namespace {

constexpr int topologies = 100, lanes = 4;
using Four = Pack<double, lanes>;

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

TEST(TreeLanes, HaveTheBitsOfTheTreeAlone) {
    for (std::uint64_t topology = 0; topology < topologies; ++topology) {
        const auto numbers = [&](int lane) { return 1000 * topology + static_cast<std::uint64_t>(lane); };
        const auto four = std::make_unique<TreeRun<Four>>(RandomTree(topology, numbers(0)));
        for (int lane = 0; lane < lanes; ++lane) four->put(RandomTree(topology, numbers(lane)), lane);
        TreeConfiguration<Four, TableTree> ends{};
        take_step(*four, ends);
        for (int lane = 0; lane < lanes; ++lane) {
            const auto alone = std::make_unique<TreeRun<double>>(RandomTree(topology, numbers(lane)));
            TreeConfiguration<double, TableTree> end{};
            take_step(*alone, end);
            for (int i = 0; i < alone->table.freedoms; ++i)
                ASSERT_TRUE(same_bits(alone->forces[i], Lanes<Four>::get(four->forces[i], lane)))
                    << "tree " << topology << ", lane " << lane << ", freedom " << i;
            for (int i = 0; i < alone->table.fields; ++i)
                ASSERT_TRUE(same_bits(end[i], Lanes<Four>::get(ends[i], lane))) << "tree " << topology;
            for (int b = 0; b < alone->table.bodies; ++b)
                for (int i = 0; i < body_channels; ++i)
                    ASSERT_TRUE(
                        same_bits(body_state(alone->links, alone->poses, alone->table.last_link[b]).channel(i),
                                  Lanes<Four>::get(
                                      body_state(four->links, four->poses, four->table.last_link[b]).channel(i), lane)))
                        << "tree " << topology << ", body " << b;
        }
    }
}

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
