// Functions given by points in drivers, loads and forces: against the formula that they stand for, against the
// reference path, by their work, in any lane; in both coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// A driven arm that carries a sledge on a spring, with a load on the sledge.
json arm_with_a_sledge() {
    return json::parse(R"json({
        "gravity_m_s2": [0.5, -9.81, 0.3], "parameters": {"k": 60.0},
        "bodies": {
            "arm": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.3, 0.3], "centre_of_mass_m": [0.4, 0, 0.05]},
            "sledge": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.02, 0.02], "position_m": [0.5, 0, 0]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
            "rail": {"type": "prismatic", "bodies": ["arm", "sledge"], "points_m": [[0.5, 0, 0], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]]}},
        "drivers": {"turn": {"type": "angle", "joint": "hinge", "value_rad": "0"}},
        "forces": {"spring": {"type": "spring_damper", "bodies": ["arm", "sledge"], "points_m": [[0, 0, 0.2], [0, 0, 0]],
                              "stiffness_N_m": "k", "rest_length_m": 0.5},
                   "push": {"type": "force", "body": "sledge", "force_N": [0, 0, 0]}},
        "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "rate": {"type": "rate", "joint": "hinge"},
                    "way": {"type": "displacement", "joint": "rail"},
                    "speed": {"type": "displacement_rate", "joint": "rail"},
                    "torque": {"type": "reaction_torque", "joint": "turn"}}})json");
}

json points_of(double (*f)(double), int intervals, double end) {
    json points = json::array();
    for (int i = 0; i <= intervals; ++i) points.push_back({end * i / intervals, f(end * i / intervals)});
    return points;
}

// The formula, or the table that stands for it.
constexpr const char *turn = "0.2 + 0.7 * t - 1.9 * t^2 + 0.9 * t^3", *push = "3 - 8 * t^2";
double turn_at(double t) { return 0.2 + 0.7 * t - 1.9 * t * t + 0.9 * t * t * t; }
double push_at(double t) { return 3.0 - 8.0 * t * t; }

json arm_with_formulas() {
    json text = arm_with_a_sledge();
    text["drivers"]["turn"]["value_rad"] = turn;
    text["forces"]["push"]["force_N"] = {0, push, "0.1 * t"};
    return text;
}
json arm_with_tables() {
    json text = arm_with_a_sledge();
    text["tables"] = {{"turn", {{"points", points_of(turn_at, 13, 1.0)}}},
                      {"push", {{"points", points_of(push_at, 5, 1.0)}}}};
    text["drivers"]["turn"]["value_rad"] = "turn(t)";
    text["forces"]["push"]["force_N"] = {0, "push(t)", "0.1 * t"};
    return text;
}

std::shared_ptr<const Mechanism> parsed_arm(const json& text) { return parse_mechanism(text.dump(), "arm.json"); }

std::vector<int> channels_of_the_arm(const Mechanism& mechanism) {
    std::vector<int> observed;
    for (const char* name : {"angle", "rate", "way", "speed", "energy", "work"})
        observed.push_back(channel_index(mechanism, name));
    return observed;
}
RunSetup setup_of(const Mechanism& mechanism, Coordinates coordinates, double step_s, int steps) {
    RunSetup setup;
    setup.coordinates = coordinates, setup.step_s = step_s, setup.steps = steps, setup.newton_tolerance = 1e-12;
    setup.observed = channels_of_the_arm(mechanism);
    return setup;
}
std::vector<std::vector<double>> rows_of(const json& text, Coordinates coordinates, double step_s, int steps,
                                         Method method = Method::generalized_alpha) {
    const auto mechanism = parsed_arm(text);
    RunSetup setup = setup_of(*mechanism, coordinates, step_s, steps);
    setup.method = method;
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    return end.rows;
}
void expect_near(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                 double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < a[i].size(); ++k)
            ASSERT_NEAR(a[i][k], b[i][k], tolerance) << "row " << i << " channel " << k;
}

// Newton's tolerance over steps of a hundredth of a second, in velocities and energies of size ten.
constexpr double solved = 1e-9;
// A chain takes one correction a step, as exact as the last guess: accelerations of some 100 rad/s^2 are met to 1e-9 of
// themselves.
constexpr double followed = 1e-7;

class TablesIn : public testing::TestWithParam<Coordinates> {};
INSTANTIATE_TEST_SUITE_P(, TablesIn, testing::Values(Coordinates::joint, Coordinates::body),
                         [](const auto& one) { return one.param == Coordinates::joint ? "joint" : "body"; });

TEST_P(TablesIn, OfACubicMoveAsTheFormulaDoes) {
    expect_near(rows_of(arm_with_tables(), GetParam(), 0.01, 100), rows_of(arm_with_formulas(), GetParam(), 0.01, 100),
                solved);
}

// Kinematics: the driver alone moves, and the angle is the spline.
TEST_P(TablesIn, OfASampledSineDriveWithTheOrderOfTheSpline) {
    const auto error_of = [&](int intervals) {
        json text = arm_with_a_sledge();
        text["joints"]["rail"]["type"] = "fixed";
        text["joints"]["rail"].erase("axes");
        text["forces"].erase("spring"), text["sensors"].erase("way"), text["sensors"].erase("speed");
        text["tables"] = {
            {"wave", {{"points", points_of([](double t) { return 0.5 * std::sin(6.0 * t); }, intervals, 1.0)}}}};
        text["drivers"]["turn"]["value_rad"] = "wave(t)";
        const auto mechanism = parsed_arm(text);
        RunSetup setup;
        setup.method = Method::kinematics, setup.coordinates = GetParam(), setup.step_s = 1.0 / 128, setup.steps = 128;
        setup.observed = {channel_index(*mechanism, "angle"), channel_index(*mechanism, "rate")};
        const InstanceEnd end = run_nominal(*mechanism, setup);
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        std::array<double, 2> worst{};
        for (std::size_t i = 0; i < end.rows.size(); ++i) {
            const double t = static_cast<double>(i) / 128.0;
            worst[0] = std::max(worst[0], std::abs(end.rows[i][0] - 0.5 * std::sin(6.0 * t)));
            worst[1] = std::max(worst[1], std::abs(end.rows[i][1] - 3.0 * std::cos(6.0 * t)));
        }
        return worst;
    };
    const std::array<double, 2> coarse = error_of(10), fine = error_of(40);
    EXPECT_GT(std::log2(coarse[0] / fine[0]) / 2.0, 3.75) << coarse[0] << " " << fine[0];
    EXPECT_GT(std::log2(coarse[1] / fine[1]) / 2.0, 2.75) << coarse[1] << " " << fine[1];
}

// What the driver and the load put in is all that the energy changes by; the methods' error goes with the square of
// the step, over the knots of a spline, too.
TEST_P(TablesIn, DoTheWorkThatChangesTheEnergy) {
    const auto imbalance = [&](int steps) {
        const auto rows = rows_of(arm_with_tables(), GetParam(), 1.0 / steps, steps);
        const std::vector<double>&first = rows.front(), &last = rows.back();
        EXPECT_GT(std::abs(last[5] - first[5]), 1.0) << "there is work";
        double worst = 0.0;
        for (const std::vector<double>& row : rows)
            worst = std::max(worst, std::abs(row[4] - first[4] - (row[5] - first[5])));
        return worst;
    };
    const double coarse = imbalance(200), fine = imbalance(800);
    EXPECT_LT(coarse, 1e-2);
    EXPECT_LT(fine, coarse / 10.0) << coarse << " " << fine;
}

TEST_P(TablesIn, GiveTheSameBitsAloneAndInAPack) {
    const auto mechanism = parsed_arm(arm_with_tables());
    RunSetup setup = setup_of(*mechanism, GetParam(), 0.01, 40);
    std::vector<std::vector<double>> parameters(lanes_of_a_pack() + 1, mechanism->nominal_kernel_parameters());
    const auto stiffness = static_cast<std::size_t>(mechanism->dependent_parameters(std::vector<std::size_t>{0}).at(0));
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i][stiffness] = 20.0 + 9.0 * static_cast<double>(i);
    const auto alone = run_instances(*mechanism, parameters, setup);
    setup.width = Width::packs;
    const auto packed = run_instances(*mechanism, parameters, setup);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        ASSERT_EQ(alone[i].record.size(), packed[i].record.size());
        EXPECT_EQ(std::memcmp(alone[i].record.data(), packed[i].record.data(), 8 * alone[i].record.size()), 0) << i;
    }
}

TEST(Tables, MoveAsOnTheReferencePath) {
    const auto mechanism = parsed_arm(arm_with_tables());
    const RunSetup setup = setup_of(*mechanism, Coordinates::joint, 0.01, 50);
    auto ours = run_nominal(*mechanism, setup).rows;
    auto theirs = reference_rows(*mechanism, setup);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_NEAR(ours[i].back(), theirs[i].back(), followed) << "work, by the last correction, row " << i;
        ours[i].pop_back(), theirs[i].pop_back();
    }
    expect_near(ours, theirs, solved);
}

// A spring whose characteristic is a table of the joint's angle: against its formula, and on the reference path.
TEST(Tables, OfCoordinatesActAsTheFormulaThatTheyStandFor) {
    json formula = arm_with_a_sledge();
    formula.erase("drivers"), formula["sensors"].erase("torque");
    formula["joints"]["hinge"]["angle_rad"] = 0.4;
    json table = formula;
    formula["forces"]["stop"] = {
        {"type", "joint_force"}, {"joint", "hinge"}, {"torque_N_m", "-4 * angle - 30 * angle^3 - 0.2 * rate"}};
    table["forces"]["stop"] = {
        {"type", "joint_force"}, {"joint", "hinge"}, {"torque_N_m", "-stiffness(angle) - 0.2 * rate"}};
    json points = json::array();
    for (const double x : {-3.0, -1.1, -0.4, 0.1, 0.9, 1.7, 3.0}) points.push_back({x, 4.0 * x + 30.0 * x * x * x});
    table["tables"] = {{"stiffness", {{"points", points}}}};
    const auto rows = rows_of(table, Coordinates::joint, 0.005, 200);
    expect_near(rows, rows_of(formula, Coordinates::joint, 0.005, 200), solved);
    const auto mechanism = parsed_arm(table);
    const RunSetup setup = setup_of(*mechanism, Coordinates::joint, 0.005, 200);
    expect_near(rows, reference_rows(*mechanism, setup), followed);
}

TEST(Tables, EndAnInstanceThatLeavesThem) {
    json text = arm_with_tables();
    text["parameters"]["delay_s"] = 0;
    text["forces"]["push"]["force_N"] = {0, "push(t - delay_s)", 0};
    const auto mechanism = parsed_arm(text);
    const RunSetup setup = setup_of(*mechanism, Coordinates::joint, 0.01, 150);
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::not_finite) << sentence_of(end.reason);
    EXPECT_NEAR(end.time_s, 1.0, 0.015);
}

}  // namespace
}  // namespace myriad::mechanism
