// The closed forms that validation compares with, against values stated elsewhere and against their own differences.
#include "host/validation/runs/driven_motions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace myriad::validation {

namespace {

void expect_near(const std::array<double, 3>& ours, const std::array<double, 3>& stated, double tolerance) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(ours[i], stated[i], tolerance) << "component " << i;
}

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

// Half a unit of the last decimal that is stated.
TEST(DrivenMotions, MeetTheValuesStatedAtThreeSeconds) {
    const PointMotion rod = pendulum_rod(3.0);
    expect_near(rod.position_m, {0.0, 1.3692891883, -1.4577541353}, 5.1e-11);
    expect_near(rod.velocity_m_s, {0.0, 0.6398153429, 0.6009876496}, 5.1e-11);
    expect_near(rod.acceleration_m_s2, {0.0, -4.6610391386, -3.8495933811}, 5.1e-11);
    const PointMotion rocker = four_link_rocker(3.0);
    expect_near(rocker.position_m, {-2.4374422811, -8.5, 3.3538654378}, 5.1e-11);
    expect_near(rocker.velocity_m_s, {5.4145674997, 0.0, -2.5226337783}, 5.1e-11);
    expect_near(rocker.acceleration_m_s2, {-17.7380282275, 0.0, -2.3747313692}, 5.1e-11);
    const PointMotion slider = slider_crank_slider(3.0);
    expect_near(slider.position_m, {0.2, 0.0, 0.0}, 5.1e-13);
    expect_near(slider.velocity_m_s, {-0.251327412287, 0.0, 0.0}, 5.1e-13);
    expect_near(slider.acceleration_m_s2, {1.579136704174, 0.0, 0.0}, 5.1e-13);
}

TEST(DrivenMotions, MeetTheValuesStatedAtOtherTimes) {
    const PointMotion start = four_link_rocker(0.0);
    expect_near(start.position_m, {-5.74555772, -8.5, 3.26236544}, 5.1e-9);
    expect_near(start.velocity_m_s, {-5.2668475225, 0.0, -2.8180737328}, 5.1e-11);
    expect_near(start.acceleration_m_s2, {17.0155731854, 0.0, -1.8328900876}, 5.1e-11);
    expect_near(four_link_coupler(0.0).position_m, {-3.74555772, -4.25, 4.26236544}, 5.1e-9);
    expect_near(four_link_coupler(0.0).velocity_m_s, {-5.26684752, -3.14159265, -2.81807373}, 5.1e-9);
    struct Stated {
        double t, x, v, a;
    };
    for (const Stated& at : {Stated{0.0, 0.2, -0.251327412287, 1.579136704174},
                             Stated{0.25, 0.207846096908, 0.290207898277, 1.114318334852},
                             Stated{0.5, 0.28, 0.179519580205, -1.468643173853},
                             Stated{0.75, 0.274226184016, -0.219959225139, -1.328135031545}}) {
        const PointMotion slider = slider_crank_slider(at.t);
        EXPECT_NEAR(slider.position_m[0], at.x, 5.1e-13);
        EXPECT_NEAR(slider.velocity_m_s[0], at.v, 5.1e-13);
        EXPECT_NEAR(slider.acceleration_m_s2[0], at.a, 5.1e-13);
    }
    expect_near(pendulum_rod(0.0).acceleration_m_s2, {0.0, -4.4428829382, -4.4428829382}, 5.1e-11);
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
        return 0.5 * (104.01625 + 78.0 * 4.0) * rate * rate - 78.0 * 9.81 * 2.0 * std::cos(u);
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
