// What certificates do not show of the energy-momentum methods on mechanisms: moments of the momenta that they keep,
// parasitic modes, work step by step, refusals. tests/properties/conservation_test.cpp and ensembles/expected/ hold the
// rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/energy_momentum/drift.hpp"
#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

// Moments of 181 kg m^2/s and 2,500 J over 1,000 steps.
constexpr double body_round_off = 1e-10;

TEST(FreeBody, KeepsItsMomentWithEveryMember) {
    const auto body = parse_mechanism(free_body_text, "free_body.json");
    EXPECT_LT(drift_of<Convective>(*body, 0.01, 1000).moment, body_round_off);
    EXPECT_LT(drift_of<Convective>(*body, 0.01, 1000).total_energy, body_round_off);
    EXPECT_LT(drift_of<Midpoint>(*body, 0.01, 1000).kept_moment, body_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*body, 0.01, 1000).kept_moment, body_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*body, 0.01, 1000).generalized_energy, body_round_off);
}

// Facts F: 117 % of 2,500 J after 1,000 steps, against 0.15 % of the midpoint rule over 1e5 (here 1e4) steps.
TEST(FreeBody, ShowsTheParasiticModeOfTheMemberOfThePaper) {
    const auto body = parse_mechanism(free_body_text, "free_body.json");
    EXPECT_NEAR(drift_of<EnergyMomentum>(*body, 0.01, 1000).total_energy / 2500.0, 1.17, 5e-3);
    EXPECT_NEAR(drift_of<Midpoint>(*body, 0.01, 10'000).total_energy / 2500.0, 0.0015, 5e-5);
}

// One kg m^2/s and some joules, up to 2,000 steps.
constexpr double pair_round_off = 5e-12;

TEST(Gimbal, KeepsItsMomentBecauseDotRowsHaveNoNetTorque) {
    const auto gimbal = parse_mechanism(gimbal_text, "gimbal.json");
    const Drift of_paper = drift_of<EnergyMomentum>(*gimbal, 0.01, 500),
                of_mean = drift_of<Convective>(*gimbal, 0.01, 500),
                of_midpoint = drift_of<Midpoint>(*gimbal, 0.01, 500);
    for (const Drift& drift : {of_paper, of_mean, of_midpoint}) {
        EXPECT_LT(drift.kept_moment, pair_round_off);
        EXPECT_LT(drift.momentum, pair_round_off);
    }
    EXPECT_LT(of_paper.generalized_energy, pair_round_off);
    EXPECT_LT(of_mean.total_energy, pair_round_off);
}

TEST(Dampers, TakeEnergyAtEveryStepAndNoMoment) {
    const auto pair = parse_mechanism(sprung_pair("0.2", "0.8"), "sprung_pair.json");
    SteppedInstance<Convective> instance(*pair, 0.01, 1000);
    const Invariants start = instance.invariants();
    double work = 0.0;
    for (int k = 0; k < 1000; ++k) {
        ASSERT_TRUE(instance.step());
        EXPECT_LE(instance.memory().work, work);
        work = instance.memory().work;
    }
    EXPECT_LT(work, -0.01);
    EXPECT_LT((instance.invariants().moment - start.moment).norm(), pair_round_off);
}

TEST(EnergyMomentumMethods, RefuseASingularInertia) {
    const char* rod = R"({"bodies": {"rod": {"mass_kg": 1.0, "inertia_kg_m2": [0.0, 0.2, 0.2]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "axes": [[1, 0, 0], [1, 0, 0]],
                             "points_m": [[0, 0, 0], [0, 0.5, 0]]}},
        "gravity_m_s2": [0, 0, -9.81]})";
    const auto mechanism = parse_mechanism(rod, "rod.json");
    SteppedInstance<Midpoint> midpoint(*mechanism, 0.01, 10);
    EXPECT_EQ(midpoint.reason(), Reason::matrix_singular);
    EXPECT_EQ(SteppedInstance<Convective>(*mechanism, 0.01, 10).reason(), Reason::matrix_singular);
    EXPECT_EQ(SteppedInstance<EnergyMomentum>(*mechanism, 0.01, 10).reason(), Reason::matrix_singular);
}

TEST(EnergyMomentumMethods, RefuseAStepThatTurnsABodyTooFar) {
    const auto body = parse_mechanism(free_body_text, "free_body.json");
    const auto expect_refused = []<class Integrator>(SteppedInstance<Integrator>& instance) {
        EXPECT_FALSE(instance.step());
        EXPECT_EQ(instance.status(), Status::step_rotation_too_large);
        EXPECT_EQ(instance.steps(), 0.0);
    };
    SteppedInstance<Convective> convective(*body, 0.2, 10);
    expect_refused(convective);
    SteppedInstance<EnergyMomentum> of_paper(*body, 0.2, 10);
    expect_refused(of_paper);
}

}  // namespace

}  // namespace myriad::mechanism
