// Quantities of studies against closed forms and the reference path: a mass on a spring, a pendulum, a sphere that
// bounces.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/ensemble/one_instance.hpp"

namespace myriad::ensemble {
namespace {

// 1 kg on 100 N/m from x = 0 with 1 m/s: x = 0.1 sin(10 t), v = cos(10 t).
constexpr double w = 10.0, amplitude_m = 0.1, span_s = 0.5, threshold_m = 0.09;

ordered_json study_of(const ordered_json& mechanism, const ordered_json& quantities, const ordered_json& integrator) {
    return {{"instances", 1}, {"mechanism", mechanism}, {"quantities", quantities}, {"integrator", integrator}};
}

// A block of 1 kg that slides along x.
ordered_json sliding_block() {
    return ordered_json::parse(R"({
        "bodies": {"block": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "block"],
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
        "sensors": {"x": {"type": "displacement", "joint": "slide"},
                    "v": {"type": "displacement_rate", "joint": "slide"}}})");
}

ordered_json spring(const ordered_json& integrator) {
    ordered_json mechanism = sliding_block();
    mechanism["joints"]["slide"]["displacement_rate_m_s"] = 1;
    mechanism["forces"]["coil"] = {{"type", "linear_spring_damper"}, {"joint", "slide"}, {"stiffness_N_m", 100}};
    return study_of(mechanism, ordered_json::parse(R"({
            "largest_m": {"max": "x"},
            "largest_at_s": {"time_of_max": "x"},
            "mean_m": {"mean": "x"},
            "passes_s": {"first_time_above": {"channel": "x", "threshold": 0.09}},
            "least_m_s": {"min": "v"},
            "mean_in_window_m": {"mean": "x", "from_s": 0.1234, "to_s": 0.3456},
            "largest_in_window_m": {"max": "x", "from_s": 0.2, "to_s": 0.3456},
            "end_of_window_m": {"final": "x", "to_s": 0.3456}})"),
                    integrator);
}
std::vector<double> of_spring() {
    const auto integral = [](double t) { return -amplitude_m / w * std::cos(w * t); };
    const auto x = [](double t) { return amplitude_m * std::sin(w * t); };
    return {amplitude_m,
            std::numbers::pi / (2.0 * w),
            (integral(span_s) - integral(0.0)) / span_s,
            std::asin(threshold_m / amplitude_m) / w,
            -1.0,
            (integral(0.3456) - integral(0.1234)) / (0.3456 - 0.1234),
            x(0.2),
            x(0.3456)};
}
// Sizes of the motion, by which errors are measured.
const std::vector<double> scales{0.1, 0.1, 0.1, 0.1, 1.0, 0.1, 0.1, 0.1};

std::vector<double> errors_of_spring(const ordered_json& integrator) {
    const std::vector<double> found = quantities_of(spring(integrator)), exact = of_spring();
    std::vector<double> errors;
    for (std::size_t i = 0; i < exact.size(); ++i) errors.push_back(std::abs(found.at(i) - exact[i]) / scales[i]);
    return errors;
}

// The local error of a throw is 0, so nothing but largest_step_s keeps one step from being all of it. Energies follow
// the line between steps, of which the parabola through three values finds the extreme of a parabola.
TEST(QuantitiesOfAdaptiveSteps, SeeTheTopOfAThrow) {
    constexpr double mass_kg = 1.3, gravity_m_s2 = 9.81, along_m_s = 3.0, up_m_s = 7.0, end_s = 1.4;
    const double least_J = 0.5 * mass_kg * along_m_s * along_m_s, top_s = up_m_s / gravity_m_s2,
                 rise_m = 0.5 * up_m_s * top_s, end_m = up_m_s * end_s - 0.5 * gravity_m_s2 * end_s * end_s,
                 mean_J = mass_kg * gravity_m_s2 * (0.5 * up_m_s * end_s - gravity_m_s2 * end_s * end_s / 6.0);
    for (const char* path : {"cpu", "reference"})
        for (const char* coordinates : {"joint", "body"})
            for (const char* method : {"dopri5", "ode23"})
                for (const double step_s : {0.0, 0.01}) {
                    SCOPED_TRACE(std::string(path) + " " + coordinates + " " + method);
                    ordered_json integrator = adaptive_steps(1e-9, end_s, method);
                    if (step_s > 0.0) integrator["largest_step_s"] = step_s;
                    ordered_json study = study_of(ordered_json::parse(R"({"gravity_m_s2": [0, 0, -9.81],
                        "bodies": {"ball": {"mass_kg": 1.3, "inertia_kg_m2": [0.01, 0.01, 0.01],
                                            "velocity_m_s": [3, 0, 7]}}})"),
                                                  ordered_json::parse(R"({
                        "least_J": {"min": "kinetic_energy"}, "least_at_s": {"time_of_min": "kinetic_energy"},
                        "highest_J": {"max": "potential_energy"}, "mean_J": {"mean": "potential_energy"},
                        "slowest_m_s": {"min": "velocity.ball.norm"}})"),
                                                  integrator);
                    study["coordinates"] = coordinates;
                    const std::vector<double> found = quantities_of(study, path);
                    const double h = step_s > 0.0 ? step_s : end_s / 256.0,
                                 curvature_W_s = mass_kg * gravity_m_s2 * gravity_m_s2,
                                 round_off = 1e-9 * mass_kg * gravity_m_s2 * rise_m;
                    EXPECT_NEAR(found[0], least_J, round_off);
                    EXPECT_NEAR(found[1], top_s, 1e-6);
                    EXPECT_NEAR(found[2], mass_kg * gravity_m_s2 * std::max(rise_m, end_m), round_off);
                    EXPECT_NEAR(found[3], mean_J, h * h * curvature_W_s / 12.0 + round_off);
                    // Of the parabola through speeds at three steps, whose fourth derivative is 3 g^4 / v^3.
                    EXPECT_NEAR(found[4], along_m_s,
                                std::pow(h, 4) * 3.0 * std::pow(gravity_m_s2, 4) / std::pow(along_m_s, 3));
                }
}

TEST(QuantitiesOfAdaptiveSteps, FollowTheTolerance) {
    constexpr std::size_t time_of_extreme = 1;
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
        const std::vector<double> errors = errors_of_spring(adaptive_steps(tolerance, span_s));
        // dopri5 takes steps h with h^5 like the tolerance; Hermite's cubic errs by h^4, the place of its extreme by
        // h^3. The factors allow for the slow passage of the threshold, and for the flat top.
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const double bound = i == time_of_extreme ? 2.0 * std::pow(tolerance, 0.6) : 4.0 * std::pow(tolerance, 0.8);
            EXPECT_LT(errors[i], bound) << "quantity " << i << " at " << tolerance;
        }
    }
}

// A wheel that turns with 10 rad/s about z, and a point 1 m off its axis: x = cos(10 t), y = sin(10 t). The motion
// needs one step of an adaptive method.
TEST(QuantitiesOfAdaptiveSteps, FollowTheToleranceHoweverFarAStepTurnsABody) {
    constexpr double rate = 10.0, end_s = 2.3;
    const std::string wheel = R"({
        "bodies": {"wheel": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1]MOTION}}JOINTS,
        "sensors": {"rim": {"type": "point", "body": "wheel", "point_m": [1, 0, 0]},
                    "speed": {"type": "point_velocity", "body": "wheel", "point_m": [1, 0, 0]}}})";
    const auto with = [&](const std::string& motion, const std::string& joints) {
        std::string text = wheel;
        text.replace(text.find("MOTION"), 6, motion), text.replace(text.find("JOINTS"), 6, joints);
        return ordered_json::parse(text);
    };
    const ordered_json hinged = with("", R"(, "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"],
        "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]], "rate_rad_s": 10}})"),
                       free = with(R"(, "angular_velocity_rad_s": [0, 0, 10])", ""),
                       driven = with("", R"(, "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"],
        "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]}},
        "drivers": {"motor": {"type": "angle", "joint": "axle", "value_rad": "10*t"}})");
    const ordered_json quantities = ordered_json::parse(R"({
        "highest_m": {"max": "rim.y"}, "least_m": {"min": "rim.x"}, "mean_m": {"mean": "rim.x"},
        "passes_s": {"first_time_below": {"channel": "rim.x", "threshold": -0.5}},
        "fastest_m_s": {"max": "speed.x"},
        "in_window_m": {"max": "rim.y", "from_s": 0.2, "to_s": 0.5},
        "turned": {"mean": "orientation.wheel.z"}})");
    const std::vector<double> exact = {
        1.0, -1.0, std::sin(rate * end_s) / (rate * end_s), std::acos(-0.5) / rate, rate, std::sin(2.0)};
    // The quaternion of a free body has no jumps: z = sin(5 t). That of the reference path has none with w < 0.
    const double mean_of_free = (1.0 - std::cos(0.5 * rate * end_s)) / (0.5 * rate * end_s);
    for (const ordered_json& mechanism : {hinged, free, driven})
        for (const double tolerance : {1e-3, 1e-5, 1e-7})
            for (const char* backend : {"cpu", "reference"}) {
                const std::vector<double> found =
                    quantities_of(study_of(mechanism, quantities, adaptive_steps(tolerance, end_s)), backend);
                if (mechanism == free && backend == std::string("cpu"))
                    EXPECT_NEAR(found.back(), mean_of_free, 10.0 * tolerance);
                for (std::size_t i = 0; i < exact.size(); ++i)
                    EXPECT_NEAR(found[i], exact[i], 10.0 * tolerance * std::max(1.0, std::abs(exact[i])))
                        << backend << ", quantity " << i << " at " << tolerance << " of " << mechanism.dump();
            }
}

struct MethodOfOrder {
    const char* name;
    int order;
    friend void PrintTo(const MethodOfOrder& method, std::ostream* out) { *out << method.name; }
};

class QuantitiesOfFixedSteps : public testing::TestWithParam<MethodOfOrder> {};

// From 9 steps, none with its end at an extreme, and three halvings: the mean of the orders between. The tolerance
// allows for the place of an extreme in its step.
TEST_P(QuantitiesOfFixedSteps, HaveTheOrderOfTheirMethodUpToFour) {
    const double coarse_s = span_s / 9.0, fine_s = coarse_s / 8.0;
    const std::vector<double> coarse = errors_of_spring(fixed_steps(GetParam().name, coarse_s, span_s)),
                              fine = errors_of_spring(fixed_steps(GetParam().name, fine_s, span_s));
    constexpr std::size_t time_of_extreme = 1;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        const int order = i == time_of_extreme ? std::min(GetParam().order, 3) : GetParam().order;
        const double observed = std::log2(coarse[i] / fine[i]) / 3.0;
        EXPECT_GT(observed, order - 0.5) << "quantity " << i << ": " << coarse[i] << ", " << fine[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, QuantitiesOfFixedSteps,
                         testing::Values(MethodOfOrder{"rk4", 4}, MethodOfOrder{"generalized_alpha", 2},
                                         MethodOfOrder{"moreau_midpoint", 1},
                                         MethodOfOrder{"nonsmooth_generalized_alpha", 2}),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(QuantitiesBySteps, AreTheValuesAtTheirEnds) {
    ordered_json study = spring(fixed_steps("rk4", 0.1, span_s));
    study["quantities"] = {
        {"largest_m", {{"max", "x"}, {"between", "steps"}}},
        {"passes_s", {{"first_time_above", {{"channel", "x"}, {"threshold", 0.08}}}, {"between", "steps"}}},
        {"mean_m", {{"mean", "x"}, {"between", "steps"}}}};
    const std::vector<double> found = quantities_of(study);
    double area = 0.0;
    for (int i = 0; i < 5; ++i) area += 0.1 * 0.5 * amplitude_m * (std::sin(i) + std::sin(i + 1.0));
    // Of rk4 with w h = 1: (w h)^5 / 120 a step.
    constexpr double of_the_method_m = 5e-3;
    EXPECT_NEAR(found[0], amplitude_m * std::sin(2.0), of_the_method_m);
    EXPECT_EQ(found[1], 0.1);
    EXPECT_NEAR(found[2], area / span_s, of_the_method_m);
}

// A rod of 1 m and 1 kg let go at 1 rad from its lowest place. Energy gives its largest rate there, and the pull
// in the hinge m g + m (l / 2) rate^2.
constexpr double gravity_m_s2 = 9.81;
ordered_json pendulum(const ordered_json& integrator) {
    ordered_json study = ordered_json::parse(R"({
        "instances": 1,
        "mechanism": {
            "gravity_m_s2": [0, 0, -9.81],
            "bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [0.08333333333333333, 0.08333333333333333, 0.001]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"],
                                 "points_m": [[0, 0, 0], [0, 0, 0.5]], "axes": [[0, 1, 0], [0, 1, 0]],
                                 "references": [[1, 0, 0], [1, 0, 0]], "angle_rad": -1}},
            "sensors": {"angle": {"type": "angle", "joint": "hinge"},
                        "rate": {"type": "rate", "joint": "hinge"},
                        "pull": {"type": "reaction_force", "joint": "hinge"},
                        "tip": {"type": "point", "body": "rod", "point_m": [0, 0, -0.5]},
                        "tip_velocity": {"type": "point_velocity", "body": "rod", "point_m": [0, 0, -0.5]}}},
        "quantities": {
            "swing_rad": {"max": "angle"},
            "rate_rad_s": {"max": "rate"},
            "tip_m_s": {"max": "tip_velocity.norm"},
            "lowest_m": {"min": "tip.z"},
            "speed_m_s": {"max": "velocity.rod.norm"},
            "pull_N": {"max": "pull.z"},
            "pull_by_steps_N": {"max": "pull.z", "between": "steps"},
            "upright": {"max": "orientation.rod.w"}}})");
    study["integrator"] = integrator;
    return study;
}

TEST(QuantitiesOfAPendulum, AreThoseOfItsEnergy) {
    const double rate = std::sqrt(3.0 * gravity_m_s2 * (1.0 - std::cos(1.0))),
                 pull_N = gravity_m_s2 + 0.5 * rate * rate;
    // 0.03 s are a fiftieth of the period. Hermite's (w h)^4 / 384 of the motion's second harmonic; the parabola's h^3.
    const std::vector<double> found = quantities_of(pendulum(fixed_steps("rk4", 0.03, 1.0)));
    // Components of a vector that turns with the rod change faster: ((rate + w) h)^4 / 384.
    constexpr double of_cubic = 3e-6, of_norm = 7e-6, of_parabola = 2e-3;
    EXPECT_NEAR(std::abs(found[1]), rate, of_cubic * rate);
    EXPECT_NEAR(found[2], rate, of_norm * rate);
    EXPECT_NEAR(found[3], -1.0, of_cubic);
    EXPECT_NEAR(found[4], 0.5 * rate, of_norm * 0.5 * rate);
    EXPECT_NEAR(std::abs(found[5]), pull_N, of_parabola * pull_N);
    EXPECT_NEAR(found[7], 1.0, of_cubic);
    EXPECT_GT(std::abs(std::abs(found[6]) - pull_N), std::abs(std::abs(found[5]) - pull_N));
}

// A sphere of 0.1 m that falls from 0.5 m on a floor, with restitution 0.8.
ordered_json ball(const ordered_json& integrator) {
    ordered_json study = ordered_json::parse(R"({
        "instances": 1,
        "mechanism": {
            "gravity_m_s2": [0, 0, -9.81],
            "bodies": {"ball": {"mass_kg": 1, "inertia_kg_m2": [0.004, 0.004, 0.004], "position_m": [0, 0, 0.6]}},
            "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "ball"], "point_m": [0, 0, 0],
                                   "radius_m": 0.1,
                                   "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1],
                                   "normal_restitution": 0.8, "friction": 0.1}}},
        "quantities": {
            "lowest_m": {"min": "position.ball.z"},
            "fastest_m_s": {"max": "velocity.ball.z"},
            "highest_after_m": {"max": "position.ball.z", "from_s": 0.4},
            "highest_after_s": {"time_of_max": "position.ball.z", "from_s": 0.4},
            "mean_m": {"mean": "position.ball.z"},
            "down_s": {"first_time_below": {"channel": "position.ball.z", "threshold": 0.3}},
            "force_N": {"max": "contact_force.floor.normal"},
            "impacts": {"max": "impacts"}}})");
    study["integrator"] = integrator;
    return study;
}

TEST(QuantitiesBetweenImpacts, AreThoseOfTheFlights) {
    for (const char* name : {"nonsmooth_generalized_alpha", "moreau_midpoint"}) {
        constexpr double step_s = 1e-3;
        const std::vector<double> found = quantities_of(ball(fixed_steps(name, step_s, 0.6)));
        const double falls_s = std::sqrt(2.0 * 0.5 / gravity_m_s2), speed = gravity_m_s2 * falls_s;
        // An impact comes at the end of the step in which the sphere touches.
        const double of_a_step_m = speed * step_s;
        EXPECT_NEAR(found[0], 0.1, of_a_step_m) << name;
        EXPECT_NEAR(found[1], 0.8 * speed, gravity_m_s2 * step_s) << name;
        EXPECT_NEAR(found[2], 0.1 + 0.64 * 0.5, 2.0 * of_a_step_m) << name;
        EXPECT_NEAR(found[3], falls_s + 0.8 * falls_s, 2.0 * step_s) << name;
        EXPECT_NEAR(found[5], std::sqrt(2.0 * 0.3 / gravity_m_s2), 1e-5) << name;
        EXPECT_EQ(found[7], 1.0) << name;
    }
}

// A block that a driver sets off at 0.253 s, with 1 m/s, and a free one, so that there is motion to integrate.
ordered_json set_off(const ordered_json& integrator) {
    ordered_json mechanism = sliding_block();
    mechanism["bodies"]["other"] = mechanism["bodies"]["block"];
    mechanism["joints"]["way"] = mechanism["joints"]["slide"];
    mechanism["joints"]["way"]["bodies"] = {"ground", "other"};
    mechanism["joints"]["way"]["axes"] = {{0, 1, 0}, {0, 1, 0}};
    mechanism["drivers"]["motor"] = {
        {"type", "displacement"}, {"joint", "slide"}, {"value_m", "0 + max(t - 0.253, 0) * 1"}};
    return study_of(mechanism, ordered_json::parse(R"({
            "least_m": {"min": "x"},
            "fastest_m_s": {"max": "v"},
            "slowest_m_s": {"min": "v"},
            "mean_m": {"mean": "x"},
            "passes_s": {"first_time_above": {"channel": "x", "threshold": 0.1}},
            "starts_s": {"first_time_above": {"channel": "v", "threshold": 0.5}}})"),
                    integrator);
}

TEST(QuantitiesAcrossAJumpOfADriver, ReadNothingIntoItsStep) {
    constexpr double step_s = 0.01, set_off_s = 0.253, run_s = 0.5;
    for (const ordered_json& integrator :
         {fixed_steps("rk4", step_s, run_s), fixed_steps("generalized_alpha", step_s, run_s)}) {
        const std::vector<double> found = quantities_of(set_off(integrator));
        constexpr double round_off = 1e-12;
        EXPECT_NEAR(found[0], 0.0, round_off);
        EXPECT_NEAR(found[1], 1.0, round_off);
        EXPECT_NEAR(found[2], 0.0, round_off);
        // The line through the ends of one step.
        EXPECT_NEAR(found[3], 0.5 * (run_s - set_off_s) * (run_s - set_off_s) / run_s, step_s * step_s / run_s);
        EXPECT_NEAR(found[4], set_off_s + 0.1, round_off);
        // The jump comes at the end of its step.
        EXPECT_NEAR(found[5], 0.26, round_off);
    }
    const std::vector<double> adaptive = quantities_of(set_off(adaptive_steps(1e-6, run_s)));
    EXPECT_NEAR(adaptive[0], 0.0, 1e-12);
    EXPECT_NEAR(adaptive[5], set_off_s, 1e-9);
}

TEST(QuantitiesBetweenSteps, AreThoseOfTheReferencePath) {
    const ordered_json studies[] = {
        spring(adaptive_steps(1e-6, span_s)),
        spring(fixed_steps("rk4", 0.031, span_s)),
        spring(fixed_steps("generalized_alpha", 0.025, span_s)),
        pendulum(adaptive_steps(1e-6, 1.0)),
        pendulum(fixed_steps("rk4", 0.03, 1.0)),
        pendulum(fixed_steps("generalized_alpha", 0.025, 1.0)),
        ball(fixed_steps("nonsmooth_generalized_alpha", 1e-3, 0.6)),
        ball(fixed_steps("moreau_midpoint", 1e-3, 0.6)),
        set_off(fixed_steps("rk4", 0.01, 0.5)),
    };
    for (const char* coordinates : {"joint", "body"})
        for (ordered_json study : studies) {
            const bool takes_body = study["integrator"]["name"] != "rk4" && study["integrator"]["name"] != "dopri5";
            if (coordinates == std::string("body") && !takes_body) continue;
            study["coordinates"] = coordinates;
            const std::vector<double> kernel = quantities_of(study), twin = quantities_of(study, "reference");
            for (std::size_t i = 0; i < kernel.size(); ++i)
                // Round-off of some hundred steps, of a force of a step's h^2; the time of an extreme has its root.
                EXPECT_NEAR(kernel[i], twin[i], 1e-8 * (1.0 + std::abs(twin[i])))
                    << study["integrator"].dump() << coordinates << " quantity " << i;
        }
}

}  // namespace
}  // namespace myriad::ensemble
