// Contact in joint coordinates against closed forms and against what an impact keeps: momentum, energy, prescribed
// motion; and what every instance is promised beside others.
#include <cstring>

#include "host/text/user_error.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class ContactOfTrees : public testing::Test {};
TYPED_TEST_SUITE(ContactOfTrees, AllSchemes);

// A ball on a vertical slide: it falls from rest through the height s, so that it meets the floor at sqrt(2 s / g) and
// rises again to e^2 s.
TYPED_TEST(ContactOfTrees, BouncesAtTheTimesAndToTheHeightsOfTheClosedForm) {
    constexpr double h = 1e-3, radius = 0.1, fall = 0.5, e = 0.8;
    ContactMechanism ball(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"ball": {"mass_kg": 1.0,
        "inertia_kg_m2": [0.004, 0.004, 0.004], "position_m": [0, 0, 0.6]}}, "joints": {"guide": {"type": "prismatic",
        "bodies": ["ground", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]}}})");
    ball.add_sphere_plane(-1, 0, origin, up, origin, radius, {0.0, e, 0.0});
    const int record = ball.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::first_contact_time)),
              impacts = ball.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::impacts));
    const double down_s = std::sqrt(2.0 * fall / gravity), bounce_s = 2.0 * e * down_s;
    CoordinateRun run(In::joint, TypeParam::name, ball,
                      contact_schedule(h, static_cast<int>(std::lround((down_s + bounce_s) / h)) - 5));
    double highest = 0.0;
    run.run([&](const CoordinateRun& now) {
        if (now.time_s() > down_s + 2.0 * h) highest = std::max(highest, now.position()[2] - radius);
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_EQ(run.channel(impacts), 1.0);
    EXPECT_NEAR(run.channel(record), down_s, 1.5 * h);
    // The impact is up to a step late, with a velocity that is off by g h.
    EXPECT_NEAR(highest, e * e * fall, 2.0 * std::sqrt(2.0 * gravity * fall) * h);
}

// A block on two slides on a rough floor: it stops after v / (mu g) and v^2 / (2 mu g).
TYPED_TEST(ContactOfTrees, StopsABlockWhereTheClosedFormDoes) {
    constexpr double h = 1e-3, friction = 0.25, speed = 1.2;
    ContactMechanism block(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"block": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0.05]}}, "joints": {"guide": {
        "type": "translational", "bodies": ["ground", "block"],
        "points_m": [[0, 0, 0], [0, 0, 0]]}}})");
    block.add_sphere_plane(-1, 0, origin, up, {0.0, 0.0, -0.05}, 0.0, {friction, 0.0, 0.0});
    block.set_velocity(0, {0.6 * speed, -0.8 * speed, 0.0});
    const int force = block.channel(ChannelKind::contact_force, 0),
              lost = block.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::friction_loss));
    const double way = speed * speed / (2.0 * friction * gravity), stop_s = speed / (friction * gravity);
    CoordinateRun run(In::joint, TypeParam::name, block, contact_schedule(h, static_cast<int>(1.3 * stop_s / h)));
    run.run([&](const CoordinateRun& now) {
        const double left = std::max(0.0, speed - friction * gravity * now.time_s());
        EXPECT_NEAR(now.velocity().norm(), left, 2.0 * friction * gravity * h);
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(run.position().head<2>().norm(), way, speed * h);
    EXPECT_NEAR(run.velocity().norm(), 0.0, 1e-12);
    EXPECT_NEAR(run.channel(force), 2.0 * gravity, 1e-9);
    EXPECT_NEAR(run.channel(lost), 0.5 * 2.0 * speed * speed, 2.0 * friction * 2.0 * gravity * speed * h);
}

// A body on a revolute joint about y at the world's origin, its centre of mass at (0, 0, -l). It swings to the vertical
// and hits a wall there with a point at the depth p below the pivot. About the pivot: J (w+ - w-) = p P, w+ = -e w-, so
// P = -(1 + e) J w- / p, and the pivot gives m l (w+ - w-) - P, along x.
TYPED_TEST(ContactOfTrees, GivesAPendulumAndItsPivotTheImpulsesOfTheClosedForm) {
    constexpr double h = 1e-3, mass = 1.2, l = 0.7, depth = 0.9, e = 0.6, rate = 1.5, angle = 0.2;
    ContactMechanism pendulum(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"rod": {"mass_kg": 1.2,
        "inertia_kg_m2": [0.08, 0.09, 0.02], "position_m": [0, 0, -0.7]}}, "joints": {"pivot": {"type": "revolute",
        "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0.7]], "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    pendulum.add_sphere_plane(-1, 0, origin, {-1.0, 0.0, 0.0}, {0.0, 0.0, l - depth}, 0.0, {0.0, e, 0.0});
    pendulum.set_position(0, {-l * std::sin(angle), 0.0, -l * std::cos(angle)});
    pendulum.body(0, body_orientation) = std::cos(0.5 * angle);
    pendulum.body(0, body_orientation + 2) = std::sin(0.5 * angle);
    pendulum.set_velocity(0, {rate * l * std::cos(angle), 0.0, -rate * l * std::sin(angle)}, {0.0, -rate, 0.0});
    const mechanism::NamedElements& pivot = pendulum.mechanism.joints.front();
    const int first = pivot.first_element, last = first + pivot.element_count;
    const int impulse = pendulum.channel(ChannelKind::contact_impulse, 0);
    int given[3];
    for (int i = 0; i < 3; ++i) given[i] = pendulum.channel(ChannelKind::joint_impulse, first, i, last);
    const double about_pivot = 0.09 + mass * l * l;
    double before = 0.0;
    int impacts = 0;
    CoordinateRun run(In::joint, TypeParam::name, pendulum, contact_schedule(h, 400));
    run.run([&](const CoordinateRun& now) {
        const double w = now.angular_velocity()[1], push = now.channel(impulse);
        if (push > 0.0 && ++impacts == 1) {
            // Within two steps of the vertical gravity changes a rate by less than 5e-5.
            EXPECT_NEAR(w, -e * before, 1e-4);
            EXPECT_NEAR(push, -(1.0 + e) * about_pivot * before / depth, 1e-4);
            const double exact = -w / e;
            EXPECT_NEAR(push, -(1.0 + e) * about_pivot * exact / depth, 2e-5);
            EXPECT_NEAR(now.channel(given[0]) - push, mass * -l * (w - exact), 2e-4);
            EXPECT_NEAR(now.channel(given[1]), 0.0, 1e-12);
        }
        before = w;
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_GE(impacts, 1);
}

// Balls of one mass on threads, each on a pivot of its own: they exchange their rates, and no energy is lost.
TYPED_TEST(ContactOfTrees, ExchangesTheRatesOfACradle) {
    std::ostringstream text;
    text << R"({"gravity_m_s2": [0, 0, 0], "bodies": {)";
    const auto each = [&](auto&& write) {
        for (int b = 0; b < 3; ++b) text << (b > 0 ? ", " : ""), write(b, 0.2 * b);
    };
    each([&](int b, double x) {
        text << "\"ball_" << b << R"(": {"mass_kg": 0.4, "inertia_kg_m2": [0.001, 0.001, 0.001], "position_m": [)" << x
             << ", 0, -1]}";
    });
    text << R"(}, "joints": {)";
    each([&](int b, double x) {
        text << "\"pivot_" << b << R"(": {"type": "revolute", "bodies": ["ground", "ball_)" << b
             << R"("], "points_m": [[)" << x << R"(, 0, 0], [0, 0, 1]], "axes": [[0, 1, 0], [0, 1, 0]]})";
    });
    text << "}}";
    ContactMechanism cradle(text.str());
    // A gap between the balls, or a step would have one impact of all three.
    cradle.add_sphere_sphere(0, 1, origin, origin, 0.095, 0.095, {0.0, 1.0, 0.0});
    cradle.add_sphere_sphere(1, 2, origin, origin, 0.095, 0.095, {0.0, 1.0, 0.0});
    constexpr double rate = -2.0;
    cradle.set_velocity(0, {-rate, 0.0, 0.0}, {0.0, rate, 0.0});
    CoordinateRun run(In::joint, TypeParam::name, cradle, contact_schedule(1e-3, 40));
    run.run();
    EXPECT_EQ(run.status(), Status::ok);
    // The balls meet up to a step deep, where the line between them has turned by a share of 1e-2 of a radian.
    EXPECT_NEAR(run.angular_velocity(0)[1], 0.0, 1e-3);
    EXPECT_NEAR(run.angular_velocity(1)[1], 0.0, 1e-3);
    EXPECT_NEAR(run.angular_velocity(2)[1], rate, 1e-3);
}

// A table that a driver moves up and down, and a ball on it. The table does not jump where the ball strikes it, and the
// ball leaves with w+ = (1 + e) v_table - e w-.
TYPED_TEST(ContactOfTrees, DoesNotStopWhatADriverMoves) {
    constexpr double h = 1e-3, e = 0.5, amplitude = 0.05, frequency = 6.0;
    ContactMechanism table = ball_on_a_driven_table(e);
    const int impulse = table.channel(ChannelKind::contact_impulse, 0);
    double before = 0.0;
    int impacts = 0;
    CoordinateRun run(In::joint, TypeParam::name, table, contact_schedule(h, 600));
    run.run([&](const CoordinateRun& now) {
        const double phase = frequency * now.time_s(), w = now.velocity(1)[2];
        EXPECT_NEAR(now.position(0)[2], amplitude * std::sin(phase), 1e-14);
        EXPECT_NEAR(now.velocity(0)[2], amplitude * frequency * std::cos(phase), 1e-13);
        if (now.channel(impulse) > 0.0 && ++impacts == 1)
            EXPECT_NEAR(w, (1.0 + e) * now.velocity(0)[2] - e * before, 2.0 * gravity * h);
        before = w;
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_GE(impacts, 1);
}

// A chain of three rods that floats without gravity and strikes a wall without friction: what the wall does not give is
// kept, and an impact without loss takes no energy.
TYPED_TEST(ContactOfTrees, KeepsMomentumAndEnergyInAnImpactOfAChain) {
    ContactMechanism chain(R"({"gravity_m_s2": [0, 0, 0], "bodies": {
        "a": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0, 0, 0]},
        "b": {"mass_kg": 0.7, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0.4, 0, 0]},
        "c": {"mass_kg": 0.9, "inertia_kg_m2": [0.001, 0.02, 0.021], "position_m": [0.8, 0, 0]}},
        "joints": {
            "ab": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]]},
            "bc": {"type": "revolute", "bodies": ["b", "c"], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    chain.add_sphere_plane(-1, 2, {0.0, 0.0, -0.15}, up, {0.15, 0.0, 0.0}, 0.05, {0.0, 1.0, 0.0});
    for (int b = 0; b < 3; ++b) chain.set_velocity(b, {0.3, 0.1, -1.0});
    const int impulse = chain.channel(ChannelKind::contact_impulse, 0),
              energy = chain.channel(ChannelKind::total_energy, 0);
    const double masses[] = {0.5, 0.7, 0.9};
    const auto momentum = [&](const CoordinateRun& now) {
        Vector sum = Vector::Zero();
        for (int b = 0; b < 3; ++b) sum += masses[b] * now.velocity(b);
        return sum;
    };
    struct Missing {
        double momentum = -1.0, energy = -1.0;
    };
    // Over the step of the first impact.
    const auto missing_at_impact = [&](double step_s) {
        Missing missing;
        Vector before = Vector::Zero();
        double energy_before = 0.0;
        CoordinateRun run(In::joint, TypeParam::name, chain, contact_schedule(step_s, static_cast<int>(0.2 / step_s)));
        run.run([&](const CoordinateRun& now) {
            const Vector after = momentum(now);
            const double energy_after = now.channel(energy);
            if (now.channel(impulse) > 0.0 && now.time_s() > 0.0 && missing.momentum < 0.0)
                missing = {(after - before - now.channel(impulse) * up).norm(), std::abs(energy_after - energy_before)};
            before = after, energy_before = energy_after;
        });
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_GE(missing.momentum, 0.0) << "no impact";
        return missing;
    };
    const Missing missing = missing_at_impact(1e-3);
    if (TypeParam::impacts_apart) {
        // The scheme errs between the impacts.
        EXPECT_LT(missing.momentum, 1e-5);
        EXPECT_LT(missing.energy, 1e-5);
    } else {
        // Moreau's rule has the impact in the pose of the middle of the step, half a step's turn from that of the end.
        const Missing finer = missing_at_impact(1e-3 / 16.0);
        EXPECT_LT(finer.momentum, missing.momentum / 12.0);
        EXPECT_LT(finer.energy, missing.energy / 12.0);
    }
}

TYPED_TEST(ContactOfTrees, HasTheSameBitsInEveryLaneAndWidthBesideAnyNeighbour) {
    constexpr std::size_t lanes = 9, broken_lane = 1;
    const ContactMechanism pair = rods_on_a_ball();
    std::vector<std::vector<double>> parameters(lanes, pair.parameters);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        parameters[lane][static_cast<std::size_t>(parameters_of_body(1) + body_velocity)] =
            0.1 * static_cast<double>(lane);
        parameters[lane][static_cast<std::size_t>(pair.mechanism.table.contact[1].law)] =
            0.05 * static_cast<double>(lane);
    }
    parameters[broken_lane][static_cast<std::size_t>(parameters_of_body(1) + body_velocity)] = std::nan("");
    // The last lane flies off and touches nothing.
    for (int b = 0; b < 2; ++b)
        parameters[lanes - 1][static_cast<std::size_t>(parameters_of_body(b) + body_velocity + 2)] = 30.0;
    Schedule schedule = contact_schedule(1e-3, 400);
    schedule.newton_tolerance = 1e-11;
    std::vector<std::vector<double>> alone;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        CoordinateRun run(In::joint, TypeParam::name, pair, schedule, {parameters[lane]});
        EXPECT_EQ(run.run().status(), lane == broken_lane ? Status::invalid_parameter : Status::ok) << lane;
        alone.push_back(run.record());
    }
    std::vector<std::vector<double>> reversed(parameters.rbegin(), parameters.rend());
    for (const int width : {1, 4, 8}) {
        std::unique_ptr<CoordinateRun> together, backwards;
        try {
            together = std::make_unique<CoordinateRun>(In::joint, TypeParam::name, pair, schedule, parameters, width);
            backwards = std::make_unique<CoordinateRun>(In::joint, TypeParam::name, pair, schedule, reversed, width);
        } catch (const UserError&) {
            continue;  // this processor has no such vectors
        }
        together->run(), backwards->run();
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (lane == broken_lane) continue;
            const std::vector<double> given = together->record(lane), turned = backwards->record(lanes - 1 - lane);
            const std::size_t bytes = given.size() * sizeof(double);
            ASSERT_EQ(given.size(), alone[lane].size());
            EXPECT_EQ(std::memcmp(given.data(), alone[lane].data(), bytes), 0) << "lane " << lane << " of " << width;
            EXPECT_EQ(std::memcmp(turned.data(), alone[lane].data(), bytes), 0) << "lane " << lane << " of " << width;
        }
    }
}

}  // namespace
}  // namespace myriad::test
