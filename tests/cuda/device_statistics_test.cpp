#include "host/backends/cuda/device_statistics.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace myriad {
namespace {

using backends::cuda::device_sorted_sample;
using backends::cuda::device_statistics_missing;

TEST(DeviceStatistics, SaysWhyItIsMissingWhereItIs) {
    std::string why;
    const std::vector<double> values{1.0};
    const std::vector<unsigned char> included{1};
    const auto sample = device_sorted_sample(values, included, 0, 1, why);
    EXPECT_EQ(sample.has_value(), why.empty());
    EXPECT_EQ(why, device_statistics_missing());
}

// Needs a GPU: moments and order have the bits of the host, with failed instances, NaN and a stride.
TEST(DeviceStatistics, HaveTheBitsOfTheHost) {
    if (const std::string why = device_statistics_missing(); !why.empty()) GTEST_SKIP() << why;
    for (const std::uint64_t n : {1u, 31u, 33u, 1000u, 1024u, 1025u, 1'000'000u})
        for (const std::uint64_t stride : {1u, 4u}) {
            SCOPED_TRACE(std::to_string(n) + " values, stride " + std::to_string(stride));
            std::vector<double> values(n);
            std::vector<unsigned char> included(n, 1);
            for (std::uint64_t i = 0; i < n; ++i) {
                values[i] = 1e3 + std::exp(std::sin(static_cast<double>(i)));
                if (i % 11 == 5) included[i] = 0;
                if (i % 13 == 7) values[i] = std::numeric_limits<double>::quiet_NaN();
            }
            std::string why;
            const auto device = device_sorted_sample(values, included, stride - 1, stride, why);
            ASSERT_TRUE(device) << why;
            const study::SortedSample host = study::sorted_sample(values, included, stride - 1, stride);
            EXPECT_EQ(device->values, host.values);
            EXPECT_EQ(device->moments.count, host.moments.count);
            EXPECT_EQ(device->moments.excluded, host.moments.excluded);
            EXPECT_EQ(device->moments.undefined, host.moments.undefined);
            EXPECT_EQ(device->moments.min_instance, host.moments.min_instance);
            EXPECT_EQ(device->moments.max_instance, host.moments.max_instance);
            const auto bits = [](const study::BlockMoments& m) {
                return std::vector<std::uint64_t>{
                    std::bit_cast<std::uint64_t>(m.mean), std::bit_cast<std::uint64_t>(m.m2),
                    std::bit_cast<std::uint64_t>(m.m3),   std::bit_cast<std::uint64_t>(m.m4),
                    std::bit_cast<std::uint64_t>(m.min),  std::bit_cast<std::uint64_t>(m.max)};
            };
            EXPECT_EQ(bits(device->moments), bits(host.moments));
        }
}

}  // namespace
}  // namespace myriad
