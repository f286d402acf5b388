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
