// The energy-momentum methods keep their invariants on mechanisms, step by step, and converge. The claims of
// ensembles/expected/four_bar_loop.json hold a closed loop under loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/validation/runs/reference_values.hpp"
#include "tests/energy_momentum/drift.hpp"
#include "tests/energy_momentum/texts.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

template <class Integrator>
void pendulum_and_top_converge() {
    const auto pendulum = catalog_mechanism("double_pendulum"), top = catalog_mechanism("heavy_top");
    const auto& rods = reference_values::double_pendulum::rods_at_1_s;
    const Eigen::Vector3d of_pendulum(0.0, rods[2], rods[3]),
        of_top(reference_values::heavy_top::position_at_1_s.data());
    const int lower_rod = pendulum->body_names[0] == "lower_rod" ? 0 : 1;
    const auto error = [](const Mechanism& mechanism, double h, int body, const Eigen::Vector3d& truth) {
        return (position_at<Integrator>(mechanism, h, 1.0, body) - truth).norm();
    };
    expect_order_two(error(*pendulum, 4e-3, lower_rod, of_pendulum), error(*pendulum, 2e-3, lower_rod, of_pendulum),
                     "double pendulum");
    expect_order_two(error(*top, 1e-3, 0, of_top), error(*top, 5e-4, 0, of_top), "heavy top");
}

// Facts A.1 and B.2.
TEST(EnergyMomentumMethods, ConvergeWithOrderTwoOnTopAndPendulum) {
    pendulum_and_top_converge<Convective>();
    pendulum_and_top_converge<Midpoint>();
    pendulum_and_top_converge<EnergyMomentum>();
}

// 5,436 J of a spinning top round by 1e-12 in each of a thousand steps, 400 J of the pendulum by 6e-14; the corrections
// left out after 1e-12 act on it through moments of 70 kg m^2/s at 150 rad/s.
constexpr double top_round_off = 2e-9, pendulum_round_off = 1e-10;

TEST(EnergyMomentumMethods, KeepTheEnergyOfTopAndPendulum) {
    const auto pendulum = catalog_mechanism("double_pendulum"), top = catalog_mechanism("heavy_top");
    EXPECT_LT(drift_of<Convective>(*pendulum, 2e-3, 2500).total_energy, pendulum_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*pendulum, 2e-3, 2500).generalized_energy, pendulum_round_off);
    EXPECT_LT(drift_of<Convective>(*top, 1e-3, 1000).total_energy, top_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*top, 1e-3, 1000).generalized_energy, top_round_off);
    // The midpoint rule keeps neither.
    EXPECT_GT(drift_of<Midpoint>(*pendulum, 2e-3, 500).total_energy, 1e-5);
}

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

// Facts D.3 at t = 0.45, from half the step without the error of order two.
template <class Integrator>
void free_body_converges() {
    const auto body = parse_mechanism(free_body_text, "free_body.json");
    const auto at = [&](int steps) {
        SteppedInstance<Integrator> instance(*body, 0.45 / steps, steps);
        drift_of(instance, 0, steps);
        const Rotation<double>& q = instance.motion().q.orientation[0];
        return Eigen::Vector4d(q.w, q.x, q.y, q.z);
    };
    const Eigen::Vector4d coarse = at(450), fine = at(900),
                          truth(reference_values::free_rotation::orientation_at_0_45_s.data());
    expect_order_two((coarse - truth).norm(), (fine - truth).norm(), "quaternion");
    // The error of order four is some (0.045)^4 of an angle of 9 rad.
    EXPECT_LT((fine + (fine - coarse) / 3.0 - truth).norm(), 2e-7);
}

TEST(FreeBody, ConvergesToTheMotionOfTheFacts) {
    free_body_converges<Convective>();
    free_body_converges<Midpoint>();
    free_body_converges<EnergyMomentum>();
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

TEST(HingedPair, KeepsItsMomentWithTheConvectiveMemberAlone) {
    const auto pair = parse_mechanism(hinged_pair_text, "hinged_pair.json");
    const Drift of_mean = drift_of<Convective>(*pair, 0.01, 2000),
                of_paper = drift_of<EnergyMomentum>(*pair, 0.01, 500);
    EXPECT_LT(of_mean.total_energy, pair_round_off);
    EXPECT_LT(of_mean.momentum, pair_round_off);
    EXPECT_LT(of_mean.moment, pair_round_off);
    EXPECT_LT(of_paper.generalized_energy, pair_round_off);
    EXPECT_LT(of_paper.momentum, pair_round_off);
    EXPECT_GT(of_paper.kept_moment, 1e-6);
}

template <class Integrator>
void pair_keeps(const std::string& damping, const std::string& rest_length) {
    const auto pair = parse_mechanism(sprung_pair(damping, rest_length), "sprung_pair.json");
    const Drift drift = drift_of<Integrator>(*pair, 0.01, 1000);
    EXPECT_LT(drift.generalized_energy, pair_round_off);
    EXPECT_LT(drift.momentum, pair_round_off);
}

TEST(Springs, GiveBackWhatTheyTook) {
    pair_keeps<Convective>("0.0", "0.8");
    pair_keeps<EnergyMomentum>("0.0", "0.8");
}

TEST(Springs, OfAMovingRestLengthAndDampersDoTheWorkThatIsWrittenDown) {
    pair_keeps<Convective>("0.2", "\"0.8 + 0.1 * sin(3 * t)\"");
    pair_keeps<EnergyMomentum>("0.2", "\"0.8 + 0.1 * sin(3 * t)\"");
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

// Loads of every kind, beside gravity and springs.
TEST(Loads, DoTheWorkThatIsWrittenDown) {
    const auto block = parse_mechanism(pushed_block_text, "pushed_block.json");
    EXPECT_LT(drift_of<Convective>(*block, 0.01, 500).total_energy, pair_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*block, 0.01, 500).generalized_energy, pair_round_off);
    SteppedInstance<Convective> instance(*block, 0.01, 500);
    drift_of(instance, 0, 500);
    EXPECT_GT(std::abs(instance.memory().work), 0.1);
}

// Against generalized-alpha, a method with nothing in common, to the sum of both errors of order two.
TEST(Loads, MoveABlockAsWithGeneralizedAlpha) {
    const auto block = parse_mechanism(pushed_block_text, "pushed_block.json");
    const double h = 2e-3;
    const auto extrapolated = [&]<class Integrator>() {
        const Eigen::Vector3d coarse = position_at<Integrator>(*block, h, 1.0, 0),
                              fine = position_at<Integrator>(*block, h / 2, 1.0, 0);
        return Eigen::Vector3d(fine + (fine - coarse) / 3.0);
    };
    const Eigen::Vector3d truth = extrapolated.operator()<Implicit<GeneralizedAlpha>>();
    // The rest is of order three for generalized-alpha, of order four for the others: 1e-8 times rates of 100.
    EXPECT_LT((extrapolated.operator()<Convective>() - truth).norm(), 2e-6);
    EXPECT_LT((extrapolated.operator()<Midpoint>() - truth).norm(), 2e-6);
    EXPECT_LT((extrapolated.operator()<EnergyMomentum>() - truth).norm(), 2e-6);
}

TEST(EnergyMomentumMethods, ThatInvertTheInertiaRefuseASingularOne) {
    const char* rod = R"({"bodies": {"rod": {"mass_kg": 1.0, "inertia_kg_m2": [0.0, 0.2, 0.2]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "axes": [[1, 0, 0], [1, 0, 0]],
                             "points_m": [[0, 0, 0], [0, 0.5, 0]]}},
        "gravity_m_s2": [0, 0, -9.81]})";
    const auto mechanism = parse_mechanism(rod, "rod.json");
    SteppedInstance<Midpoint> midpoint(*mechanism, 0.01, 10);
    EXPECT_EQ(midpoint.reason(), Reason::inertia_singular);
    EXPECT_LT(drift_of<Convective>(*mechanism, 0.01, 100).total_energy, pair_round_off);
    EXPECT_LT(drift_of<EnergyMomentum>(*mechanism, 0.01, 100).generalized_energy, pair_round_off);
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
