// What steps do not see of contacts: spheres that pass through each other or through a capsule between two poses, and
// how deep a body sinks in until the end of the step that strikes. Closed forms of straight flights and of a fall, on
// both paths.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/mechanism_contact/certified_runs.hpp"
#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {
namespace {

// The reference path finds the closest approach by a search, to the root of round-off, as a share of about 0.1 and
// more.
constexpr double of_search = 1e-6;

// Two balls of one mass, offset across the flight, which always hit; a hit of restitution 1 parts them for good.
struct Shot {
    double speed_m_s, step_s, radius_m, offset_m;
    // Of the way of one ball into the other until they are nearest.
    double half_chord_m() const { return std::sqrt(4.0 * radius_m * radius_m - offset_m * offset_m); }
    std::string study(const char* scheme, int instances) const {
        std::ostringstream text;
        text.precision(17);
        const std::string body = R"("mass_kg": 0.01, "inertia_kg_m2": [4e-7, 4e-7, 4e-7])";
        text << R"({"instances": )" << instances << R"(, "mechanism": {"bodies": {"still": {)" << body
             << R"(}, "shot": {)" << body << R"(, "position_m": [-1, )" << offset_m << R"(, 0], "velocity_m_s": [)"
             << speed_m_s << R"(, 0, 0]}}, "contacts": {"hit": {"type": "sphere_sphere", "bodies": ["still", "shot"],
                "points_m": [[0, 0, 0], [0, 0, 0]], "radii_m": [)"
             << radius_m << ", " << radius_m << R"(], "normal_restitution": 1}}},
                "parameters": {"bodies.shot.position_m[0]": {"uniform": {"low": -0.11, "high": -0.06}}},
                "quantities": {"impacts": {"final": "impacts"}}, )"
             << integrator_keys(scheme, step_s, 12) << "}";
        return text.str();
    }
    // From the start at x < 0. Poses that see a contact: the ends of steps, or their middles.
    bool is_seen(double x, bool in_the_middle) const {
        const double step_m = speed_m_s * step_s;
        for (double at = in_the_middle ? x + 0.5 * step_m : x; at < 0.0; at += step_m)
            if (at >= -half_chord_m()) return true;
        return false;
    }
};

// 25 m/s and steps of 1 ms: 25 mm a step, of 18.3 mm from the touch to the closest approach.
TEST(ContactsBetweenSteps, AreHitsThatAreSeenOrJumpedOver) {
    const Shot shot{25.0, 1e-3, 0.01, 0.008};
    for (const char* path : path_names)
        for (const char* scheme : scheme_names) {
            SCOPED_TRACE(std::string(path) + " " + scheme);
            const int instances = path == std::string(backends::names::cpu) ? 200 : 40;
            std::mt19937 random(7);
            StartSamples samples(1);
            for (int i = 0; i < instances; ++i)
                samples[0].push_back(std::uniform_real_distribution<double>(-0.11, -0.06)(random));
            const CertifiedRuns runs(shot.study(scheme, instances), path, samples);
            const double rate = shot.speed_m_s / shot.half_chord_m();
            int jumped = 0;
            for (std::size_t i = 0; i < samples[0].size(); ++i) {
                ASSERT_TRUE(runs.ok(i));
                const bool seen = shot.is_seen(samples[0][i], scheme == std::string("moreau_midpoint"));
                EXPECT_EQ(runs.quantity(i), seen ? 1.0 : 0.0) << samples[0][i];
                EXPECT_EQ(runs.kept("jumped_contacts", i), seen ? 0.0 : 1.0) << samples[0][i];
                EXPECT_EQ(runs.kept("jumped_contact_bits", i), seen ? 0.0 : 1.0);
                if (!seen) EXPECT_NEAR(runs.kept("fastest_jumped_contact", i) / rate, 1.0, of_search);
                jumped += !seen;
            }
            // 1 - 18.33 / 25 of them, within four standard deviations.
            const double share = 1.0 - shot.half_chord_m() / (shot.speed_m_s * shot.step_s);
            EXPECT_NEAR(jumped, share * instances, 4.0 * std::sqrt(share * (1.0 - share) * instances));
        }
}

// Steps shorter than the way from the touch to the closest approach takes see every hit, wherever the ball starts.
TEST(ContactsBetweenSteps, AreSeenByStepsShorterThanTheirFirstHalf) {
    const Shot shot{90.0, 1e-3, 0.01, 0.012};
    const Shot finer{shot.speed_m_s, 0.999 * shot.half_chord_m() / shot.speed_m_s, shot.radius_m, shot.offset_m};
    StartSamples samples(1);
    for (int i = 0; i < 100; ++i) samples[0].push_back(-0.11 + 0.0005 * i);
    for (const char* scheme : scheme_names) {
        SCOPED_TRACE(scheme);
        const CertifiedRuns runs(finer.study(scheme, 100), backends::names::cpu, samples);
        for (std::size_t i = 0; i < samples[0].size(); ++i) {
            EXPECT_EQ(runs.quantity(i), 1.0) << samples[0][i];
            EXPECT_EQ(runs.kept("jumped_contacts", i), 0.0) << samples[0][i];
        }
    }
}

// Balls fly at random past a rail, over it or through it, which turns about an axis of its own: both paths count
// the same, by formulas and by searches.
TEST(ContactsBetweenSteps, AreTheSameOnBothPathsForCapsulesThatMove) {
    constexpr int instances = 60;
    std::mt19937 random(3);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    // x, y, and the velocity.
    const double low[] = {-0.25, -0.04, -5.0, -2.0, -60.0}, high[] = {0.25, 0.04, 5.0, 2.0, -20.0};
    StartSamples samples(5);
    for (int i = 0; i < instances; ++i)
        for (std::size_t k = 0; k < samples.size(); ++k) samples[k].push_back(uniform(low[k], high[k]));
    int jumped = 0;
    for (const char* scheme : scheme_names) {
        SCOPED_TRACE(scheme);
        const std::string text = R"({"instances": 60,
                "mechanism": {"bodies": {
                    "rail": {"mass_kg": 0.4, "inertia_kg_m2": [0.001, 0.02, 0.02], "angular_velocity_rad_s": [0, 0, 2]},
                    "ball": {"mass_kg": 0.01, "inertia_kg_m2": [4e-7, 4e-7, 4e-7], "position_m": [0, 0, 0.2],
                             "velocity_m_s": [0, 0, -50]}},
                "contacts": {
                    "far": {"type": "sphere_plane", "bodies": ["ground", "ball"], "plane_point_m": [0, 0, -9],
                            "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.01},
                    "hit": {"type": "sphere_capsule", "bodies": ["rail", "ball"], "normal_restitution": 1,
                            "ends_m": [[-0.2, 0, 0], [0.2, 0, 0]], "point_m": [0, 0, 0], "radii_m": [0.02, 0.01]}}},
                "parameters": {"bodies.ball.position_m[0]": {"uniform": {"low": -1, "high": 1}},
                               "bodies.ball.position_m[1]": {"uniform": {"low": -1, "high": 1}},
                               "bodies.ball.velocity_m_s[0]": {"uniform": {"low": -99, "high": 99}},
                               "bodies.ball.velocity_m_s[1]": {"uniform": {"low": -99, "high": 99}},
                               "bodies.ball.velocity_m_s[2]": {"uniform": {"low": -99, "high": 99}}},
                "quantities": {"impacts": {"final": "impacts"}}, )" +
                                 integrator_keys(scheme, 1e-3, 14) + "}";
        const CertifiedRuns ours(text, backends::names::cpu, samples), twin(text, backends::names::reference, samples);
        for (std::size_t i = 0; i < instances; ++i) {
            ASSERT_TRUE(ours.ok(i) && twin.ok(i));
            EXPECT_EQ(ours.quantity(i), twin.quantity(i)) << i;
            EXPECT_EQ(ours.kept("jumped_contacts", i), twin.kept("jumped_contacts", i)) << i;
            EXPECT_EQ(ours.kept("jumped_contact_bits", i), ours.kept("jumped_contacts", i) > 0.0 ? 2.0 : 0.0);
            EXPECT_EQ(twin.kept("jumped_contact_bits", i), ours.kept("jumped_contact_bits", i));
            const double rate = twin.kept("fastest_jumped_contact", i);
            EXPECT_NEAR(ours.kept("fastest_jumped_contact", i), rate, of_search * rate) << i;
            jumped += ours.kept("jumped_contacts", i) > 0.0;
        }
    }
    EXPECT_GT(jumped, 50);
}

// Balls on arms fly past each other and turn, at random: what a fine search of their ways calls a hit is struck or
// counted. A turn of 0.1 rad in a step bends the way of an arm of 50 mm by 0.06 mm, so less deep grazes are left out.
TEST(ContactsBetweenSteps, OfBallsOnTurningArmsAreStruckOrCounted) {
    constexpr double step = 1e-3, radius = 0.01, bend = 1e-4, arm = 0.05, other_arm = 0.04;
    constexpr int steps = 14, instances = 150;
    std::mt19937 random(11);
    // In the order of the mechanism: the turn of the ball that stays, x, y and speed of the shot, and its turn.
    const double low[] = {-100.0, -0.3, -0.1, 5.0, -100.0}, high[] = {100.0, -0.1, 0.1, 60.0, 100.0};
    StartSamples samples(5);
    for (std::size_t k = 0; k < samples.size(); ++k)
        for (int i = 0; i < instances; ++i)
            samples[k].push_back(std::uniform_real_distribution<double>(low[k], high[k])(random));
    const auto deepest = [&](std::size_t i) {
        double gap = 1.0;
        for (double t = 0.0; t < (steps - 3) * step; t += 0.005 * step) {
            const double turn = samples[0][i] * t, other = samples[4][i] * t,
                         x = samples[1][i] + samples[3][i] * t - other_arm * std::sin(other) - arm * std::cos(turn),
                         y = samples[2][i] + other_arm * std::cos(other) - arm * std::sin(turn);
            gap = std::min(gap, std::hypot(x, y) - 2.0 * radius);
        }
        return -gap;
    };
    std::vector<double> depths;
    for (std::size_t i = 0; i < instances; ++i) depths.push_back(deepest(i));
    for (const char* path : path_names)
        for (const char* scheme : scheme_names) {
            SCOPED_TRACE(std::string(path) + " " + scheme);
            const std::string body = R"("mass_kg": 0.01, "inertia_kg_m2": [1e-5, 1e-5, 1e-5])",
                              range = R"({"uniform": {"low": -999, "high": 999}})";
            const CertifiedRuns runs(
                R"({"instances": )" + std::to_string(instances) + R"(, "mechanism": {"bodies": {"still": {)" + body +
                    R"(}, "shot": {)" + body + R"(, "position_m": [-0.5, 0, 0],
                    "velocity_m_s": [40, 0, 0]}}, "contacts": {"hit": {"type": "sphere_sphere",
                    "bodies": ["still", "shot"], "points_m": [[0.05, 0, 0], [0, 0.04, 0]], "radii_m": [0.01, 0.01],
                    "normal_restitution": 1}}}, "parameters": {"bodies.shot.angular_velocity_rad_s[2]": )" +
                    range + R"(, "bodies.shot.position_m[0]": )" + range + R"(, "bodies.shot.position_m[1]": )" +
                    range + R"(, "bodies.shot.velocity_m_s[0]": )" + range +
                    R"(, "bodies.still.angular_velocity_rad_s[2]": )" + range +
                    R"(}, "quantities": {"impacts": {"final": "impacts"}}, )" + integrator_keys(scheme, step, steps) +
                    "}",
                path, samples);
            int hits = 0;
            for (std::size_t i = 0; i < instances; ++i) {
                if (!runs.ok(i) || depths[i] < bend) continue;
                EXPECT_GT(runs.quantity(i) + runs.kept("jumped_contacts", i), 0.0) << i << ", " << depths[i];
                ++hits;
            }
            EXPECT_GT(hits, 10);
        }
}

// A ball slides down another and leaves it at 2/3 of its height above the centre. It follows the surface, so it passes
// nothing, although straight ways of some steps lead below the surface.
TEST(ContactsBetweenSteps, AreNotJumpedOverByABallThatSlidesOffAnother) {
    for (const char* path : path_names)
        for (const char* scheme : scheme_names)
            for (const double step : {2e-3, 5e-4}) {
                SCOPED_TRACE(std::string(path) + " " + scheme);
                const CertifiedRuns run(
                    R"({"mechanism": {"gravity_m_s2": [0, 0, -9.81], "bodies": {"ball": {"mass_kg": 0.7,
                                "inertia_kg_m2": [0.002, 0.002, 0.002], "position_m": [0.13, 0, 1.24]}},
                            "contacts": {"way": {"type": "sphere_sphere", "bodies": ["ground", "ball"],
                                "points_m": [[0, 0, 0], [0, 0, 0]], "radii_m": [1.15, 0.09]}}},
                            "instances": 1, "quantities": {"gap_m": {"final": "gap.way"}}, )" +
                        integrator_keys(scheme, step, static_cast<int>(1.9 / step)) + "}",
                    path, {});
                ASSERT_TRUE(run.ok());
                EXPECT_GT(run.quantity(), 0.1);
                EXPECT_EQ(run.kept("jumped_contacts"), 0.0);
            }
}

// A ball falls through the height H in steps that take free fall exactly, and stops where the step that strikes ends.
struct Fall {
    double step_s, height_m;
    // The gap there, below 0.
    double depth_m() const {
        for (int k = 1;; ++k) {
            const double t = k * step_s, gap = height_m - 0.5 * gravity * t * t;
            if (gap <= 0.0) return -gap;
        }
    }
    std::string study(const char* scheme, const std::string& contact, double origin_m,
                      const std::string& joints = "") const {
        std::ostringstream text;
        text.precision(17);
        text << R"({"coordinates": "body", "instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81], )" << joints
             << R"("bodies": {"pellet":
            {"mass_kg": 0.004, "inertia_kg_m2": [4e-8, 4e-8, 4e-8], "position_m": [0, 0, )"
             << height_m + origin_m << R"(]}}, "contacts": {
            "aside": {"type": "point_plane", "bodies": ["ground", "pellet"], "plane_point_m": [-9, 0, 0],
                      "plane_normal": [1, 0, 0], "point_m": [0, 0, 0]},
            "floor": {"bodies": ["ground", "pellet"], "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1], )"
             << contact << R"(}}}, "quantities": {"z": {"final": "position.pellet.z"}}, )"
             << integrator_keys(scheme, step_s, static_cast<int>(std::sqrt(2.0 * height_m / gravity) / step_s) + 20)
             << "}";
        return text.str();
    }
};

TEST(ContactsBetweenSteps, SinkAsDeepAsTheStepThatStrikesLeadsThem) {
    const Fall fall{1e-3, 9.998};
    constexpr double radius = 0.005;
    const double depth = fall.depth_m(), speed = std::sqrt(2.0 * gravity * fall.height_m);
    ASSERT_GT(depth, 0.1 * radius);
    ASSERT_LT(depth, speed * fall.step_s);
    const std::string ball = R"("type": "sphere_plane", "point_m": [0, 0, 0], "radius_m": 0.005)";
    for (const char* path : path_names)
        for (const char* scheme : scheme_names) {
            SCOPED_TRACE(std::string(path) + " " + scheme);
            const CertifiedRuns run(fall.study(scheme, ball, radius), path, {});
            ASSERT_TRUE(run.ok());
            const double sunk = run.kept("sunk_depth");
            EXPECT_EQ(run.kept("sunk_contact_bits"), 2.0);
            EXPECT_EQ(sunk, run.kept("penetration"));
            // It rests there. By Moreau's rule the middle of a step decides, which lies up to half a step before.
            if (scheme == std::string("moreau_midpoint")) {
                EXPECT_LT(sunk, 1.5 * speed * fall.step_s);
            } else {
                EXPECT_NEAR(sunk, depth, 1e-9);
                // Generalized-alpha goes on from the accelerations before the impact.
                EXPECT_NEAR(run.quantity(), radius - depth, 1e-7);
            }
        }
}

// A tenth of the radius, of a capsule's, or of a box's shortest edge.
TEST(ContactsBetweenSteps, CountAsSunkFromATenthOfTheirSizeOn) {
    const double speed = std::sqrt(2.0 * gravity * 0.5), step = 2e-3;
    Fall fall{step, 0.5};
    while (fall.depth_m() < 0.5 * speed * step) fall.height_m += 1e-4;
    const auto contact_of = [](const std::string& kind, double length) {
        std::ostringstream text;
        text.precision(17);
        if (kind == "ball")
            text << R"("type": "sphere_plane", "point_m": [0, 0, 0], "radius_m": )" << length;
        else if (kind == "capsule")
            text << R"("type": "capsule_plane", "ends_m": [[-0.3, 0, 0], [0.3, 0, 0]], "radius_m": )" << length;
        else
            text << R"("type": "box_plane", "size_m": [7, 5, )" << length << "]";
        return text.str();
    };
    for (const char* path : path_names)
        for (const char* kind : {"ball", "capsule", "box"})
            for (const bool is_sunk : {false, true}) {
                SCOPED_TRACE(std::string(path) + " " + kind);
                const double length = (is_sunk ? 9.9 : 10.1) * fall.depth_m(),
                             origin_m = kind == std::string("box") ? 0.5 * length : length;
                const CertifiedRuns run(fall.study("nonsmooth_bathe", contact_of(kind, length), origin_m), path, {});
                ASSERT_TRUE(run.ok());
                EXPECT_NEAR(run.kept("penetration"), fall.depth_m(), 1e-9);
                EXPECT_NEAR(run.kept("sunk_depth"), is_sunk ? fall.depth_m() : 0.0, 1e-9);
                EXPECT_EQ(run.kept("sunk_contact_bits") > 0.0, is_sunk);
            }
}

// Points have the length scale of the mechanism, 1 m where no joint has a point, and no size where joints have all of
// theirs in centres of mass.
TEST(ContactsBetweenSteps, OfPointsCountAsSunkByTheLengthScale) {
    const std::string point = R"("type": "point_plane", "point_m": [0, 0, 0])", guide = R"("joints": {"guide":
        {"type": "prismatic", "bodies": ["ground", "pellet"], "points_m": [[0, 0, 0], [0, 0, 0]],
         "axes": [[0, 0, 1], [0, 0, 1]]}}, )";
    for (const char* path : path_names)
        for (const double depth : {0.099, 0.101})
            for (const std::string& joints : {std::string(), guide}) {
                SCOPED_TRACE(std::string(path) + " " + joints);
                const Fall fall{0.05, 0.5 * gravity * 0.5 * 0.5 - depth};
                const CertifiedRuns run(fall.study("nonsmooth_bathe", point, 0.0, joints), path, {});
                ASSERT_TRUE(run.ok());
                EXPECT_NEAR(run.kept("penetration"), depth, 1e-9);
                EXPECT_NEAR(run.kept("sunk_depth"), joints.empty() && depth > 0.1 ? depth : 0.0, 1e-9);
            }
}

}  // namespace
}  // namespace myriad::test
