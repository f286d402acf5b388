// Values with which joints of a tree start: bodies are placed by closed forms, or by the definition of each joint with
// Eigen.
#include "tests/mechanism_file/start_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/mechanism/varied_parameters.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::Matrix3d;

TEST(StartValues, PlaceAndMoveADoublePendulum) {
    ordered_json text = pendulum_of_two();
    const double a = 0.7, b = -0.4, a_rate = 1.3, b_rate = -2.0;
    text["joints"]["shoulder"].update({{"angle_rad", a}, {"rate_rad_s", a_rate}});
    text["joints"]["elbow"].update({{"angle_rad", b}, {"rate_rad_s", b_rate}});
    const auto mechanism = assembled(text);
    const Motions start = motions_of(*mechanism, mechanism->nominal_kernel_parameters());
    const auto along = [](double angle) { return Vector3d(std::cos(angle), std::sin(angle), 0.0); };
    const auto across = [](double angle) { return Vector3d(-std::sin(angle), std::cos(angle), 0.0); };
    const double both = a + b, both_rate = a_rate + b_rate;
    EXPECT_LE((start.pose.position[0] - 0.5 * along(a)).norm(), few_roundings_of_states);
    EXPECT_LE((start.pose.position[1] - along(a) - 0.4 * along(both)).norm(), few_roundings_of_states);
    EXPECT_LE((start.pose.orientation[1].col(0) - along(both)).norm(), few_roundings_of_states);
    EXPECT_LE((start.velocity[0] - 0.5 * a_rate * across(a)).norm(), few_roundings_of_states);
    EXPECT_LE((start.velocity[1] - a_rate * across(a) - 0.4 * both_rate * across(both)).norm(),
              few_roundings_of_states);
    EXPECT_LE((start.spin[1] - Vector3d(0, 0, both_rate)).norm(), few_roundings_of_states);
}

TEST(StartValues, OfAnInnerJointCarryTheOuterBodiesAlongAsTheFileHasThem) {
    ordered_json text = pendulum_of_two();
    text["bodies"]["upper"].update({{"position_m", {0, 0, 0}}});
    text["bodies"]["lower"].update({{"position_m", {1, 0, 0}},
                                    {"orientation", {{"rotation_vector_rad", {0, 0, 0.3}}}},
                                    {"angular_velocity_rad_s", {0, 0, 0.25}}});
    text["joints"]["shoulder"].update({{"angle_rad", 1.1}, {"rate_rad_s", 2.0}});
    const auto mechanism = assembled(text);
    const Motions start = motions_of(*mechanism, mechanism->nominal_kernel_parameters());
    EXPECT_NEAR(std::atan2(start.pose.orientation[1](1, 0), start.pose.orientation[1](0, 0)), 1.4,
                few_roundings_of_states);
    EXPECT_NEAR(start.spin[1][2], 0.25, few_roundings_of_states) << "is given";
    EXPECT_EQ(mechanism->warnings, std::vector<std::string>{}) << "the file's poses are the angle's zero";
}

// Generic geometry: point, axis and reference of a body.
const Vector3d point_on[2] = {{0.4, -0.1, 0.7}, {-0.2, 0.6, 0.1}}, axis_on[2] = {{1.0, 2.0, -0.5}, {0.3, -1.0, 0.8}},
               reference_on[2] = {{0.2, 0.3, 1.0}, {1.0, 0.1, 0.4}};
ordered_json list_of(const Vector3d& v) { return {v[0], v[1], v[2]}; }
ordered_json pair_of(const Vector3d* v) { return {list_of(v[0]), list_of(v[1])}; }

struct GivenCoordinate {
    const char *sensor, *value_key, *rate_key;
    double value, rate;
};
struct JointStart {
    const char* type;
    std::vector<GivenCoordinate> coordinates;
};
std::vector<JointStart> every_joint_start() {
    const GivenCoordinate angle{"angle", "angle_rad", "rate_rad_s", 1.2, -0.8},
        shift{"displacement", "displacement_m", "displacement_rate_m_s", 0.35, 0.6},
        first{"displacement_1", "displacement_1_m", "displacement_rate_1_m_s", -0.2, 0.9},
        second{"displacement_2", "displacement_2_m", "displacement_rate_2_m_s", 0.45, -1.1},
        third{"displacement_3", "displacement_3_m", "displacement_rate_3_m_s", 0.15, 0.7};
    return {{"revolute", {angle}},
            {"prismatic", {shift}},
            {"cylindrical", {shift, angle}},
            {"planar", {first, second, angle}},
            {"translational", {first, second, third}},
            {"universal",
             {{"angle_1", "angle_1_rad", "rate_1_rad_s", 0.9, -0.8},
              {"angle_2", "angle_2_rad", "rate_2_rad_s", -1.3, 1.7}}}};
}

// Of two_bodies, whose poses do not fit the joint at all.
void expect_given_values(const ordered_json& text, const JointStart& start) {
    const auto mechanism = unassembled(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Motions at = motions_of(*mechanism, p);
    constexpr double step_s = 1e-5, differences = 1e-8;
    EXPECT_LE(largest_constraint(*mechanism, p, at.pose), few_roundings_of_states);
    EXPECT_LE(largest_constraint(*mechanism, p, later(at, step_s)), 1e2 * step_s * step_s) << "the rows' rates are 0";
    const int sensors = mechanism->table.elements - static_cast<int>(start.coordinates.size());
    for (std::size_t k = 0; k < start.coordinates.size(); ++k) {
        const Element& element = mechanism->table.element[sensors + static_cast<int>(k)];
        const auto value = [&](double time_s) { return rows_without_function(element, p, later(at, time_s))[0]; };
        EXPECT_NEAR(value(0.0), start.coordinates[k].value, few_roundings_of_states) << start.coordinates[k].sensor;
        EXPECT_NEAR((value(step_s) - value(-step_s)) / (2 * step_s), start.coordinates[k].rate, differences)
            << start.coordinates[k].sensor;
    }
}

TEST(StartValues, HoldForEveryJointWhicheverBodyTheTreePassesFirst) {
    for (const JointStart& start : every_joint_start())
        for (const auto& [a, b] : {std::pair{"ground", "rod"}, std::pair{"rod", "ground"}, std::pair{"crank", "rod"},
                                   std::pair{"rod", "crank"}}) {
            SCOPED_TRACE(testing::Message() << start.type << " from " << a << " to " << b);
            ordered_json text = ordered_json::parse(two_bodies().dump());
            ordered_json joint{
                {"type", start.type}, {"bodies", {a, b}}, {"points_m", pair_of(point_on)}, {"axes", pair_of(axis_on)}};
            if (std::string(start.type) != "universal") joint["references"] = pair_of(reference_on);
            for (const GivenCoordinate& one : start.coordinates) {
                joint[one.value_key] = one.value, joint[one.rate_key] = one.rate;
                text["sensors"][one.sensor] = {{"type", one.sensor}, {"joint", "test"}};
            }
            text["joints"]["test"] = joint;
            expect_given_values(text, start);
        }
}

TEST(StartValues, OfASphericalJointAreTheOrientationAndAngularVelocityOfBRelativeToA) {
    for (const bool backwards : {false, true}) {
        ordered_json text = ordered_json::parse(two_bodies().dump());
        text["joints"]["ball"] = {{"type", "spherical"},
                                  {"bodies", {backwards ? "rod" : "crank", backwards ? "crank" : "rod"}},
                                  {"points_m", pair_of(point_on)},
                                  {"orientation", {{"quaternion", {0.6, 0.48, -0.64, 0.0}}}},
                                  {"angular_velocity_rad_s", {0.7, -1.2, 0.4}}};
        const auto mechanism = unassembled(text);
        const std::vector<double> p = mechanism->nominal_kernel_parameters();
        const Motions at = motions_of(*mechanism, p);
        const std::size_t a = backwards ? 1 : 0, b = 1 - a;
        const Matrix3d relative = at.pose.orientation[a].transpose() * at.pose.orientation[b];
        EXPECT_LE((relative - Eigen::Quaterniond(0.6, 0.48, -0.64, 0.0).toRotationMatrix()).norm(),
                  few_roundings_of_states);
        EXPECT_LE((at.spin[b] - relative.transpose() * at.spin[a] - Vector3d(0.7, -1.2, 0.4)).norm(),
                  few_roundings_of_states);
        EXPECT_LE(largest_constraint(*mechanism, p, at.pose), few_roundings_of_states);
    }
}

TEST(StartValues, LetTheTurnsOfAnAngleBeginAtThem) {
    ordered_json text = pendulum_of_two();
    text["joints"]["shoulder"]["angle_rad"] = 20.0;
    text["sensors"] = {{"elbow", {{"type", "angle"}, {"joint", "elbow"}}},
                       {"shoulder", {{"type", "angle"}, {"joint", "shoulder"}}}};
    const auto mechanism = assembled(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const MechanismTable& table = mechanism->table;
    EXPECT_EQ(table.start_angle[0], 0);
    ASSERT_NE(table.start_angle[1], 0);
    EXPECT_EQ(p[static_cast<std::size_t>(table.start_angle[1])], 20.0);
    ASSERT_EQ(mechanism->start_angles.size(), 1u);
    EXPECT_EQ(mechanism->start_angles[0].joint, 0);
    EXPECT_EQ(mechanism->start_angles[0].coordinate, "angle");
    EXPECT_EQ(mechanism->start_angles[0].parameter, table.start_angle[1]);
    const auto nominal = std::make_unique<NominalInstance>(table, p);
    EXPECT_EQ(nominal->assemble().reason, 0.0);
    EXPECT_NEAR(nominal->motion.q.turned[0], 0.0, few_roundings_of_states);
    EXPECT_NEAR(nominal->motion.q.turned[1], 20.0, few_roundings_of_states);
}

TEST(StartValues, OfADrivenAngleAreTheDrivers) {
    ordered_json text = pendulum_of_two();
    text["sensors"] = {{"turn", {{"type", "angle"}, {"joint", "shoulder"}}}};
    text["drivers"] = {{"motor", {{"type", "angle"}, {"joint", "shoulder"}, {"value_rad", "20 + 3 * t"}}}};
    const auto mechanism = assembled(text);
    const auto nominal = std::make_unique<NominalInstance>(mechanism->table, mechanism->nominal_kernel_parameters());
    EXPECT_EQ(nominal->assemble().reason, 0.0);
    EXPECT_NEAR(nominal->motion.q.turned[0], 20.0, few_roundings_of_states);
}

TEST(StartValues, AreNumbersOfTheFileWhereTheyStandInIt) {
    ordered_json text = pendulum_of_two();
    text["parameters"] = {{"bend", 0.25}};
    text["joints"]["elbow"]["angle_rad"] = "2 * bend";
    const auto mechanism = assembled(text);
    const Number& number = mechanism->numbers[number_of(*mechanism, "joints.elbow.angle_rad")];
    EXPECT_EQ(number.value, 0.5);
    EXPECT_EQ(number.unit, "rad");
    EXPECT_THROW(number_of(*mechanism, "joints.elbow.rate_rad_s"), std::out_of_range);
    EXPECT_THROW(number_of(*mechanism, "joints.shoulder.angle_rad"), std::out_of_range);
}

TEST(StartValues, AreNotThereInAFileWithoutThem) {
    const auto mechanism = assembled(pendulum_of_two());
    EXPECT_EQ(mechanism->table.open_start_row, 0);
    const std::size_t point[] = {number_of(*mechanism, "joints.elbow.points_m[0][0]")};
    std::vector<int> of_bodies = mechanism->dependent_parameters(point);
    std::erase_if(of_bodies, [&](int parameter) { return parameter >= mechanism->table.joint.link_parameter; });
    EXPECT_EQ(of_bodies.size(), 5u) << "the point, the length scale and the extent";
}

}  // namespace
}  // namespace myriad::mechanism
