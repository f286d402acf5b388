// Every system keeps these promises on every chart, without a second implementation: derivatives by differences,
// channels against invariants, the initial state against its parameters.
#include <algorithm>
#include <vector>

#include "tests/kernels/states.hpp"

namespace myriad::test {
namespace {

template <class On>
class Conformance : public testing::Test {};
TYPED_TEST_SUITE(Conformance, SystemsOnCharts);

TYPED_TEST(Conformance, InvariantsDoNotChangeAlongTheFlow) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const auto after = moved(system, motion, difference_step), before = moved(system, motion, -difference_step);
        const auto kept = system.invariants(motion.q, motion.v), later = system.invariants(after.q, after.v),
                   earlier = system.invariants(before.q, before.v);
        for (int i = 0; i < System::invariant_count; ++i)
            EXPECT_NEAR((later[i] - earlier[i]) / (2.0 * difference_step), 0.0,
                        difference_tolerance * (1.0 + std::abs(kept[i])))
                << System::invariants_kept[i].name << " of instance " << instance;
    }
}

// The power of the inertial and applied forces is the rate of the energy for any acceleration: with v frozen the energy
// changes along q by minus what the force adds through v.
TYPED_TEST(Conformance, ForceIsTheSlopeOfTheEnergy) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const auto v_dot = system.acceleration(motion.q, motion.v), rate = rate_at<System>(motion.q, motion.v);
        const double dt = difference_step;
        const auto energy = [&](double along_q, double along_v) {
            typename System::Velocity u{}, v{};
            for (int i = 0; i < System::freedoms; ++i)
                u[i] = along_q * rate[i], v[i] = motion.v[i] + along_v * v_dot[i];
            return system.invariants(System::retract(motion.q, u), v)[0];
        };
        const double along_q = (energy(dt, 0.0) - energy(-dt, 0.0)) / (2.0 * dt);
        const double along_v = (energy(0.0, dt) - energy(0.0, -dt)) / (2.0 * dt);
        EXPECT_GT(std::abs(along_q), 0.01) << "this state tests nothing";
        EXPECT_NEAR(along_q, -along_v, difference_tolerance * (10.0 + std::abs(along_q)));
    }
}

// From rest the acceleration is M^-1 times minus the slope of the potential: tested in each direction on its own, with
// the mass matrix from the second differences of the energy in v.
TYPED_TEST(Conformance, FromRestEachForceIsTheSlopeOfThePotential) {
    using System = typename TypeParam::template System<double>;
    constexpr int n = System::freedoms;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const typename System::Velocity rest{};
        const auto acceleration = system.acceleration(motion.q, rest);
        const double at_rest = system.invariants(motion.q, rest)[0];
        const auto kinetic = [&](int i, int j) {
            typename System::Velocity v{};
            v[i] = v[i] + 1.0, v[j] = v[j] + 1.0;
            return system.invariants(motion.q, v)[0] - at_rest;
        };
        for (int i = 0; i < n; ++i) {
            double inertial = 0.0;
            for (int j = 0; j < n; ++j) {
                // T(e_i + e_j) - T(e_i) - T(e_j) = M_ij, with T(2 e) = 4 T(e).
                const double mass = kinetic(i, j) - 0.25 * (kinetic(i, i) + kinetic(j, j));
                inertial += mass * acceleration[j];
            }
            typename System::Velocity direction{};
            direction[i] = difference_step;
            auto u = rate_at<System>(motion.q, direction);
            const double further = system.invariants(System::retract(motion.q, u), rest)[0];
            for (int j = 0; j < n; ++j) u[j] = -u[j];
            const double nearer = system.invariants(System::retract(motion.q, u), rest)[0];
            EXPECT_NEAR(inertial, -(further - nearer) / (2.0 * difference_step),
                        difference_tolerance * (10.0 + std::abs(inertial)))
                << "direction " << i << " of instance " << instance;
        }
    }
}

// Moving by u and then on along local_rate(q, u, v) is moving from retract(q, u) along its rate there.
TYPED_TEST(Conformance, LocalRateIsTheRateOfRetract) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& motion = made.motion;
        typename System::Velocity u{};
        for (int i = 0; i < System::freedoms; ++i) u[i] = backends::uniform(instance, 40 + i) - 0.5;
        const auto rate = System::local_rate(motion.q, u, motion.v),
                   rate_there = rate_at<System>(System::retract(motion.q, u), motion.v);
        const auto ahead = [&](double dt, bool locally) {
            typename System::Velocity onward{};
            for (int i = 0; i < System::freedoms; ++i) onward[i] = locally ? u[i] + dt * rate[i] : dt * rate_there[i];
            return locally ? System::retract(motion.q, onward) : System::retract(System::retract(motion.q, u), onward);
        };
        auto a = ahead(difference_step, true), b = ahead(-difference_step, true), c = ahead(difference_step, false),
             d = ahead(-difference_step, false);
        visit_fields(
            [&](double& local_after, double& local_before, double& after, double& before) {
                EXPECT_NEAR((local_after - local_before) / (2.0 * difference_step),
                            (after - before) / (2.0 * difference_step), difference_tolerance);
            },
            a, b, c, d);
    }
}

// Observed position, orientation and their rates belong together: differences along the flow.
TYPED_TEST(Conformance, ChannelsOfVelocityAreTheRatesOfThoseOfPosition) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const auto after = moved(system, motion, difference_step), before = moved(system, motion, -difference_step);
        const auto rate = [&](int channel) {
            return (system.channel(channel, after.q, after.v) - system.channel(channel, before.q, before.v)) /
                   (2.0 * difference_step);
        };
        double value[body_channels];
        for (int i = 0; i < body_channels; ++i) value[i] = system.channel(i, motion.q, motion.v);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(rate(i), value[7 + i], difference_tolerance * 10.0);
        // q' = q (0, w) / 2 for the unit quaternion from body to world.
        const double w = value[3], x = value[4], y = value[5], z = value[6];
        const double a = 0.5 * value[10], b = 0.5 * value[11], c = 0.5 * value[12];
        EXPECT_NEAR(rate(3), -x * a - y * b - z * c, difference_tolerance);
        EXPECT_NEAR(rate(4), w * a + y * c - z * b, difference_tolerance);
        EXPECT_NEAR(rate(5), w * b + z * a - x * c, difference_tolerance);
        EXPECT_NEAR(rate(6), w * c + x * b - y * a, difference_tolerance);
        EXPECT_NEAR(w * w + x * x + y * y + z * z, 1.0, 1e-15);
    }
}

TYPED_TEST(Conformance, InvariantsAreTheChannelsOfTheSameAddress) {
    using System = typename TypeParam::template System<double>;
    const study::SystemDescription& description = study::find_system(System::name, "test");
    ASSERT_EQ(description.channel_count, System::channel_count);
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const auto kept = system.invariants(motion.q, motion.v);
        for (int i = 0; i < System::invariant_count; ++i) {
            const int channel = description.scalar_channel(System::invariants_kept[i].name, "test");
            // Two orders of the same sums: some units in the last place of their terms, which are below 100.
            EXPECT_NEAR(system.channel(channel, motion.q, motion.v), kept[i], 1e-13) << System::invariants_kept[i].name;
        }
    }
}

// exp of a rotation vector by the matrix exponential's series, from the parameters alone.
TYPED_TEST(Conformance, InitialStateIsTheOneOfTheParameters) {
    using System = typename TypeParam::template System<double>;
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto parameters = parameters_of<System>(instance);
        const auto made = generic_case<System>(instance);
        const auto& system = made.system;
        const auto& motion = made.motion;
        const auto value = [&](const std::string& address, int i) {
            return parameters[backends::parameter_index(System::name, address + "[" + std::to_string(i) + "]")];
        };
        double vector[3], angle = 0.0;
        for (int i = 0; i < 3; ++i) vector[i] = value("initial_rotation_vector_rad", i), angle += vector[i] * vector[i];
        angle = std::sqrt(angle);
        EXPECT_NEAR(system.channel(3, motion.q, motion.v), std::cos(angle / 2), 1e-14);
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(system.channel(4 + i, motion.q, motion.v), std::sin(angle / 2) / angle * vector[i], 1e-14);
            EXPECT_NEAR(system.channel(10 + i, motion.q, motion.v), value("initial_angular_velocity_rad_s", i), 1e-13);
        }
        if (System::name != std::string("free_rigid_body")) continue;
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(system.channel(i, motion.q, motion.v), value("initial_position_m", i));
            EXPECT_EQ(system.channel(7 + i, motion.q, motion.v), value("initial_velocity_m_s", i));
        }
    }
}

}  // namespace
}  // namespace myriad::test
