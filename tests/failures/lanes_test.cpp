// An instance that fails, in whatever lane and for whatever reason, leaves every bit of its neighbours as it was.
#include <gtest/gtest.h>

#include "host/backends/cpu/cpu.hpp"
#include "tests/failures/provocations.hpp"

namespace myriad::backends {
namespace {

constexpr int most_lanes = 8;
constexpr std::uint64_t instance_count = 2 * most_lanes + 3;  // a pack before and one that is not full after

class Failure : public testing::TestWithParam<Provocation> {};

TEST_P(Failure, InAnyLaneChangesNoNeighbour) {
    const Provocation& provocation = GetParam();
    const Instances healthy = generic_instances(provocation.task.system, instance_count);
    for (const int width : cpu_widths()) {
        const Chunk undisturbed = run_on_cpu(provocation.task, {1, width, 0}, healthy);
        ASSERT_EQ(count_of(undisturbed, static_cast<int>(Status::ok)), instance_count);
        const std::vector<Bits> expected = bits_of(undisturbed);
        for (std::uint64_t lane = 0; lane < most_lanes; ++lane) {
            const std::uint64_t spoiled = most_lanes + lane;
            Instances instances = healthy;
            provocation.spoil(instances[spoiled]);
            const Chunk chunk = run_on_cpu(provocation.task, {1, width, 0}, instances);
            EXPECT_EQ(chunk.status[spoiled], static_cast<int>(provocation.status)) << "lane " << lane;
            EXPECT_EQ(chunk.reason[spoiled], static_cast<int>(provocation.reason)) << "lane " << lane;
            for (std::uint64_t i = 0; i < instance_count; ++i)
                if (i != spoiled) {
                    EXPECT_EQ(bits_of(chunk, i), expected[i]) << "instance " << i << " beside lane " << lane;
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryStatus, Failure, testing::ValuesIn(provocations()),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace myriad::backends
