// One body and its contacts against closed forms: drop, slide, stick, slide to roll, rest.
#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {
namespace {

template <class Member>
class MechanismScheme : public testing::Test {};
TYPED_TEST_SUITE(MechanismScheme, AllSchemes);

// From the height H the k-th impact comes at sqrt(2 H/g) (1 + 2 (e + ... + e^(k-1))), found to a step each, and leaves
// e^k sqrt(2 g H); it accumulates at sqrt(2 H/g) (1 + e)/(1 - e), after which the sphere rests.
TYPED_TEST(MechanismScheme, DropsASphereAsTheClosedForm) {
    constexpr double h = 1e-4, height = 0.5, e = 0.5, mass = 2.0, radius = 0.1;
    ContactMechanism sphere(sphere_text(mass, radius));
    sphere.add_sphere_plane(-1, 0, origin, up, origin, radius, {0.3, e, 0.0});
    sphere.set_position(0, {0.0, 0.0, height + radius});
    ContactRun<TypeParam> run(sphere, contact_schedule(h, 11000));
    const double fall = std::sqrt(2.0 * height / gravity), speed = std::sqrt(2.0 * gravity * height);
    double due = fall, bounce = speed;
    int impacts = 0;
    run.run([&](const auto& now) {
        if (!(now.impulse()[0] > 0.0)) return;
        if (++impacts > 5) return;
        // The time is late by up to a step, or one and a half where the middle of a step decides, and so is what
        // follows.
        EXPECT_NEAR(now.time_s(), due, (impacts + 0.5) * h);
        EXPECT_NEAR(now.impulse()[0], mass * bounce * (1.0 + e), 2.0 * impacts * mass * gravity * h);
        bounce *= e;
        EXPECT_NEAR(now.velocity()[2], bounce, impacts * gravity * h);
        due += 2.0 * bounce / gravity;
    });
    ASSERT_EQ(run.status(), Status::ok);
    EXPECT_LT(fall * (1.0 + e) / (1.0 - e), 1.0);
    EXPECT_NEAR(run.position()[2], radius, 2.0 * speed * h);
    EXPECT_NEAR(run.velocity()[2], 0.0, 1e-12);
    EXPECT_NEAR(run.force()[0], mass * gravity, 1e-9);
    EXPECT_NEAR(run.memory().impact_loss_J, mass * gravity * height, 2.0 * mass * gravity * speed * h);
    EXPECT_NEAR(run.memory().first_contact_s, fall, h);
    EXPECT_GE(run.memory().impacts, 5.0);
    EXPECT_EQ(run.warnings(), static_cast<double>(Warning::impacts_may_gain_energy));
}

// A point on an incline: a = g (sin - mu cos) where tan > mu, else rest. Both are exact: nothing depends on the step.
TYPED_TEST(MechanismScheme, SlidesAndSticksOnAnInclineExactly) {
    constexpr double h = 1e-2, mass = 1.5, angle = 0.4, end = 1.0;
    const Vector normal(std::sin(angle), 0.0, std::cos(angle)), downhill(std::cos(angle), 0.0, -std::sin(angle));
    for (const double friction : {0.0, 0.2, 0.6}) {
        ContactMechanism point(sphere_text(mass, 0.1));
        point.add_sphere_plane(-1, 0, origin, normal, origin, 0.0, {friction, 0.0, 0.0});
        ContactRun<TypeParam> run(point, contact_schedule(h, 100));
        run.run();
        ASSERT_EQ(run.status(), Status::ok);
        const double a = gravity * std::max(0.0, std::sin(angle) - friction * std::cos(angle));
        // Half a hundred sums of numbers of order 10.
        constexpr double tolerance = 1e-12;
        EXPECT_NEAR((run.velocity() - a * end * downhill).norm(), 0.0, tolerance) << friction;
        EXPECT_NEAR((run.position() - 0.5 * a * end * end * downhill).norm(), 0.0, tolerance) << friction;
        EXPECT_NEAR(run.force()[0], mass * gravity * std::cos(angle), 1e-10);
        EXPECT_NEAR(run.memory().friction_loss_J, mass * gravity * friction * std::cos(angle) * 0.5 * a * end * end,
                    1e-10);
        EXPECT_NEAR(run.memory().energy_error_J, 0.0, 1e-10);
        EXPECT_EQ(run.memory().impacts, 0.0);
    }
}

// A box held by its four lower corners, more contacts than its freedoms: sticks, or slides, without turning.
TYPED_TEST(MechanismScheme, HoldsABoxOnItsCorners) {
    constexpr double h = 1e-2, mass = 3.0, angle = 0.3;
    const Vector half(0.2, 0.15, 0.1);
    for (const double friction : {0.15, 0.5}) {
        ContactMechanism box(sphere_text(mass, 0.2, {gravity * std::sin(angle), 0.0, -gravity * std::cos(angle)}));
        for (int k = 0; k < 8; ++k) {
            const Vector corner(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
            box.add_sphere_plane(-1, 0, origin, up, corner, 0.0, {friction, 0.0, 0.0});
        }
        box.set_position(0, half[2] * up);
        ContactRun<TypeParam> run(box, contact_schedule(h, 50));
        run.run();
        ASSERT_EQ(run.status(), Status::ok);
        const double a = gravity * std::max(0.0, std::sin(angle) - friction * std::cos(angle));
        EXPECT_NEAR(run.velocity()[0], 0.5 * a, 1e-9) << friction;
        EXPECT_NEAR(run.angular_velocity().norm(), 0.0, 1e-9);
        double normal = 0.0;
        for (int k = 0; k < 8; ++k) normal += run.force(k)[0];
        EXPECT_NEAR(normal, mass * gravity * std::cos(angle), 1e-8);
    }
}

// v_0 without spin: slides for 2/7 v_0/(mu g) along a parabola, then rolls with 5/7 v_0. The direction of the slip
// stays, so the only error is of the step in which it begins to roll.
TYPED_TEST(MechanismScheme, RollsWithFiveSevenths) {
    constexpr double h = 1e-3, mass = 1.0, radius = 0.1, friction = 0.25, speed = 3.0;
    ContactMechanism sphere(sphere_text(mass, radius));
    sphere.add_sphere_plane(-1, 0, origin, up, origin, radius, {friction, 0.0, 0.0});
    sphere.set_position(0, radius * up);
    const Vector v(speed * std::cos(0.7), speed * std::sin(0.7), 0.0);
    sphere.set_velocity(0, v);
    ContactRun<TypeParam> run(sphere, contact_schedule(h, 600));
    double rolls_since = -1.0;
    run.run([&](const auto& now) {
        const Vector slip = now.velocity() + (now.orientation() * now.angular_velocity()).cross(Vector(-radius * up));
        if (rolls_since < 0.0 && slip.norm() < 1e-6) rolls_since = now.time_s();
    });
    ASSERT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(rolls_since, 2.0 / 7.0 * speed / (friction * gravity), 2.0 * h);
    EXPECT_NEAR((run.velocity() - 5.0 / 7.0 * v).norm(), 0.0, 20.0 * h * h);
    EXPECT_NEAR((run.orientation() * run.angular_velocity() - up.cross(5.0 / 7.0 * v) / radius).norm(), 0.0,
                20.0 * h * h / radius);
    EXPECT_NEAR(run.position()[2], radius, 1e-9);
    EXPECT_NEAR(run.memory().friction_loss_J, 1.0 / 7.0 * mass * speed * speed, 2e-3);
    EXPECT_NEAR(run.memory().wear_work_J, run.memory().friction_loss_J, 1e-12);
}

}  // namespace
}  // namespace myriad::test
