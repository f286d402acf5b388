// The variants of the build give the same bits as the scalar one, and so does a run cut into launches anywhere.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/backends/cpu/cpu.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

constexpr long long all_attempts = 1'000'000;
constexpr std::uint64_t variant_instance_count = 100;  // three full tiles and four more
// Instances of launches cut anywhere, which load and store them with each step: one full tile and four more.
constexpr std::uint64_t cut_instance_count = 36;

void expect_the_bits_of_the_scalar_variant(const Member& member, Precision precision,
                                           const std::vector<long long>& cuts, int width,
                                           std::uint64_t count = variant_instance_count) {
    const Task task = generic_task(member, precision);
    const Instances instances = generic_instances(member.system, count);
    const std::vector<Bits> expected = bits_of(run_in_launches(task, instances, 1, all_attempts));
    for (const long long attempts : cuts)
        EXPECT_EQ(differing(bits_of(run_in_launches(task, instances, width, attempts)), expected), 0u)
            << member.name() << ", " << width << " doubles wide, launches of " << attempts;
}

// By the width in doubles.
class Variants : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        const std::vector<int> widths = cpu_widths();
        if (std::find(widths.begin(), widths.end(), GetParam()) == widths.end())
            GTEST_SKIP() << "this build has no kernels of width " << GetParam()
                         << ", or this processor cannot run them";
    }
};

TEST_P(Variants, GiveTheBitsOfTheScalarOneInDouble) {
    for (const Member& member : catalog_members())
        expect_the_bits_of_the_scalar_variant(member, Precision::fp64, {all_attempts}, GetParam());
}

TEST_P(Variants, GiveTheBitsOfTheScalarOneInSingle) {
    for (const Member& member : catalog_members(Precision::fp32))
        expect_the_bits_of_the_scalar_variant(member, Precision::fp32, {all_attempts}, GetParam());
}

TEST_P(Variants, GiveTheBitsOfOneLaunchWhereverLaunchesAreCut) {
    for (const Member& member : catalog_members())
        expect_the_bits_of_the_scalar_variant(member, Precision::fp64, {1, 7}, GetParam(), cut_instance_count);
    for (const Member& member : catalog_members(Precision::fp32))
        expect_the_bits_of_the_scalar_variant(member, Precision::fp32, {1, 7}, GetParam(), cut_instance_count);
}

INSTANTIATE_TEST_SUITE_P(Widths, Variants, testing::Values(1, 4, 8), testing::PrintToStringParamName());

}  // namespace
}  // namespace myriad::backends
