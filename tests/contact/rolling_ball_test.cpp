// Contact in space on the rotation group: a homogeneous ball in closed form, and one with three inertias by the order
// of the schemes.
#include "kernels/systems/rolling_ball.hpp"

#include "kernels/orientation/orientation.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

using Roller = RollingBall<double, RotationGroup>;

template <class Member>
class BallScheme : public testing::Test {};
TYPED_TEST_SUITE(BallScheme, AllSchemes);

// The direction of a homogeneous ball's slip stays, so that it moves along a parabola until it rolls:
// x'_end = x'_0 - 2/7 slip_0, after t = 2/7 |slip_0| / (mu g).
TYPED_TEST(BallScheme, RollsWithWhatSlidingLeaves) {
    constexpr double h = 2e-3, friction = 0.3, vx = 2.0, vy = -0.5, wx = 8.0, wy = 20.0, wz = 15.0, r = 0.1;
    const double sx = vx - r * wy, sy = vy + r * wx, slip = std::hypot(sx, sy),
                 rolling = 2.0 / 7.0 * slip / (friction * gravity);
    ContactRun<TypeParam, Roller> run(parameters_with<Roller>({{"friction", friction},
                                                               {"initial_velocity_m_s[0]", vx},
                                                               {"initial_velocity_m_s[1]", vy},
                                                               {"initial_angular_velocity_rad_s[0]", wx},
                                                               {"initial_angular_velocity_rad_s[1]", wy},
                                                               {"initial_angular_velocity_rad_s[2]", wz}}),
                                      contact_schedule(h, 1.0));
    double since = -1.0;
    run.run([&](const auto& now) {
        const auto contact = now.system.contact_state(now.motion.q);
        const double left = std::hypot(contact.velocity(1, now.motion.v), contact.velocity(2, now.motion.v));
        if (since < 0.0 && left < 1e-9) since = now.progress.time_s;
    });
    ASSERT_EQ(run.reason, 0.0);
    // Directions turn with the ball within a step: h^2 of the slip's rate, by which also the last step is off.
    EXPECT_NEAR(since, rolling, 2.0 * h);
    EXPECT_NEAR(run.motion.v[0], vx - 2.0 / 7.0 * sx, 20.0 * h * h);
    EXPECT_NEAR(run.motion.v[1], vy - 2.0 / 7.0 * sy, 20.0 * h * h);
    // About the normal nothing acts.
    EXPECT_NEAR(run.motion.q.orientation.act({run.motion.v[3], run.motion.v[4], run.motion.v[5]})[2], wz, 1e-2);
    EXPECT_NEAR(run.motion.q.position[2], r, 1e-6);
}

// Three different inertias: the slip turns. The order, by three step sizes, while it slides.
TYPED_TEST(BallScheme, HasItsOrderOnTheRotationGroup) {
    const auto place = [](double h) {
        ContactRun<TypeParam, Roller> run(parameters_with<Roller>({{"friction", 0.1},
                                                                   {"inertia_kg_m2.xx", 0.003},
                                                                   {"inertia_kg_m2.yy", 0.004},
                                                                   {"inertia_kg_m2.zz", 0.005},
                                                                   {"initial_velocity_m_s[0]", 3.0},
                                                                   {"initial_angular_velocity_rad_s[0]", 10.0},
                                                                   {"initial_angular_velocity_rad_s[1]", -5.0},
                                                                   {"initial_angular_velocity_rad_s[2]", 12.0}}),
                                          contact_schedule(h, 0.4));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        return run.motion;
    };
    const auto distance = [](const Motion<Roller>& a, const Motion<Roller>& b) {
        const Vec<3, double> way = a.q.position - b.q.position;
        const Vec<3, double> turn = log(inverse(a.q.orientation) * b.q.orientation);
        return std::sqrt(dot(way, way)) + std::sqrt(dot(turn, turn));
    };
    const auto coarse = place(4e-3), middle = place(2e-3), fine = place(1e-3);
    const double order = std::log2(distance(coarse, middle) / distance(middle, fine));
    std::printf("| %-27s | unequal ball: difference %.2e at h = 4e-3, order %.2f |\n", TypeParam::name,
                distance(coarse, middle), order);
    const bool is_explicit = std::is_same_v<TypeParam, MoreauMidpoint> || std::is_same_v<TypeParam, HalfExplicit>;
    EXPECT_NEAR(order, is_explicit ? 1.0 : 2.0, 0.2);
}

// Damping and directions by differences along the rotation.
TEST(RollingBallTest, DerivesItsForcesAndGapAsDifferencesDo) {
    Arguments draw(71);
    constexpr double difference = 1e-5, tolerance = 1e-8;
    const Roller ball =
        Roller::prepare(parameters_with<Roller>({{"inertia_kg_m2.xx", 0.3}, {"inertia_kg_m2.yy", 0.4}})).system;
    for (int sample = 0; sample < 20; ++sample) {
        Roller::Configuration q{{draw.uniform(-1.0, 1.0), draw.uniform(-1.0, 1.0), 0.5},
                                exp_any(Vec<3, double>{draw.uniform(-2.0, 2.0), draw.uniform(-2.0, 2.0), 1.0})};
        Vec<6, double> v;
        for (int i = 0; i < 6; ++i) v[i] = draw.uniform(-2.0, 2.0);
        const auto tangent = ball.tangents_of(q, v, v, 0.0);
        const auto contact = ball.contact_state(q);
        for (int c = 0; c < 6; ++c) {
            Vec<6, double> up = v, down = v, along{};
            up[c] += difference, down[c] -= difference, along[c] = difference;
            const auto slope = ball.force(q, up, 0.0) - ball.force(q, down, 0.0);
            for (int i = 0; i < 6; ++i) EXPECT_NEAR(tangent.damping.e[i][c], -slope[i] / (2.0 * difference), tolerance);
            const double gap = ball.contact_state(Roller::retract(q, along)).gap[0] -
                               ball.contact_state(Roller::retract(q, -along)).gap[0];
            EXPECT_NEAR(contact.direction[0][c], gap / (2.0 * difference), tolerance);
        }
        // The slip is the velocity of the lowest point: v + w x (0, 0, -r) in the world.
        const Vec<3, double> w = q.orientation.act({v[3], v[4], v[5]});
        const Vec<3, double> slip = Vec<3, double>{v[0], v[1], v[2]} + cross(w, Vec<3, double>{0.0, 0.0, -0.1});
        EXPECT_NEAR(contact.velocity(1, v), slip[0], tolerance);
        EXPECT_NEAR(contact.velocity(2, v), slip[1], tolerance);
    }
}

TEST(RollingBallTest, StopsWhereAStepTurnsTooFar) {
    ContactRun<NonsmoothBathe, Roller> run(parameters_with<Roller>({{"initial_angular_velocity_rad_s[2]", 200.0}}),
                                           contact_schedule(1e-2, 0.1));
    run.run();
    EXPECT_EQ(run.reason, static_cast<double>(Reason::rotation_beyond_series));
}

}  // namespace
}  // namespace myriad::test
