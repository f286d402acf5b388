// The methods keep these numbers and lose those, with the step and the span of each statement: livens sect. 5, facts D
// and F.
#include "host/validation/runs/reference_values.hpp"
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

enum { generalized_energy, momentum_defect, velocity_constraint, constraint, momentum_map };
// A step's balance is left at the square of the last correction, far below round-off: what remains is round-off of the
// energy, 2e-16 of it per step with a factor of some ten for the rates, which are differences over h.
constexpr double per_step_round_off = 3e-15;
// Bound on |q . q - 1|/2, and on the constraint of the springs in m^2.
constexpr double constraint_round_off = 1e-15;

template <class Case>
class LivensForms : public testing::Test {};
using Forms = testing::Types<Livens, LivensFull, LivensNullSpace>;
TYPED_TEST_SUITE(LivensForms, Forms);

// Free rotation of facts D.3, h = 0.05 s, T = 2 s.
TYPED_TEST(LivensForms, KeepGeneralizedEnergyAndMomentumOfAFreeBodyInEachStep) {
    SteppedRun<EnergyMomentum<TypeParam>, FreeBody> run(defaults<FreeBody>(), 0.05);
    EXPECT_NEAR(run.start[generalized_energy], 2500.0, 1e-12);
    EXPECT_NEAR(run.start[momentum_map], 60.0, 1e-13);      // z
    EXPECT_NEAR(run.start[momentum_map + 1], 60.0, 1e-13);  // x
    EXPECT_NEAR(run.start[momentum_map + 2], 160.0, 1e-13);
    auto before = run.start;
    for (int step = 0; step < 40; ++step) {
        ASSERT_TRUE(run.step());
        EXPECT_NEAR(run.now[generalized_energy], before[generalized_energy], 2500.0 * per_step_round_off);
        for (int i = momentum_map; i < run.added; ++i) EXPECT_NEAR(run.now[i], before[i], 180.0 * per_step_round_off);
        EXPECT_LE(run.now[constraint], constraint_round_off);
        before = run.now;
    }
    // livens fig. 7 right: T itself is not kept.
    EXPECT_GT(run.worst_kept[0], 100.0);
}

// The precessing top of facts D.4, h = 0.01 s, T = 2 s.
TEST(LivensMethods, KeepEnergyAndVerticalMomentumOfTheTopInEachStep) {
    SteppedRun<EnergyMomentum<LivensNullSpace>, Top> run(precessing_top(), 0.01);
    EXPECT_NEAR(run.start[generalized_energy], reference_values::precessing_top::energy, 1e-9);
    EXPECT_NEAR(run.start[momentum_map], reference_values::precessing_top::vertical_momentum, 1e-11);
    auto before = run.start;
    for (int step = 0; step < 200 && run.step(); ++step) {
        EXPECT_NEAR(run.now[generalized_energy], before[generalized_energy], 6.0 * per_step_round_off);
        EXPECT_NEAR(run.now[momentum_map], before[momentum_map], 0.1 * per_step_round_off);
        before = run.now;
    }
    EXPECT_GE(run.progress.steps, 100.0);
}

// Facts D.1, h = 0.1 s, T = 10 s: the mass is constant, so the total energy is the generalized one, and both are kept.
TEST(LivensMethods, KeepTheTotalEnergyWhereTheMassIsConstant) {
    SteppedRun<EnergyMomentum<Livens>, Springs> run(defaults<Springs>(), 0.1);
    EXPECT_NEAR(run.start_kept[0], 1.0, 1e-15);
    ASSERT_EQ(run.steps(100), 100);
    EXPECT_LE(run.worst_kept[0], 100.0 * per_step_round_off);
    EXPECT_LE(run.worst[momentum_defect], 1e-13);
    EXPECT_LE(run.worst[constraint], constraint_round_off);
    // The midpoint rule does not: its error at this step, second order in it.
    SteppedRun<EnergyMomentum<LivensMidpoint>, Springs> midpoint(defaults<Springs>(), 0.1);
    ASSERT_EQ(midpoint.steps(100), 100);
    EXPECT_GT(midpoint.worst_kept[0], 1e-3);
    EXPECT_LT(midpoint.worst_kept[0], 1e-2);
}

// Facts D.2, h = 0.01 s, T = 1 s: generalized energy exactly, total energy to about 1e-4 (livens fig. 4).
TEST(LivensMethods, KeepTheTotalEnergyOfTheSpringPendulumToAboutTenToTheMinusFour) {
    SteppedRun<EnergyMomentum<Livens>, Pendulum> run(defaults<Pendulum>(), 0.01);
    EXPECT_NEAR(run.start[generalized_energy], 1.496484375, 1e-14);
    EXPECT_NEAR(run.start_kept[1], 1.1025, 1e-15);
    double largest_increment = 0.0, before = run.start_kept[0];
    for (int step = 0; step < 100; ++step) {
        ASSERT_TRUE(run.step());
        const double now = run.system.invariants(run.motion.q, run.motion.v)[0];
        largest_increment = std::fmax(largest_increment, std::abs(now - before)), before = now;
    }
    EXPECT_GT(largest_increment, 3e-5);
    EXPECT_LT(largest_increment, 3e-4);
    // Terms of EA/2 = 150 J cancel in it, over rates that are differences over h.
    EXPECT_LE(run.worst[generalized_energy], 100.0 * 100.0 * per_step_round_off);
}

// Facts F on the parasitic mode: the kinetic energy of the free rotation is off by 117 % after 1,000 steps at h = 0.01.
TEST(LivensMethods, HaveAParasiticModeThatGrows) {
    SteppedRun<EnergyMomentum<LivensNullSpace>, FreeBody> run(defaults<FreeBody>(), 0.01);
    ASSERT_EQ(run.steps(100), 100);
    const double defect_after_hundred = run.worst[momentum_defect];
    EXPECT_NEAR(run.worst_kept[0] / 2500.0, 0.0097, 0.0005);
    ASSERT_EQ(run.steps(900), 900);
    EXPECT_NEAR(run.worst_kept[0] / 2500.0, 1.17, 0.01);
    EXPECT_GT(run.worst[momentum_defect], 30.0 * defect_after_hundred);
    EXPECT_GT(run.worst[velocity_constraint], 40.0);
    // All the while it keeps what it is made to keep.
    EXPECT_LE(run.worst[generalized_energy], 1000.0 * 2500.0 * per_step_round_off);
}

// Facts F: at h = 0.05 Newton's method stalls at step 165 (the mode is chaotic: some steps more or less by round-off).
TEST(LivensMethods, StallInTheEndAtALargeStep) {
    SteppedRun<EnergyMomentum<LivensNullSpace>, FreeBody> run(defaults<FreeBody>(), 0.05);
    EXPECT_NEAR(run.steps(400), 165, 3);
    EXPECT_EQ(run.reason, static_cast<double>(Reason::newton_did_not_converge));
}

// Facts F: 0.15 % over 1e5 steps at h = 0.01.
TEST(MidpointRule, StaysBounded) {
    SteppedRun<EnergyMomentum<LivensMidpoint>, FreeBody> run(defaults<FreeBody>(), 0.01);
    ASSERT_EQ(run.steps(1000), 1000);
    const double after_thousand = run.worst_kept[0] / 2500.0;
    EXPECT_NEAR(after_thousand, 0.0015, 1e-4);
    ASSERT_EQ(run.steps(99000), 99000);
    EXPECT_NEAR(run.worst_kept[0] / 2500.0, 0.0015, 1e-4);
    // L is bilinear in q and p: kept too, to round-off that adds up.
    for (int i = momentum_map; i < run.added; ++i) EXPECT_LE(run.worst[i], 1e-9);
    EXPECT_LE(run.worst[momentum_defect], 1e-10);
}

// Our cure: T + V and L over a million steps of the free rotation, h = 0.01 s, T = 10,000 s.
TEST(ConvectiveMethod, KeepsEnergyAndMomentumOverAMillionSteps) {
    SteppedRun<EnergyMomentum<Convective>, FreeBody> run(defaults<FreeBody>(), 0.01);
    ASSERT_EQ(run.steps(1'000'000), 1'000'000);
    // Round-off of 2e-16 per step, all of one sign, would be 2e-10 of the size; it is not.
    EXPECT_LE(run.worst_kept[0] / 2500.0, 2e-12);
    for (int i = 1; i < 4; ++i) EXPECT_LE(run.worst_kept[i] / 180.0, 1e-11);
    EXPECT_LE(run.worst[constraint], constraint_round_off);
}

// The precessing top, h = 0.001 s, T = 20 s: T + V and L_z, with gravity at work.
TEST(ConvectiveMethod, KeepsTotalEnergyUnderGravity) {
    SteppedRun<EnergyMomentum<Convective>, Top> run(precessing_top(), 1e-3);
    ASSERT_EQ(run.steps(20000), 20000);
    EXPECT_LE(run.worst_kept[0] / 5.67, 1e-12);
    EXPECT_LE(run.worst_kept[1] / 0.0711, 1e-12);
}

// Generic tops, whose weight changes their speed: the exchange of T and V is exact.
TEST(ConvectiveMethod, ExchangesKineticAndPotentialEnergyExactly) {
    ParametersFor<Top> parameters = {2.0,  0.2,  -0.3, 0.4, 1.1,  0.9, 1.3, 0.05, -0.1,
                                     0.07, 9.81, 0.3,  0.8, -0.2, 1.0, 2.0, -1.5};
    SteppedRun<EnergyMomentum<Convective>, Top> run(parameters, 0.02);
    double lowest = 1e9, highest = -1e9;
    for (int step = 0; step < 1000; ++step) {
        ASSERT_TRUE(run.step());
        const double v = run.system.lagrangian().potential(run.coordinates());
        lowest = std::fmin(lowest, v), highest = std::fmax(highest, v);
    }
    EXPECT_GT(highest - lowest, 5.0) << "J: this motion tests nothing";
    EXPECT_LE(run.worst_kept[0], 1000.0 * 20.0 * per_step_round_off);
    EXPECT_LE(run.worst_kept[1], 1000.0 * 5.0 * per_step_round_off);
}

// The Hamiltonian method is such a cure too: a million steps, as above.
TEST(HamiltonianMethods, KeepEnergyAndMomentumOverAMillionSteps) {
    SteppedRun<EnergyMomentum<HamiltonianEnergy>, FreeBody> run(defaults<FreeBody>(), 0.01);
    ASSERT_EQ(run.steps(1'000'000), 1'000'000);
    EXPECT_LE(run.worst_kept[0] / 2500.0, 2e-12);
    for (int i = 1; i < 4; ++i) EXPECT_LE(run.worst_kept[i] / 180.0, 1e-11);
}

// livens app. D: EMH keeps its H, which is T + V as q . p stays zero; free rotation, h = 0.05 s, T = 2 s.
TEST(HamiltonianMethods, KeepEnergyAndMomentum) {
    SteppedRun<EnergyMomentum<HamiltonianEnergy>, FreeBody> run(defaults<FreeBody>(), 0.05);
    ASSERT_EQ(run.steps(40), 40);
    EXPECT_LE(run.worst_kept[0], 40.0 * 2500.0 * per_step_round_off);
    for (int i = 1; i < 4; ++i) EXPECT_LE(run.worst_kept[i], 40.0 * 180.0 * per_step_round_off);
    SteppedRun<EnergyMomentum<HamiltonianMidpoint>, FreeBody> midpoint(defaults<FreeBody>(), 0.05);
    ASSERT_EQ(midpoint.steps(40), 40);
    EXPECT_GT(midpoint.worst_kept[0], 10.0);
}

// A free body in a field of gravity falls exactly: its centre of mass is uniformly accelerated.
TEST(FreeBodies, FallExactly) {
    auto parameters = defaults<FreeBody>();
    parameters[0] = 2.0, parameters[9] = -9.81, parameters[16] = 3.0, parameters[18] = 4.0;
    SteppedRun<EnergyMomentum<Convective>, FreeBody> run(parameters, 0.01);
    ASSERT_EQ(run.steps(100), 100);
    EXPECT_NEAR(run.motion.q.position[0], 3.0, 1e-13);
    EXPECT_NEAR(run.motion.q.position[2], 4.0 - 0.5 * 9.81, 1e-13);
    EXPECT_LE(run.worst_kept[0], 1e-10);
}

// 30 rad/s: 0.22 s are more than a full turn, which an increment cannot tell from none.
template <class Case>
class LargeSteps : public testing::Test {};
using Methods = testing::Types<Livens, LivensFull, LivensNullSpace, LivensMidpoint, HamiltonianEnergy,
                               HamiltonianMidpoint, Convective>;
TYPED_TEST_SUITE(LargeSteps, Methods);

// 30 rad/s: 2.3, 3.6 and 6.6 rad a step, the first two too much for what has no parasitic mode to show.
TYPED_TEST(LargeSteps, AreRefused) {
    for (const double step_s : {0.078, 0.12, 0.22}) {
        if (TypeParam::traits.parasitic_mode && step_s < 0.2) continue;
        SteppedRun<EnergyMomentum<TypeParam>, FreeBody> run(defaults<FreeBody>(), step_s);
        EXPECT_EQ(run.steps(100), 0) << step_s;
        EXPECT_EQ(run.reason, static_cast<double>(Reason::rotation_beyond_series)) << step_s;
    }
}

TEST(MassSpring, MovesInitialRatesOntoTheConstraintAndSaysSo) {
    auto parameters = defaults<Springs>();
    EXPECT_EQ(Springs::prepare(parameters).warnings, 0.0);
    parameters[11] = 2.0;
    EXPECT_EQ(Springs::prepare(parameters).warnings, static_cast<double>(Warning::initial_velocity_projected));
    Motion<Springs> motion;
    Springs::start(parameters, motion.q, motion.v);
    EXPECT_EQ((Springs::constraint_jacobian(motion.q) * motion.v)[0], 0.0);
    EXPECT_EQ(motion.v[0], 1.5);
    parameters[6] = -2.0;
    EXPECT_EQ(Springs::prepare(parameters).reason, static_cast<double>(Reason::length_not_positive));
    parameters[1] = 0.0;
    EXPECT_EQ(Springs::prepare(parameters).reason, static_cast<double>(Reason::mass_not_positive));
}

TEST(SpringPendulum, RefusesLengthsThatAreNotPositive) {
    for (const int length : {2, 3}) {
        auto parameters = defaults<Pendulum>();
        parameters[length] = 0.0;
        EXPECT_EQ(Pendulum::prepare(parameters).reason, static_cast<double>(Reason::length_not_positive));
    }
}

}  // namespace
}  // namespace myriad::test
