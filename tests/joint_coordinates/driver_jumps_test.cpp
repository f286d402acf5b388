// Drivers whose rates jump: closed forms of what hangs on them, the balance of the energy, the order of the methods,
// and the reference path.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/driver_corners.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/hanging_bob.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism::hanging_bobs {
namespace {
namespace driver_jumps {

constexpr Method methods[] = {Method::rk4,    Method::rk67,           Method::ode23,
                              Method::dopri5, Method::implicit_euler, Method::generalized_alpha};
// Steps with a jump add up the same numbers in other orders, some hundred ulp, and Newton's tolerance.
constexpr double rounded = 1e-9;
// The trapezoidal rule sums up the power, over steps of 1 ms or less.
constexpr double balanced = 1e-6;

// The carriage stands until 0.0437 s and then runs at 1.2 m/s.
struct Way {
    const char* formula;
    json tables;
};
std::vector<Way> ways() {
    return {{"1.2 * max(0, t - 0.0437)", {}},
            {"1.2 * max(t - 0.0437, 0)", {}},
            {"0.6 * (t - 0.0437 + abs(t - 0.0437))", {}},
            {"1.2 * t - min(1.2 * t, 0.05244)", {}},
            {"if(t < 0.0437, 0, 1.2 * (t - 0.0437))", {}},
            {"(t > 0.0437) * 1.2 * (t - 0.0437)", {}},
            {"ramp(t)", {{"ramp", {{"points", {{0, 0}, {0.0437, 0}, {1, 1.14756}}}, {"interpolation", "linear"}}}}},
            {"ramp(t)", {{"ramp", {{"points", {{0.0437, 0}, {0.5, 0.54756}, {1, 1.14756}}}, {"outside", "hold"}}}}}};
}

// Without gravity the bob keeps the rate that the impulse gives it, m l dv = (J + m l^2) dw.
TEST(DriverJumps, SetABobSwingingAtTheRateOfTheClosedFormByEveryMethodAndFormula) {
    const double expected = bob_kg * arm_m * 1.2 / about_hinge_kg_m2;
    const double joule = 0.5 * carriage_kg * 1.2 * 1.2 + 0.5 * bob_kg * std::pow(1.2 - arm_m * expected, 2) +
                         0.5 * bob_kg_m2 * expected * expected;
    for (const Way& one : ways())
        for (const Method method : methods) {
            SCOPED_TRACE(one.formula + std::string(", method ") + std::to_string(static_cast<int>(method)));
            const auto mechanism = parsed(hanging_bob(one.formula, 0.0, one.tables));
            const auto rows = rows_of(*mechanism, method, 1e-3, 100);
            const std::vector<double>& end = rows.back();
            EXPECT_NEAR(std::abs(end[rate]), expected, rounded);
            EXPECT_NEAR(end[speed], 1.2, rounded);
            EXPECT_NEAR(end[way], 1.2 * (0.1 - 0.0437), rounded);
            EXPECT_NEAR(rows[44][work], joule, balanced) << "the work of the impulse";
            for (const std::vector<double>& row : rows)
                EXPECT_NEAR(row[energy] - row[work], 0.0, balanced) << "of " << row[energy] << " J";
        }
}

// Before and after the jump the bob is a pendulum about a hinge in steady motion.
struct Pendulum {
    double angle, rate;
    void swing(double seconds, double gravity_m_s2) {
        constexpr int steps = 20'000;
        const double h = seconds / steps, k = bob_kg * gravity_m_s2 * arm_m / about_hinge_kg_m2;
        for (int i = 0; i < steps; ++i) {
            // Classical Runge-Kutta; its error is far below those that are looked at.
            const double a1 = -k * std::sin(angle), v2 = rate + 0.5 * h * a1,
                         a2 = -k * std::sin(angle + 0.5 * h * rate), v3 = rate + 0.5 * h * a2,
                         a3 = -k * std::sin(angle + 0.5 * h * v2), v4 = rate + h * a3,
                         a4 = -k * std::sin(angle + h * v3);
            angle += h / 6.0 * (rate + 2.0 * v2 + 2.0 * v3 + v4), rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        }
    }
};
constexpr double jump_s = 0.12344, end_s = 0.3;

// The carriage runs at 0.5 m/s, and from jump_s on at -1.5 m/s. A positive angle lifts the bob towards -x.
json swinging_bob() {
    json text = hanging_bob("0.5 * t - 2 * max(0, t - 0.12344)", 9.81);
    text["joints"]["pin"].update({{"angle_rad", 0.4}, {"rate_rad_s", 1.0}});
    return text;
}
Pendulum swung() {
    Pendulum bob{0.4, 1.0};
    bob.swing(jump_s, 9.81);
    bob.rate += bob_kg * arm_m * -2.0 * std::cos(bob.angle) / about_hinge_kg_m2;
    bob.swing(end_s - jump_s, 9.81);
    return bob;
}

TEST(DriverJumps, LeaveAdaptiveMethodsTheirOrderBecauseAStepEndsThere) {
    const auto mechanism = parsed(swinging_bob());
    const Pendulum exact = swung();
    for (const Method method : {Method::dopri5, Method::ode23}) {
        const auto rows = rows_of(*mechanism, method, end_s / 3.0, 3);
        // A few hundred times the tolerance of 1e-8, which is that of a step.
        EXPECT_NEAR(rows.back()[angle], exact.angle, 2e-6);
        EXPECT_NEAR(rows.back()[rate], exact.rate, 1e-5);
        const auto dense = rows_of(*mechanism, method, end_s / 300.0, 300);
        EXPECT_NEAR(dense.back()[energy] - dense.back()[work], dense[0][energy], 1e-4);
    }
}

TEST(DriverJumps, AreOfFirstOrderInFixedSteps) {
    const auto mechanism = parsed(swinging_bob());
    const Pendulum exact = swung();
    for (const Method method : {Method::rk4, Method::rk67, Method::generalized_alpha, Method::implicit_euler}) {
        // The jump lies about 0.6 of a step before the end of its step in both.
        const auto error = [&](int steps) {
            return std::abs(rows_of(*mechanism, method, end_s / steps, steps).back()[rate] - exact.rate);
        };
        const double coarse = error(300), fine = error(3000);
        EXPECT_LT(coarse, 0.05) << "of " << exact.rate << " rad/s";
        EXPECT_LT(fine, 0.2 * coarse);
    }
}

TEST(DriverJumps, KeepTheBalanceOfTheEnergyUnderGravity) {
    for (const Method method : methods) {
        const auto mechanism = parsed(swinging_bob());
        const InstanceEnd end = run_nominal(*mechanism, setup_of(*mechanism, method, 1e-4, 3000));
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        // Of some 5 J; implicit Euler loses the most without a jump, too.
        EXPECT_LT(end.energy_drift, method == Method::implicit_euler ? 2e-2 : 1e-4);
    }
}

// A gear of ratio 3 between two hinges: the driven one jumps by 1 rad/s, the other one by 3, and a disc on the latter
// follows.
TEST(DriverJumps, PassThroughCouplings) {
    const auto mechanism = parsed(json::parse(R"json({
        "bodies": {"a": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.2]},
                   "b": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.3]}},
        "joints": {"first": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]},
                   "second": {"type": "revolute", "bodies": ["ground", "b"], "points_m": [[0, 0, 0], [0, 0, 0]],
                              "axes": [[0, 0, 1], [0, 0, 1]]}},
        "couplings": {"gear": {"coordinate": "second.angle", "follows": "first.angle", "ratio": 3, "offset": 0}},
        "drivers": {"turn": {"type": "angle", "joint": "first", "value_rad": "max(0, t - 0.0153)"}},
        "sensors": {"rate": {"type": "rate", "joint": "second"}}})json"));
    for (const Method method : methods) {
        const RunSetup setup = setup_of(*mechanism, method, 1e-3, 40, {"rate", "energy", "work"});
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_NEAR(end.rows.back()[0], 3.0, rounded);
        EXPECT_NEAR(end.rows.back()[1], 0.5 * 0.2 + 0.5 * 0.3 * 9.0, rounded);
        EXPECT_NEAR(end.rows.back()[2], end.rows.back()[1], rounded);
    }
}

// A rope between two free bodies is paid out at 0.3 m/s and then at 2.3 m/s: a row, and no coordinate of the tree. They
// share the rate by their masses, and the work is that of the reduced mass.
TEST(DriverJumps, OfARowPushItsBodiesApart) {
    const auto mechanism = parsed(json::parse(R"json({
        "bodies": {"a": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01]},
                   "b": {"mass_kg": 3, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [1, 0, 0]}},
        "drivers": {"rope": {"type": "D", "bodies": ["a", "b"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "value_m": "1 + 0.3 * t + 2 * max(0, t - 0.0253)"}}})json"));
    constexpr int speed_of_a = 7, speed_of_b = 13 + 7;  // of bodies' channels, along x
    for (const Method method : methods) {
        RunSetup setup = setup_of(*mechanism, method, 1e-3, 50, {});
        setup.observed = {speed_of_a, speed_of_b, channel_index(*mechanism, "work")};
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_NEAR(end.rows.back()[0], -0.75 * 2.3, rounded);
        EXPECT_NEAR(end.rows.back()[1], 0.25 * 2.3, rounded);
        EXPECT_NEAR(end.rows.back()[2], 0.5 * 0.75 * (2.3 * 2.3 - 0.3 * 0.3), rounded);
    }
}

// A slider-crank, whose loop is closed by rows; the crank's rate jumps from 2 to 5 rad/s. Angles count from the pose of
// the file, in which the crank leans by 0.3 rad.
json driven_crank() {
    const double pin_x = 0.2 * std::cos(0.3), pin_y = 0.2 * std::sin(0.3), lean = -std::asin(pin_y / 0.6);
    json text = json::parse(R"json({
        "gravity_m_s2": [0, -9.81, 0],
        "joints": {"main": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.1, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]]},
                   "big": {"type": "revolute", "bodies": ["crank", "rod"], "points_m": [[0.1, 0, 0], [-0.3, 0, 0]],
                           "axes": [[0, 0, 1], [0, 0, 1]]},
                   "small": {"type": "revolute", "bodies": ["rod", "slider"], "points_m": [[0.3, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]},
                   "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[1, 0, 0], [1, 0, 0]]}},
        "drivers": {"turn": {"type": "angle", "joint": "main", "value_rad": "2 * t + 3 * max(0, t - 0.0777)"}},
        "sensors": {"speed": {"type": "displacement_rate", "joint": "guide"}}})json");
    const auto body = [](double kg, double x, double y, double turned) -> json {
        return {{"mass_kg", kg},
                {"inertia_kg_m2", {0.002, 0.02, 0.02}},
                {"position_m", {x, y, 0.0}},
                {"orientation", {{"rotation_vector_rad", {0.0, 0.0, turned}}}}};
    };
    text["bodies"] = {{"crank", body(1.0, pin_x / 2.0, pin_y / 2.0, 0.3)},
                      {"rod", body(0.7, pin_x + 0.3 * std::cos(lean), pin_y / 2.0, lean)},
                      {"slider", body(2.0, pin_x + 0.6 * std::cos(lean), 0.0, 0.0)}};
    return text;
}

TEST(DriverJumps, PassThroughLoops) {
    const auto mechanism = parsed(driven_crank());
    const double at = 0.3 + 2.0 * 0.2 + 3.0 * (0.2 - 0.0777);
    // x = r cos a + sqrt(l^2 - r^2 sin^2 a)
    const double expected = 5.0 * (-0.2 * std::sin(at) - 0.04 * std::sin(at) * std::cos(at) /
                                                             std::sqrt(0.36 - 0.04 * std::sin(at) * std::sin(at)));
    for (const Method method : {Method::kinematics, Method::rk4, Method::dopri5, Method::generalized_alpha}) {
        SCOPED_TRACE(static_cast<int>(method));
        const RunSetup setup = setup_of(*mechanism, method, 1e-3, 200, {"speed", "energy", "work"});
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_NEAR(end.rows.back()[0], expected, 1e-4);
        // Of 4 J: the trapezoidal rule and the place of the jump, within a step.
        EXPECT_LT(end.energy_drift, 0.01);
    }
}

TEST(DriverJumps, AreTheSameOnTheReferencePath) {
    for (const json& text : {swinging_bob(), hanging_bob("ramp(t)", 9.81, ways().back().tables), driven_crank()}) {
        const auto mechanism = parsed(text);
        for (const Method method : {Method::generalized_alpha, Method::implicit_euler, Method::rk4, Method::rk67}) {
            SCOPED_TRACE(static_cast<int>(method));
            const RunSetup setup = setup_of(*mechanism, method, 1e-3, 200, {"speed", "energy", "work"});
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            const auto twin = reference_rows(*mechanism, setup);
            ASSERT_EQ(twin.size(), end.rows.size());
            for (std::size_t i = 0; i < twin.size(); ++i)
                for (std::size_t k = 0; k < twin[i].size(); ++k)
                    EXPECT_NEAR(end.rows[i][k], twin[i][k], 1e-7) << "channel " << k << ", step " << i;
        }
    }
}

// Accelerations alone jump where a ramp is rounded off: no impulse, and the rate goes on.
TEST(DriverJumps, AreNoneWhereOnlyAccelerationsJump) {
    const auto mechanism = parsed(hanging_bob("if(t < 0.05, 10 * t^2, 0.025 + (t - 0.05))"));
    EXPECT_FALSE(corners_of_drivers(*mechanism, mechanism->nominal_kernel_parameters(), 0.1).rate);
    for (const Method method : methods) {
        const auto rows = rows_of(*mechanism, method, 1e-3, 100);
        for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(std::abs(rows[i][rate] - rows[i - 1][rate]), 0.1);
        EXPECT_NEAR(rows.back()[speed], 1.0, rounded);
    }
    // Powers of what is left have no value beyond, and the steps end beside the corner.
    for (const char* way : {"if(t < 0.05, (0.05 - t)^2.5, 0)", "if(t < 0.05, (0.05 - t)^1.5, 0)"}) {
        const auto vanishing = parsed(hanging_bob(way));
        EXPECT_FALSE(corners_of_drivers(*vanishing, vanishing->nominal_kernel_parameters(), 0.1).rate) << way;
        for (const Method method : {Method::rk4, Method::generalized_alpha})
            EXPECT_NEAR(rows_of(*vanishing, method, 0.9e-4, 1000).back()[speed], 0.0, rounded) << way;
    }
    // A power of 0 has derivatives while nothing changes, on both paths.
    const auto rising = parsed(hanging_bob("0.1 * max(0, t - 0.0503)^1.5"));
    const auto twin = reference_rows(*rising, setup_of(*rising, Method::rk4, 1e-3, 100));
    ASSERT_EQ(twin.size(), 101u);
    EXPECT_NEAR(rows_of(*rising, Method::rk4, 1e-3, 100).back()[rate], twin.back()[rate], rounded);
    EXPECT_NEAR(twin.back()[way], 0.1 * std::pow(0.1 - 0.0503, 1.5), rounded);
}

// A table that draws a t^2 / 2 up to the end of a step and goes on straight. In the carriage's frame the bob falls
// sideways with a: J w^2 / 2 = m l a sin(angle) at the end of the table, and from there on its rate stays.
TEST(DriverJumps, OfTheAccelerationWhereATableExtendsDoNoHarmAtTheEndOfAStep) {
    constexpr double a = 4.0, until_s = 0.05, span_s = 0.1;
    const json table{{"points", {{0, 0}, {until_s, 0.5 * a * until_s * until_s}}},
                     {"end_slopes", {0, a * until_s}},
                     {"outside", "extend"}};
    const auto mechanism = parsed(hanging_bob("ramp(t)", 0.0, {{"ramp", table}}));
    // The errors of a smooth motion in steps of 1 ms are far below a share of the jump times the step.
    constexpr double of_smooth_steps = 1e-8;
    for (const Method method : {Method::rk4, Method::rk67, Method::dopri5}) {
        const std::vector<double> end = rows_of(*mechanism, method, 1e-3, 100).back();
        const double there = std::abs(end[angle]) - std::abs(end[rate]) * (span_s - until_s);
        EXPECT_NEAR(0.5 * about_hinge_kg_m2 * end[rate] * end[rate], bob_kg * arm_m * a * std::sin(there),
                    of_smooth_steps);
        EXPECT_NEAR(end[speed], a * until_s, rounded);
    }
    for (const Method method : {Method::rk4, Method::rk67}) {
        const auto twin = reference_rows(*mechanism, setup_of(*mechanism, method, 1e-3, 100));
        EXPECT_NEAR(twin.back()[rate], rows_of(*mechanism, method, 1e-3, 100).back()[rate], rounded)
            << static_cast<int>(method);
    }
}

TEST(DriverJumps, OfAValueEndAnInstance) {
    const auto mechanism = parsed(hanging_bob("if(t < 0.05, 0, 0.3 + t)"));
    const InstanceEnd end = run_nominal(*mechanism, setup_of(*mechanism, Method::generalized_alpha, 1e-3, 100));
    EXPECT_EQ(end.status, Status::invalid_parameter);
    EXPECT_EQ(end.reason, Reason::driver_breaks);
    EXPECT_NEAR(end.time_s, 0.049, rounded) << "the last state before it";
    const DriverCorners corners = corners_of_drivers(*mechanism, mechanism->nominal_kernel_parameters(), 0.1);
    ASSERT_TRUE(corners.value);
    EXPECT_NEAR(corners.value->time_s, 0.05, rounded);
    EXPECT_NEAR(corners.value->after, 0.35, rounded);
}

// Each has its own time of the jump, and its bits are those that it has alone.
TEST(DriverJumps, OfNeighboursAreNotSeen) {
    json text = hanging_bob("0.2 * t + 1.2 * max(0, t - begin_s)", 9.81);
    text["parameters"] = {{"begin_s", 0.02}};
    const auto mechanism = parsed(text);
    std::vector<std::vector<double>> parameters;
    for (std::size_t i = 0; i < lanes_of_a_pack(); ++i)
        parameters.push_back(with_numbers(*mechanism, {{"parameters.begin_s", 0.01 * static_cast<double>(i)}}));
    for (const Method method : methods) {
        RunSetup setup = setup_of(*mechanism, method, 1e-3, 60);
        setup.width = Width::packs;
        const std::vector<InstanceEnd> together = run_instances(*mechanism, parameters, setup);
        setup.width = Width::alone;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::vector<InstanceEnd> alone = run_instances(*mechanism, {parameters[i]}, setup);
            EXPECT_TRUE(same_bits(together[i].record, alone[0].record)) << "instance " << i;
        }
    }
}

}  // namespace driver_jumps
}  // namespace
}  // namespace myriad::mechanism::hanging_bobs
