// One solution of the forms of each method: of three of Livens' method, of two of the Hamiltonian one. The claims of
// ensembles/expected hold their motions against converged values.
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

// EMH as it stands in the paper, with nine unknowns.
struct HamiltonianAsWritten {
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    template <class System>
    using Step = HamiltonianStep<System, false>;
};
TEST(Forms, OfTheHamiltonianMethodGiveOneSolution) {
    constexpr double grown_tolerance = 1e-9;
    SteppedRun<EnergyMomentum<HamiltonianEnergy>, FreeBody> three(defaults<FreeBody>(), 0.05);
    SteppedRun<EnergyMomentum<HamiltonianAsWritten>, FreeBody> nine(defaults<FreeBody>(), 0.05);
    SteppedRun<EnergyMomentum<HamiltonianEnergy>, Top> three_top(precessing_top(), 0.01);
    SteppedRun<EnergyMomentum<HamiltonianAsWritten>, Top> nine_top(precessing_top(), 0.01);
    for (int step = 0; step < 40; ++step) {
        ASSERT_TRUE(three.step() && nine.step() && three_top.step() && nine_top.step());
        EXPECT_LE(distance(three.coordinates(), nine.coordinates()), grown_tolerance);
        EXPECT_LE(distance(three_top.coordinates(), nine_top.coordinates()), grown_tolerance);
    }
    EXPECT_LE(nine.worst[2], 1e-12);  // |q . v|, 1/s: zero, so three unknowns are enough
}

// At h = 0.05 (D.3) and h = 0.01 (D.4): differences of the Newton tolerance, grown by the motion.
TEST(Forms, OfLivensMethodGiveOneSolution) {
    constexpr double grown_tolerance = 1e-8;
    SteppedRun<EnergyMomentum<Livens>, FreeBody> reduced(defaults<FreeBody>(), 0.05);
    SteppedRun<EnergyMomentum<LivensFull>, FreeBody> full(defaults<FreeBody>(), 0.05);
    SteppedRun<EnergyMomentum<LivensNullSpace>, FreeBody> null_space(defaults<FreeBody>(), 0.05);
    for (int step = 0; step < 40; ++step) {
        ASSERT_TRUE(reduced.step() && full.step() && null_space.step());
        EXPECT_LE(distance(reduced.coordinates(), full.coordinates()), grown_tolerance);
        EXPECT_LE(distance(reduced.coordinates(), null_space.coordinates()), grown_tolerance);
        EXPECT_NEAR(reduced.now[1], null_space.now[1], 1e3 * grown_tolerance);
        EXPECT_NEAR(reduced.now[2], null_space.now[2], 1e3 * grown_tolerance);
    }
    SteppedRun<EnergyMomentum<Livens>, Top> reduced_top(precessing_top(), 0.01);
    SteppedRun<EnergyMomentum<LivensNullSpace>, Top> null_space_top(precessing_top(), 0.01);
    ASSERT_EQ(reduced_top.steps(10), 10);
    ASSERT_EQ(null_space_top.steps(10), 10);
    EXPECT_LE(distance(reduced_top.coordinates(), null_space_top.coordinates()), grown_tolerance);
}

}  // namespace
}  // namespace myriad::test
