// Poses and velocities that a file gives beside start values of joints: what contradicts is changed, measured and told.
#include <cmath>

#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/assembly/start_motion.hpp"
#include "tests/mechanism/starts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

constexpr double pi = 3.141592653589793;

std::string told_of(const json& text) { return warning_of_assembly(*made(text)).value_or(""); }
std::string refused_where_asked(json text) {
    text["assembly"] = "refuse";
    return study::refusal([&] { told_of(text); });
}
void expect_correction(const json& text, double correction) {
    const auto mechanism = made(text);
    for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
        SCOPED_TRACE(start.path);
        EXPECT_NEAR(start.correction, correction, consistent);
        EXPECT_NEAR(start.velocity_correction, 0.0, consistent);
    }
}
// A body whose hinge about z lies 1 m beside its centre of mass; the length scale is 1 m.
json hinged_body(double x) {
    json text;
    text["bodies"]["arm"] = start_body(1.0, {0.01, 0.01, 0.01}, {x, 0, 0});
    text["joints"]["hinge"] = start_joint("revolute", "ground", "arm", {0, 0, 0}, {-1, 0, 0}, {0, 0, 1});
    return text;
}

TEST(GivenState, OfAVelocityYieldsToARateWithTheDifferenceMeasured) {
    json text = hinged_body(1.0);
    text["bodies"]["arm"]["angular_velocity_rad_s"] = {0, 0, 2};
    text["joints"]["hinge"]["rate_rad_s"] = 4.0;
    expect_start(text, {{0, 4, 0, 0, 0, 4}}, 2.0);
    EXPECT_THAT(told_of(text),
                has("bodies.arm is given the angular velocity [0, 0, 2] rad/s and starts with [0, 0, 4]"));
    EXPECT_THAT(refused_where_asked(text), has("[0, 0, 2]", "[0, 0, 4]"));
    text["bodies"]["arm"]["angular_velocity_rad_s"] = {0, 0, 4};
    expect_start(text, {{0, 4, 0, 0, 0, 4}});
    EXPECT_EQ(told_of(text), "");
}

TEST(GivenState, OfAPoseYieldsToAJointThatStartsWithARate) {
    json text = hinged_body(1.3);
    text["joints"]["hinge"]["rate_rad_s"] = 1.0;
    expect_correction(text, 0.3);
    EXPECT_THAT(told_of(text), has("joints.hinge is off by 0.3 m", "arm by 0.3 m"));
    EXPECT_THAT(refused_where_asked(text), has("joints.hinge is off by 0.3 m"));
    // A body beyond it, too.
    text = hinged_body(1.0);
    text["joints"]["hinge"]["rate_rad_s"] = 1.0;
    text["bodies"]["tool"] = start_body(1.0, {0.01, 0.01, 0.01}, {2.3, 0, 0});
    text["joints"]["wrist"] = start_joint("revolute", "arm", "tool", {1, 0, 0}, {0, 0, 0}, {0, 0, 1});
    expect_correction(text, 0.3);
    EXPECT_THAT(refused_where_asked(text), has("joints.wrist is off by 0.3 m", "tool by 0.3 m"));
}

TEST(GivenState, OfAnOrientationIsWhatAxesThatDoNotFitTurn) {
    json text = hinged_body(1.0);
    text["joints"]["hinge"]["rate_rad_s"] = 1.0;
    text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0, 1, -1}};
    expect_correction(text, 0.0);  // no orientation is given
    EXPECT_EQ(told_of(text), "");
    text["bodies"]["arm"]["orientation"] = {{"rotation_vector_rad", {0, 0, 0}}};
    expect_correction(text, 0.75 * pi);
    EXPECT_THAT(told_of(text), has("joints.hinge is off by 2.36 rad", "arm by 2.36 rad"));
    EXPECT_THAT(refused_where_asked(text), has("joints.hinge is off by 2.36 rad"));
}

TEST(GivenState, OfABodyThatIsNotGivenFollowsTheJoint) {
    json text = hinged_body(1.0);
    text["bodies"]["arm"].erase("position_m");
    text["joints"]["hinge"].update({{"angle_rad", 0.7}, {"rate_rad_s", 2.0}});
    expect_correction(text, 0.0);
    EXPECT_EQ(told_of(text), "");
    // An angle without references counts from the pose of the file.
    text["bodies"]["arm"].update({{"position_m", {1, 0, 0}}, {"orientation", {{"rotation_vector_rad", {0, 0, 0}}}}});
    expect_correction(text, 0.0);
    EXPECT_EQ(told_of(text), "");
    // Otherwise the pose is given, and its centre moves on a circle: 2 sin(0.35).
    text["joints"]["hinge"]["references"] = {{1, 0, 0}, {1, 0, 0}};
    expect_correction(text, std::hypot(0.7, 2.0 * std::sin(0.35)));
}

TEST(GivenState, OfVelocitiesHoldsBesideRatesThatLeaveThem) {
    json text = rods_in_line(2);
    text["joints"]["hinge_0"]["rate_rad_s"] = 1.0;
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({1, 5}));
    // Of three rods the third turns on the second, beside which 2 E = w^2 / 3 + (w + 5 / 2)^2 + (w + 15 / 2)^2 + ...
    text = rods_in_line(3);
    text["joints"]["hinge_2"]["rate_rad_s"] = 0.5;
    text["bodies"]["rod_1"]["angular_velocity_rad_s"] = {0, 0, 5};
    expect_start(text, turning_rods({-30.0 / 7.0, 5, 5.5}));
    // The velocity of a body's origin, 0.5 m beside its centre of mass.
    text = rods_in_line(2);
    text["joints"]["hinge_0"]["rate_rad_s"] = 1.0;
    text["bodies"]["rod_1"].update({{"position_m", {1, 0, 0}}, {"centre_of_mass_m", {0.5, 0, 0}}});
    text["bodies"]["rod_1"].update({{"velocity_m_s", {0, 1, 0}}, {"angular_velocity_rad_s", {0, 0, 5}}});
    text["joints"]["hinge_1"]["points_m"] = {{0.5, 0, 0}, {0, 0, 0}};
    expect_start(text, turning_rods({1, 5}));
}

TEST(GivenState, OfVelocitiesThatContradictRatesAllChangesByTheLeast) {
    // min (w - 5)^2 / 12 + (1 + w / 2)^2
    json text = rods_in_line(2);
    text["joints"]["hinge_0"]["rate_rad_s"] = 1.0;
    text["bodies"]["rod_1"].update({{"angular_velocity_rad_s", {0, 0, 5}}, {"velocity_m_s", {0, 0, 0}}});
    expect_start(text, turning_rods({1, -0.25}), std::hypot(5.25, 0.875 / 0.5));
}

TEST(GivenState, OfRestBelowADrivenTrolleyContradictsNothing) {
    json text;
    text["bodies"]["trolley"] = start_body(5.0, {0.01, 0.01, 0.01}, {0, 0, 0});
    text["bodies"]["bob"] = start_body(1.0, {0.02, 0.02, 0.02}, {0, 0, -2});
    text["bodies"]["bob"]["velocity_m_s"] = {0, 0, 0};
    text["joints"]["rail"] = start_joint("prismatic", "ground", "trolley", {0, 0, 0}, {0, 0, 0}, {1, 0, 0});
    text["joints"]["pin"] = start_joint("revolute", "trolley", "bob", {0, 0, 0}, {0, 0, 2}, {0, 1, 0});
    text["drivers"]["motor"] = {{"type", "displacement"}, {"joint", "rail"}, {"value_m", "0.5 * t"}};
    expect_start(text, {{0, 0, 0, 0, 0.25, 0}, {0.5, 0, 0, 0, 0, 0}});
    EXPECT_EQ(told_of(text), "");
    text["assembly"] = "refuse";
    EXPECT_EQ(told_of(text), "");
}

TEST(GivenState, IsMeasuredInEveryInstance) {
    json text = hinged_body(1.0);
    text["bodies"]["arm"]["angular_velocity_rad_s"] = {0, 0, 2};
    text["joints"]["hinge"]["rate_rad_s"] = 2.0;
    const auto mechanism = made(text);
    std::vector<std::vector<double>> instances;
    for (const double rate : {1.0, 2.0, 4.0})
        instances.push_back(with_numbers(*mechanism, {{"joints.hinge.rate_rad_s", rate}}));
    RunSetup setup{};
    setup.coordinates = Coordinates::joint, setup.steps = 1, setup.step_s = 1e-6;
    const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
    for (const auto& [i, expected] : {std::pair{0u, 1.0}, {1u, 0.0}, {2u, 2.0}}) {
        EXPECT_EQ(ends[i].status, Status::ok);
        EXPECT_NEAR(ends[i].velocity_correction, expected, consistent);
    }
}

TEST(GivenState, OfAStudyCountsBesideStartValues) {
    json text = hinged_body(1.0);
    text["joints"]["hinge"]["rate_rad_s"] = 2.0;
    const auto mechanism = made(text);
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> given(values.size(), 0);
    const std::size_t spin = number_of(*mechanism, "bodies.arm.angular_velocity_rad_s[2]");
    given[spin] = 1;  // 0 rad/s
    const auto of_study = with_given_state(mechanism, given);
    expect_start(*of_study, of_study->kernel_parameters(values, given), {{0, 2, 0, 0, 0, 2}}, 2.0);
}

TEST(OpposedAxes, TurnABodyWhoseOrientationIsNotGiven) {
    json text = hinged_body(1.0);
    text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0, 0, -1}};
    text["bodies"]["arm"]["angular_velocity_rad_s"] = {0, 0, 3};
    EXPECT_EQ(told_of(text), "");
    const auto mechanism = made(text);
    for (const Start& start : starts(*mechanism, mechanism->nominal_kernel_parameters())) {
        SCOPED_TRACE(start.path);
        const auto& q = start.orientations[0];
        const Eigen::Vector3d axis = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d(0, 0, -1);
        EXPECT_NEAR((axis - Eigen::Vector3d::UnitZ()).norm(), 0.0, consistent);
        EXPECT_NEAR(start.correction, pi, consistent);
    }
}

TEST(OpposedAxes, OfGivenOrientationsAreRefusedWithTheirJoint) {
    json text = hinged_body(1.0);
    text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0, 0, -1}};
    text["bodies"]["arm"]["orientation"] = {{"rotation_vector_rad", {0, 0, 0}}};
    EXPECT_THAT(study::refusal([&] { made(text); }), has("/joints/hinge: ", "opposite directions", "other sign"));
    text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0, 0, 1}};
    made(text);
}

}  // namespace
}  // namespace myriad::mechanism
