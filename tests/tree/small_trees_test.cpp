// Trees in single precision agree with those in double precision to its own round-off.
#include <gtest/gtest.h>

#include "tests/tree/random_trees.hpp"

namespace myriad::tree {
namespace {

constexpr int topologies = 100;

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
