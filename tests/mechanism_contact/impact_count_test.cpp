// Impacts that count, the largest impulse and the first contact, by every scheme for mechanisms alike: spheres over the
// ground, alone and on a tray, where all is known in closed form.
#include "tests/mechanism_contact/contact_run.hpp"

namespace myriad::test {
namespace {

template <class Member>
class MechanismImpactCount : public testing::Test {};
using SchemesThatCountImpacts = testing::Types<NonsmoothGeneralizedAlpha, BatheWithJoints, MoreauWithJoints>;
TYPED_TEST_SUITE(MechanismImpactCount, SchemesThatCountImpacts);

constexpr double mass = 2.0, radius = 0.1;

Schedule schedule_with(double step_s, int steps, double threshold_N_s, double gap_tolerance_m = 1e-9) {
    Schedule schedule = contact_schedule(step_s, steps);
    schedule.impact_threshold_N_s = threshold_N_s, schedule.gap_tolerance_m = gap_tolerance_m;
    return schedule;
}
ContactMechanism sphere(double height, double restitution) {
    ContactMechanism made(sphere_text(mass, radius));
    made.add_sphere_plane(-1, 0, origin, up, origin, radius, {0.0, restitution, 0.0});
    made.set_position(0, (height + radius) * up);
    return made;
}
// Two spheres over a floor, each on a line of its own, and so far apart that they do not meet.
ContactMechanism two_spheres(double height_a, double height_b, double restitution) {
    ContactMechanism made(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"a": )" + sphere_body(mass, radius) +
                          R"(, "b": )" + sphere_body(mass, radius) + "}}");
    for (int b = 0; b < 2; ++b) {
        made.add_sphere_plane(-1, b, origin, up, origin, radius, {0.0, restitution, 0.0});
        made.set_position(b, {b * 1.0, 0.0, (b == 0 ? height_a : height_b) + radius});
    }
    return made;
}

// One sphere carries itself; the other leaves from the start, over many steps that find it within the tolerance, and
// comes back once.
TYPED_TEST(MechanismImpactCount, LeavesOutAContactThatSeparatesBesideALoad) {
    constexpr double h = 1e-4, speed = 0.3, tolerance_m = 1e-3;
    ContactMechanism spheres = two_spheres(0.0, 0.0, 0.0);
    spheres.set_velocity(1, speed * up);
    ContactRun run(TypeParam::name, spheres, schedule_with(h, 1000, 0.0, tolerance_m));
    int leaving = 0;
    run.run([&](const auto& now) {
        if (now.time_s() > speed / gravity || now.position(1)[2] > radius + tolerance_m) return;
        ++leaving;
        EXPECT_EQ(now.memory().impacts, 0.0);
        EXPECT_EQ(now.memory().largest_impulse_N_s, 0.0);
    });
    ASSERT_EQ(run.status(), Status::ok);
    EXPECT_GT(leaving, 30);
    EXPECT_EQ(run.memory().impacts, 1.0);
    // It closes on the way down, where the gap falls below the tolerance, and a step later.
    EXPECT_NEAR(run.memory().largest_impulse_N_s, mass * std::sqrt(speed * speed - 2.0 * gravity * tolerance_m),
                2.0 * mass * gravity * h);
    // Generalized-alpha keeps the acceleration that it had before the impact, and swings by the weight that landed.
    EXPECT_NEAR(run.memory().largest_force_N, mass * gravity, mass * gravity);
}

// Impact k happens at fall (1 + 2 (e + ... + e^(k-1))): halfway to the next one the count is k, in every lane.
TYPED_TEST(MechanismImpactCount, IsThatOfTheBouncesOfTheClosedForm) {
    constexpr double h = 2e-4, height = 0.4, end_s = 2.4, restitutions[] = {0.5, 0.7, 0.9, 1.0};
    const double fall = std::sqrt(2.0 * height / gravity), speed = gravity * fall;
    std::vector<std::vector<double>> parameters;
    for (const double e : restitutions) parameters.push_back(sphere(height, e).parameters);
    ContactRun run(TypeParam::name, sphere(height, 0.0), schedule_with(h, static_cast<int>(end_s / h), 0.0),
                   parameters);
    int seen[4] = {}, compared = 0;
    double due[] = {fall, fall, fall, fall};
    run.run([&](const auto& now) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const double flight = 2.0 * fall * std::pow(restitutions[lane], seen[lane] + 1);
            if (seen[lane] == 4 || now.time_s(lane) < due[lane] + 0.5 * flight) continue;
            EXPECT_EQ(now.memory(lane).impacts, ++seen[lane]) << "restitution " << restitutions[lane];
            due[lane] += flight, ++compared;
        }
    });
    EXPECT_EQ(compared, 16);
    for (std::size_t lane = 0; lane < 4; ++lane) {
        ASSERT_EQ(run.status(lane), Status::ok);
        EXPECT_NEAR(run.memory(lane).first_contact_s, fall, 1.5 * h);
        EXPECT_NEAR(run.memory(lane).largest_impulse_N_s, mass * (1.0 + restitutions[lane]) * speed,
                    2.0 * mass * gravity * h);
    }
}

// An elastic sphere that strikes within a step has left again at the end of it: q+ = q by the midpoint rule.
TEST(MechanismImpactCountTest, HasTheFirstContactOfASphereThatHasLeftAtTheEndOfTheStep) {
    constexpr double h = 1e-2, height = 0.48;  // through the ground after 31.3 steps
    ContactRun run(MoreauWithJoints::name, sphere(height, 1.0), schedule_with(h, 40, 0.0));
    double lowest = height;
    run.run([&](const auto& now) { lowest = std::min(lowest, now.position()[2] - radius); });
    ASSERT_EQ(run.status(), Status::ok);
    ASSERT_GT(lowest, 1e-9) << "this drop closes a gap at the end of a step too";
    EXPECT_EQ(run.memory().impacts, 1.0);
    EXPECT_NEAR(run.memory().first_contact_s, std::sqrt(2.0 * height / gravity), h);
}

TYPED_TEST(MechanismImpactCount, OfTwoContactsInOneStepIsOne) {
    constexpr double h = 1e-4, height = 0.2, e = 0.6;
    const auto impacts = [&](double other_height, double threshold) {
        ContactRun run(TypeParam::name, two_spheres(height, other_height, e), schedule_with(h, 3000, threshold));
        run.run();
        EXPECT_EQ(run.status(), Status::ok);
        const double highest = std::max(height, other_height);
        EXPECT_NEAR(run.memory().largest_impulse_N_s, mass * (1.0 + e) * std::sqrt(2.0 * gravity * highest),
                    2.0 * mass * gravity * h);
        return run.memory().impacts;
    };
    const double impulse = mass * (1.0 + e) * std::sqrt(2.0 * gravity * height);
    EXPECT_EQ(impacts(height, 0.0), 1.0);
    EXPECT_EQ(impacts(height, 0.99 * impulse), 1.0);
    EXPECT_EQ(impacts(height, 1.01 * impulse), 0.0);
    EXPECT_EQ(impacts(0.25, 0.0), 2.0);
    EXPECT_EQ(impacts(0.25, 1.01 * impulse), 1.0);
}

// A sphere falls on one that rests: the ground takes what the lower one is struck with, and no load of its own.
TYPED_TEST(MechanismImpactCount, HasTheImpulseThatIsPassedOn) {
    constexpr double h = 1e-4, drop = 0.2, heavy = 500.0;
    for (const double lower : {mass, heavy}) {
        ContactMechanism pile(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"a": )" + sphere_body(lower, radius) +
                              R"(, "b": )" + sphere_body(mass, radius) + R"(, "c": )" + sphere_body(mass, radius) +
                              "}}");
        pile.add_sphere_plane(-1, 0, origin, up, origin, radius, {});
        pile.set_position(0, radius * up);
        // On poles of the lower one: spheres of no radius beside its centre.
        for (int b = 1; b < 3; ++b) {
            const Vector aside(0.3 * (b == 1 ? 1.0 : -1.0), 0.0, 0.0);
            pile.add_sphere_sphere(0, b, aside, origin, 0.0, radius, {0.0, 0.5, 0.0});
            pile.set_position(b, aside + (2.0 * radius + drop) * up);
        }
        ContactRun run(TypeParam::name, pile, schedule_with(h, 2500, 0.0));
        run.run();
        ASSERT_EQ(run.status(), Status::ok);
        EXPECT_EQ(run.memory().impacts, 1.0);
        EXPECT_NEAR(run.memory().largest_impulse_N_s, 2.0 * 1.5 * mass * std::sqrt(2.0 * gravity * drop),
                    8.0 * mass * gravity * h);
    }
}

// The load of a resting contact in a step may be above the threshold, below it, or hover about it.
TYPED_TEST(MechanismImpactCount, TakesNoLoadForAnImpact) {
    constexpr double h = 1e-3, height = 0.2, steady = mass * gravity * h;
    const double impulse = mass * std::sqrt(2.0 * gravity * height);
    for (const double threshold : {0.0, 0.5 * steady, steady, 2.0 * steady, 0.98 * impulse, 1.02 * impulse}) {
        ContactMechanism pushed(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"sphere": )" + sphere_body(mass, radius) +
                                R"json(}, "forces": {"push": {"type": "force", "body": "sphere",
                                                             "force_N": [0, 0, "-8 * sin(40 * pi * t)"]}}})json");
        pushed.add_sphere_plane(-1, 0, origin, up, origin, radius, {});
        pushed.set_position(0, (height + radius) * up);
        ContactRun run(TypeParam::name, pushed, schedule_with(h, 1000, threshold));
        double least = 1e9, most = 0.0;
        run.run([&](const auto& now) {
            if (now.time_s() < 0.3) return;
            const double force = now.memory().force[0];
            least = std::min(least, force), most = std::max(most, force);
        });
        ASSERT_EQ(run.status(), Status::ok);
        EXPECT_NEAR(least, mass * gravity - 8.0, 0.5) << "not pulled";
        EXPECT_NEAR(most, mass * gravity + 8.0, 0.5) << "not pushed";
        EXPECT_EQ(run.memory().impacts, threshold < impulse ? 1.0 : 0.0) << threshold;
        // The push comes and goes during the fall, and takes less than 0.01 m/s.
        EXPECT_NEAR(run.memory().largest_impulse_N_s, impulse, 2.0 * steady + 0.01 * mass);
        // By h the impulse is 200 times the load.
        EXPECT_NEAR(run.memory().largest_force_N, mass * gravity + 8.0, mass * gravity)
            << "an impulse taken for a force";
    }
}

TYPED_TEST(MechanismImpactCount, HasAnImpactAtTheStart) {
    constexpr double speed = 2.0, e = 0.5;
    for (const double threshold : {0.0, 10.0}) {
        ContactMechanism thrown = sphere(0.0, e);
        thrown.set_velocity(0, -speed * up);
        ContactRun run(TypeParam::name, thrown, schedule_with(1e-3, 100, threshold));
        run.run();
        ASSERT_EQ(run.status(), Status::ok);
        EXPECT_EQ(run.memory().impacts, threshold == 0.0 ? 1.0 : 0.0);
        EXPECT_NEAR(run.memory().largest_impulse_N_s, mass * (1.0 + e) * speed, 1e-12);
        EXPECT_EQ(run.memory().first_contact_s, 0.0);
    }
}

}  // namespace
}  // namespace myriad::test
