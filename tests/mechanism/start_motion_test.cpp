// The velocities and poses with which mechanisms start, by the kernels in both coordinates and on the reference path,
// against closed forms.
#include "host/mechanism/assembly/start_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/backends/reference/reference_channels.hpp"
#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "tests/mechanism/starts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// Three rods of 1 m in a row along x on hinges about y, the first one on the ground.
json chain() {
    json text;
    for (int i = 0; i < 3; ++i)
        text["bodies"]["rod_" + std::to_string(i)] = start_body(1.0 + i, slender_kg_m2, {0.5 + i, 0.0, 0.0});
    text["joints"]["a"] = start_joint("revolute", "ground", "rod_0", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    text["joints"]["b"] = start_joint("revolute", "rod_0", "rod_1", {0.5, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    text["joints"]["c"] = start_joint("revolute", "rod_1", "rod_2", {0.5, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    return text;
}

TEST(StartMotion, OfACartDoesNotSetItsPendulumTurning) {
    json text;
    text["bodies"]["cart"] = start_body(2.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["cart"]["velocity_m_s"] = {1, 0, 0};
    text["bodies"]["pendulum"] = start_body(1.0, {0.01, 0.02, 0.03}, {0.3, 0, -0.4});
    text["joints"]["rail"] = start_joint("prismatic", "ground", "cart", {0, 0, 0}, {0, 0, 0}, {1, 0, 0});
    text["joints"]["pin"] = start_joint("revolute", "cart", "pendulum", {0, 0, 0}, {-0.3, 0, 0.4}, {0, 1, 0});
    expect_start(text, {{1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
    text["joints"]["pin"]["cut"] = true;
    expect_start(text, {{1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
}

TEST(StartMotion, OfAHingedRodFollowsFromItsAngularVelocity) {
    json text;
    text["bodies"]["rod"] = start_body(1.0, slender_kg_m2, {0.5, 0, 0});
    text["bodies"]["rod"]["angular_velocity_rad_s"] = {0, 5, 0};
    text["joints"]["hinge"] = start_joint("revolute", "ground", "rod", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
    expect_start(text, {{0, 0, -2.5, 0, 5, 0}});
    // And from the velocity of its centre.
    text["bodies"]["rod"].erase("angular_velocity_rad_s");
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, -2.5};
    expect_start(text, {{0, 0, -2.5, 0, 5, 0}});
    // Of a body whose origin lies on the axis the velocity 0 says nothing of the turn.
    text["bodies"]["rod"] = {{"mass_kg", 1},
                             {"inertia_kg_m2", slender_kg_m2},
                             {"centre_of_mass_m", {0.5, 0, 0}},
                             {"velocity_m_s", {0, 0, 0}}};
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
    text["bodies"]["crank"] = start_body(1.0, {0.1, 0.1, 0.1}, {0, 0.5, 0});
    text["bodies"]["coupler"] = start_body(3.0, {0.01, 1, 1}, {1, 1, 0});
    text["bodies"]["rocker"] = start_body(1.0, {0.1, 0.1, 0.1}, {2, 0.5, 0});
    text["joints"]["a"] = start_joint("revolute", "ground", "crank", {0, 0, 0}, {0, -0.5, 0}, {0, 0, 1});
    text["joints"]["b"] = start_joint("revolute", "crank", "coupler", {0, 0.5, 0}, {-1, 0, 0}, {0, 0, 1});
    text["joints"]["c"] = start_joint("revolute", "coupler", "rocker", {1, 0, 0}, {0, 0.5, 0}, {0, 0, 1});
    text["joints"]["d"] = start_joint("revolute", "ground", "rocker", {2, 0, 0}, {0, -0.5, 0}, {0, 0, 1});
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
    const auto of_study = with_given_state(mechanism, given);
    expect_start(*of_study, of_study->kernel_parameters(values, given),
                 {{-3, 0, 0, 0, 0, 0}, {-1.5, 0, 0, 0, 0, 3}, {-1.5, 0, 0, 0, 0, 3}}, 0.0,
                 of_study->all_numbers(values, given));
    EXPECT_EQ(with_given_state(mechanism, std::vector<unsigned char>(values.size(), 0)), mechanism);
}

// A rod of J about its centre, hinged at its end, whose centre is to rest while it turns with 5 rad/s.
json contradicting_rod() {
    json text;
    text["bodies"]["rod"] = start_body(1.0, slender_kg_m2, {0.5, 0, 0});
    text["bodies"]["rod"]["angular_velocity_rad_s"] = {0, 5, 0};
    text["bodies"]["rod"]["velocity_m_s"] = {0, 0, 0};
    text["joints"]["hinge"] = start_joint("revolute", "ground", "rod", {0, 0, 0}, {-0.5, 0, 0}, {0, 1, 0});
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
    text["bodies"]["pinion"] = start_body(1.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["pinion"]["angular_velocity_rad_s"] = {0, 3, 0};
    text["bodies"]["wheel"] = start_body(4.0, {0.5, 0.5, 0.5}, {1, 0, 0});
    text["joints"]["p"] = start_joint("revolute", "ground", "pinion", {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["joints"]["w"] = start_joint("revolute", "ground", "wheel", {1, 0, 0}, {0, 0, 0}, {0, 1, 0});
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
    EXPECT_EQ(run_reference_mechanism(backends::reference_model(*mechanism, p), settings).status, "ok");
}

// A pinion of J = 0.1 and a wheel of J = 0.5 that turns by -1/2 of it.
json pinion_and_wheel() {
    json text;
    text["bodies"]["pinion"] = start_body(1.0, {0.1, 0.1, 0.1}, {0, 0, 0});
    text["bodies"]["wheel"] = start_body(4.0, {0.5, 0.5, 0.5}, {1, 0, 0});
    text["joints"]["p"] = start_joint("revolute", "ground", "pinion", {0, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["joints"]["w"] = start_joint("revolute", "ground", "wheel", {1, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["couplings"]["mesh"] = {{"coordinate", "w.angle"}, {"follows", "p.angle"}, {"ratio", -0.5}};
    return text;
}
// Body coordinates know no couplings.
void expect_coupled_start(const json& text, const std::vector<double>& rates, double velocity_correction) {
    const auto mechanism = made(text);
    for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
        if (start.path.find("joint") == std::string::npos) continue;
        SCOPED_TRACE(start.path);
        for (std::size_t b = 0; b < rates.size(); ++b) EXPECT_NEAR(start.bodies[b][4], rates[b], consistent);
        EXPECT_NEAR(start.velocity_correction, velocity_correction, consistent);
    }
}
std::string told_of(const json& text) { return warning_of_assembly(*made(text)).value_or(""); }

TEST(StartMotion, ThatContradictsACouplingChangesByTheLeastInTheNormOfTheMassesAndCounts) {
    // min 0.1 (p - 3)^2 + 0.5 (w - 3)^2 with w = -p / 2
    const double p = (0.1 * 3.0 - 0.5 * 0.5 * 3.0) / (0.1 + 0.25 * 0.5), w = -0.5 * p,
                 change = std::hypot(p - 3.0, w - 3.0);
    json bodies = pinion_and_wheel(), joints = bodies, one_of_each = bodies;
    bodies["bodies"]["pinion"]["angular_velocity_rad_s"] =
        bodies["bodies"]["wheel"]["angular_velocity_rad_s"] = {0, 3, 0};
    expect_coupled_start(bodies, {p, w}, change);
    joints["joints"]["p"]["rate_rad_s"] = joints["joints"]["w"]["rate_rad_s"] = 3.0;
    expect_coupled_start(joints, {p, w}, change);
    // A start rate of a joint stays before the velocity of a body does.
    one_of_each["bodies"]["wheel"]["angular_velocity_rad_s"] = {0, 3, 0};
    one_of_each["joints"]["p"]["rate_rad_s"] = 3.0;
    expect_coupled_start(one_of_each, {3.0, -1.5}, 4.5);
    // What follows from the other one contradicts nothing.
    joints["joints"]["w"]["rate_rad_s"] = -1.5;
    expect_coupled_start(joints, {3.0, -1.5}, 0.0);
    EXPECT_EQ(told_of(joints), "");
    joints["joints"]["w"].erase("rate_rad_s");
    expect_coupled_start(joints, {3.0, -1.5}, 0.0);
}

TEST(StartMotion, ThatContradictsADrivenCouplingFollowsTheDriver) {
    json text = pinion_and_wheel();
    text["drivers"]["motor"] = {{"type", "angle"}, {"joint", "p"}, {"value_rad", "2 * t"}};
    text["joints"]["w"]["rate_rad_s"] = 3.0;
    expect_coupled_start(text, {2.0, -1.0}, 4.0);
    EXPECT_THAT(told_of(text), has("couplings.mesh: the given velocities have w.angle at a rate of 3",
                                   "this coupling has it at -1, where p.angle has 2"));
}

TEST(AssemblyReport, TellsVelocitiesThatContradictACouplingWithBothNumbers) {
    json text = pinion_and_wheel();
    text["joints"]["p"]["rate_rad_s"] = text["joints"]["w"]["rate_rad_s"] = 3.0;
    EXPECT_THAT(told_of(text), has("couplings.mesh: the given velocities have w.angle at a rate of 3",
                                   "this coupling has it at -1.5, where p.angle has 3; they start with 1 and -2",
                                   "w.angle is given the rate 3 rad/s and starts with 1 rad/s"));
    text["assembly"] = "refuse";
    EXPECT_THAT(study::refusal([&] { told_of(text); }), has("couplings.mesh", "\"assembly\": \"warn\""));
    text = pinion_and_wheel();
    for (const char* body : {"pinion", "wheel"}) text["bodies"][body]["angular_velocity_rad_s"] = {0, 3, 0};
    EXPECT_THAT(told_of(text), has("couplings.mesh",
                                   "bodies.pinion is given the angular velocity [0, 3, 0] rad/s and starts with "
                                   "[0, -2, 0] rad/s"));
}

// No coupling has both of its rates given.
TEST(AssemblyReport, TellsRatesThatContradictEachOtherOverSeveralCouplings) {
    json text = pinion_and_wheel();
    text["bodies"]["screw"] = start_body(1.0, {0.1, 0.1, 0.1}, {2, 0, 0});
    text["joints"]["s"] = start_joint("revolute", "ground", "screw", {2, 0, 0}, {0, 0, 0}, {0, 1, 0});
    text["couplings"]["second"] = {{"coordinate", "s.angle"}, {"follows", "w.angle"}, {"ratio", 2}};
    text["joints"]["p"]["rate_rad_s"] = text["joints"]["s"]["rate_rad_s"] = 3.0;
    // p = -s, w = s / 2: the pinion and the screw are equal.
    expect_coupled_start(text, {0.0, 0.0, 0.0}, std::hypot(3.0, 3.0));
    EXPECT_THAT(told_of(text), has("s.angle is given the rate 3 rad/s and starts with 0 rad/s"));
}

// Newton's tolerance of positions at the start, rad.
constexpr double placed = 1e-12;

TEST(StartPose, LaysAxesOnEachOtherFromAnyAngle) {
    constexpr double pi = 3.141592653589793;
    for (const double angle : {0.3, 1.4, 0.5 * pi, 1.7, 2.6, pi}) {
        json text;
        text["bodies"]["wheel"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        text["joints"]["hinge"] = start_joint("revolute", "ground", "wheel", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
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

// The angle counts from where the axes are laid on each other, so that it starts with 0.
TEST(StartPose, LaysAnyTwoAxesOfAnyJointOnEachOther) {
    std::vector<Eigen::Vector3d> axes;
    for (const double way : {1.0, -1.0})
        for (int k = 0; k < 3; ++k) axes.push_back(way * Eigen::Vector3d::Unit(k));
    const auto list = [](const Eigen::Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
    for (const char* type : {"revolute", "cylindrical", "prismatic", "planar"})
        for (const Eigen::Vector3d& a : axes)
            for (const Eigen::Vector3d& b : axes) {
                SCOPED_TRACE(testing::Message() << type << ", " << a.transpose() << " on " << b.transpose());
                json text;
                text["bodies"]["wheel"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.2, 0.25}}};
                text["joints"]["hinge"] = start_joint(type, "ground", "wheel", {0, 0, 0}, {0, 0, 0}, {});
                text["joints"]["hinge"]["axes"] = {list(a), list(b)};
                const bool turns = std::string(type) != "prismatic";
                text["sensors"]["turned"] = {{"type", turns ? "angle" : "displacement"}, {"joint", "hinge"}};
                const auto mechanism = made(text);
                RunSetup setup;
                setup.coordinates = Coordinates::joint, setup.steps = 1;
                setup.observed = {channel_index(*mechanism, "turned")};
                EXPECT_NEAR(run_nominal(*mechanism, setup).rows.front()[0], 0.0, placed);
                for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
                    SCOPED_TRACE(start.path);
                    const auto& q = start.orientations[0];
                    const Eigen::Vector3d axis = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * b;
                    EXPECT_NEAR((axis - a).norm(), 0.0, placed);
                    EXPECT_NEAR(start.correction, std::acos(a.dot(b)), placed);
                }
            }
}

// A cart on a rail, a rod that hangs on it and a bob on the rod, all without a pose.
TEST(StartPose, HangsBodiesWithoutAPoseOnTheirJointsWhereverDriversBegin) {
    for (const double begin : {0.0, 0.003, 0.1, 0.3, -2.0})
        for (const bool turns : {false, true}) {
            SCOPED_TRACE(testing::Message() << begin << (turns ? " rad" : " m"));
            json text;
            for (const char* body : {"bob", "cart", "rod"})
                text["bodies"][body] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.02, 0.02, 0.02}}};
            text["joints"]["rail"] = start_joint("prismatic", "ground", "cart", {0.2, 0, 0.1}, {0, 0, 0}, {1, 0, 0});
            text["joints"]["pin"] = start_joint("revolute", "cart", "rod", {0, 0, 0}, {0, 0, 0.5}, {0, 1, 0});
            text["joints"]["knee"] = start_joint("revolute", "rod", "bob", {0, 0, -0.5}, {0, 0, 0.2}, {0, 1, 0});
            const std::string from = std::to_string(begin) + " + 0 * t";
            text["drivers"]["motor"] = turns ? json{{"type", "angle"}, {"joint", "pin"}, {"value_rad", from}}
                                             : json{{"type", "displacement"}, {"joint", "rail"}, {"value_m", from}};
            const auto mechanism = made(text);
            // About y a point at the distance r below the pin lies at -r (sin, 0, cos).
            const double angle = turns ? begin : 0.0;
            const Eigen::Vector3d pin(turns ? 0.2 : 0.2 + begin, 0.0, 0.1), down(-std::sin(angle), 0, -std::cos(angle));
            const Eigen::Vector3d expected[] = {pin + 1.2 * down, pin, pin + 0.5 * down};
            for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
                SCOPED_TRACE(start.path);
                for (std::size_t b = 0; b < 3; ++b) {
                    const auto &r = start.positions[b], &q = start.orientations[b];
                    const Eigen::Vector3d z = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d::UnitZ();
                    EXPECT_NEAR((Eigen::Vector3d(r[0], r[1], r[2]) - expected[b]).norm(), 0.0, placed);
                    EXPECT_NEAR((z + (b == 1 ? Eigen::Vector3d(0, 0, -1) : down)).norm(), 0.0, placed);
                }
            }
        }
}

TEST(StartPose, LaysTheAxesOfAUniversalJointAcrossEachOther) {
    for (const double way : {1.0, -1.0}) {
        json text;
        text["bodies"]["shaft"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        text["joints"]["cross"] = start_joint("universal", "ground", "shaft", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
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
        text["joints"]["hinge"] = start_joint("revolute", "ground", "arm", {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
        text["joints"]["wrist"] = start_joint("revolute", "arm", "tool", {1, 0, 0}, {0, 0, 0}, {0, 0, 1});
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
    text["bodies"]["platform"] = start_body(20.0, {1.2, 1.2, 2.0}, {0, 0, 1.2});
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
        text["bodies"]["lower_" + n] = start_body(strut_kg, inertia, list(foot + 0.3 * z));
        text["bodies"]["upper_" + n] = start_body(strut_kg, inertia, list(foot + (length - 0.3) * z));
        text["bodies"]["lower_" + n]["orientation"] = text["bodies"]["upper_" + n]["orientation"] = orientation;
        text["joints"]["foot_" + n] = {{"type", "universal"},
                                       {"bodies", {"ground", "lower_" + n}},
                                       {"points_m", {list(foot), {0, 0, -0.3}}},
                                       {"axes", {list(x), {0, 1, 0}}}};
        text["joints"]["slide_" + n] =
            start_joint("prismatic", "lower_" + n, "upper_" + n, {0, 0, 0}, {0, 0, 0}, {0, 0, 1});
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
