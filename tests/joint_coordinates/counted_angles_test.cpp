// Angles that sensors read are counted over full turns at joints that close loops, too, whether a file cuts them or the
// tree leaves them out.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism::counted_angles {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;
// Of angles up to some ten turns that follow from prescribed ones: round-off.
constexpr double rounded = 1e-12;
// Of slides of up to 100 m after some hundred steps.
constexpr double summed_up = 1e-10;

// Two welded bodies, each with a joint of the same kind to the ground: what one joint shows, the other shows as well.
constexpr const char* welded = R"json({
    "bodies": {"inner": {"mass_kg": 1.0, "inertia_kg_m2": [0.02, 0.03, 0.05]},
               "outer": {"mass_kg": 2.0, "inertia_kg_m2": [0.04, 0.06, 0.07]}},
    "joints": {
        "carrier": {"bodies": ["ground", "inner"], "points_m": [[0, 0, 0], [0, 0, 0]]},
        "weld": {"type": "fixed", "bodies": ["inner", "outer"], "points_m": [[0, 0, 0], [0, 0, 0]]},
        "closing": {"bodies": ["ground", "outer"], "points_m": [[0, 0, 0], [0, 0, 0]]}}})json";

struct Coordinate {
    const char *name, *value;
    double at_start, rate;
};
// 0.45 turns of a step of 10 ms
constexpr double fast = 45.0 * turn;
constexpr const char* fast_forward = "0.3 + 90 * 3.141592653589793 * t";
constexpr const char* backwards = "-0.2 - 14 * t";
constexpr const char* slide = "0.1 + 0.5 * t";
struct Kind {
    const char *type, *axes;
    std::vector<Coordinate> coordinates;
    friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.type; }
};
const Kind kinds[] = {
    {"revolute", "[[0, 0, 1], [0, 0, 1]]", {{"angle", fast_forward, 0.3, fast}}},
    {"cylindrical", "[[0, 0, 1], [0, 0, 1]]", {{"angle", fast_forward, 0.3, fast}, {"displacement", slide, 0.1, 0.5}}},
    {"planar",
     "[[0, 0, 1], [0, 0, 1]]",
     {{"angle", backwards, -0.2, -14.0}, {"displacement_1", slide, 0.1, 0.5}, {"displacement_2", slide, 0.1, 0.5}}},
    {"universal",
     "[[0, 0, 1], [1, 0, 0]]",
     {{"angle_1", fast_forward, 0.3, fast}, {"angle_2", backwards, -0.2, -14.0}}}};

std::shared_ptr<const Mechanism> driven_weld(const Kind& kind, bool is_cut) {
    nlohmann::ordered_json text = nlohmann::ordered_json::parse(welded);
    for (const char* joint : {"carrier", "closing"}) {
        text["joints"][joint]["type"] = kind.type;
        text["joints"][joint]["axes"] = nlohmann::json::parse(kind.axes);
    }
    if (is_cut) text["joints"]["closing"]["cut"] = true;
    for (const auto& [name, value, at_start, rate] : kind.coordinates) {
        const bool turns = std::string(name).starts_with("angle");
        text["drivers"][name] = {
            {"type", name}, {"joint", "carrier"}, {turns ? "value_rad" : "value_m", std::string(value)}};
        text["sensors"][std::string("closing_") + name] = {{"type", name}, {"joint", "closing"}};
    }
    return parse_mechanism(text.dump(), "weld.json");
}

class AnglesOfJoints : public testing::TestWithParam<Kind> {};

TEST_P(AnglesOfJoints, FollowTheDriversOfTheirTwinsOverManyTurns) {
    constexpr double step = 0.01;
    constexpr int steps = 24;  // 10.8 turns
    const auto expect_driven = [&](const std::vector<std::vector<double>>& rows, double step_of_rows = step) {
        ASSERT_EQ(rows.size(), steps + 1u);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t c = 0; c < rows[i].size(); ++c) {
                const Coordinate& driven = GetParam().coordinates[c];
                ASSERT_NEAR(rows[i][c], driven.at_start + driven.rate * step_of_rows * static_cast<double>(i),
                            rounded * fast)
                    << driven.name << ", row " << i;
            }
    };
    for (const bool is_cut : {true, false}) {
        SCOPED_TRACE(is_cut ? "cut" : "left out by the tree");
        const auto mechanism = driven_weld(GetParam(), is_cut);
        RunSetup setup;
        setup.step_s = step, setup.steps = steps;
        for (const Coordinate& one : GetParam().coordinates)
            setup.observed.push_back(channel_index(*mechanism, std::string("closing_") + one.name));
        setup.coordinates = Coordinates::joint;
        for (const Method method : {Method::kinematics, Method::rk4, Method::dopri5, Method::generalized_alpha}) {
            setup.method = method, setup.attempts_per_launch = all_attempts;
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            expect_driven(end.rows);
            setup.attempts_per_launch = 1;
            const InstanceEnd in_launches = run_nominal(*mechanism, setup);
            EXPECT_TRUE(same_bits(end.rows.back(), in_launches.rows.back()))
                << "the count goes on from launch to launch";
            if (method != Method::dopri5) expect_driven(reference_rows(*mechanism, setup));
        }
        // There a driver holds the sine of an angle, so that a step of half a turn has two ends.
        setup.coordinates = Coordinates::body, setup.method = Method::kinematics, setup.step_s = 0.2 * step;
        expect_driven(run_nominal(*mechanism, setup).rows, setup.step_s);
    }
}

INSTANTIATE_TEST_SUITE_P(Closing, AnglesOfJoints, testing::ValuesIn(kinds),
                         [](const auto& one) { return std::string(one.param.type); });

// A method that chooses its steps turns a balanced body by many turns in one.
TEST(AnglesOfClosingJoints, AreCountedOverStepsOfMoreThanATurn) {
    nlohmann::ordered_json text = nlohmann::ordered_json::parse(welded);
    for (const char* joint : {"carrier", "closing"}) {
        text["joints"][joint]["type"] = "revolute";
        text["joints"][joint]["axes"] = {{0, 0, 1}, {0, 0, 1}};
    }
    text["joints"]["carrier"]["rate_rad_s"] = 20;
    text["sensors"]["closing"] = {{"type", "angle"}, {"joint", "closing"}};
    const auto mechanism = parse_mechanism(text.dump(), "free_weld.json");
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 2.0, setup.steps = 3;
    setup.observed = {channel_index(*mechanism, "closing")};
    for (const Method method : {Method::dopri5, Method::ode23, Method::rk4, Method::generalized_alpha}) {
        setup.method = method;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_NEAR(end.rows.back()[0], 120.0, 1e-9) << static_cast<int>(method);
        EXPECT_NEAR(reference_rows(*mechanism, setup).back()[0], 120.0, 1e-9) << static_cast<int>(method);
    }
}

// What reads the angle of a joint that would close a loop finds it in the tree, over many turns: a slide that follows
// it by 0.1 m/rad, and one of 1 kg that it pulls with 1 N/rad, for which s = w t^3 / 6.
TEST(AnglesOfClosingJoints, AreReadByCouplingsAndFormulasOverManyTurns) {
    constexpr double w = 6.0, step = 0.01;
    constexpr int steps = 400;
    for (const bool is_coupling : {true, false}) {
        SCOPED_TRACE(is_coupling ? "coupling" : "formula");
        nlohmann::ordered_json text = nlohmann::ordered_json::parse(welded);
        for (const char* joint : {"carrier", "closing"}) {
            text["joints"][joint]["type"] = "revolute";
            text["joints"][joint]["axes"] = {{0, 0, 1}, {0, 0, 1}};
        }
        text["bodies"]["rack"] = {{"mass_kg", 1.0}, {"inertia_kg_m2", {0.01, 0.01, 0.01}}};
        text["joints"]["rail"] = {{"type", "prismatic"},
                                  {"bodies", {"ground", "rack"}},
                                  {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                                  {"axes", {{1, 0, 0}, {1, 0, 0}}}};
        text["drivers"]["motor"] = {{"type", "angle"}, {"joint", "carrier"}, {"value_rad", "6 * t"}};
        text["sensors"]["slide"] = {{"type", "displacement"}, {"joint", "rail"}};
        if (is_coupling)
            text["couplings"]["rack"] = {
                {"coordinate", "rail.displacement"}, {"follows", "closing.angle"}, {"ratio", 0.1}};
        else
            text["forces"]["pull"] = {{"type", "joint_force"}, {"joint", "rail"}, {"force_N", "closing.angle"}};
        const auto mechanism = parse_mechanism(text.dump(), "rack.json");
        const double t = step * steps, expected = is_coupling ? 0.1 * w * t : w * t * t * t / 6.0;
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.step_s = step, setup.steps = steps;
        setup.observed = {channel_index(*mechanism, "slide")};
        for (const Method method : {Method::rk4, Method::generalized_alpha}) {
            setup.method = method;
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            // Of generalized-alpha, of order 2 over a motion of order 3.
            const double error = method == Method::rk4 || is_coupling ? summed_up : w * t * step * step;
            EXPECT_NEAR(end.rows.back()[0], expected, error) << static_cast<int>(method);
            EXPECT_NEAR(reference_rows(*mechanism, setup).back()[0], expected, error);
        }
    }
}

// A crank of 0.3 m, a coupler of 0.8 m and a rocker of 0.7 m between pins that are 1 m apart. Hinge a bears the crank,
// b joins it to the coupler, c the coupler to the rocker, d bears the rocker.
constexpr double crank = 0.3, coupler = 0.8, rocker = 0.7;
constexpr const char* four_bar = R"json({
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {"crank": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.01, 0.01]},
               "coupler": {"mass_kg": 1.0, "inertia_kg_m2": [0.06, 0.06, 0.06]},
               "rocker": {"mass_kg": 1.0, "inertia_kg_m2": [0.05, 0.05, 0.05]}},
    "joints": {
        "a": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.15, 0, 0]]},
        "b": {"type": "revolute", "bodies": ["crank", "coupler"], "points_m": [[0.15, 0, 0], [-0.4, 0, 0]]},
        "c": {"type": "revolute", "bodies": ["coupler", "rocker"], "points_m": [[0.4, 0, 0], [0.35, 0, 0]]},
        "d": {"type": "revolute", "bodies": ["ground", "rocker"], "points_m": [[1, 0, 0], [-0.35, 0, 0]]}},
    "drivers": {"motor": {"type": "angle", "joint": "a", "value_rad": "0.5 + 8 * t"}}})json";

struct Bars {
    double crank, coupler, rocker;  // angles to the x axis, rad; the last two within half a turn
};
// The triangle of the crank's pin and the rocker's ends, on the side where the coupler lies above.
Bars bars_at(double angle) {
    const double x = crank * std::cos(angle) - 1.0, y = crank * std::sin(angle), square = x * x + y * y;
    const double opening =
        std::acos((square + rocker * rocker - coupler * coupler) / (2.0 * rocker * std::sqrt(square)));
    const double of_rocker = std::atan2(y, x) - opening;
    return {angle, std::atan2(rocker * std::sin(of_rocker) - y, rocker * std::cos(of_rocker) - x), of_rocker};
}
// a, b, c, d.
std::vector<double> hinges_at(const Bars& bars) {
    return {bars.crank, bars.coupler - bars.crank, bars.rocker - bars.coupler, bars.rocker};
}

std::shared_ptr<const Mechanism> crank_rocker(const std::string& cut, bool has_sensors) {
    nlohmann::ordered_json text = nlohmann::ordered_json::parse(four_bar);
    const Bars start = bars_at(0.5);
    const auto place = [&](const char* body, double x, double y, double angle, double half_length) {
        text["bodies"][body]["position_m"] = {x + half_length * std::cos(angle), y + half_length * std::sin(angle), 0};
        text["bodies"][body]["orientation"]["rotation_vector_rad"] = {0, 0, angle};
    };
    place("crank", 0.0, 0.0, start.crank, 0.5 * crank);
    place("coupler", crank * std::cos(start.crank), crank * std::sin(start.crank), start.coupler, 0.5 * coupler);
    place("rocker", 1.0, 0.0, start.rocker, 0.5 * rocker);
    for (auto& [name, joint] : text["joints"].items()) {
        joint["axes"] = {{0, 0, 1}, {0, 0, 1}};
        joint["references"] = {{1, 0, 0}, {1, 0, 0}};
        if (name == cut) joint["cut"] = true;
    }
    for (const char* hinge : {"a", "b", "c", "d"})
        if (has_sensors) text["sensors"][hinge] = {{"type", "angle"}, {"joint", hinge}};
    return parse_mechanism(text.dump(), "four_bar.json");
}

// The end of an instance whose hinges have turned on: the change since the start of the closed form, followed in small
// steps.
void expect_hinges_of_the_closed_form(const std::vector<std::vector<double>>& rows, double step) {
    // Of kinematics and of a driver's prescribed angle: Newton's tolerance, times some ten of the loop's transmission.
    constexpr double solved = 1e-9;
    std::vector<double> expected = hinges_at(bars_at(0.5)), angles = expected;
    ASSERT_FALSE(rows.empty());
    const std::vector<double> start = rows.front();
    for (std::size_t h = 0; h < 4; ++h) EXPECT_NEAR(std::remainder(start[h] - expected[h], turn), 0.0, solved);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<double> now = hinges_at(bars_at(0.5 + 8.0 * step * static_cast<double>(i)));
        for (std::size_t h = 0; h < 4; ++h) {
            angles[h] += std::remainder(now[h] - angles[h], turn);
            ASSERT_NEAR(rows[i][h] - start[h], angles[h] - expected[h], solved) << "hinge " << h << ", row " << i;
        }
    }
    EXPECT_GT(std::abs(angles[0] - expected[0]), 3.0 * turn);
    EXPECT_GT(std::abs(angles[1] - expected[1]), 2.5 * turn) << "the crank turns in the coupler, too";
}

TEST(AnglesOfAFourBar, AreThoseOfTheClosedFormWhicheverHingeClosesTheLoop) {
    constexpr double step = 0.02;  // 0.16 rad of the crank
    constexpr int steps = 125;
    for (const std::string cut : {"", "a", "b", "c", "d"}) {
        SCOPED_TRACE(cut.empty() ? "none is cut" : "cut: " + cut);
        const auto mechanism = crank_rocker(cut, true);
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.step_s = step, setup.steps = steps;
        for (const char* hinge : {"a", "b", "c", "d"}) setup.observed.push_back(channel_index(*mechanism, hinge));
        for (const Method method : {Method::kinematics, Method::generalized_alpha}) {
            setup.method = method;
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            expect_hinges_of_the_closed_form(end.rows, step);
            if (method == Method::kinematics) expect_hinges_of_the_closed_form(reference_rows(*mechanism, setup), step);
        }
    }
}

TEST(AnglesOfAFourBar, ThatSensorsReadLeaveTheMotionItsBits) {
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 0.02, setup.steps = 125;
    for (const Method method : {Method::generalized_alpha, Method::rk4}) {
        setup.method = method;
        const InstanceEnd with = run_nominal(*crank_rocker("d", true), setup),
                          without = run_nominal(*crank_rocker("d", false), setup);
        EXPECT_TRUE(same_bits(with.final_state, without.final_state));
    }
}

}  // namespace
}  // namespace myriad::mechanism::counted_angles
