// Loads of systems with a formula: the work that is counted, and the motion against one in other coordinates.
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

// The pendulum of the facts with a force (N) that swings at 3 rad/s.
ParametersFor<Pendulum> pushed_pendulum() {
    auto parameters = defaults<Pendulum>();
    parameters[9] = 3.0, parameters[10] = -2.0, parameters[11] = 4.0, parameters[12] = 3.0;
    return parameters;
}

// In x, y, z: m a = -EA e x / l0^2 + F cos(w t), e = (x . x - l0^2) / (2 l0^2), by rk4 with steps far below its error.
Vec<3, double> pushed_mass(double end_s) {
    const auto p = pushed_pendulum();
    struct State {
        Vec<3, double> x, v;
    };
    const auto rate = [&](const State& s, double t) {
        const double square = p[2] * p[2], strain = (dot(s.x, s.x) - square) / (2.0 * square);
        Vec<3, double> a;
        for (int i = 0; i < 3; ++i) a[i] = (-p[1] * strain * s.x[i] / square + p[9 + i] * std::cos(p[12] * t)) / p[0];
        return State{s.v, a};
    };
    const auto moved = [](const State& s, double h, const State& by) { return State{s.x + h * by.x, s.v + h * by.v}; };
    // r = 1.05 along x; theta grows downwards, phi along y.
    State s{{p[3], 0.0, 0.0}, {0.0, p[3] * p[8], -p[3] * p[7]}};
    const int steps = 20'000;
    const double h = end_s / steps;
    for (int n = 0; n < steps; ++n) {
        const double t = n * h;
        const State a = rate(s, t), b = rate(moved(s, h / 2, a), t + h / 2), c = rate(moved(s, h / 2, b), t + h / 2),
                    d = rate(moved(s, h, c), t + h);
        for (const auto& [weight, k] : {std::pair{1.0, a}, {2.0, b}, {2.0, c}, {1.0, d}})
            s = moved(s, weight * h / 6.0, k);
    }
    return s.x;
}

template <class Integrator>
double error_of(double h, double end_s) {
    SteppedRun<Integrator, Pendulum> run(pushed_pendulum(), h);
    const int steps = static_cast<int>(std::lround(end_s / h));
    EXPECT_EQ(run.steps(steps), steps);
    const Vec<3, double> q = run.motion.q, truth = pushed_mass(end_s);
    const Vec<3, double> x{q[0] * std::sin(q[1]) * std::cos(q[2]), q[0] * std::sin(q[1]) * std::sin(q[2]),
                           q[0] * std::cos(q[1])};
    return distance(x, truth);
}

template <class Integrator>
void expect_order_two() {
    const double coarse = error_of<Integrator>(2e-3, 1.0), fine = error_of<Integrator>(1e-3, 1.0);
    // The window takes in the next order.
    EXPECT_GT(coarse / fine, 3.5) << Integrator::name;
    EXPECT_LT(coarse / fine, 4.5) << Integrator::name;
}

TEST(Loads, MoveAPendulumAsInOtherCoordinatesWithOrderTwo) {
    expect_order_two<EnergyMomentum<Livens>>();
    expect_order_two<EnergyMomentum<LivensFull>>();
    expect_order_two<EnergyMomentum<LivensMidpoint>>();
}

TEST(Loads, DoTheWorkThatTheCertificateCounts) {
    // Corrections below 1e-12 are left out in each of 1,000 steps, against forces of some tens of newtons.
    constexpr double round_off = 1e-10;
    SteppedRun<EnergyMomentum<Livens>, Pendulum> reduced(pushed_pendulum(), 0.005, 1e-12);
    SteppedRun<EnergyMomentum<LivensFull>, Pendulum> full(pushed_pendulum(), 0.005, 1e-12);
    EXPECT_EQ(reduced.steps(1000), 1000);
    EXPECT_EQ(full.steps(1000), 1000);
    EXPECT_LT(reduced.worst[0], round_off);
    EXPECT_LT(full.worst[0], round_off);
    EXPECT_GT(reduced.worst_kept[0], 0.1);
    EXPECT_GT(std::abs(reduced.memory.work), 0.01);
}

// A constant force is one of a potential: both energies change by what the force has done.
TEST(Loads, ThatAreConstantDoTheirForceTimesTheWay) {
    auto parameters = pushed_pendulum();
    parameters[12] = 0.0;
    const auto work_error = [&](double h) {
        SteppedRun<EnergyMomentum<Livens>, Pendulum> run(parameters, h);
        const auto height = [&] { return run.motion.q[0] * std::cos(run.motion.q[1]); };
        const auto across = [&](double angle) { return run.motion.q[0] * std::sin(run.motion.q[1]) * angle; };
        const auto potential = [&] {
            return parameters[9] * across(std::cos(run.motion.q[2])) +
                   parameters[10] * across(std::sin(run.motion.q[2])) + parameters[11] * height();
        };
        const double before = potential();
        const int steps = static_cast<int>(std::lround(1.0 / h));
        EXPECT_EQ(run.steps(steps), steps);
        return std::abs(run.memory.work - (potential() - before));
    };
    const double coarse = work_error(4e-3), fine = work_error(2e-3);
    EXPECT_GT(coarse / fine, 3.5);
    EXPECT_LT(coarse / fine, 4.5);
}

}  // namespace
}  // namespace myriad::test
