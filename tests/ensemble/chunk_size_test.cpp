#include "host/ensemble/chunk_size.hpp"

#include <gtest/gtest.h>

namespace myriad::ensemble {
namespace {

// Chunks of `instances` in all, each at `rate` instances a second; gives the seconds of the longest.
double longest_chunk_s(ChunkSize& size, double rate, std::uint64_t instances) {
    double longest = 0.0;
    for (std::uint64_t done = 0; done < instances;) {
        const std::uint64_t count = std::min(size.next(), instances - done);
        const double seconds = static_cast<double>(count) / rate;
        size.took(count, seconds);
        longest = std::max(longest, seconds);
        done += count;
    }
    return longest;
}

TEST(ChunkSize, GivesAStudyOfAnySpeedChunksOfTenSecondsOrLess) {
    for (const double rate : {0.9, 16.0, 1000.0, 1e6}) {
        ChunkSize size(8, 16384);
        EXPECT_LE(longest_chunk_s(size, rate, 100'000), 1.01 * ChunkSize::wanted_seconds) << rate;
        // A whole tile is the grain.
        const double wanted = std::clamp(ChunkSize::wanted_seconds * rate, 8.0, 16384.0);
        EXPECT_LE(static_cast<double>(size.next()), wanted);
        EXPECT_GT(static_cast<double>(size.next()), wanted - ChunkSize::tile);
    }
}

TEST(ChunkSize, ReachesTheLargestChunkOfAFastStudyInAFew) {
    ChunkSize size(8, 16384);
    int chunks = 0;
    for (; size.next() < 16384; ++chunks) size.took(size.next(), 1e-3);
    EXPECT_LE(chunks, 3);
}

TEST(ChunkSize, FallsAtOnceWhereTheInstancesGetSlower) {
    ChunkSize size(8, 16384);
    for (int chunk = 0; chunk < 5; ++chunk) size.took(size.next(), 1e-3);
    size.took(16384, 1000.0);
    EXPECT_EQ(size.next(), 160u);
}

TEST(ChunkSize, IsNotMisledByTheRestOfAGap) {
    ChunkSize size(8, 16384);
    size.took(8, 0.01);
    const std::uint64_t before = size.next();
    size.took(1, 5.0);
    EXPECT_EQ(size.next(), before);
    EXPECT_EQ(ChunkSize(1, 1).next(), 1u);
}

}  // namespace
}  // namespace myriad::ensemble
