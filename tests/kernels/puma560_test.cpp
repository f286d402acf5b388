// The Puma 560 in minimal coordinates: published and converged values, and its derivatives by differences.
#include "kernels/systems/puma560.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "host/validation/runs/reference_values.hpp"
#include "kernels/orientation/orientation.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::test {
namespace {

using Puma = Puma560<double, RotationGroup>;
using Angles = Puma::Angles;
constexpr int joints = Puma::joints;
constexpr double degree = 0.017453292519943295;
// As in tests/kernels/states.hpp, relative to the size of what is differentiated.
constexpr double difference_step = 1e-5, difference_tolerance = 2e-7;
constexpr std::uint64_t case_count = 10;

using Parameters = Vec<Puma::parameter_count, double>;

Parameters published_parameters() {
    Parameters p;
    for (int i = 0; i < Puma::parameter_count; ++i) p[i] = Puma::parameters[i].value;
    return p;
}
Parameters generic_parameters(std::uint64_t instance) {
    Parameters p;
    const std::vector<double> values = backends::generic_instance(Puma::name, instance);
    for (int i = 0; i < Puma::parameter_count; ++i) p[i] = values[static_cast<std::size_t>(i)];
    return p;
}
double& at(Parameters& p, const std::string& address) { return p[backends::parameter_index(Puma::name, address)]; }
Puma without_control(Puma puma) {
    for (auto& gains : puma.gains) gains = {0.0, 0.0};
    return puma;
}
Motion<Puma> start_of(const Parameters& p) {
    Motion<Puma> motion;
    Puma::start(p, motion.q, motion.v);
    return motion;
}
Puma::Velocity accelerations(std::uint64_t instance) {
    Puma::Velocity a{};
    for (int i = 0; i < joints; ++i) a[i] = 6.0 * (backends::uniform(instance, 41 + i) - 0.5);
    return a;
}

void rk4_step(const Puma& puma, double h, Motion<Puma>& motion) {
    Puma::Velocity moved[4], sped[4], u{}, v = motion.v;
    for (int stage = 0; stage < 4; ++stage) {
        const double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
        if (stage > 0) u = part * moved[stage - 1], v = fma(part, sped[stage - 1], motion.v);
        moved[stage] = v, sped[stage] = puma.acceleration(Puma::retract(motion.q, u), v);
    }
    const auto mean = [](const Puma::Velocity(&k)[4]) { return (1.0 / 6.0) * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]); };
    motion = {Puma::retract(motion.q, h * mean(moved)), fma(h, mean(sped), motion.v)};
}
// v+ = v + h (a + a+)/2, u = h v + h^2 (a + a+)/4; the number of corrections.
int trapezoidal_step(const Puma& puma, double h, Motion<Puma>& motion, Puma::Velocity& a) {
    const Motion<Puma> begin = motion;
    Puma::Velocity u = fma(0.5 * h * h, a, h * begin.v), v = fma(h, a, begin.v), x;
    for (int k = 1; k <= 12; ++k) {
        motion = {Puma::retract(begin.q, u), v};
        const double square = puma.newton_correction(motion, a, u, 1.0, 0.5 * h, 0.25 * h * h, true, 0.0, x);
        a = a + x, v = fma(0.5 * h, x, v), u = fma(0.25 * h * h, x, u);
        motion = {Puma::retract(begin.q, u), v};
        if (square <= 1e-24) return k;
    }
    ADD_FAILURE() << "no convergence";
    return 12;
}
void expect_angles(const Motion<Puma>& motion, const std::array<double, joints>& expected, double tolerance) {
    for (int i = 0; i < joints; ++i)
        EXPECT_NEAR(motion.q.angles[i], expected[static_cast<std::size_t>(i)], tolerance) << "joint " << i + 1;
}

// Facts A.4, to the digits given there.
constexpr double digits = 1e-9;
namespace known = reference_values::puma560;

TEST(Puma560, CarriesItsWeightByTheStaticTorques) {
    const auto puma = without_control(Puma::prepare(published_parameters()).system);
    const Angles torque = puma.residual(start_of(published_parameters()), Puma::Velocity{});
    for (int i = 0; i < joints; ++i)
        EXPECT_NEAR(torque[i], known::static_torques[static_cast<std::size_t>(i)], digits) << "joint " << i + 1;
}

TEST(Puma560, MovesToTheConvergedAnglesByAnExplicitMethod) {
    const auto puma = Puma::prepare(published_parameters()).system;
    auto motion = start_of(published_parameters());
    for (int step = 1; step <= 10'000; ++step) {
        rk4_step(puma, 1e-4, motion);
        if (step == 5'000) expect_angles(motion, known::angles_at_0_5_s, digits);
    }
    expect_angles(motion, known::angles_at_1_s, digits);
    EXPECT_NEAR(motion.q.time_s, 1.0, 1e-12);
}

TEST(Puma560, MovesToTheConvergedAnglesByAnImplicitMethod) {
    const auto puma = Puma::prepare(published_parameters()).system;
    auto motion = start_of(published_parameters());
    auto a = puma.acceleration(motion.q, motion.v);
    int corrections = 0;
    for (int step = 1; step <= 10'000; ++step) {
        corrections += trapezoidal_step(puma, 1e-4, motion, a);
        if (step == 5'000) expect_angles(motion, known::angles_at_0_5_s, digits);
    }
    expect_angles(motion, known::angles_at_1_s, digits);
    EXPECT_LE(corrections, 2 * 10'000) << "a wrong derivative takes more";
}

// EXUDYN's kinematic tree: two profiles of 0.25 s, gravity upwards, angles at t = 0.4 (facts A.4).
TEST(Puma560, AgreesWithAnotherProgramOnTheSameRobot) {
    Parameters first = published_parameters();
    for (int i = 0; i < joints; ++i) {
        const std::string element = "[" + std::to_string(i) + "]";
        at(first, "initial_angle_rad" + element) = 0.0, at(first, "goal_angle_rad" + element) = 0.0;
    }
    at(first, "goal_angle_rad[0]") = 90.0 * degree, at(first, "goal_angle_rad[2]") = -45.0 * degree;
    at(first, "profile_duration_s") = 0.25, at(first, "gravity_m_s2") = -9.81;
    Parameters second = first;
    for (int i = 0; i < joints; ++i) {
        const std::string element = "[" + std::to_string(i) + "]";
        at(second, "initial_angle_rad" + element) = at(first, "goal_angle_rad" + element);
        at(second, "goal_angle_rad" + element) = 0.0;
    }
    at(second, "goal_angle_rad[1]") = at(second, "goal_angle_rad[4]") = 22.5 * degree;
    at(second, "goal_angle_rad[2]") = 90.0 * degree;
    auto motion = start_of(first);
    for (int step = 0; step < 2'500; ++step) rk4_step(Puma::prepare(first).system, 1e-4, motion);
    motion.q.time_s = 0.0;
    for (int step = 0; step < 1'500; ++step) rk4_step(Puma::prepare(second).system, 1e-4, motion);
    expect_angles(motion, known::angles_on_a_path, digits);
}

TEST(Puma560, DerivesItsResidualAsDifferencesDo) {
    const double coefficients[][3] = {{1.0, 0.1, 0.01}, {1.7, 0.9, 0.35}, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}};
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const Parameters p = generic_parameters(instance);
        const auto puma = Puma::prepare(p).system;
        const auto motion = start_of(p);
        const auto a = accelerations(instance);
        const double* c = coefficients[instance % 4];
        Puma::Matrix matrix;
        const Angles r = puma.linearized(motion, a, c[0], c[1], c[2], matrix), plain = puma.residual(motion, a);
        for (int j = 0; j < joints; ++j) {
            EXPECT_EQ(r[j], plain[j]);
            Puma::Velocity x{};
            x[j] = 1.0;
            const auto residual = [&](double s) {
                return puma.residual({Puma::retract(motion.q, (s * c[2]) * x), fma(s * c[1], x, motion.v)},
                                     fma(s * c[0], x, a));
            };
            const Angles after = residual(difference_step), before = residual(-difference_step);
            for (int i = 0; i < joints; ++i)
                EXPECT_NEAR(matrix.e[i][j], (after[i] - before[i]) / (2.0 * difference_step),
                            difference_tolerance * (10.0 + std::abs(matrix.e[i][j])))
                    << "row " << i << ", column " << j << " of instance " << instance;
        }
    }
}

TEST(Puma560, HasASymmetricMassMatrixThatIsTheKineticEnergys) {
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const Parameters p = generic_parameters(instance);
        const auto puma = Puma::prepare(p).system;
        const auto motion = start_of(p);
        Puma::Matrix mass;
        puma.linearized(motion, Puma::Velocity{}, 1.0, 0.0, 0.0, mass);
        double twice_energy = 0.0;
        for (int i = 0; i < joints; ++i)
            for (int j = 0; j < joints; ++j) {
                EXPECT_NEAR(mass.e[i][j], mass.e[j][i], 1e-13 * (1.0 + std::abs(mass.e[i][j])));
                twice_energy += motion.v[i] * mass.e[i][j] * motion.v[j];
            }
        const int energy = Puma::channel_count - 1;
        const double kinetic =
            puma.channel(energy, motion.q, motion.v) - puma.channel(energy, motion.q, Puma::Velocity{});
        EXPECT_NEAR(0.5 * twice_energy, kinetic, 1e-12 * (1.0 + kinetic));
    }
}

// The power of the controllers is the rate of the energy; from rest each torque is the slope of the potential.
TEST(Puma560, GainsTheEnergyThatItsControllersGive) {
    const int energy = Puma::channel_count - 1, first_torque = Puma::bodies * body_channels + 2 * joints;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const Parameters p = generic_parameters(instance);
        const auto puma = Puma::prepare(p).system;
        const auto motion = start_of(p);
        const auto a = puma.acceleration(motion.q, motion.v);
        const auto energy_at = [&](double t) {
            return puma.channel(energy, Puma::retract(motion.q, fma(0.5 * t * t, a, t * motion.v)),
                                fma(t, a, motion.v));
        };
        double power = 0.0;
        for (int i = 0; i < joints; ++i) power += motion.v[i] * puma.channel(first_torque + i, motion.q, motion.v);
        EXPECT_GT(std::abs(power), 0.01) << "this state tests nothing";
        EXPECT_NEAR((energy_at(difference_step) - energy_at(-difference_step)) / (2.0 * difference_step), power,
                    difference_tolerance * (100.0 + std::abs(power)));
        const Angles weight = without_control(puma).residual({motion.q, Puma::Velocity{}}, Puma::Velocity{});
        for (int i = 0; i < joints; ++i) {
            Puma::Velocity u{};
            u[i] = difference_step;
            const double slope = (puma.channel(energy, Puma::retract(motion.q, u), Puma::Velocity{}) -
                                  puma.channel(energy, Puma::retract(motion.q, -u), Puma::Velocity{})) /
                                 (2.0 * difference_step);
            EXPECT_NEAR(weight[i], slope, difference_tolerance * (100.0 + std::abs(slope)));
        }
    }
}

TEST(Puma560, AcceleratesToAZeroResidual) {
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const Parameters p = generic_parameters(instance);
        const auto puma = Puma::prepare(p).system;
        const auto motion = start_of(p);
        const auto a = puma.acceleration(motion.q, motion.v);
        const Angles r = puma.residual(motion, a);
        // Round-off of sums of up to 100 N m times the condition number of the mass matrix, some tens.
        for (int i = 0; i < joints; ++i) EXPECT_NEAR(r[i], 0.0, 1e-12);
        EXPECT_EQ(a[joints], 0.0) << "the clock goes evenly";
    }
}

TEST(Puma560, StandsAtItsGoalAfterTheProfile) {
    Parameters p = published_parameters();
    at(p, "profile_duration_s") = 0.0;
    const auto puma = Puma::prepare(p).system;
    auto motion = start_of(p);
    const int first_torque = Puma::bodies * body_channels + 2 * joints;
    EXPECT_EQ(puma.channel(first_torque, motion.q, motion.v), 40000.0 * (-120.0 * degree - 0.0));
}

TEST(Puma560, RefusesWhatIsNoRobotAndWarnsOfThePublishedInertias) {
    const auto reason = [](const std::string& address, double value) {
        Parameters p = published_parameters();
        at(p, address) = value;
        return static_cast<Reason>(static_cast<int>(Puma::prepare(p).reason));
    };
    EXPECT_EQ(reason("link_1.mass_kg", 0.0), Reason::none);
    EXPECT_EQ(reason("link_2.mass_kg", -1.0), Reason::mass_not_positive);
    EXPECT_EQ(reason("link_6.inertia_kg_m2.zz", -1e-3), Reason::inertia_not_positive_semidefinite);
    EXPECT_EQ(reason("gravity_m_s2", std::numeric_limits<double>::quiet_NaN()), Reason::parameter_not_finite);
    EXPECT_EQ(Puma::prepare(published_parameters()).warnings,
              static_cast<double>(Warning::inertia_breaks_triangle_inequality));
    EXPECT_EQ(Puma::prepare(generic_parameters(1)).warnings, 0.0);
}

TEST(Puma560, HasTheSameBitsInEveryLane) {
    using Four = Pack<double, 4>;
    using Packed = Puma560<Four, RotationGroup>;
    Vec<Puma::parameter_count, Four> parameters;
    for (int lane = 0; lane < 4; ++lane) {
        const auto of_lane = generic_parameters(static_cast<std::uint64_t>(lane));
        for (int i = 0; i < Puma::parameter_count; ++i) Lanes<Four>::set(parameters[i], lane, of_lane[i]);
    }
    Motion<Packed> motion;
    Packed::start(parameters, motion.q, motion.v);
    const auto packed = Packed::prepare(parameters).system;
    const auto a = packed.acceleration(motion.q, motion.v);
    Packed::Velocity x;
    const Four half(0.5),
        size = packed.newton_correction(motion, half * a, motion.v, Four(1.0), half, half * half, true, Four(0.0), x);
    for (int lane = 0; lane < 4; ++lane) {
        const Parameters p = generic_parameters(static_cast<std::uint64_t>(lane));
        const auto puma = Puma::prepare(p).system;
        const auto plain = start_of(p);
        const auto plain_a = puma.acceleration(plain.q, plain.v);
        Puma::Velocity plain_x;
        EXPECT_EQ(Lanes<Four>::get(size, lane),
                  puma.newton_correction(plain, 0.5 * plain_a, plain.v, 1.0, 0.5, 0.25, true, 0.0, plain_x));
        for (int i = 0; i <= joints; ++i) {
            EXPECT_EQ(Lanes<Four>::get(a[i], lane), plain_a[i]);
            EXPECT_EQ(Lanes<Four>::get(x[i], lane), plain_x[i]);
        }
        for (int i = 0; i < Puma::channel_count; ++i)
            EXPECT_EQ(Lanes<Four>::get(packed.channel(i, motion.q, motion.v), lane), puma.channel(i, plain.q, plain.v));
    }
}

}  // namespace
}  // namespace myriad::test
