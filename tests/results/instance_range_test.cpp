#include "host/results/layout/instance_range.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace myriad::results {
namespace {

TEST(MissingRanges, AreCutAtMultiplesOfTheChunk) {
    const std::vector<InstanceRange> expected = {{0, 7}, {25, 5}, {30, 3}};
    EXPECT_EQ(missing_ranges({{7, 3}, {10, 15}}, 33, 10), expected);
}

TEST(MissingRanges, TogetherWithTheFinishedCoverEveryInstanceOnce) {
    for (const std::uint64_t instances : {1u, 31u, 33u, 1000u})
        for (const std::uint64_t chunk : {1u, 31u, 33u, 1000u}) {
            std::vector<InstanceRange> finished;
            for (std::uint64_t first = 3; first + 5 <= instances; first += 17) finished.push_back({first, 5});
            std::vector<int> times_covered(instances, 0);
            for (const auto& ranges : {finished, missing_ranges(finished, instances, chunk)})
                for (const InstanceRange& range : ranges)
                    for (std::uint64_t i = range.first; i < range.end(); ++i) ++times_covered.at(i);
            EXPECT_EQ(times_covered, std::vector<int>(instances, 1)) << instances << " by " << chunk;
        }
}

TEST(MissingRanges, AreNoneWhenAllIsFinished) { EXPECT_TRUE(missing_ranges({{0, 33}}, 33, 4).empty()); }

}  // namespace
}  // namespace myriad::results
