// The variants of the build give the same bits as the scalar one, and so does a run cut into launches anywhere.
#include <gtest/gtest.h>

#include "host/backends/cpu/cpu.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

constexpr long long all_attempts = 1'000'000;
constexpr std::uint64_t instance_count = 100;  // three full tiles and four more
// Of launches cut anywhere, which load and store every instance with each step: one full tile and four more.
constexpr std::uint64_t cut_instance_count = 36;

void expect_the_same_in_every_variant(const Member& member, Precision precision, const std::vector<long long>& cuts,
                                      std::uint64_t count = instance_count) {
    const Task task = generic_task(member, precision);
    const Instances instances = generic_instances(member.system, count);
    const std::vector<Bits> expected = bits_of(run_in_launches(task, instances, 1, all_attempts));
    for (const int width : cpu_widths())
        for (const long long attempts : cuts)
            EXPECT_EQ(differing(bits_of(run_in_launches(task, instances, width, attempts)), expected), 0u)
                << member.name() << ", " << width << " doubles wide, launches of " << attempts;
}

TEST(Variants, GiveTheBitsOfTheScalarOneInDouble) {
    for (const Member& member : catalog_members())
        expect_the_same_in_every_variant(member, Precision::fp64, {all_attempts});
}

TEST(Variants, GiveTheBitsOfTheScalarOneInSingle) {
    for (const Member& member : catalog_members())
        expect_the_same_in_every_variant(member, Precision::fp32, {all_attempts});
}

TEST(Launches, CutAnywhereGiveTheBitsOfOneLaunch) {
    for (const Member& member : catalog_members()) {
        expect_the_same_in_every_variant(member, Precision::fp64, {1, 7}, cut_instance_count);
        expect_the_same_in_every_variant(member, Precision::fp32, {1, 7}, cut_instance_count);
    }
}

}  // namespace
}  // namespace myriad::backends
