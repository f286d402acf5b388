// One number for all bits of a fixed set of runs: it changes when any operation of any member of the catalog changes.
#include <gtest/gtest.h>

#include <cinttypes>

#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t instance_count = 33;
constexpr int steps = 60;

std::uint64_t hash_of(const Member& member, Precision precision) {
    return fnv_hash(bits_of(
        run_on_cpu(generic_task(member, precision, steps), {}, generic_instances(member.system, instance_count))));
}

struct Golden {
    const char* member;
    std::uint64_t fp64, fp32;
};

// The bits of clang 14 at -O3 in every width; those of g++ 12 are the same. A change here is a change of results: look
// at the twins and orders again before writing new values.
constexpr Golden golden[] = {
    {"heavy_top rotation rk4", 0, 0},
};

TEST(GoldenHash, OfEveryMemberOfTheCatalog) {
    const std::vector<Member> members = catalog_members();
    for (const Member& member : members) {
        const std::uint64_t fp64 = hash_of(member, Precision::fp64), fp32 = hash_of(member, Precision::fp32);
        std::printf("    {\"%s\", 0x%016" PRIx64 "u, 0x%016" PRIx64 "u},\n", member.name().c_str(), fp64, fp32);
        bool known = false;
        for (const Golden& line : golden)
            if (member.name() == line.member) {
                known = true;
                EXPECT_EQ(fp64, line.fp64) << member.name() << " in fp64";
                EXPECT_EQ(fp32, line.fp32) << member.name() << " in fp32";
            }
        EXPECT_TRUE(known) << member.name() << " has no golden hash: add the line printed above";
    }
}

}  // namespace
}  // namespace myriad::backends
