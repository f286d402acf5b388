// One number for all bits of a fixed set of runs: it changes when any operation of any member of the catalog changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "tests/generic_tasks.hpp"
#include "tests/same_bits/instances_past_a_tile.hpp"

namespace myriad::backends {
namespace {

constexpr int golden_steps = 60;

std::uint64_t hash_of(const Member& member, Precision precision, bool full_dexp_inverse = false) {
    Task task = generic_task(member, precision, golden_steps);
    if (full_dexp_inverse) task.schedule.full_dexp_inverse = 1.0;
    return fnv_hash(bits_of(run_on_cpu(task, {}, generic_instances(member.system, instances_past_a_tile))));
}

struct MemberGolden {
    const char* member;
    std::uint64_t fp64, fp32 = 0;  // 0: not compiled in single precision
};

// The bits of clang 14 at -O3 in every width; g++ 12 was compared for rk4 of the heavy top (fp64, fp32) and ode23 on
// the chart. A change here is a change of results: look at the twins and orders again before writing new values.
constexpr MemberGolden member_golden[] = {
    {"heavy_top rotation rk4", 0x33692e8a790a6907u, 0xb1740b1096aede43u},
    {"heavy_top rotation rk67", 0x7b09520d6ec4796fu, 0xed393f0274de0d93u},
    {"heavy_top rotation ode23", 0xaf1bf42df14842f7u, 0x441d6238c8580bd6u},
    {"heavy_top rotation dopri5", 0xa6e2b586cde3b619u, 0x03b0844c2cb68332u},
    {"heavy_top euler_parameters rk4", 0xcd3fbf4e326aacf5u},
    {"heavy_top euler_parameters rk67", 0x5679e637533e008fu},
    {"heavy_top euler_parameters ode23", 0x31c332c00b202f31u},
    {"heavy_top euler_parameters dopri5", 0x513dae22a945a6c6u},
    {"heavy_top cardan_xyz rk4", 0x62307f9a64ca8f37u},
    {"heavy_top cardan_xyz rk67", 0x8500d464670c8f9du},
    {"heavy_top cardan_xyz ode23", 0x0af7e3dc7b5c0f43u},
    {"heavy_top cardan_xyz dopri5", 0xc82577a0f5eaec3du},
    {"heavy_top cardan_xyz_body_rate rk4", 0xf03c98b9baf0401cu},
    {"heavy_top cardan_xyz_body_rate rk67", 0x899432abf9e36f21u},
    {"heavy_top cardan_xyz_body_rate ode23", 0x30dd5cbe1b537f7bu},
    {"heavy_top cardan_xyz_body_rate dopri5", 0x52dd0dabad3a2bd5u},
    {"free_rigid_body rotation rk4", 0x97c00bfc1c6bc6b7u, 0xaa3c61528b2031c2u},
    {"free_rigid_body rotation rk67", 0xcf65295113a4d654u, 0x43a2307a534bdd9cu},
    {"free_rigid_body rotation ode23", 0xa143570d55463375u, 0x3cd8f4ef5d9b1743u},
    {"free_rigid_body rotation dopri5", 0x367490e81e2856cfu, 0xaa6138d77568717au},
    {"free_rigid_body euler_parameters rk4", 0xf576afab01ca43c2u},
    {"free_rigid_body euler_parameters rk67", 0x52addba70a79dac8u},
    {"free_rigid_body euler_parameters ode23", 0x25c479deea239fedu},
    {"free_rigid_body euler_parameters dopri5", 0x65be8e949897de2du},
    {"free_rigid_body cardan_xyz rk4", 0x0954ed3dbdc18be0u},
    {"free_rigid_body cardan_xyz rk67", 0xa15248b1121e5395u},
    {"free_rigid_body cardan_xyz ode23", 0xffb0f9d140ce8d57u},
    {"free_rigid_body cardan_xyz dopri5", 0x17d817727b60d6f1u},
    {"free_rigid_body cardan_xyz_body_rate rk4", 0x02a23681936d30c3u},
    {"free_rigid_body cardan_xyz_body_rate rk67", 0x830d45831c402d17u},
    {"free_rigid_body cardan_xyz_body_rate ode23", 0x2c08701f377cd5e4u},
    {"free_rigid_body cardan_xyz_body_rate dopri5", 0xe12d5ff965156800u},
    {"heavy_top rotation generalized_alpha", 0x19b002d6dd5248ebu, 0x29876752940d307bu},
    {"heavy_top rotation implicit_euler", 0xa8f051372460abd4u, 0x9b81a2e70fdcaaf0u},
    {"heavy_top euler_parameters generalized_alpha", 0x8abd9117d7da6ad9u},
    {"heavy_top euler_parameters implicit_euler", 0x228324092a6a328bu},
    {"heavy_top euler_zxz generalized_alpha", 0x13896bc8ff67eb03u},
    {"heavy_top euler_zxz implicit_euler", 0x1a58cd2b1a060467u},
    {"heavy_top cardan_xyz generalized_alpha", 0x20350279f0980419u},
    {"heavy_top cardan_xyz implicit_euler", 0x4b0a3359cb467d50u},
    {"free_rigid_body rotation generalized_alpha", 0x53a8776eb00805ceu, 0xc5e83ec98c72c3cbu},
    {"free_rigid_body rotation implicit_euler", 0xaaf8382ecdb7322eu, 0xe91732b9d939403bu},
    {"free_rigid_body euler_parameters generalized_alpha", 0xeffb3b3c80c57d9bu},
    {"free_rigid_body euler_parameters implicit_euler", 0xf849da300286dc24u},
    {"free_rigid_body euler_zxz generalized_alpha", 0x338186578f47d228u},
    {"free_rigid_body euler_zxz implicit_euler", 0xe2d376690b78d390u},
    {"free_rigid_body cardan_xyz generalized_alpha", 0x629e598abd0e109eu},
    {"free_rigid_body cardan_xyz implicit_euler", 0x048a741d41107f11u},
    {"heavy_top rotation energy_momentum", 0x850f82bdfcc240e8u},
    {"heavy_top rotation energy_momentum_full", 0xcb146e303c6c492du},
    {"heavy_top rotation energy_momentum_null_space", 0xde8c3e63914f9a06u},
    {"heavy_top rotation energy_momentum_hamiltonian", 0xfae2332c6a7cb088u},
    {"heavy_top rotation livens_midpoint", 0x14c9dcd9cb116340u},
    {"heavy_top rotation hamiltonian_midpoint", 0xafcff91892abb418u},
    {"heavy_top rotation energy_momentum_convective", 0x3a87f9714bc9ec7du},
    {"free_rigid_body rotation energy_momentum", 0x8222f2e256519c99u},
    {"free_rigid_body rotation energy_momentum_full", 0x194b39c500d471e2u},
    {"free_rigid_body rotation energy_momentum_null_space", 0x1059cece15989409u},
    {"free_rigid_body rotation energy_momentum_hamiltonian", 0x375485eefbe8410fu},
    {"free_rigid_body rotation livens_midpoint", 0xb833b8c2a4a925a9u},
    {"free_rigid_body rotation hamiltonian_midpoint", 0xce01fe1b6ddccaacu},
    {"free_rigid_body rotation energy_momentum_convective", 0x1412b68991baa137u},
    {"mass_spring rotation energy_momentum", 0x3ee0d574eb2282b4u},
    {"mass_spring rotation energy_momentum_full", 0xe72de10da67d1163u},
    {"mass_spring rotation livens_midpoint", 0xff1273e701ba525fu},
    {"spring_pendulum rotation energy_momentum", 0xe61d55d6eb41bc9au},
    {"spring_pendulum rotation energy_momentum_full", 0x244bcb9c18b475dfu},
    {"spring_pendulum rotation livens_midpoint", 0x77a0bd695b6b8512u},
    {"slider_crank_clearance rotation moreau_midpoint", 0x088fbc6a8d60df2bu},
    {"slider_crank_clearance rotation half_explicit", 0xf8406f4e70b3a8fau},
    {"slider_crank_clearance rotation nonsmooth_generalized_alpha", 0x62adea9f6d160df9u},
    {"slider_crank_clearance rotation nonsmooth_bathe", 0x5fca89159a15f59au},
    {"slider_crank_clearance rotation nonsmooth_ed_alpha", 0x9a4f518e35576e05u},
    {"slider_crank_flexible_2_elements rotation moreau_midpoint", 0x30fdcd2f51cfd25cu},
    {"slider_crank_flexible_2_elements rotation half_explicit", 0x1d63703cc791e4b9u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_generalized_alpha", 0x81fbc3bf6099f8c3u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_bathe", 0x69b8b175ddc38c21u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_ed_alpha", 0xbb380da64ec7f843u},
    {"slider_crank_flexible_2_modes rotation moreau_midpoint", 0x074f715d0ccffabdu},
    {"slider_crank_flexible_2_modes rotation half_explicit", 0xb2368ee1a55ca2e8u},
    {"slider_crank_flexible_2_modes rotation nonsmooth_generalized_alpha", 0xae73c97029b5ba32u},
    {"slider_crank_flexible_2_modes rotation nonsmooth_bathe", 0xec2991b896d94afau},
    {"slider_crank_flexible_2_modes rotation nonsmooth_ed_alpha", 0x37dd86ecd15f31c9u},
};

bool is_compiled_in_fp32(const Member& member) {
    const std::vector<Member> single = catalog_members(Precision::fp32);
    return std::any_of(single.begin(), single.end(), [&](const Member& one) { return one.name() == member.name(); });
}

class GoldenHash : public testing::TestWithParam<Member> {};

TEST_P(GoldenHash, IsTheOneThatIsWrittenDown) {
    const std::string member = GetParam().name();
    const auto line = std::find_if(std::begin(member_golden), std::end(member_golden),
                                   [&](const MemberGolden& known) { return member == known.member; });
    const bool has_fp32 = is_compiled_in_fp32(GetParam());
    const std::uint64_t fp64 = hash_of(GetParam(), Precision::fp64),
                        fp32 = has_fp32 ? hash_of(GetParam(), Precision::fp32) : 0;
    char now[200];
    std::snprintf(now, sizeof now, "    {\"%s\", 0x%016" PRIx64 "u, 0x%016" PRIx64 "u},", member.c_str(), fp64, fp32);
    ASSERT_NE(line, std::end(member_golden)) << "no golden hash: add the line\n" << now;
    EXPECT_EQ(fp64, line->fp64) << "fp64; the line is now\n" << now;
    EXPECT_EQ(fp32, line->fp32) << "fp32; the line is now\n" << now;
}

// As published, and with the bits of the time before the cut.
constexpr MemberGolden full_golden[] = {
    {"heavy_top rotation rk4", 0x09a51d7e339aa3aeu, 0x5402f3e57dc3589eu},
    {"heavy_top rotation ode23", 0x7774d4e3adf5913eu, 0x61f6b50b60e59d83u},
    {"free_rigid_body rotation rk4", 0x7bd7110c6402af48u, 0xa794f783ed7c51c5u},
    {"free_rigid_body rotation ode23", 0xa7623e2b6c455f67u, 0xf34442a0132e0938u},
};

TEST(GoldenHashes, WithDexpInverseInFullIsThatOfThePublishedMethods) {
    for (const MemberGolden& known : full_golden)
        for (const Member& member : catalog_members()) {
            if (member.name() != known.member) continue;
            EXPECT_EQ(hash_of(member, Precision::fp64, true), known.fp64) << known.member;
            EXPECT_EQ(hash_of(member, Precision::fp32, true), known.fp32) << known.member << " fp32";
        }
}

INSTANTIATE_TEST_SUITE_P(Catalog, GoldenHash, testing::ValuesIn(catalog_members()), [](const auto& given) {
    std::string name = given.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
}  // namespace myriad::backends
