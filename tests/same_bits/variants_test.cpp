// The variants of the build give the same bits as the scalar one, and so does a run cut into launches anywhere.
#include <gtest/gtest.h>

#include "host/backends/cpu/cpu.hpp"
#include "tests/run_kernel.hpp"

namespace myriad::backends {
namespace {

constexpr long long all_attempts = 1'000'000;
constexpr std::uint64_t instance_count = 100;  // three full tiles and four more
// Instances of launches cut anywhere, which load and store them with each step: one full tile and four more.
constexpr std::uint64_t cut_instance_count = 36;

struct Variant {
    std::string name;
    KernelList kernels;
};

// Those this processor can run, the scalar one first.
std::vector<Variant> variants() {
    std::vector<Variant> list{{"scalar", scalar_kernels()}};
#if defined(__x86_64__)
    const std::vector<int> widths = cpu_widths();
    if (widths.size() > 1) list.push_back({"avx2", avx2_kernels()});
    if (widths.size() > 2) list.push_back({"avx512", avx512_kernels()});
#endif
    return list;
}

template <class Number>
const KernelFunctions<Number>& functions_of(const KernelEntry& entry) {
    if constexpr (sizeof(Number) == sizeof(double))
        return entry.fp64;
    else
        return entry.fp32;
}

template <class Number>
void expect_the_same_in_every_variant(const Member& member, Precision precision, const std::vector<long long>& cuts,
                                      std::uint64_t count = instance_count) {
    const Task task = generic_task(member, precision);
    const Instances instances = generic_instances(member.system, count);
    const KernelEntry& scalar = find_kernel(scalar_kernels(), task);
    const std::vector<Bits> expected =
        bits_of(run_kernel(functions_of<Number>(scalar), scalar, task, instances, all_attempts));
    for (const Variant& variant : variants()) {
        const KernelEntry& entry = find_kernel(variant.kernels, task);
        const KernelFunctions<Number>& functions = functions_of<Number>(entry);
        for (const long long attempts : cuts) {
            const Chunk chunk = run_kernel(functions, entry, task, instances, attempts);
            EXPECT_EQ(differing(bits_of(chunk), expected), 0u) << member.name() << ", " << variant.name << ", "
                                                               << functions.width << " wide, launches of " << attempts;
        }
    }
}

TEST(Variants, GiveTheBitsOfTheScalarOneInDouble) {
    for (const Member& member : catalog_members())
        expect_the_same_in_every_variant<double>(member, Precision::fp64, {all_attempts});
}

TEST(Variants, GiveTheBitsOfTheScalarOneInSingle) {
    for (const Member& member : catalog_members())
        expect_the_same_in_every_variant<float>(member, Precision::fp32, {all_attempts});
}

TEST(Launches, CutAnywhereGiveTheBitsOfOneLaunch) {
    for (const Member& member : catalog_members()) {
        expect_the_same_in_every_variant<double>(member, Precision::fp64, {1, 7}, cut_instance_count);
        expect_the_same_in_every_variant<float>(member, Precision::fp32, {1, 7}, cut_instance_count);
    }
}

}  // namespace
}  // namespace myriad::backends
