// The velocities and poses with which mechanisms start, by the kernels in both coordinates and on the reference path,
// against closed forms.
#include "host/mechanism/assembly/start_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "tests/mechanism/kernel_runs.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// Some m/s and rad/s, solved with matrices whose condition is below 1e3.
constexpr double consistent = 1e-11;

std::shared_ptr<const Mechanism> made(const json& text) { return parse_mechanism(text.dump(), "start.json"); }

struct Start {
    std::string path;
    std::vector<std::vector<double>> bodies;  // [body]: velocity, world; angular velocity, body axes
    std::vector<std::vector<double>> orientations;
    double correction, velocity_correction;
};

std::vector<Start> starts(const Mechanism& mechanism, const std::vector<double>& parameters) {
    std::vector<Start> all;
    for (const Coordinates coordinates : {Coordinates::joint, Coordinates::body}) {
        RunSetup setup{};
        setup.coordinates = coordinates, setup.steps = 1, setup.step_s = 1e-6;
        const InstanceEnd end = run_instances(mechanism, {parameters}, setup).front();
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        Start start{coordinates == Coordinates::joint ? "joint coordinates" : "body coordinates", {}, {}, 0.0, 0.0};
        for (int b = 0; b < mechanism.table.bodies; ++b) {
            const auto first = end.initial_state.begin() + 13 * b;
            start.bodies.emplace_back(first + 7, first + 13), start.orientations.emplace_back(first + 3, first + 7);
        }
        start.correction = end.assembly_correction, start.velocity_correction = end.velocity_correction;
        all.push_back(start);
    }
    for (const bool joint : {true, false}) {
        reference::MechanismSettings settings;
        settings.end_s = settings.step_s = 1e-6, settings.joint_coordinates = joint;
        Start start{joint ? "reference, joint coordinates" : "reference, body coordinates", {}, {}, 0.0, 0.0};
        settings.after_step = [&](const reference::MechanismSample& sample) {
            if (!start.bodies.empty()) return;
            for (const reference::BodyState& body : sample.motion.state.bodies) {
                const Eigen::Vector3d &v = body.velocity, &w = body.angular_velocity;
                start.bodies.push_back({v[0], v[1], v[2], w[0], w[1], w[2]});
                const Eigen::Quaterniond q(body.orientation);
                start.orientations.push_back({q.w(), q.x(), q.y(), q.z()});
            }
            start.correction = sample.assembly_correction, start.velocity_correction = sample.velocity_correction;
        };
        const auto result = run_reference_mechanism(backends::reference_model(mechanism.table, parameters), settings);
        EXPECT_EQ(result.status, "ok") << result.reason;
        all.push_back(start);
    }
    return all;
}

// Bodies in the order of their names.
void expect_start(const Mechanism& mechanism, const std::vector<double>& parameters,
                  const std::vector<std::vector<double>>& bodies, double velocity_correction = 0.0) {
    for (const Start& start : starts(mechanism, parameters)) {
        SCOPED_TRACE(start.path);
        ASSERT_EQ(start.bodies.size(), bodies.size());
        for (std::size_t b = 0; b < bodies.size(); ++b)
            for (std::size_t k = 0; k < 6; ++k)
                EXPECT_NEAR(start.bodies[b][k], bodies[b][k], consistent) << "body " << b << ", component " << k;
        EXPECT_NEAR(start.velocity_correction, velocity_correction, consistent);
    }
}
void expect_start(const json& text, const std::vector<std::vector<double>>& bodies, double velocity_correction = 0.0) {
    const auto mechanism = made(text);
    expect_start(*mechanism, mechanism->nominal_kernel_parameters(), bodies, velocity_correction);
}

json body(double mass_kg, const std::vector<double>& inertia_kg_m2, const std::vector<double>& position_m) {
    return {{"mass_kg", mass_kg}, {"inertia_kg_m2", inertia_kg_m2}, {"position_m", position_m}};
}
json joint(const std::string& type, const std::string& a, const std::string& b, const std::vector<double>& on_a,
           const std::vector<double>& on_b, const std::vector<double>& axis) {
    json entry{{"type", type}, {"bodies", {a, b}}, {"points_m", {on_a, on_b}}};
    if (!axis.empty()) entry["axes"] = {axis, axis};
    return entry;
}
const std::vector<double> slender{0.001, 0.05, 0.05};

// Three rods of 1 m in a row along x on hinges about y, the first one on the ground.
json chain() {
    json text;
    for (int i = 0; i < 3; ++i)
        text["bodies"]["rod_" + std::to_string(i)] = body(1.0 + i, slender, {0.5 + i, 0.0, 0.0});
    text["joints"]["a"] = joint("revolute", "ground", "rod_0", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    text["joints"]["b"] = joint("revolute", "rod_0", "rod_1", {0.5, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    text["joints"]["c"] = joint("revolute", "rod_1", "rod_2", {0.5, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    return text;
}

TEST(StartMotion, OfACartDoesNotSetItsPendulumTurning) {
    json text;
    text["bodies"]["cart"] = body(2.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["cart"]["velocity_m_s"] = {1, 0, 0};
    text["bodies"]["pendulum"] = body(1.0, {0.01, 0.02, 0.03}, {0.3, 0, -0.4});
    text["joints"]["rail"] = joint("prismatic", "ground", "cart", {0, 0, 0}, {0, 0, 0}, {1, 0, 0});
    text["joints"]["pin"] = joint("revolute", "cart", "pendulum", {0, 0, 0}, {-0.3, 0, 0.4}, {0, 1, 0});
    expect_start(text, {{1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
    text["joints"]["pin"]["cut"] = true;
    expect_start(text, {{1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
}

TEST(StartMotion, OfAHingedRodFollowsFromItsAngularVelocity) {
    json text;
    text["bodies"]["rod"] = body(1.0, slender, {0.5, 0, 0});
    text["bodies"]["rod"]["angular_velocity_rad_s"] = {0, 5, 0};
    text["joints"]["hinge"] = joint("revolute", "ground", "rod", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    expect_start(text, {{0, 0, -2.5, 0, 5, 0}});
    // And from the velocity of its centre.
    text["bodies"]["rod"].erase("angular_velocity_rad_s");
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, -2.5};
    expect_start(text, {{0, 0, -2.5, 0, 5, 0}});
    // Of a body whose origin lies on the axis the velocity 0 says nothing of the turn.
    text["bodies"]["rod"] = {
        {"mass_kg", 1}, {"inertia_kg_m2", slender}, {"centre_of_mass_m", {0.5, 0, 0}}, {"velocity_m_s", {0, 0, 0}}};
    text["joints"]["hinge"]["points_m"] = {{0, 0, 0}, {0, 0, 0}};
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "hinge"}, {"value_rad", "3 * t"}};
    expect_start(text, {{0, 0, -1.5, 0, 3, 0}});
}

TEST(StartMotion, OfAFreeBodyThatTurnsLeavesItsOriginAtRest) {
    json text;
    text["bodies"]["brick"] = {{"mass_kg", 1},
                               {"inertia_kg_m2", {0.1, 0.2, 0.25}},
                               {"centre_of_mass_m", {0, 0.1, 0}},
                               {"angular_velocity_rad_s", {0, 0, 3}}};
    expect_start(text, {{-0.3, 0, 0, 0, 0, 3}});
    text["bodies"]["brick"]["velocity_m_s"] = {0, 0, 0.5};
    expect_start(text, {{-0.3, 0, 0.5, 0, 0, 3}});
    text["bodies"]["brick"].erase("angular_velocity_rad_s");
    expect_start(text, {{0, 0, 0.5, 0, 0, 0}});
}

TEST(StartMotion, OfAWeldedBodyIsThatOfItsCarrier) {
    for (const char* moving : {"base", "bracket"}) {
        SCOPED_TRACE(moving);
        json text;
        text["bodies"]["base"] = body(1.0, {0.1, 0.1, 0.1}, {0, 0, 0});
        text["bodies"]["bracket"] = body(1.0, {0.1, 0.1, 0.1}, {1, 0, 0});
        text["bodies"][moving]["velocity_m_s"] = {1, 2, 0};
        text["joints"]["weld"] = joint("fixed", "base", "bracket", {1, 0, 0}, {0, 0, 0}, {});
        expect_start(text, {{1, 2, 0, 0, 0, 0}, {1, 2, 0, 0, 0, 0}});
    }
}

TEST(StartMotion, OfADriverLeavesTheOtherJointsAtRest) {
    json text = chain();
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "b"}, {"value_rad", "2 * t"}};
    expect_start(text, {{0, 0, 0, 0, 0, 0}, {0, 0, -1, 0, 2, 0}, {0, 0, -3, 0, 2, 0}});
    // In free flight, too.
    text["joints"].erase("a");
    expect_start(text, {{0, 0, 0, 0, 0, 0}, {0, 0, -1, 0, 2, 0}, {0, 0, -3, 0, 2, 0}});
    // Beside start values of another joint, which the first rod's turn of 1.5 rad/s takes on.
    text = chain();
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "b"}, {"value_rad", "2 * t"}};
    text["joints"]["a"]["rate_rad_s"] = 1.5;
    expect_start(text, {{0, 0, -0.75, 0, 1.5, 0}, {0, 0, -1.5 - 1.75, 0, 3.5, 0}, {0, 0, -1.5 - 5.25, 0, 3.5, 0}});
}

// A parallelogram: crank from (0, 0) to (0, 1), coupler on to (2, 1), rocker from (2, 0) to (2, 1).
json parallelogram() {
    json text;
    text["bodies"]["crank"] = body(1.0, {0.1, 0.1, 0.1}, {0, 0.5, 0});
    text["bodies"]["coupler"] = body(3.0, {0.01, 1, 1}, {1, 1, 0});
    text["bodies"]["rocker"] = body(1.0, {0.1, 0.1, 0.1}, {2, 0.5, 0});
    text["joints"]["a"] = joint("revolute", "ground", "crank", {0, 0, 0}, {0, -0.5, 0}, {0, 0, 1});
    text["joints"]["b"] = joint("revolute", "crank", "coupler", {0, 0.5, 0}, {-1, 0, 0}, {0, 0, 1});
    text["joints"]["c"] = joint("revolute", "coupler", "rocker", {1, 0, 0}, {0, 0.5, 0}, {0, 0, 1});
    text["joints"]["d"] = joint("revolute", "ground", "rocker", {2, 0, 0}, {0, -0.5, 0}, {0, 0, 1});
    return text;
}

TEST(StartMotion, OfALoopHasTheGivenVelocityExactly) {
    const std::vector<std::vector<double>> turning{{-3, 0, 0, 0, 0, 0}, {-1.5, 0, 0, 0, 0, 3}, {-1.5, 0, 0, 0, 0, 3}};
    for (const char* given : {"crank", "rocker"}) {
        SCOPED_TRACE(given);
        json text = parallelogram();
        text["bodies"][given]["angular_velocity_rad_s"] = {0, 0, 3};
        expect_start(text, turning);
    }
    json text = parallelogram();
    text["bodies"]["coupler"]["velocity_m_s"] = {-3, 0, 0};
    expect_start(text, turning);
}

TEST(StartMotion, HasWhatAStudyGives) {
    const auto mechanism = made(parallelogram());
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    const std::size_t spin = number_of(*mechanism, "bodies.rocker.angular_velocity_rad_s[2]");
    values[spin] = 3.0, given[spin] = 1;
    const auto of_study = with_given_velocities(mechanism, given);
    expect_start(*of_study, of_study->kernel_parameters(values, given),
                 {{-3, 0, 0, 0, 0, 0}, {-1.5, 0, 0, 0, 0, 3}, {-1.5, 0, 0, 0, 0, 3}});
    EXPECT_EQ(with_given_velocities(mechanism, std::vector<unsigned char>(values.size(), 0)), mechanism);
}

// Uniform rods of 1 kg and 1 m in a row along x, each on a hinge about z at its left end.
json rods_in_line(int count) {
    json text;
    for (int i = 0; i < count; ++i) {
        const std::string name = "rod_" + std::to_string(i);
        text["bodies"][name] = body(1.0, {0.001, 1.0 / 12.0, 1.0 / 12.0}, {0.5 + i, 0, 0});
        text["joints"]["hinge_" + std::to_string(i)] =
            joint("revolute", i == 0 ? "ground" : "rod_" + std::to_string(i - 1), name, {i == 0 ? 0.0 : 0.5, 0, 0},
                  {-0.5, 0, 0}, {0, 0, 1});
    }
    return text;
}
// Of rods_in_line, by their angular velocities; `base_m_s`: of the first hinge.
std::vector<std::vector<double>> turning_rods(const std::vector<double>& rates, double base_m_s = 0.0) {
    std::vector<std::vector<double>> bodies;
    double tip = base_m_s;
    for (const double rate : rates) {
        bodies.push_back({0, tip + 0.5 * rate, 0, 0, 0, rate});
        tip += rate;
    }
    return bodies;
}

TEST(StartMotion, OfSeveralJointsInwardOfAGivenVelocityHasTheLeastKineticEnergy) {
    // 2 E = w_0^2 / 3 + w_1^2 / 12 + (w_0 + w_1 / 2)^2
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({-1.875, 5}));
    text["bodies"]["rod_1"].erase("angular_velocity_rad_s");
    text["bodies"]["rod_1"]["velocity_m_s"] = {0, 3, 0};
    expect_start(text, turning_rods({1.5, 3}));
    // A cut changes nothing.
    text["joints"]["hinge_1"]["cut"] = true;
    expect_start(text, turning_rods({1.5, 3}));
    // Of three, w_2 = 5: by the gradients in w_0 and w_1 of the sum of w_i^2 / 12 + v_i^2.
    text = rods_in_line(3);
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, 5};
    Eigen::Matrix2d energy;
    energy << 1.0 / 3.0 + 2.0, 0.5 + 1.0, 0.5 + 1.0, 1.0 / 3.0 + 1.0;
    const Eigen::Vector2d rates = energy.fullPivLu().solve(Eigen::Vector2d(-2.5, -2.5));
    expect_start(text, turning_rods({rates[0], rates[1], 5}));
}

TEST(StartMotion, OfJointsOutwardOfAGivenVelocityIsNone) {
    // The third rod turns with the second one: 2 E = w_0^2 / 3 + (w_0 + 5 / 2)^2 + (w_0 + 15 / 2)^2 + ...
    json text = rods_in_line(3);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({-30.0 / 7.0, 5, 5}));
}

TEST(StartMotion, OfTwoBranchesWithGivenVelocitiesIsMetByTheirTrunk) {
    // 2 E = w^2 / 3 + (w + 3 / 2)^2 + (w - 1 / 2)^2 + ...
    json text = rods_in_line(3);
    text["bodies"]["rod_2"]["position_m"] = {1.5, 0, 0};
    text["joints"]["hinge_2"]["bodies"] = {"rod_0", "rod_2"};
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 3};
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, -1};
    const double w = -3.0 / 7.0;
    expect_start(text, {{0, 0.5 * w, 0, 0, 0, w}, {0, w + 1.5, 0, 0, 0, 3}, {0, w - 0.5, 0, 0, 0, -1}});
}

TEST(StartMotion, OfJointsBetweenCountsFromACarrierWhoseMotionIsKnown) {
    // A cart that is given 1 m/s takes its rods along, whose outer one turns by little beside this.
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 0.05};
    text["bodies"]["cart"] = body(2.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["cart"]["velocity_m_s"] = {0, 1, 0};
    text["joints"]["rail"] = joint("prismatic", "ground", "cart", {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["joints"]["hinge_0"]["bodies"] = {"cart", "rod_0"};
    std::vector<std::vector<double>> bodies = turning_rods({-0.01875, 0.05}, 1.0);
    bodies.insert(bodies.begin(), {0, 1, 0, 0, 0, 0});
    expect_start(text, bodies);
    // So does a driver that turns the first of three rods: beside its 2 rad/s, 2 E = w^2 / 3 + (w + 3 / 2)^2 + ...
    text = rods_in_line(3);
    text["drivers"]["turn"] = {{"type", "angle"}, {"joint", "hinge_0"}, {"value_rad", "2 * t"}};
    text["bodies"]["rod_2"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({2, 2 - 1.125, 5}));
}

TEST(StartMotion, OfAFreeBodyInwardOfAGivenVelocityKeepsTheirMomentumAtRest) {
    json text = rods_in_line(2);
    text["joints"].erase("hinge_0");
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, {{0, -0.5, 0, 0, 0, -3}, {0, 0.5, 0, 0, 0, 5}});
}

TEST(StartMotion, ThatSeveralJointsCannotMeetGivesWay) {
    json text = rods_in_line(2);
    text["bodies"]["rod_1"]["velocity_m_s"] = {2, 0, 0};
    expect_start(text, turning_rods({0, 0}), 2.0 / 0.5);
}

TEST(StartMotion, OfJointsInSpaceIsTheSameInBothCoordinatesAndOnTheReferencePath) {
    json text;
    text["bodies"]["arm"] = body(2.0, {0.2, 0.3, 0.25}, {0.4, 0.1, -0.2});
    text["bodies"]["fork"] = body(1.0, {0.02, 0.05, 0.04}, {0.9, 0.5, 0.1});
    text["bodies"]["disc"] = body(0.5, {0.01, 0.02, 0.015}, {1.3, 0.4, 0.6});
    text["bodies"]["rider"] = body(0.7, {0.03, 0.02, 0.01}, {1.2, 0.9, 0.3});
    text["joints"]["cross"] = joint("universal", "ground", "arm", {0, 0, 0}, {-0.4, -0.1, 0.2}, {});
    text["joints"]["cross"]["axes"] = {{1, 0, 0}, {0, 0.6, 0.8}};
    text["joints"]["ball"] = joint("spherical", "arm", "fork", {0.3, 0.2, 0.1}, {-0.2, -0.2, -0.2}, {});
    text["joints"]["pin"] = joint("cylindrical", "fork", "disc", {0.2, 0.1, 0.3}, {-0.2, 0.2, -0.2}, {0.6, 0, 0.8});
    text["joints"]["hinge"] = joint("revolute", "fork", "rider", {0.1, 0.2, 0.1}, {-0.2, -0.2, -0.1}, {0, 1, 0});
    text["bodies"]["disc"]["velocity_m_s"] = {0.4, -0.3, 0.8};
    text["bodies"]["disc"]["angular_velocity_rad_s"] = {1.0, 2.0, -0.5};
    const auto mechanism = made(text);
    const std::vector<Start> all = starts(*mechanism, mechanism->nominal_kernel_parameters());
    for (const Start& start : all) {
        SCOPED_TRACE(start.path);
        for (std::size_t b = 0; b < start.bodies.size(); ++b)
            for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(start.bodies[b][k], all[0].bodies[b][k], consistent);
        EXPECT_NEAR(start.bodies[1][0], 0.4, consistent);
        EXPECT_NEAR(start.bodies[1][4], 2.0, consistent);
        EXPECT_NEAR(start.velocity_correction, 0.0, consistent);
        EXPECT_GT(std::hypot(start.bodies[0][3], start.bodies[0][4]), 0.1);
        for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(start.bodies[3][k], start.bodies[2][k], consistent) << "rides";
    }
}

// A rod of J about its centre, hinged at its end, whose centre is to rest while it turns with 5 rad/s.
json contradicting_rod() {
    json text;
    text["bodies"]["rod"] = body(1.0, slender, {0.5, 0, 0});
    text["bodies"]["rod"]["angular_velocity_rad_s"] = {0, 5, 0};
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, 0};
    text["joints"]["hinge"] = joint("revolute", "ground", "rod", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    return text;
}

TEST(StartMotion, ChangesContradictingVelocitiesByTheLeastInTheNormOfTheMasses) {
    // min J (w - 5)^2 + m (r w)^2
    const double w = 5.0 * 0.05 / (0.05 + 0.25);
    expect_start(contradicting_rod(), {{0, 0, -0.5 * w, 0, w, 0}}, std::hypot(0.5 * w / 0.5, 5.0 - w));
}

TEST(AssemblyReport, TellsContradictingVelocitiesWithBothNumbers) {
    const auto told = [](const json& text) { return warning_of_assembly(*made(text)).value_or(""); };
    json text = contradicting_rod();
    EXPECT_THAT(told(text),
                has("the given velocities contradict",
                    "bodies.rod is given the angular velocity [0, 5, 0] rad/s and starts with [0, 0.8333, 0]",
                    "bodies.rod is given the velocity [0, 0, 0] m/s and starts with [0, 0, -0.4167] m/s"));
    text["assembly"] = "refuse";
    EXPECT_THAT(study::refusal([&] { told(text); }), has("the given velocities contradict", "\"assembly\": \"warn\""));
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, -2.5};
    EXPECT_EQ(told(text), "");
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, -2.501};  // digits beyond 1e-3 may be missing
    EXPECT_EQ(told(text), "");
    // A rate with which the joint is to start stays.
    text["assembly"] = "warn", text["joints"]["hinge"]["rate_rad_s"] = 4.0;
    EXPECT_THAT(told(text), has("angular velocity [0, 5, 0] rad/s and starts with [0, 4, 0]"));
}

TEST(StartMotion, OfAGearKeepsTheGivenShaft) {
    json text;
    text["bodies"]["pinion"] = body(1.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["pinion"]["angular_velocity_rad_s"] = {0, 3, 0};
    text["bodies"]["wheel"] = body(4.0, {0.5, 0.5, 0.5}, {1, 0, 0});
    text["joints"]["p"] = joint("revolute", "ground", "pinion", {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["joints"]["w"] = joint("revolute", "ground", "wheel", {1, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["couplings"]["mesh"] = {{"coordinate", "w.angle"}, {"follows", "p.angle"}, {"ratio", -0.5}};
    const auto mechanism = made(text);
    RunSetup setup{};
    setup.coordinates = Coordinates::joint, setup.steps = 1, setup.step_s = 1e-6;
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_NEAR(end.initial_state[11], 3.0, consistent);
    EXPECT_NEAR(end.initial_state[13 + 11], -1.5, consistent);
    reference::MechanismSettings settings;
    settings.end_s = settings.step_s = 1e-6, settings.joint_coordinates = true;
    bool is_start = true;
    settings.after_step = [&](const reference::MechanismSample& sample) {
        if (is_start) EXPECT_NEAR(sample.motion.state.bodies[0].angular_velocity[1], 3.0, consistent);
        if (is_start) EXPECT_NEAR(sample.motion.state.bodies[1].angular_velocity[1], -1.5, consistent);
        is_start = false;
    };
    const auto p = mechanism->nominal_kernel_parameters();
    EXPECT_EQ(run_reference_mechanism(backends::reference_model(mechanism->table, p), settings).status, "ok");
}

// Newton's tolerance of positions at the start, rad.
constexpr double placed = 1e-12;

TEST(StartPose, LaysAxesOnEachOtherFromAnyAngle) {
    constexpr double pi = 3.141592653589793;
    for (const double angle : {0.3, 1.4, 0.5 * pi, 1.7, 2.6, pi}) {
        json text;
        text["bodies"]["wheel"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        text["joints"]["hinge"] = joint("revolute", "ground", "wheel", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
        // Exactly perpendicular and opposed where they are.
        const double sine = angle == pi ? 0.0 : std::sin(angle), cosine = angle == 0.5 * pi ? 0.0 : std::cos(angle);
        text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0, sine, cosine}};
        const auto mechanism = made(text);
        for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
            SCOPED_TRACE(testing::Message() << start.path << ", " << angle << " rad");
            const auto& q = start.orientations[0];
            // R e = z, e being the wheel's own axis.
            const Eigen::Vector3d axis = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d(0, sine, cosine);
            EXPECT_NEAR((axis - Eigen::Vector3d::UnitZ()).norm(), 0.0, placed);
            EXPECT_NEAR(start.correction, angle, placed);
        }
    }
}

TEST(StartPose, LaysTheAxesOfAUniversalJointAcrossEachOther) {
    for (const double way : {1.0, -1.0}) {
        json text;
        text["bodies"]["shaft"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        text["joints"]["cross"] = joint("universal", "ground", "shaft", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
        text["joints"]["cross"]["axes"] = {{0, 0, 1}, {0, 0, way}};
        const auto mechanism = made(text);
        for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
            SCOPED_TRACE(testing::Message() << start.path << ", " << way);
            const auto& q = start.orientations[0];
            const Eigen::Vector3d axis = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d::UnitZ();
            EXPECT_NEAR(axis[2], 0.0, placed);
            EXPECT_NEAR(start.correction, 1.5707963267948966, placed);
        }
    }
}

TEST(StartPose, TurnsABodyToItsDriverOverMoreThanARightAngle) {
    for (const double angle : {0.5, 1.5707963267948966, 2.5, -3.0}) {
        json text;
        text["bodies"]["arm"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        text["bodies"]["tool"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}, {"position_m", {1, 0, 0}}};
        text["joints"]["hinge"] = joint("revolute", "ground", "arm", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
        text["joints"]["wrist"] = joint("revolute", "arm", "tool", {1, 0, 0}, {0, 0, 0}, {0, 0, 1});
        text["drivers"]["turn"] = {
            {"type", "angle"}, {"joint", "hinge"}, {"value_rad", std::to_string(angle) + " + t"}};
        const auto mechanism = made(text);
        for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
            SCOPED_TRACE(testing::Message() << start.path << ", " << angle << " rad");
            const auto& q = start.orientations[0];
            const Eigen::Vector3d x = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d::UnitX();
            // The driver's value is written with 6 digits.
            EXPECT_NEAR(x[0], std::cos(angle), 1e-6);
            EXPECT_NEAR(x[1], std::sin(angle), 1e-6);
        }
    }
}

// A platform of 20 kg on six driven struts of two parts each, which lift it straight up with 0.3 m/s.
json platform_on_struts(double strut_kg) {
    json text;
    text["bodies"]["platform"] = body(20.0, {1.2, 1.2, 2.0}, {0, 0, 1.2});
    const auto list = [](const Eigen::Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        const double on_base = 1.0471975511965976 * i + (i % 2 == 0 ? 0.35 : -0.35),
                     on_top = 1.0471975511965976 * i + (i % 2 == 0 ? -0.3 : 0.3) + 0.5;
        const Eigen::Vector3d foot(std::cos(on_base), std::sin(on_base), 0.0),
            head(0.6 * std::cos(on_top), 0.6 * std::sin(on_top), 0.0), along = head - foot + Eigen::Vector3d(0, 0, 1.2);
        const double aside = std::hypot(along[0], along[1]), length = along.norm();
        const Eigen::Vector3d z = along / length, x = z.unitOrthogonal(), y = z.cross(x);
        const json orientation{{"z_axis", list(z)}, {"y_axis", list(y)}};
        const std::vector<double> inertia(3, 0.01 * strut_kg);
        text["bodies"]["lower_" + n] = body(strut_kg, inertia, list(foot + 0.3 * z));
        text["bodies"]["upper_" + n] = body(strut_kg, inertia, list(foot + (length - 0.3) * z));
        text["bodies"]["lower_" + n]["orientation"] = text["bodies"]["upper_" + n]["orientation"] = orientation;
        text["joints"]["foot_" + n] = {{"type", "universal"},
                                       {"bodies", {"ground", "lower_" + n}},
                                       {"points_m", {list(foot), {0, 0, -0.3}}},
                                       {"axes", {list(x), {0, 1, 0}}}};
        text["joints"]["slide_" + n] = joint("prismatic", "lower_" + n, "upper_" + n, {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
        text["joints"]["head_" + n] = {
            {"type", "spherical"}, {"bodies", {"upper_" + n, "platform"}}, {"points_m", {{0, 0, 0.3}, list(head)}}};
        text["drivers"]["lift_" + n] = {
            {"type", "displacement"},
            {"joint", "slide_" + n},
            {"value_m", "sqrt(" + std::to_string(aside * aside) + " + (1.2 + 0.3 * t)^2) - 0.6"}};
    }
    return text;
}

TEST(StartMotion, OfBodiesMuchLighterThanOthersMeetsTheRows) {
    for (const double strut_kg : {1.0, 1e-4, 1e-6}) {
        const auto mechanism = made(platform_on_struts(strut_kg));
        const std::vector<std::string>& names = mechanism->body_names;
        const auto platform =
            static_cast<std::size_t>(std::find(names.begin(), names.end(), "platform") - names.begin());
        for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
            SCOPED_TRACE(testing::Message() << start.path << ", struts of " << strut_kg << " kg");
            // The lengths of the struts are written with 6 digits.
            const double expected[] = {0, 0, 0.3, 0, 0, 0};
            for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(start.bodies[platform][k], expected[k], 1e-5);
        }
    }
}

}  // namespace
}  // namespace myriad::mechanism
