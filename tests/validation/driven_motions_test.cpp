// The closed forms that validation compares with, against values stated elsewhere and against their own differences.
#include "host/validation/runs/driven_motions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/validation/runs/reference_values.hpp"

namespace myriad::validation {

namespace {

using Motion = PointMotion (*)(double);
class DrivenMotion : public testing::TestWithParam<Motion> {};

}  // namespace

// The difference quotients of step 1e-3 are of order four; round-off adds 1e-16 / 1e-3 and 1e-16 / 1e-6 of the values.
TEST_P(DrivenMotion, HasTheVelocityAndAccelerationOfItsPosition) {
    const double step_s = 1e-3, velocity_tolerance = 2e-8, acceleration_tolerance = 2e-7;
    for (const double t : {0.0, 0.1, 0.37, 0.5, 0.81, 1.3, 2.2, 3.0}) {
        const Motion motion = GetParam();
        const PointMotion here = motion(t), before = motion(t - step_s), after = motion(t + step_s),
                          earlier = motion(t - 2.0 * step_s), later = motion(t + 2.0 * step_s);
        for (std::size_t i = 0; i < 3; ++i) {
            const double p = here.position_m[i], one = after.position_m[i], two = later.position_m[i];
            const double minus_one = before.position_m[i], minus_two = earlier.position_m[i];
            EXPECT_NEAR(here.velocity_m_s[i], (8.0 * (one - minus_one) - (two - minus_two)) / (12.0 * step_s),
                        velocity_tolerance)
                << t;
            EXPECT_NEAR(here.acceleration_m_s2[i],
                        (16.0 * (one + minus_one) - (two + minus_two) - 30.0 * p) / (12.0 * step_s * step_s),
                        acceleration_tolerance)
                << t;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(All, DrivenMotion,
                         testing::Values(pendulum_rod, four_link_coupler, four_link_rocker, slider_crank_slider,
                                         slider_crank_rod));

TEST(DrivenMotions, MeetTheStatedValues) {
    namespace pendulum = reference_values::driven_pendulum;
    namespace four_link = reference_values::four_link;
    namespace crank = reference_values::slider_crank_haug;
    const auto expect = [](const std::array<double, 3>& ours, const reference_values::Values<3>& stated) {
        // A hundredth more for the closed form's own round-off.
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(ours[i], stated[i], 1.02 * stated.half_unit()) << "component " << i << " of " << stated[0];
    };
    expect(pendulum_rod(0.0).acceleration_m_s2, pendulum::start_acceleration);
    const PointMotion rod = pendulum_rod(3.0);
    expect(rod.position_m, pendulum::position_at_3_s);
    expect(rod.velocity_m_s, pendulum::velocity_at_3_s);
    expect(rod.acceleration_m_s2, pendulum::acceleration_at_3_s);
    expect(four_link_coupler(0.0).position_m, four_link::coupler_start_position);
    expect(four_link_coupler(0.0).velocity_m_s, four_link::coupler_start_velocity);
    const PointMotion start = four_link_rocker(0.0), rocker = four_link_rocker(3.0);
    expect(start.position_m, four_link::rocker_start_position);
    expect(start.velocity_m_s, four_link::rocker_start_velocity);
    expect(start.acceleration_m_s2, four_link::rocker_start_acceleration);
    expect(rocker.position_m, four_link::rocker_position_at_3_s);
    expect(rocker.velocity_m_s, four_link::rocker_velocity_at_3_s);
    expect(rocker.acceleration_m_s2, four_link::rocker_acceleration_at_3_s);
    for (const auto& [time_s, stated] : {std::pair{0.0, crank::slider_at_0_s},
                                         {0.25, crank::slider_at_0_25_s},
                                         {0.5, crank::slider_at_0_5_s},
                                         {0.75, crank::slider_at_0_75_s},
                                         {3.0, crank::slider_at_0_s}}) {
        const PointMotion slider = slider_crank_slider(time_s);
        expect({slider.position_m[0], slider.velocity_m_s[0], slider.acceleration_m_s2[0]}, stated);
    }
}

// The bars keep their lengths all the way round, on one branch.
TEST(DrivenMotions, KeepTheLengthsOfTheFourLinkMechanism) {
    double lowest = 10.0, highest = -10.0;
    for (int k = 0; k <= 3000; ++k) {
        const double t = 1e-3 * k;
        const PointMotion rocker = four_link_rocker(t), coupler = four_link_coupler(t);
        const std::array<double, 3> c = {2.0 * rocker.position_m[0] + 4.0, -8.5, 2.0 * rocker.position_m[2]};
        EXPECT_NEAR(std::hypot(c[0] + 4.0, c[2]), 7.4, 1e-13);
        EXPECT_NEAR(
            2.0 * std::hypot(c[0] - coupler.position_m[0], c[1] - coupler.position_m[1], c[2] - coupler.position_m[2]),
            12.2, 1e-13);
        lowest = std::min(lowest, rocker.position_m[2]), highest = std::max(highest, rocker.position_m[2]);
    }
    // Stated for the whole span; sampled every millisecond, so the lowest point is met to the square of that.
    EXPECT_NEAR(lowest, 2.62147543, 1e-5);
    EXPECT_NEAR(highest, 3.7, 1e-5);
}

// Power balance: the driver's power is the rate of the energy. Its torque about the hinge is -(d phi / d u) lambda.
TEST(DrivenMotions, GiveTheDriverThePowerThatTheRodTakesUp) {
    const double step_s = 1e-4;
    const auto energy = [](double t) {
        const PointMotion rod = pendulum_rod(t);
        const double u = std::atan2(rod.position_m[1], -rod.position_m[2]);
        const double rate = std::hypot(rod.velocity_m_s[1], rod.velocity_m_s[2]) / 2.0;
        return 0.5 * (reference_values::driven_pendulum::inertia[1] + 78.0 * 4.0) * rate * rate -
               78.0 * 9.81 * 2.0 * std::cos(u);
    };
    for (const double t : {0.2, 0.9, 1.4, 2.6}) {
        const PointMotion rod = pendulum_rod(t);
        const double u = std::atan2(rod.position_m[1], -rod.position_m[2]);
        const double rate = rod.velocity_m_s[1] / (2.0 * std::cos(u));
        const double power = std::cos(u) * pendulum_multiplier(t) * rate;
        // Central difference: 1e-8 of the third derivative, some 1e4.
        EXPECT_NEAR(power, (energy(t + step_s) - energy(t - step_s)) / (2.0 * step_s), 1e-3) << t;
    }
}

}  // namespace myriad::validation
