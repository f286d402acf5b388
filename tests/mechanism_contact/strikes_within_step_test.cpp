// Strikes within a step by the kernels: as on the reference path, which halves where they search, and as closed forms
// have it. A lane of a pack does not depend on the others.
#include <random>

#include "tests/mechanism_contact/joint_twins.hpp"

namespace myriad::test {
namespace {

Schedule within(double step_s, int steps) {
    Schedule schedule = contact_schedule(step_s, steps);
    schedule.strikes_within_step = 1.0;
    return schedule;
}

ContactMechanism falling_ball(double height, const Law& law) {
    ContactMechanism ball(sphere_text(2.0, 0.1));
    ball.set_position(0, {0.0, 0.0, 0.1 + height});
    ball.add_sphere_plane(-1, 0, origin, up, origin, 0.1, law);
    return ball;
}

ContactMechanism two_balls(double offset, double start, double speed, double radius = 0.01) {
    const std::string body = sphere_body(0.01, radius);
    ContactMechanism balls(R"({"bodies": {"still": )" + body + R"(, "shot": )" + body + "}}");
    balls.set_position(1, {start, offset, 0.0}), balls.set_velocity(1, {speed, 0.0, 0.0});
    balls.add_sphere_sphere(0, 1, origin, origin, radius, radius, {0.0, 1.0, 1.0});
    return balls;
}

// Both ends are balls of 10 mm; the first to strike is followed by the other.
ContactMechanism falling_rod(double tilt, const Law& law) {
    std::ostringstream text;
    text.precision(17);
    text << R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"rod": {"mass_kg": 1.0,
        "inertia_kg_m2": [1e-4, 0.0134, 0.0134], "position_m": [0, 0, 0.3], "orientation": {"x_axis": [)"
         << std::cos(tilt) << ", 0, " << std::sin(tilt) << R"(], "y_axis": [0, 1, 0]}}}})";
    ContactMechanism rod(text.str());
    for (const double end : {-0.2, 0.2}) rod.add_sphere_plane(-1, 0, origin, up, {end, 0.0, 0.0}, 0.01, law);
    return rod;
}

ContactMechanism pendulum_at_a_wall(const Law& law) {
    ContactMechanism pendulum(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a": {"mass_kg": 1.2, "inertia_kg_m2": [0.02, 0.09, 0.09], "position_m": [0.4, 0, 0]},
        "b": {"mass_kg": 0.8, "inertia_kg_m2": [0.01, 0.04, 0.05], "position_m": [1.1, 0, 0]}},
        "joints": {"shoulder": {"type": "revolute", "bodies": ["ground", "a"],
            "points_m": [[0, 0, 0], [-0.4, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]]},
        "elbow": {"type": "revolute", "bodies": ["a", "b"], "points_m": [[0.4, 0, 0], [-0.3, 0, 0]],
            "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    pendulum.add_sphere_plane(-1, 1, {0.2, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.3, 0.0, 0.0}, 0.05, law);
    return pendulum;
}

// The first of four balls in a row hits the second, that the third, that the last.
ContactMechanism row_of_balls() {
    const std::string body = sphere_body(0.01, 0.01);
    ContactMechanism balls(R"({"bodies": {"a": )" + body + R"(, "b": )" + body + R"(, "c": )" + body + R"(, "d": )" +
                           body + "}}");
    balls.set_velocity(0, {20.0, 0.0, 0.0});
    for (int b = 1; b < 4; ++b) {
        balls.set_position(b, {0.1 + (b - 1) * 0.0212, 0.0, 0.0});
        balls.add_sphere_sphere(b - 1, b, origin, origin, 0.01, 0.01, {0.0, 1.0, 1.0});
    }
    return balls;
}

// The lower ball rebounds from the floor to the upper one, which throws it back in the same step.
ContactMechanism balls_that_fall_together() {
    const std::string body = sphere_body(0.01, 0.01);
    ContactMechanism balls(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"lower": )" + body + R"(, "upper": )" + body +
                           "}}");
    balls.set_position(0, {0.0, 0.0, 0.51}), balls.set_position(1, {0.0, 0.0, 0.531});
    balls.add_sphere_plane(-1, 0, origin, up, origin, 0.01, {0.0, 0.8, 0.0});
    balls.add_sphere_sphere(0, 1, origin, origin, 0.01, 0.01, {0.0, 1.0, 0.0});
    return balls;
}

const TwinCase cases[] = {
    {"a ball that rebounds",
     [] {
         return falling_ball(1.0, {0.2, 0.8, 0.3});
     },
     4e-3, 300},
    {"a ball that stays",
     [] {
         return falling_ball(1.0, {0.2, 0.0, 0.0});
     },
     1e-3, 600},
    {"balls that pass", [] { return two_balls(0.008, -0.0987, 25.0); }, 1e-3, 12},
    {"balls that graze", [] { return two_balls(0.0199, -0.1, 25.0); }, 1e-3, 12},
    {"a rod that falls on one end",
     [] {
         return falling_rod(0.05, {0.3, 0.5, 0.0});
     },
     2e-3, 200},
    {"a rod that falls and stays", [] { return falling_rod(0.002, {}); }, 1e-3, 400},
    {"a pendulum at a wall",
     [] {
         return pendulum_at_a_wall({0.2, 0.7, 0.0});
     },
     2e-3, 400},
    {"a pendulum that leans on a wall",
     [] {
         return pendulum_at_a_wall({0.2, 0.0, 0.0});
     },
     2e-3, 250},
    {"balls in a row", row_of_balls, 1e-3, 20},
    {"balls that fall together", balls_that_fall_together, 4e-3, 83},
    {"a rod on a floor", sliding_rod, 1e-3, 150},
    {"four bars before a stop", loop_before_a_stop, 1e-3, 400},
    {"a ball on a driven table", [] { return ball_on_a_driven_table(0.5); }, 1e-3, 500},
    {"a ball on a table that jumps", [] { return ball_on_a_jumping_table(0.5); }, 1e-3, 500},
    {"rods on a ball", rods_on_a_ball, 1e-3, 250},
    {"a chain within limits", chain_within_limits, 1e-3, 300},
    {"a capsule and a ball", capsule_and_ball, 1e-3, 300},
    {"a rubbing chain within limits", rubbing_chain, 1e-3, 300},
    {"joints on bearings", joints_on_bearings, 1e-3, 300},
};

template <class Member>
class StrikesWithinAStep : public testing::Test {};
TYPED_TEST_SUITE(StrikesWithinAStep, AllSchemes);

TYPED_TEST(StrikesWithinAStep, AreThoseOfTheReferencePath) {
    for (const TwinCase& one : cases) {
        SCOPED_TRACE(one.name);
        expect_the_twins_values(TypeParam::name, one, within(one.step_s, one.steps), twin_tolerance, false);
    }
}

// Sums over a thousand steps of numbers of order 1.
constexpr double round_off_of_a_run = 1e-11;

// The height of a ball that falls through `height` and rebounds.
double height_of_bounces(double height, double restitution, double time_s) {
    double start_s = 0.0, speed = 0.0, from = height;
    for (;;) {
        const double flight_s = (speed + std::sqrt(speed * speed + 2.0 * gravity * from)) / gravity,
                     t = time_s - start_s;
        if (t <= flight_s) return from + speed * t - 0.5 * gravity * t * t;
        speed = restitution * (gravity * flight_s - speed);
        start_s += flight_s, from = 0.0;
    }
}

TYPED_TEST(StrikesWithinAStep, OfABouncingBallAreAtTheTimesOfItsClosedForm) {
    for (const double step_s : {4e-3, 1e-3}) {
        ContactMechanism ball = falling_ball(1.0, {0.0, 0.8, 0.0});
        const int impacts = ball.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::impacts)),
                  error =
                      ball.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::energy_balance_error));
        ContactRun run(TypeParam::name, ball, within(step_s, static_cast<int>(std::lround(1.2 / step_s))));
        run.run();
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_NEAR(run.position().z(), 0.1 + height_of_bounces(1.0, 0.8, 1.2), round_off_of_a_run);
        EXPECT_EQ(run.channel(impacts), 2.0);
        EXPECT_LE(run.channel(error), round_off_of_a_run);
    }
}

// Half of what the weight adds in a step.
TYPED_TEST(StrikesWithinAStep, LeaveABodyThatStaysAtADepthOfTheOrderOfTheStepSquared) {
    for (const double step_s : {4e-3, 2e-3, 1e-3}) {
        ContactMechanism ball = falling_ball(1.0, {0.3, 0.0, 0.0});
        const int gap = ball.channel(ChannelKind::contact_gap, 0), force = ball.channel(ChannelKind::contact_force, 0),
                  impacts = ball.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::impacts));
        ContactRun run(TypeParam::name, ball, within(step_s, static_cast<int>(std::lround(1.0 / step_s))));
        run.run();
        EXPECT_NEAR(run.channel(gap), -0.5 * gravity * step_s * step_s, round_off_of_a_run);
        EXPECT_NEAR(run.channel(force), 2.0 * gravity, 1e-8);
        EXPECT_EQ(run.channel(impacts), 1.0);
    }
}

// 25 and 90 mm a step: spheres of 10 mm fly through each other between two poses.
TYPED_TEST(StrikesWithinAStep, OfSpheresAreAllSeenWhereTheyTouch) {
    constexpr double radius = 0.01, step_s = 1e-3;
    for (const double speed : {25.0, 90.0})
        for (const double offset : {0.0, 0.008, 0.016, 0.0199})
            for (int i = 0; i < 9; ++i) {
                const double start = -0.1 - i * 0.0113;
                const int steps = static_cast<int>(0.3 / speed / step_s) + 1;
                ContactRun run(TypeParam::name, two_balls(offset, start, speed), within(step_s, steps));
                run.run();
                const Vector between(-std::sqrt(4.0 * radius * radius - offset * offset), offset, 0.0),
                    normal = between.normalized(), v(speed, 0.0, 0.0), taken = normal * normal.dot(v);
                const double left_s = steps * step_s - (between.x() - start) / speed;
                EXPECT_LE((run.position(0) - left_s * taken).norm(), round_off_of_a_run) << offset << ' ' << start;
                EXPECT_LE((run.position(1) - between - left_s * (v - taken)).norm(), round_off_of_a_run);
                EXPECT_LE((run.velocity(0) + run.velocity(1) - v).norm(), round_off_of_a_run);
            }
}

TYPED_TEST(StrikesWithinAStep, OfOneBodyAfterTheOtherAreAllPlaced) {
    ContactRun run(TypeParam::name, row_of_balls(), within(1e-3, 20));
    run.run();
    for (int b = 0; b < 3; ++b) EXPECT_LE(run.velocity(b).norm(), round_off_of_a_run);
    EXPECT_NEAR(run.position(3).x(), 0.1424 + 20.0 * 0.02 - (0.08 + 2.0 * 0.0012), round_off_of_a_run);
}

TYPED_TEST(StrikesWithinAStep, HaveErrorsOfTheOrderOfTheStepSquared) {
    if (std::string(TypeParam::name) == MoreauMidpoint::name) return;  // of order 1 where forces depend on velocities
    const ContactMechanism pendulum = pendulum_at_a_wall({0.2, 0.6, 0.6});
    const auto bodies_after = [&](double step_s, bool is_within = true) {
        const int steps = static_cast<int>(std::lround(0.8 / step_s));
        ContactRun run(TypeParam::name, pendulum, is_within ? within(step_s, steps) : contact_schedule(step_s, steps));
        return run.run().bodies();
    };
    const std::vector<double> fine = bodies_after(2e-3 / 32);
    const double coarse = largest_difference(bodies_after(2e-3), fine),
                 half = largest_difference(bodies_after(1e-3), fine),
                 published = largest_difference(bodies_after(1e-3, false), fine);
    std::printf("| %-27s | %.1e, with half the step %.1e, published %.1e |\n", TypeParam::name, coarse, half,
                published);
    EXPECT_LT(half, coarse / 2.5);
    EXPECT_LT(half, published / 2.0);
}

// Lanes strike at times of their own, some in one step more often than others.
TYPED_TEST(StrikesWithinAStep, AreThoseOfAnInstanceAlone) {
    for (const std::size_t count : {std::size_t{31}, std::size_t{33}}) {
        const ContactMechanism rod = falling_rod(0.05, {0.3, 0.5, 0.0});
        std::mt19937 random(5);
        std::vector<std::vector<double>> parameters(count, rod.parameters);
        for (std::vector<double>& own : parameters)
            own[static_cast<std::size_t>(parameters_of_body(0) + body_position) + 2] =
                std::uniform_real_distribution<double>(0.25, 0.4)(random);
        const Schedule schedule = within(2e-3, 200);
        ContactRun together(TypeParam::name, rod, schedule, parameters);
        together.run();
        for (std::size_t lane = 0; lane < count; lane += 5) {
            ContactRun alone(TypeParam::name, rod, schedule, {parameters[lane]});
            EXPECT_EQ(alone.run().record(), together.record(lane)) << lane;
        }
    }
}

}  // namespace
}  // namespace myriad::test
