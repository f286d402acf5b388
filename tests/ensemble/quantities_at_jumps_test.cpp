// Quantities in steps that end where rates jump, by a driver or an impact: closed forms, and the mean of a rate, which
// is the way over the time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "host/backends/cpu/step_by_step.hpp"
#include "tests/ensemble/one_instance.hpp"

namespace myriad::ensemble {
namespace {

// An arm that a driver turns with 2 rad/s up to `until_s`, and then holds.
ordered_json held_arm(double until_s, const ordered_json& integrator, const ordered_json& quantities) {
    ordered_json study = ordered_json::parse(R"({
        "instances": 1,
        "mechanism": {
            "gravity_m_s2": [0, 0, 0],
            "bodies": {"arm": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.5, 0, 0]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"],
                                 "points_m": [[0, 0, 0], [-0.5, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]}},
            "drivers": {"motor": {"type": "angle", "joint": "hinge"}},
            "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "rate": {"type": "rate", "joint": "hinge"}}}})");
    study["mechanism"]["drivers"]["motor"]["value_rad"] = "2 * min(t, " + std::to_string(until_s) + ")";
    study["integrator"] = integrator, study["quantities"] = quantities;
    return study;
}

TEST(QuantitiesAtAJumpOfADriver, AreTheOnesOfBothSides) {
    constexpr double until_s = 0.3, end_s = 0.5, rate = 2.0;
    const ordered_json quantities = ordered_json::parse(R"({
        "mean_rad_s": {"mean": "rate"},
        "mean_before_rad_s": {"mean": "rate", "to_s": 0.3},
        "mean_behind_rad_s": {"mean": "rate", "from_s": 0.3},
        "mean_in_between_rad_s": {"mean": "rate", "from_s": 0.2, "to_s": 0.4},
        "end_before_rad_s": {"final": "rate", "to_s": 0.3},
        "least_before_rad_s": {"min": "rate", "to_s": 0.3},
        "largest_behind_rad_s": {"max": "rate", "from_s": 0.3},
        "stops_s": {"first_time_below": {"channel": "rate", "threshold": 1}},
        "largest_rad": {"max": "angle"},
        "mean_rad": {"mean": "angle"},
        "mean_J": {"mean": "kinetic_energy"}})");
    const double share = until_s / end_s, energy_J = 0.5 * (0.1 + 0.25) * rate * rate;
    const std::vector<double> exact = {share * rate,
                                       rate,
                                       0.0,
                                       0.5 * rate,
                                       rate,
                                       rate,
                                       0.0,
                                       until_s,
                                       rate * until_s,
                                       rate * until_s * (1.0 - 0.5 * share),
                                       share * energy_J};
    for (const ordered_json& integrator :
         {adaptive_steps(1e-6, end_s, "dopri5"), adaptive_steps(1e-6, end_s, "ode23"), fixed_steps("rk4", 0.02, end_s),
          fixed_steps("generalized_alpha", 0.02, end_s), fixed_steps("kinematics", 0.02, end_s),
          fixed_steps("moreau_midpoint", 0.02, end_s), fixed_steps("nonsmooth_generalized_alpha", 0.02, end_s)})
        for (const char* backend : {"cpu", "reference"}) {
            const std::vector<double> found = quantities_of(held_arm(until_s, integrator, quantities), backend);
            // A corner is seen within 1e-12 of its time.
            constexpr double of_the_corner = 1e-11;
            for (std::size_t i = 0; i < exact.size(); ++i)
                EXPECT_NEAR(found.at(i), exact[i], of_the_corner)
                    << backend << ", quantity " << i << ", " << integrator;
        }
}

// The corner at 0.307 s lies in a step of 0.02 s that ends at 0.32 s, where the jump is placed.
TEST(QuantitiesAtAJumpOfADriver, InAFixedStepAreOffByTheRestOfTheStepAlone) {
    constexpr double until_s = 0.307, placed_s = 0.32, end_s = 0.5, rate = 2.0, round_off = 1e-11;
    const ordered_json quantities = ordered_json::parse(R"({
        "mean_rad_s": {"mean": "rate"}, "largest_rad": {"max": "angle"}, "least_rad_s": {"min": "rate", "to_s": 0.31},
        "mean_rad": {"mean": "angle"}})");
    for (const char* method : {"rk4", "generalized_alpha", "kinematics", "nonsmooth_generalized_alpha"})
        for (const char* backend : {"cpu", "reference"}) {
            const std::vector<double> found =
                quantities_of(held_arm(until_s, fixed_steps(method, 0.02, end_s), quantities), backend);
            EXPECT_NEAR(found[0], rate * placed_s / end_s, round_off) << method << ", " << backend;
            EXPECT_NEAR(found[1], rate * until_s, round_off) << method << ", " << backend;
            EXPECT_NEAR(found[2], rate, round_off) << method << ", " << backend;
            // Of the line through the ends of one step.
            constexpr double of_a_line = rate * 0.02 * 0.02 / end_s;
            EXPECT_NEAR(found[3], rate * until_s * (1.0 - 0.5 * until_s / end_s), of_a_line)
                << method << ", " << backend;
        }
}

// A bob that hangs on a trolley which a driver sets off with 2 m/s at 0.1 s: the bob swings with 2 m l / (I + m l^2) at
// once.
ordered_json set_off_trolley(const ordered_json& integrator) {
    ordered_json study = ordered_json::parse(R"({
        "instances": 1,
        "mechanism": {
            "bodies": {"trolley": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01]},
                       "bob": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0, 0, -0.5]}},
            "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "trolley"],
                                "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]},
                       "hinge": {"type": "revolute", "bodies": ["trolley", "bob"],
                                 "points_m": [[0, 0, 0], [0, 0, 0.5]], "axes": [[0, 1, 0], [0, 1, 0]]}},
            "drivers": {"motor": {"type": "displacement", "joint": "rail", "value_m": "max(0, t - 0.1) * 2"}},
            "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "rate": {"type": "rate", "joint": "hinge"}}},
        "quantities": {
            "mean_rad_s": {"mean": "rate"}, "end_rad": {"final": "angle"},
            "mean_m_s": {"mean": "velocity.trolley.x"},
            "before_rad_s": {"final": "rate", "to_s": 0.1},
            "largest_before_m_s": {"max": "velocity.trolley.norm", "to_s": 0.1},
            "at_once_rad_s": {"max": "rate", "from_s": 0.1, "to_s": 0.1000001},
            "starts_s": {"first_time_above": {"channel": "velocity.trolley.x", "threshold": 1}},
            "in_window_rad_s": {"mean": "rate", "to_s": 0.0999}, "work_J": {"mean": "work", "to_s": 0.1}}})");
    study["integrator"] = integrator;
    return study;
}

TEST(QuantitiesAtAJumpOfADriver, HaveTheWayOverTheTimeAsTheMeanOfARate) {
    constexpr double end_s = 0.3, rate = 2.0, at_once = rate * 0.5 / (0.02 + 0.25), round_off = 1e-10;
    struct Method {
        ordered_json integrator;
        double tolerance;  // of a mean by Hermite's cubic: h^4; of generalized-alpha by the trapezoidal rule: h^2
    };
    for (const Method& method :
         {Method{adaptive_steps(1e-9, end_s, "dopri5"), 1e-7}, Method{adaptive_steps(1e-9, end_s, "ode23"), 1e-7},
          Method{fixed_steps("rk4", 0.01, end_s), 1e-6}, Method{fixed_steps("generalized_alpha", 0.01, end_s), 2e-3}})
        for (const char* backend : {"cpu", "reference"}) {
            const std::vector<double> found = quantities_of(set_off_trolley(method.integrator), backend);
            EXPECT_NEAR(std::abs(found[0]), std::abs(found[1]) / end_s, method.tolerance)
                << backend << method.integrator;
            EXPECT_NEAR(found[2], rate * 0.2 / end_s, round_off) << backend << method.integrator;
            EXPECT_NEAR(found[3], 0.0, round_off) << backend << method.integrator;
            EXPECT_NEAR(found[4], 0.0, round_off) << backend << method.integrator;
            EXPECT_NEAR(std::abs(found[5]), at_once, 1e-5) << backend << method.integrator;
            EXPECT_NEAR(found[6], 0.1, round_off) << backend << method.integrator;
            EXPECT_NEAR(found[7], 0.0, round_off) << backend << method.integrator;
            EXPECT_NEAR(found[8], 0.0, round_off) << backend << method.integrator;
        }
}

// A driver whose rate is constant between the points of a table, at ends of steps and of adaptive ones.
TEST(QuantitiesAtAJumpOfADriver, OfRatesThatAreConstantInPiecesAreExact) {
    ordered_json study = held_arm(0.3, {}, ordered_json::parse(R"({
        "mean_rad_s": {"mean": "rate"}, "in_window_rad_s": {"mean": "rate", "from_s": 0.5, "to_s": 1.5},
        "least_rad_s": {"min": "rate"}, "largest_rad": {"max": "angle"}})"));
    study["mechanism"]["drivers"]["motor"]["value_rad"] = "way(t)";
    study["mechanism"]["tables"]["way"] = {{"points", {{0, 0}, {0.4, 1}, {0.8, -0.5}, {2, 2}}},
                                           {"interpolation", "linear"}};
    const std::vector<double> exact = {1.0, (2.0 - 0.5 * 2.5 / 1.2) - (1.0 - 0.1 * 3.75), -3.75, 2.0};
    for (const ordered_json& integrator :
         {adaptive_steps(1e-6, 2.0, "dopri5"), fixed_steps("rk4", 0.02, 2.0), fixed_steps("kinematics", 0.02, 2.0)})
        for (const char* backend : {"cpu", "reference"}) {
            study["integrator"] = integrator;
            const std::vector<double> found = quantities_of(study, backend);
            for (std::size_t i = 0; i < exact.size(); ++i)
                EXPECT_NEAR(found.at(i), exact[i], 1e-10) << backend << ", quantity " << i << ", " << integrator;
        }
}

// A sphere that falls by 0.05 m for 0.1 s to the end of the tenth step, and rebounds with half of its speed. By
// Moreau's rule it rises a step later, and its impact is in the middle of a step.
ordered_json bouncing(const ordered_json& integrator, const char* coordinates) {
    ordered_json study = ordered_json::parse(R"({
        "instances": 1,
        "mechanism": {
            "gravity_m_s2": [0, 0, -10],
            "bodies": {"ball": {"mass_kg": 1, "inertia_kg_m2": [0.004, 0.004, 0.004], "position_m": [0, 0, 0.15]}},
            "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "ball"], "point_m": [0, 0, 0],
                                   "radius_m": 0.1, "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1],
                                   "normal_restitution": 0.5}}},
        "quantities": {
            "mean_m_s": {"mean": "velocity.ball.z"}, "end_m": {"final": "position.ball.z"},
            "mean_before_m_s": {"mean": "velocity.ball.z", "to_s": 0.1},
            "end_before_m_s": {"final": "velocity.ball.z", "to_s": 0.1},
            "least_m_s": {"min": "velocity.ball.z"}, "largest_m_s": {"max": "velocity.ball.z"},
            "largest_before_m_s": {"max": "velocity.ball.z", "to_s": 0.1},
            "least_behind_m_s": {"min": "velocity.ball.z", "from_s": 0.1, "to_s": 0.15},
            "rises_s": {"first_time_above": {"channel": "velocity.ball.z", "threshold": 0.25}},
            "highest_m": {"max": "position.ball.z", "from_s": 0.12}, "mean_m": {"mean": "position.ball.z"}}})");
    study["integrator"] = integrator, study["mechanism"]["coordinates"] = coordinates;
    return study;
}

TEST(QuantitiesAtAnImpact, AreTheOnesOfBothSides) {
    constexpr double end_s = 0.18, start_m = 0.15, end_m = 0.1 + 0.5 * 0.08 - 5.0 * 0.08 * 0.08;
    constexpr double fall = 0.15 * 0.1 - 5.0 / 3.0 * 1e-3, flight = 0.1 * 0.08 + 0.25 * 0.0064 - 5.0 / 3.0 * 0.000512;
    const std::vector<double> exact = {(end_m - start_m) / end_s, end_m, -0.5, -1.0, -1.0, 0.5, 0.0, 0.0, 0.1, 0.1125,
                                       (fall + flight) / end_s};
    for (const char* method : {"nonsmooth_generalized_alpha", "nonsmooth_bathe", "half_explicit", "nonsmooth_ed_alpha"})
        for (const char* coordinates : {"joint", "body"})
            for (const char* backend : {"cpu", "reference"}) {
                const std::vector<double> found =
                    quantities_of(bouncing(fixed_steps(method, 0.01, end_s), coordinates), backend);
                for (std::size_t i = 0; i < exact.size(); ++i)
                    // Round-off; of the gap that counts as closed.
                    EXPECT_NEAR(found.at(i), exact[i], 1e-8)
                        << method << ", " << backend << ", " << coordinates << ", quantity " << i;
            }
}

TEST(QuantitiesAtAnImpact, ByMoreausRuleAreTheOnesOfItsMotion) {
    constexpr double step_s = 0.01, end_s = 0.18, gain = 10.0 * step_s, round_off = 1e-12;
    for (const char* coordinates : {"joint", "body"})
        for (const char* backend : {"cpu", "reference"}) {
            const std::vector<double> found =
                quantities_of(bouncing(fixed_steps("moreau_midpoint", step_s, end_s), coordinates), backend);
            EXPECT_NEAR(found[0], (found[1] - 0.15) / end_s, round_off) << backend << coordinates;
            EXPECT_NEAR(found[2], -0.5, gain) << backend << coordinates;
            EXPECT_NEAR(found[3], -1.0, gain) << backend << coordinates;
            EXPECT_NEAR(found[4], -1.0, gain) << backend << coordinates;
            EXPECT_NEAR(found[5], 0.5, gain) << backend << coordinates;
            EXPECT_NEAR(found[8], 0.1, step_s) << backend << coordinates;
        }
}

TEST(QuantitiesAtJumps, AreThoseOfTheReferencePathWithTheSameBitsInLaunchesOfAnyLength) {
    std::vector<ordered_json> studies;
    for (const char* method : {"moreau_midpoint", "nonsmooth_bathe", "nonsmooth_generalized_alpha"})
        for (const char* coordinates : {"joint", "body"})
            studies.push_back(bouncing(fixed_steps(method, 0.007, 0.31), coordinates));
    studies.push_back(set_off_trolley(adaptive_steps(1e-7, 0.3, "dopri5")));
    studies.push_back(set_off_trolley(adaptive_steps(1e-7, 0.3, "ode23")));
    studies.push_back(set_off_trolley(fixed_steps("rk4", 0.007, 0.3)));
    studies.push_back(set_off_trolley(fixed_steps("generalized_alpha", 0.007, 0.3)));
    studies.push_back(set_off_trolley(fixed_steps("moreau_midpoint", 0.007, 0.3)));
    for (const ordered_json& text : studies) {
        const std::vector<double> kernel = quantities_of(text, "cpu"), twin = quantities_of(text, "reference");
        for (std::size_t i = 0; i < kernel.size(); ++i)
            // Round-off; the time of an extreme has its root.
            EXPECT_NEAR(kernel[i], twin[i], 1e-8 * (1.0 + std::abs(twin[i])))
                << text["integrator"] << text["mechanism"].value("coordinates", "") << ", quantity " << i;
        const backends::Task task = study::parse_study(text.dump(), "test", ".").task();
        const auto in_launches = [&](long long attempts) {
            backends::StepByStep run(task, 1, nullptr, 1);
            while (run.advance(attempts)) continue;
            return run.chunk().quantities;
        };
        const std::vector<double> at_once = in_launches(1'000'000);
        for (const long long attempts : {1, 7}) {
            const std::vector<double> found = in_launches(attempts);
            EXPECT_EQ(std::memcmp(at_once.data(), found.data(), found.size() * sizeof(double)), 0) << attempts;
        }
    }
}

}  // namespace
}  // namespace myriad::ensemble
