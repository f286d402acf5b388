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

TEST_P(Failure, HasTheSameBitsInEveryLaneAndWidth) {
    const Provocation& provocation = GetParam();
    std::vector<double> ill = generic_instance(provocation.task.system, 5);
    provocation.spoil(ill);
    const Bits alone = bits_of(run_on_cpu(provocation.task, {1, 1, 0}, {ill}), 0);
    for (const int width : cpu_widths())
        for (std::uint64_t lane = 0; lane < most_lanes; ++lane) {
            Instances instances = generic_instances(provocation.task.system, instance_count);
            instances[lane] = ill;
            EXPECT_EQ(bits_of(run_on_cpu(provocation.task, {1, width, 0}, instances), lane), alone)
                << width << " wide, lane " << lane;
        }
}

INSTANTIATE_TEST_SUITE_P(EveryStatus, Failure, testing::ValuesIn(provocations()),
                         [](const auto& given) { return given.param.name; });

TEST(Failures, OfEveryKindAtOnceLeaveTheHealthyAlone) {
    const Task task = generic_task({"heavy_top", "rotation", "rk4", false}, Precision::fp64, 50);
    const Instances healthy = generic_instances(task.system, 64);
    Instances instances = healthy;
    std::vector<std::uint64_t> spoiled;
    for (const Provocation& provocation : provocations())
        if (provocation.task.system == task.system && provocation.task.integrator == task.integrator &&
            provocation.task.chart == task.chart) {
            spoiled.push_back(3 * spoiled.size() + 1);
            provocation.spoil(instances[spoiled.back()]);
        }
    ASSERT_GE(spoiled.size(), 5u);
    const std::vector<Bits> expected = bits_of(run_on_cpu(task, {}, healthy)),
                            found = bits_of(run_on_cpu(task, {}, instances));
    EXPECT_EQ(differing(found, expected), spoiled.size());
    for (const std::uint64_t i : spoiled) EXPECT_NE(found[i], expected[i]);
}

TEST(Failures, OneNanAmongAThousandLeavesTheOthersAlone) {
    for (const Precision precision : {Precision::fp64, Precision::fp32})
        for (const Member& member : catalog_members(precision)) {
            const Task task = generic_task(member, precision, has_contact(member) ? 5 : 30);
            Instances instances = generic_instances(member.system, 1000);
            const std::vector<Bits> expected = bits_of(run_on_cpu(task, {}, instances));
            instances[517].back() = std::numeric_limits<double>::quiet_NaN();
            const Chunk chunk = run_on_cpu(task, {}, instances);
            EXPECT_EQ(chunk.status[517], static_cast<int>(Status::invalid_parameter)) << member.name();
            const std::vector<Bits> found = bits_of(chunk);
            EXPECT_NE(found[517], expected[517]);
            EXPECT_EQ(differing(found, expected), 1u) << member.name();
        }
}

}  // namespace
}  // namespace myriad::backends
