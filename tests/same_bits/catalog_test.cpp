// The result of an instance has the same bits whatever surrounds it: vector width, threads, chunks, order of the
// instances. Everything the cpu backend gives back is compared, for every member of the catalog.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "host/backends/cpu/cpu.hpp"
#include "kernels/system/status.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

// An instance-step with contact costs some hundred times one without.
std::uint64_t instances_of(const Member& member) { return has_contact(member) ? 40 : 200; }
int steps_of(const Member& member) { return has_contact(member) ? 60 : 200; }

int most_threads() { return std::min(2, static_cast<int>(std::thread::hardware_concurrency())); }

class SameBits : public testing::TestWithParam<std::tuple<Member, Precision>> {};

std::string test_name(const testing::TestParamInfo<std::tuple<Member, Precision>>& given) {
    std::string name = std::get<0>(given.param).name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name + (std::get<1>(given.param) == Precision::fp64 ? "_fp64" : "_fp32");
}

TEST_P(SameBits, InEveryWidthThreadChunkAndOrder) {
    const auto& [member, precision] = GetParam();
    const Task task = generic_task(member, precision, steps_of(member));
    const std::uint64_t instance_count = instances_of(member);
    const Instances instances = generic_instances(member.system, instance_count);
    const Chunk plain = run_on_cpu(task, {1, 1, 0}, instances);
    const std::vector<Bits> expected = bits_of(plain);
    // Angles of the Cardan chart may end at its singularity; what is compared is mostly whole runs all the same.
    ASSERT_GE(count_of(plain, static_cast<int>(Status::ok)), instance_count * 9 / 10);
    ASSERT_NE(expected[0], expected[1]);

    std::vector<std::uint64_t> place(instance_count);
    std::iota(place.begin(), place.end(), 0u);
    std::sort(place.begin(), place.end(), [](auto a, auto b) { return uniform(a, 63) < uniform(b, 63); });
    Instances permuted;
    for (const std::uint64_t i : place) permuted.push_back(instances[i]);
    std::vector<Bits> expected_permuted;
    for (const std::uint64_t i : place) expected_permuted.push_back(expected[i]);

    for (const int width : cpu_widths())
        for (int threads = 1; threads <= most_threads(); ++threads) {
            const Settings settings{threads, width, 0};
            const std::string where = std::to_string(width) + " wide, " + std::to_string(threads) + " threads, ";
            EXPECT_EQ(differing(bits_of(run_on_cpu(task, settings, instances, 1000)), expected), 0u)
                << where << "one chunk";
            EXPECT_EQ(differing(bits_of(run_on_cpu(task, settings, instances, 33)), expected), 0u)
                << where << "chunks of 33";
            EXPECT_EQ(differing(bits_of(run_on_cpu(task, settings, permuted)), expected_permuted), 0u)
                << where << "permuted";
        }
    // Chunks of one instance are slow through many calls; some instances at the widest are enough.
    const Instances some(instances.begin(), instances.begin() + 31);
    const std::vector<Bits> expected_some(expected.begin(), expected.begin() + 31);
    for (const int width : cpu_widths())
        EXPECT_EQ(differing(bits_of(run_on_cpu(task, {1, width, 0}, some, 1)), expected_some), 0u)
            << width << " wide, chunks of 1";
}

INSTANTIATE_TEST_SUITE_P(InDouble, SameBits,
                         testing::Combine(testing::ValuesIn(catalog_members(Precision::fp64)),
                                          testing::Values(Precision::fp64)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(InSingle, SameBits,
                         testing::Combine(testing::ValuesIn(catalog_members(Precision::fp32)),
                                          testing::Values(Precision::fp32)),
                         test_name);

TEST(SameBits, InTenThousandHeavyTopsOverAThousandSteps) {
    const Member member{"heavy_top", "rotation", "rk4", false};
    Task task = generic_task(member, Precision::fp64, 1000, 0.002);
    task.schedule.observe_steps = 333, task.schedule.rows = 4;
    const Instances instances = generic_instances(member.system, 10'000);
    const std::vector<int> widths = cpu_widths();
    const Chunk plain = run_on_cpu(task, {0, 1, 0}, instances);
    EXPECT_EQ(count_of(plain, static_cast<int>(Status::ok)), 10'000u);
    const std::vector<Bits> expected = bits_of(plain);
    for (const int width : widths)
        if (width > 1) {
            EXPECT_EQ(differing(bits_of(run_on_cpu(task, {0, width, 0}, instances, 3333)), expected), 0u)
                << width << " wide";
        }
    EXPECT_EQ(differing(bits_of(run_on_cpu(task, {1, widths.back(), 0}, instances)), expected), 0u) << "1 thread";
}

}  // namespace
}  // namespace myriad::backends
