// The matrices of the steps: Newton's corrections shrink quadratically from a perturbed guess, on generic states.
#include "tests/generic_tasks.hpp"
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

template <class M, class S>
struct Of {
    using Member = M;
    using System = S;
};
template <class Case>
class NewtonStep : public testing::Test {};
using Cases = testing::Types<Of<Livens, FreeBody>, Of<Livens, Top>, Of<Livens, Springs>, Of<Livens, Pendulum>,
                             Of<LivensFull, Top>, Of<LivensFull, Springs>, Of<LivensFull, Pendulum>,
                             Of<LivensNullSpace, FreeBody>, Of<LivensNullSpace, Top>, Of<LivensMidpoint, Top>,
                             Of<LivensMidpoint, Springs>, Of<LivensMidpoint, Pendulum>, Of<HamiltonianEnergy, Top>,
                             Of<HamiltonianMidpoint, Top>, Of<Convective, FreeBody>, Of<Convective, Top>>;
TYPED_TEST_SUITE(NewtonStep, Cases);

template <class System>
ParametersFor<System> generic_parameters(std::uint64_t instance) {
    auto parameters = defaults<System>();
    for (int i = 0; i < System::parameter_count; ++i)
        parameters[i] += 0.1 * (backends::uniform(instance, static_cast<std::uint64_t>(i)) - 0.5);
    if constexpr (System::parameter_count == 17) {  // a light top turns slower than 150 rad/s
        parameters[15] = 3.0, parameters[16] = 2.0;
        for (int i = 4; i < 7; ++i) parameters[i] += 1.0;
    }
    if constexpr (System::parameter_count == 22)
        for (int i = 19; i < 22; ++i) parameters[i] *= 0.1;
    if constexpr (has_load<typename System::Lagrangian>)
        for (int i = 9; i < 12; ++i) parameters[i] *= 200.0;  // forces of up to 10 N
    return parameters;
}

TYPED_TEST(NewtonStep, ConvergesQuadratically) {
    using System = typename TypeParam::System;
    using Step = typename TypeParam::Member::template Step<System>;
    int tested = 0;
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        // Some steps first, so that momenta and rates are no longer those of a start.
        SteppedRun<EnergyMomentum<typename TypeParam::Member>, System> run(generic_parameters<System>(instance), 0.05);
        ASSERT_EQ(run.steps(3), 3);
        Step step(run.system, 0.1, run.motion, run.memory);
        double sizes[8];
        for (double& size : sizes) size = std::sqrt(step.correct(true).square);
        EXPECT_LE(sizes[7], 1e-13);
        // The constant is of the order of the second derivatives; a wrong derivative would leave a ratio of its error.
        for (int k = 1; k < 8; ++k) {
            EXPECT_LE(sizes[k], 100.0 * sizes[k - 1] * sizes[k - 1] + 1e-13) << "iteration " << k << " of " << instance;
            tested += sizes[k] < 1e-3 && sizes[k] > 1e-10;
        }
    }
    EXPECT_GT(tested, 5) << "too few corrections lie between the guess and round-off";
}

TEST(SolveWithExchange, SolvesWhatNeedsAnExchangeOfRows) {
    for (std::uint64_t instance = 0; instance < 50; ++instance) {
        SquareMatrix<5, double> m;
        Vec<5, double> x, b{};
        for (int i = 0; i < 5; ++i) {
            x[i] = backends::uniform(instance, static_cast<std::uint64_t>(i)) - 0.5;
            for (int j = 0; j < 5; ++j)
                m.e[i][j] = backends::uniform(instance, static_cast<std::uint64_t>(5 + 5 * i + j)) - 0.5;
        }
        // A saddle point with a singular block: no order of pivots without exchange.
        m.e[0][0] = 0.0, m.e[4][4] = 0.0, m.e[1][0] = m.e[0][1] = 0.0;
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 5; ++j) b[i] += m.e[i][j] * x[j];
        const auto found = solve_with_exchange(m, b);
        for (int i = 0; i < 5; ++i) EXPECT_NEAR(found[i], x[i], 1e-11);  // condition numbers to some 1e4
    }
}

TEST(SolveWithExchange, ExchangesInEachLaneForItself) {
    using Four = Pack<double, 4>;
    SquareMatrix<4, Four> m;
    Vec<4, Four> b;
    SquareMatrix<4, double> of_lane[4];
    Vec<4, double> right[4];
    for (int lane = 0; lane < 4; ++lane)
        for (int i = 0; i < 4; ++i) {
            right[lane][i] = backends::uniform(static_cast<std::uint64_t>(lane), static_cast<std::uint64_t>(i));
            Lanes<Four>::set(b[i], lane, right[lane][i]);
            for (int j = 0; j < 4; ++j) {
                of_lane[lane].e[i][j] = i == (j + lane) % 4 ? 2.0 + i : 0.1 * (i - j);
                Lanes<Four>::set(m.e[i][j], lane, of_lane[lane].e[i][j]);
            }
        }
    const auto together = solve_with_exchange(m, b);
    for (int lane = 0; lane < 4; ++lane) {
        const auto alone = solve_with_exchange(of_lane[lane], right[lane]);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(Lanes<Four>::get(together[i], lane), alone[i]);
    }
}

}  // namespace
}  // namespace myriad::test
