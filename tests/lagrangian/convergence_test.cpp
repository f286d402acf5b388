// Converged values of facts D.1 to D.3, second order and the paper's ranking on the precessing top, and one solution of
// the three forms of Livens' method.
#include "host/validation/runs/reference_values.hpp"
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

// Errors in even powers of h: from h and h/2, of fourth order.
template <int N>
Vec<N, double> extrapolated(const Vec<N, double>& coarse, const Vec<N, double>& fine) {
    return (1.0 / 3.0) * (4.0 * fine - coarse);
}
template <class Method, class System>
CoordinatesOf<System> at_end(const ParametersFor<System>& parameters, double end_s, int steps) {
    SteppedRun<EnergyMomentum<Method>, System> run(parameters, end_s / steps, 1e-12);
    EXPECT_EQ(run.steps(steps), steps);
    return run.coordinates();
}
template <class Method, class System>
CoordinatesOf<System> converged(const ParametersFor<System>& parameters, double end_s, int steps) {
    return extrapolated(at_end<Method, System>(parameters, end_s, steps),
                        at_end<Method, System>(parameters, end_s, 2 * steps));
}
template <int N>
void expect_near(const Vec<N, double>& found, const Vec<N, double>& expected, double tolerance) {
    for (int i = 0; i < N; ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "coordinate " << i;
}

namespace springs = reference_values::mass_spring;
template <std::size_t N>
Vec<static_cast<int>(N), double> known(const reference_values::Values<N>& values) {
    Vec<static_cast<int>(N), double> vector{};
    for (std::size_t i = 0; i < N; ++i) vector[static_cast<int>(i)] = values[i];
    return vector;
}

// The facts have ten digits; the error left by the extrapolation is of the order h^4.
constexpr double ten_digits = 3e-9;

template <class Method>
class InCoordinates : public testing::Test {};
using CoordinateMethods = testing::Types<Livens, LivensFull, LivensMidpoint>;
TYPED_TEST_SUITE(InCoordinates, CoordinateMethods);

TYPED_TEST(InCoordinates, ReachTheConvergedValuesOfTheMassSpring) {
    auto parameters = defaults<Springs>();
    expect_near(converged<TypeParam, Springs>(parameters, 10.0, 4000), known(springs::half_at_10_s), ten_digits);
    expect_near(converged<TypeParam, Springs>(parameters, 1.0, 400), known(springs::half_at_1_s), ten_digits);
    parameters[7] = 0.25;  // the potential as eq. 109 is printed: the same energy, another motion
    expect_near(converged<TypeParam, Springs>(parameters, 10.0, 4000), known(springs::quarter_at_10_s), ten_digits);
}

TYPED_TEST(InCoordinates, ReachTheConvergedValuesOfTheSpringPendulum) {
    const auto parameters = defaults<Pendulum>();
    namespace pendulum = reference_values::spring_pendulum;
    expect_near(converged<TypeParam, Pendulum>(parameters, 0.5, 1000), known(pendulum::coordinates_at_0_5_s),
                ten_digits);
    expect_near(converged<TypeParam, Pendulum>(parameters, 1.0, 2000), known(pendulum::coordinates_at_1_s), ten_digits);
}

template <class Method>
class OfRotations : public testing::Test {};
using RotationMethods = testing::Types<Livens, LivensFull, LivensNullSpace, LivensMidpoint, HamiltonianEnergy,
                                       HamiltonianMidpoint, Convective>;
TYPED_TEST_SUITE(OfRotations, RotationMethods);

TYPED_TEST(OfRotations, ReachTheConvergedFreeRotation) {
    const auto parameters = defaults<FreeBody>();
    namespace body = reference_values::free_rotation;
    expect_near(converged<TypeParam, FreeBody>(parameters, 0.45, 1800), known(body::orientation_at_0_45_s), ten_digits);
    // Steps at which the parasitic mode of Livens' method has not grown in these two seconds.
    SteppedRun<EnergyMomentum<TypeParam>, FreeBody> coarse(parameters, 1e-4, 1e-12), fine(parameters, 5e-5, 1e-12);
    ASSERT_EQ(coarse.steps(20000), 20000);
    ASSERT_EQ(fine.steps(40000), 40000);
    expect_near(extrapolated(coarse.coordinates(), fine.coordinates()), known(body::orientation_at_2_s), ten_digits);
    // rad/s: 30 times as large, and differences over h where rates are those.
    expect_near(extrapolated(FreeBody::turning(coarse.motion.v), FreeBody::turning(fine.motion.v)),
                known(body::angular_velocity_at_2_s), 30.0 * ten_digits);
}

// livens eq. 121: the relative error of the centre of mass at 0.1 s.
template <class Method>
double precession_error(int steps) {
    SteppedRun<EnergyMomentum<Method>, Top> run(precessing_top(), 0.1 / steps);
    EXPECT_EQ(run.steps(steps), steps);
    Vec<3, double> centre;
    for (int i = 0; i < 3; ++i) centre[i] = run.system.channel(i, run.motion.q, run.motion.v);
    return distance(centre, precessed_centre()) / 0.075;
}

TYPED_TEST(OfRotations, AreOfSecondOrderOnThePrecessingTop) {
    // livens fig. 13: h = 0.001 and 0.0005.
    const double order = std::log2(precession_error<TypeParam>(100) / precession_error<TypeParam>(200));
    EXPECT_NEAR(order, 2.0, 0.02);
}

// livens sect. 5.4: MPL below EML below the Hamiltonian pair, at each of its smaller steps.
TEST(PrecessingTop, RanksTheMethodsAsThePaperDoes) {
    for (const int steps : {100, 200}) {
        const double mpl = precession_error<LivensMidpoint>(steps), eml = precession_error<LivensNullSpace>(steps);
        EXPECT_LT(2.0 * mpl, eml);
        EXPECT_LT(eml, precession_error<HamiltonianMidpoint>(steps));
        EXPECT_LT(eml, precession_error<HamiltonianEnergy>(steps));
    }
}

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
