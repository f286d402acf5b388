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
    {"heavy_top rotation rk4", 0xe593c906378062edu, 0x3e39c2ea63526f8du},
    {"heavy_top rotation rk67", 0xa39ddb4fb09a8f2cu, 0xdd8b76d8cea94c21u},
    {"heavy_top rotation ode23", 0x9693e83a1f92c780u, 0x7a5cb7cd1375a864u},
    {"heavy_top rotation dopri5", 0x1a215521f066efecu, 0x48dce574a8a5332au},
    {"heavy_top euler_parameters rk4", 0x3ec0c08c134ffa6fu},
    {"heavy_top euler_parameters rk67", 0x14bc62e26b952383u},
    {"heavy_top euler_parameters ode23", 0x69c7b657550e1961u},
    {"heavy_top euler_parameters dopri5", 0x28401587788d29d6u},
    {"heavy_top cardan_xyz rk4", 0x564c0106f97951aeu},
    {"heavy_top cardan_xyz rk67", 0x70ea4d0d9ffcf6adu},
    {"heavy_top cardan_xyz ode23", 0x0033044b6e648e9bu},
    {"heavy_top cardan_xyz dopri5", 0x0a636a031faa0a2du},
    {"heavy_top cardan_xyz_body_rate rk4", 0x3efd79d88070b750u},
    {"heavy_top cardan_xyz_body_rate rk67", 0x1e82c97f1cc73f7au},
    {"heavy_top cardan_xyz_body_rate ode23", 0xd36fb38146cbb0b3u},
    {"heavy_top cardan_xyz_body_rate dopri5", 0xf4a4651a85ecb6c0u},
    {"free_rigid_body rotation rk4", 0x0ab8e6bb1a56219cu, 0x79b1db5bc814c313u},
    {"free_rigid_body rotation rk67", 0x9c4f788ca2a41167u, 0xd82bb3dbf0ee0540u},
    {"free_rigid_body rotation ode23", 0xd1b26357f1fec31cu, 0x072d341bb74a9b46u},
    {"free_rigid_body rotation dopri5", 0x9a0050fb17b426bbu, 0x6830a6391cfa8ccfu},
    {"free_rigid_body euler_parameters rk4", 0xa88fd8e52a129991u},
    {"free_rigid_body euler_parameters rk67", 0x161bd4fe03ff768du},
    {"free_rigid_body euler_parameters ode23", 0x704b63cff0aec9e3u},
    {"free_rigid_body euler_parameters dopri5", 0x6671ef304337e8cau},
    {"free_rigid_body cardan_xyz rk4", 0xeaf9e9a690193e7fu},
    {"free_rigid_body cardan_xyz rk67", 0x8384c55a7155fdceu},
    {"free_rigid_body cardan_xyz ode23", 0xad015ac15cdf686bu},
    {"free_rigid_body cardan_xyz dopri5", 0x437c886dc833780fu},
    {"free_rigid_body cardan_xyz_body_rate rk4", 0x7b092edb24adc8f9u},
    {"free_rigid_body cardan_xyz_body_rate rk67", 0xb5f9c0cade308c4cu},
    {"free_rigid_body cardan_xyz_body_rate ode23", 0xa98bbb6287898240u},
    {"free_rigid_body cardan_xyz_body_rate dopri5", 0xf08d12b4891b8e0du},
    {"heavy_top rotation generalized_alpha", 0x1e2e648e7401a3efu, 0x5d40cd63d5f74e4fu},
    {"heavy_top rotation implicit_euler", 0x47088f857f4316c9u, 0x067a29aefe9a5c46u},
    {"heavy_top euler_parameters generalized_alpha", 0x234416973b4f7c77u},
    {"heavy_top euler_parameters implicit_euler", 0x74c169fc646d8db9u},
    {"heavy_top euler_zxz generalized_alpha", 0x8a82644b423691cau},
    {"heavy_top euler_zxz implicit_euler", 0xfc1e22cfe4b13897u},
    {"heavy_top cardan_xyz generalized_alpha", 0x7a8f796aca95e27au},
    {"heavy_top cardan_xyz implicit_euler", 0x0209e2b9ca4a1541u},
    {"free_rigid_body rotation generalized_alpha", 0x4b208bececde77adu, 0x6b71acb35dd4fae9u},
    {"free_rigid_body rotation implicit_euler", 0xa82e542d38e62186u, 0x52333b25798443a6u},
    {"free_rigid_body euler_parameters generalized_alpha", 0x73521d1bf282c63cu},
    {"free_rigid_body euler_parameters implicit_euler", 0xd130e834293da0ceu},
    {"free_rigid_body euler_zxz generalized_alpha", 0x3c285411b1f69708u},
    {"free_rigid_body euler_zxz implicit_euler", 0xf35acd9647f370c4u},
    {"free_rigid_body cardan_xyz generalized_alpha", 0x74837832f939cb14u},
    {"free_rigid_body cardan_xyz implicit_euler", 0x5fb6fcfdb5d0e188u},
    {"heavy_top rotation energy_momentum", 0x3c64bc6ea6df41e7u},
    {"heavy_top rotation energy_momentum_full", 0xed1733eec04cc35cu},
    {"heavy_top rotation energy_momentum_null_space", 0xd7f2f81222024b16u},
    {"heavy_top rotation energy_momentum_hamiltonian", 0xf2e8fcb26382857du},
    {"heavy_top rotation livens_midpoint", 0x3f01f6bcbcf3f6b2u},
    {"heavy_top rotation hamiltonian_midpoint", 0x1aae377efdc82b03u},
    {"heavy_top rotation energy_momentum_convective", 0x138da0ce0be6c5f5u},
    {"free_rigid_body rotation energy_momentum", 0xc2a9a9d597427f50u},
    {"free_rigid_body rotation energy_momentum_full", 0x88f5e10599c56e94u},
    {"free_rigid_body rotation energy_momentum_null_space", 0xe7d3c94140d47298u},
    {"free_rigid_body rotation energy_momentum_hamiltonian", 0x9c39a5bbca067204u},
    {"free_rigid_body rotation livens_midpoint", 0xebf399928acd4b5du},
    {"free_rigid_body rotation hamiltonian_midpoint", 0x46754c38f66e1e20u},
    {"free_rigid_body rotation energy_momentum_convective", 0x8884a0d9afbde04eu},
    {"mass_spring rotation energy_momentum", 0xfe6e022637ce4cb0u},
    {"mass_spring rotation energy_momentum_full", 0x55dc5ccc1f671022u},
    {"mass_spring rotation livens_midpoint", 0xec74e2327f9b3a2bu},
    {"spring_pendulum rotation energy_momentum", 0x20d726922bec5267u},
    {"spring_pendulum rotation energy_momentum_full", 0x1f7c9f1e87f5e359u},
    {"spring_pendulum rotation livens_midpoint", 0x2224ebfe4ab8879du},
    {"slider_crank_clearance rotation moreau_midpoint", 0x94e4bd34bbf2f868u},
    {"slider_crank_clearance rotation half_explicit", 0xf8406f4e70b3a8fau},
    {"slider_crank_clearance rotation nonsmooth_generalized_alpha", 0x62adea9f6d160df9u},
    {"slider_crank_clearance rotation nonsmooth_bathe", 0x5fca89159a15f59au},
    {"slider_crank_clearance rotation nonsmooth_ed_alpha", 0x9a4f518e35576e05u},
    {"slider_crank_flexible_2_elements rotation moreau_midpoint", 0xcf353e32f6f89ab8u},
    {"slider_crank_flexible_2_elements rotation half_explicit", 0x1d63703cc791e4b9u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_generalized_alpha", 0x81fbc3bf6099f8c3u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_bathe", 0x69b8b175ddc38c21u},
    {"slider_crank_flexible_2_elements rotation nonsmooth_ed_alpha", 0xbb380da64ec7f843u},
    {"slider_crank_flexible_2_modes rotation moreau_midpoint", 0xc6cf210a5bd0373au},
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
    {"heavy_top rotation rk4", 0xe12daa464706af8cu, 0x94d5312982eaafa6u},
    {"heavy_top rotation ode23", 0xad1a191f65fe1175u, 0x0d2174a166b71056u},
    {"free_rigid_body rotation rk4", 0x9d60c2c0b143186au, 0xf28fc7942952b6e5u},
    {"free_rigid_body rotation ode23", 0xcc52a1b7cfd455ecu, 0x320e3c190fc5c046u},
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
