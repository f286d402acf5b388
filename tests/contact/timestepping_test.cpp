// Every timestepping scheme on motions that are known in closed form.
#include <algorithm>
#include <vector>

#include "host/validation/runs/slider_crank_exact.hpp"
#include "kernels/systems/bouncing_ball.hpp"
#include "kernels/systems/cradle.hpp"
#include "kernels/systems/rolling_disc.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/sliding_block.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using validation::SliderCrankExact;
template <class Member>
class Scheme : public testing::Test {};
TYPED_TEST_SUITE(Scheme, AllSchemes);

using Ball = BouncingBall<double, NoChart>;
using Block = SlidingBlock<double, NoChart>;
using Disc = RollingDisc<double, NoChart>;
using Crank = SliderCrankClearance<double, NoChart>;
using Pendulums = Cradle<double, NoChart>;

// An impact happens at the end of its step: late by up to h, and what follows with it.
TYPED_TEST(Scheme, BouncesWhenTheClosedFormDoes) {
    constexpr double restitution = 0.7, drop = 1.0;
    const double fall = std::sqrt(2.0 * drop / gravity), speed = std::sqrt(2.0 * drop * gravity);
    std::vector<double> expected{fall};
    for (int k = 1; k < 5; ++k) expected.push_back(expected.back() + 2.0 * speed * std::pow(restitution, k) / gravity);
    for (const double h : {4e-3, 1e-3, 2.5e-4}) {
        ContactRun<TypeParam, Ball> run(parameters_with<Ball>({{"normal_restitution", restitution}}),
                                        contact_schedule(h, 3.0));
        std::vector<double> times;
        double rate_before = 0.0;
        run.run([&](const auto& now) {
            if (rate_before < 0.0 && now.motion.v[0] > 0.0) times.push_back(now.progress.time_s);
            rate_before = now.motion.v[0];
        });
        ASSERT_EQ(run.reason, 0.0);
        ASSERT_GE(times.size(), expected.size());
        // Each impact is late by at most h (and half a step of Moreau's), and lasts longer by as much.
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(times[k], expected[k], 3.0 * static_cast<double>(k + 1) * h) << "impact " << k << ", h " << h;
        EXPECT_NEAR(run.memory.first_contact_s, fall, 2.0 * h);
    }
}

TYPED_TEST(Scheme, ComesToRestAfterInfinitelyManyBounces) {
    constexpr double restitution = 0.5, drop = 0.1, h = 1e-3;
    const double fall = std::sqrt(2.0 * drop / gravity), speed = gravity * fall;
    const double rest = fall + 2.0 * speed * restitution / (gravity * (1.0 - restitution));
    ContactRun<TypeParam, Ball> run(
        parameters_with<Ball>({{"normal_restitution", restitution}, {"initial_height_m", drop}}),
        contact_schedule(h, rest + 1.0));
    double fastest = 0.0, highest = 0.0;
    run.run([&](const auto& now) {
        if (now.progress.time_s < rest + 0.2) return;
        fastest = std::max(fastest, std::abs(now.motion.v[0]));
        highest = std::max(highest, std::abs(now.motion.q[0]));
    });
    ASSERT_EQ(run.reason, 0.0);
    // The rest are bounces of one step: the speed g h, and the depth of one step at it.
    EXPECT_LE(fastest, 2.0 * gravity * h);
    EXPECT_LE(highest, 20.0 * gravity * h * h);
    EXPECT_LE(run.memory.penetration_m, 2.0 * speed * h);
}

// The record of a run: all of the energy is lost in impacts, and those above a threshold are m (1 + e) w e^k.
TYPED_TEST(Scheme, RecordsWhatItsImpactsAre) {
    constexpr double restitution = 0.6, drop = 0.5, mass = 2.0, h = 1e-4;
    const double speed = std::sqrt(2.0 * gravity * drop), first = mass * (1.0 + restitution) * speed;
    Schedule schedule = contact_schedule(h, 3.0);
    schedule.impact_threshold_N_s = first * std::pow(restitution, 3.5);  // between the fourth and the fifth
    ContactRun<TypeParam, Ball> run(
        parameters_with<Ball>({{"mass_kg", mass}, {"normal_restitution", restitution}, {"initial_height_m", drop}}),
        schedule);
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    EXPECT_EQ(run.memory.impacts, 4.0);
    // A step late, the ball is faster by g h and lower by w h.
    EXPECT_NEAR(run.memory.largest_impulse_N_s, first, 2.0 * mass * gravity * h);
    EXPECT_NEAR(run.memory.impact_loss_J, mass * gravity * drop, 4.0 * mass * gravity * speed * h);
    EXPECT_LE(run.memory.energy_error_J, 2.0 * mass * gravity * speed * h);
    EXPECT_LE(run.memory.penetration_m, 2.0 * speed * h);
    EXPECT_EQ(run.memory.friction_loss_J, 0.0);
    EXPECT_LE(run.memory.prox_residual, schedule.prox_tolerance);
    EXPECT_LT(0.0, run.memory.problems);
    const auto certificate = Timestepping<TypeParam>::certificate(run.system, run.motion, run.memory);
    const std::map<std::string, double> expected{{"energy_balance_error", run.memory.energy_error_J},
                                                 {"penetration", run.memory.penetration_m},
                                                 {"prox_residual", run.memory.prox_residual},
                                                 {"prox_iterations_in_a_problem", run.memory.most_prox_iterations},
                                                 {"impacts", 4.0},
                                                 {"friction_loss", 0.0},
                                                 {"impact_loss", run.memory.impact_loss_J}};
    std::size_t found = 0;
    for (int i = 0; i < contact_certificate_count; ++i) {
        const auto entry = expected.find(contact_certificate_entries[i].name);
        if (entry == expected.end()) continue;
        EXPECT_EQ(certificate[i], entry->second) << entry->first;
        ++found;
    }
    EXPECT_EQ(found, expected.size());
}

TYPED_TEST(Scheme, RestsOnTheGround) {
    ContactRun<TypeParam, Ball> run(parameters_with<Ball>({{"initial_height_m", 0.0}}), contact_schedule(1e-2, 1.0));
    run.run([&](const auto& now) {
        EXPECT_NEAR(now.motion.v[0], 0.0, round_off_of_a_run);
        // A contact force of m g from the start: a_0 is solved with contact.
        if (now.progress.steps > 0.0) {
            EXPECT_NEAR(now.memory.force[0], gravity, round_off_of_a_run);
        }
    });
    EXPECT_EQ(run.reason, 0.0);
    EXPECT_EQ(run.memory.impacts, 0.0);
    EXPECT_LE(run.memory.energy_error_J, round_off_of_a_run);
}

TYPED_TEST(Scheme, SticksOnAnInclineThatIsNotSteepEnough) {
    ContactRun<TypeParam, Block> run(
        parameters_with<Block>({{"incline_rad", 0.3}, {"friction", 0.4}, {"initial_velocity_m_s[0]", 0.0}}),
        contact_schedule(1e-2, 1.0));
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(run.motion.q[i], 0.0, round_off_of_a_run);
        EXPECT_NEAR(run.motion.v[i], 0.0, round_off_of_a_run);
    }
    EXPECT_NEAR(run.memory.force[0], gravity * std::cos(0.3), round_off_of_a_run);
    EXPECT_NEAR(run.memory.force[1], -gravity * std::sin(0.3), round_off_of_a_run);
}

TYPED_TEST(Scheme, SlidesWithConstantAcceleration) {
    const double incline = 0.5, friction = 0.2, v0 = 0.7;
    ContactRun<TypeParam, Block> run(
        parameters_with<Block>({{"incline_rad", incline}, {"friction", friction}, {"initial_velocity_m_s[0]", v0}}),
        contact_schedule(1e-2, 1.0));
    run.run();
    ASSERT_EQ(run.reason, 0.0);
    const double a = gravity * (std::sin(incline) - friction * std::cos(incline));
    EXPECT_NEAR(run.motion.v[0], v0 + a, round_off_of_a_run);
    EXPECT_NEAR(run.motion.q[0], v0 + 0.5 * a, round_off_of_a_run);
    EXPECT_NEAR(run.motion.q[2], 0.0, round_off_of_a_run);
    // Friction takes its force times the way.
    EXPECT_NEAR(run.memory.friction_loss_J, friction * gravity * std::cos(incline) * run.motion.q[0],
                round_off_of_a_run);
    EXPECT_LE(run.memory.energy_error_J, round_off_of_a_run);
}

TYPED_TEST(Scheme, StopsWhereFrictionBringsItToRest) {
    const double incline = 0.2, friction = 0.5, v0 = 1.0;
    const double brake = gravity * (friction * std::cos(incline) - std::sin(incline));
    for (const double h : {1e-2, 1e-3}) {
        ContactRun<TypeParam, Block> run(
            parameters_with<Block>({{"incline_rad", incline}, {"friction", friction}, {"initial_velocity_m_s[0]", v0}}),
            contact_schedule(h, 1.0));
        run.run();
        ASSERT_EQ(run.reason, 0.0);
        EXPECT_NEAR(run.motion.v[0], 0.0, round_off_of_a_run);
        // The step in which it stops is the only one that is not exact.
        EXPECT_NEAR(run.motion.q[0], 0.5 * v0 * v0 / brake, 2.0 * brake * h * h);
    }
}

// Thrown across the incline it slides along a curve: friction turns with the slip.
TYPED_TEST(Scheme, SlidesAlongACurveInSpace) {
    const double incline = 0.4, friction = 0.3, end = 0.5;
    const double pull = gravity * std::sin(incline), brake = friction * gravity * std::cos(incline);
    double x = 0.0, y = 0.0, u = 0.0, w = 2.0;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {  // the midpoint rule, whose error is 1e-8 here
        const double h = end / steps, s = std::hypot(u, w);
        const double um = u + 0.5 * h * (pull - brake * u / s), wm = w - 0.5 * h * brake * w / s;
        const double sm = std::hypot(um, wm);
        x += h * um, y += h * wm, u += h * (pull - brake * um / sm), w -= h * brake * wm / sm;
    }
    const auto error = [&](double h) {
        ContactRun<TypeParam, Block> run(parameters_with<Block>({{"incline_rad", incline},
                                                                 {"friction", friction},
                                                                 {"initial_velocity_m_s[0]", 0.0},
                                                                 {"initial_velocity_m_s[1]", 2.0}}),
                                         contact_schedule(h, end));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        return std::hypot(run.motion.q[0] - x, run.motion.q[1] - y);
    };
    const double coarse = error(1e-2), fine = error(2.5e-3);
    const double order = std::log2(coarse / fine) / 2.0;
    std::printf("| %-27s | curved slide: error %.2e at h = 0.01, order %.2f |\n", TypeParam::name, coarse, order);
    // The explicit ones take the direction of the slip at one end of the step.
    const bool is_explicit = std::is_same_v<TypeParam, MoreauMidpoint> || std::is_same_v<TypeParam, HalfExplicit>;
    EXPECT_NEAR(order, is_explicit ? 1.0 : 2.0, 0.1);  // the next term of the error
}

TYPED_TEST(Scheme, RollsAfterSliding) {
    const double v0 = 2.0, friction = 0.25, ratio = 0.005 / (1.0 * 0.01);  // J / (m r^2)
    const double rolling = v0 / (friction * gravity * (1.0 + 1.0 / ratio));
    for (const double h : {4e-3, 1e-3}) {
        ContactRun<TypeParam, Disc> run(
            parameters_with<Disc>({{"friction", friction}, {"initial_velocity_m_s[0]", v0}}), contact_schedule(h, 1.0));
        double since = -1.0;
        run.run([&](const auto& now) {
            const double slip = now.motion.v[0] + 0.1 * now.motion.v[2];
            if (since < 0.0 && std::abs(slip) < round_off_of_a_run) since = now.progress.time_s;
        });
        ASSERT_EQ(run.reason, 0.0);
        const double speed = v0 - friction * gravity * rolling;
        EXPECT_NEAR(since, rolling, 2.0 * h);
        EXPECT_NEAR(speed, v0 / (1.0 + ratio), round_off_of_a_run);
        EXPECT_NEAR(run.motion.v[0], speed, round_off_of_a_run);
        EXPECT_NEAR(run.motion.v[2], -speed / 0.1, 10.0 * round_off_of_a_run);
        // The one step in which slip ends is off by less than a step of the deceleration.
        const double way = v0 * rolling - 0.5 * friction * gravity * rolling * rolling + speed * (1.0 - rolling);
        EXPECT_NEAR(run.motion.q[0], way, 2.0 * friction * gravity * h * h);
    }
}

TYPED_TEST(Scheme, HandsOverMomentumInACradle) {
    constexpr double m1 = 2.0, m2 = 1.0, restitution = 0.8, angle = -0.3;
    const double speed = std::sqrt(2.0 * gravity * (1.0 - std::cos(angle)));
    const double first = (m1 - restitution * m2) * speed / (m1 + m2),
                 second = (1.0 + restitution) * m1 * speed / (m1 + m2);
    for (const double h : {1e-3, 1e-4}) {
        ContactRun<TypeParam, Pendulums> run(parameters_with<Pendulums>({{"ball_1.mass_kg", m1},
                                                                         {"ball_2.mass_kg", m2},
                                                                         {"normal_restitution", restitution},
                                                                         {"initial_angle_rad[0]", angle}}),
                                             contact_schedule(h, 1.2));
        double highest = 0.0;
        run.run([&](const auto& now) { highest = std::max(highest, now.motion.q[1]); });
        ASSERT_EQ(run.reason, 0.0);
        EXPECT_EQ(run.memory.impacts, 1.0);
        // Ball 2 rises to the height of its speed; the impact is one step late.
        EXPECT_NEAR(highest, std::acos(1.0 - 0.5 * second * second / gravity), 3.0 * speed * h);
        EXPECT_NEAR(run.memory.largest_impulse_N_s, m2 * second, 10.0 * speed * h);
        EXPECT_NEAR(run.memory.impact_loss_J, 0.5 * (m1 * speed * speed - m1 * first * first - m2 * second * second),
                    10.0 * speed * h);
    }
}

// Bilateral contact: the slider-crank without clearance, against its one freedom.
TYPED_TEST(Scheme, FollowsTheSliderCrankWithoutClearance) {
    const SliderCrankExact exact;
    constexpr double end = 0.02;
    const double crank = exact.advanced(0.0, end, 20000);
    const auto error = [&](double h) {
        ContactRun<TypeParam, Crank> run(parameters_with<Crank>({{"clearance_m", 0.0}, {"friction", 0.0}}),
                                         contact_schedule(h, end));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        return std::abs(run.motion.q[0] - crank) + std::abs(run.motion.q[1] - exact.rod_angle(crank));
    };
    const double coarse = error(1e-4), fine = error(2.5e-5), order = std::log2(coarse / fine) / 2.0;
    std::printf("| %-27s | held slider: error %.2e at h = 1e-4, order %.2f |\n", TypeParam::name, coarse, order);
    const double expected = TypeParam::impacts_apart ? 2.0 : 1.0;
    EXPECT_NEAR(order, expected, 0.15);  // the next term of the error
}

}  // namespace
}  // namespace myriad::test
