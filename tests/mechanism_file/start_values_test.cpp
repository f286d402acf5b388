// Values with which joints start: bodies are placed by closed forms, or by the definition of each joint with Eigen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "tests/mechanism/element_values.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::ordered_json;
using study::has;

// Roundings of lengths and products of size one to ten.
constexpr double few_roundings_of_states = 1e-13;
// A state that Newton's method put together, to its last correction.
constexpr double closed_m = 1e-11;

std::shared_ptr<const Mechanism> unassembled(const ordered_json& text) {
    return parse_unassembled(text.dump(), "test.json");
}
std::shared_ptr<const Mechanism> assembled(const ordered_json& text) {
    return parse_mechanism(text.dump(), "test.json");
}
std::string refusal_of(const ordered_json& text) {
    return study::refusal([&] { parse_mechanism(text.dump(), "test.json"); });
}

struct Motions {
    Poses pose;
    std::vector<Vector3d> velocity, spin;  // of the centre of mass, world; body axes
};
Motions motions_of(const Mechanism& mechanism, const std::vector<double>& p) {
    Motions motions{initial_poses(mechanism, p), {}, {}};
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        motions.velocity.push_back(vector_at(p, body_parameter(b, body_velocity)));
        motions.spin.push_back(vector_at(p, body_parameter(b, body_angular_velocity)));
    }
    return motions;
}
// Where the bodies are a little later, to first order.
Poses later(const Motions& now, double time_s) {
    Poses pose = now.pose;
    for (std::size_t b = 0; b < now.velocity.size(); ++b) {
        pose.position[b] += time_s * now.velocity[b];
        pose.orientation[b] =
            pose.orientation[b] *
            AngleAxisd(time_s * now.spin[b].norm(), now.spin[b].stableNormalized()).toRotationMatrix();
    }
    return pose;
}

double largest_constraint(const Mechanism& mechanism, const std::vector<double>& p, const Poses& pose) {
    double largest = 0.0;
    for (int e = 0; e < mechanism.table.elements; ++e)
        if (!mechanism.table.element[e].has_law)
            largest =
                std::max(largest, rows_without_function(mechanism.table.element[e], p, pose).cwiseAbs().maxCoeff());
    return largest;
}

ordered_json body(const Vector3d& centre) {
    return {
        {"mass_kg", 1.5}, {"inertia_kg_m2", {0.2, 0.3, 0.4}}, {"centre_of_mass_m", {centre[0], centre[1], centre[2]}}};
}
ordered_json hinge(const std::string& a, const std::string& b, double x_on_a, double x_on_b = 0.0) {
    return {{"type", "revolute"},
            {"bodies", {a, b}},
            {"points_m", {{x_on_a, 0, 0}, {x_on_b, 0, 0}}},
            {"axes", {{0, 0, 1}, {0, 0, 1}}}};
}

// Rods along x about z axes, none with a pose.
ordered_json pendulum_of_two() {
    ordered_json text;
    text["bodies"] = {{"upper", body({0.5, 0, 0})}, {"lower", body({0.4, 0, 0})}};
    text["joints"] = {{"shoulder", hinge("ground", "upper", 0.0)}, {"elbow", hinge("upper", "lower", 1.0)}};
    return text;
}

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
                                    {"angular_velocity_rad_s", {0, 0, 0.25}},
                                    {"velocity_m_s", {0, 0, 0}}});
    text["joints"]["shoulder"].update({{"angle_rad", 1.1}, {"rate_rad_s", 2.0}});
    const auto mechanism = assembled(text);
    const Motions start = motions_of(*mechanism, mechanism->nominal_kernel_parameters());
    EXPECT_NEAR(std::atan2(start.pose.orientation[1](1, 0), start.pose.orientation[1](0, 0)), 1.4,
                few_roundings_of_states);
    EXPECT_NEAR(start.spin[1][2], 2.25, few_roundings_of_states);
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

// A planar four-bar: ground 1 m, crank 0.3 m, coupler 1 m, rocker 0.8 m, drawn with the crank at 0.5 rad.
struct FourBar {
    double crank, coupler, rocker;  // angles from x
};
FourBar four_bar(double crank) {
    const Vector3d b(0.3 * std::cos(crank), 0.3 * std::sin(crank), 0), d(1, 0, 0);
    const double reach = (d - b).norm(), along = std::atan2((d - b)[1], (d - b)[0]);
    const double inner = std::acos((reach * reach + 1.0 - 0.64) / (2 * reach));
    const double coupler = along + inner;
    const Vector3d c = b + Vector3d(std::cos(coupler), std::sin(coupler), 0);
    return {crank, coupler, std::atan2(c[1], c[0] - 1.0)};
}
ordered_json four_bar_text(double drawn) {
    const FourBar at = four_bar(drawn);
    const auto rod = [](double length, double x, double y, double angle) {
        ordered_json one = body({length / 2, 0, 0});
        one.update({{"position_m", {x, y, 0}}, {"orientation", {{"rotation_vector_rad", {0, 0, angle}}}}});
        return one;
    };
    ordered_json text;
    text["bodies"] = {{"crank", rod(0.3, 0, 0, at.crank)},
                      {"coupler", rod(1.0, 0.3 * std::cos(drawn), 0.3 * std::sin(drawn), at.coupler)},
                      {"rocker", rod(0.8, 1, 0, at.rocker)}};
    text["joints"] = {{"crank_pivot", hinge("ground", "crank", 0.0)},
                      {"crank_pin", hinge("crank", "coupler", 0.3)},
                      {"rocker_pin", hinge("coupler", "rocker", 1.0, 0.8)},
                      {"rocker_pivot", hinge("ground", "rocker", 1.0)}};
    for (auto& joint : text["joints"]) joint["references"] = {{1, 0, 0}, {1, 0, 0}};
    return text;
}
double angle_of(const Motions& at, std::size_t b) {
    return std::atan2(at.pose.orientation[b](1, 0), at.pose.orientation[b](0, 0));
}

TEST(StartValues, HoldInALoopAndTheRestFollows) {
    constexpr double drawn = 0.5, wanted = 0.9, rate = 3.0, step = 1e-5;
    ordered_json text = four_bar_text(drawn);
    text["joints"]["crank_pivot"].update({{"angle_rad", wanted}, {"rate_rad_s", rate}});
    const auto mechanism = assembled(text);
    const FourBar at = four_bar(wanted), after = four_bar(wanted + step), before = four_bar(wanted - step);
    const auto nominal = std::make_unique<NominalInstance>(mechanism->table, mechanism->nominal_kernel_parameters());
    const Assembled<double> result = nominal->assemble();
    EXPECT_EQ(result.reason, 0.0);
    EXPECT_LE(result.correction, closed_m) << "assembly finds all together";
    const auto angle = [&](std::size_t b) {
        const Rotation<double> q = nominal->motion.q.orientation[b];
        return 2.0 * std::atan2(q.z, q.w);
    };
    EXPECT_NEAR(angle(0), wanted, closed_m);
    EXPECT_NEAR(angle(1), at.coupler, closed_m);
    EXPECT_NEAR(angle(2), at.rocker, closed_m);
    const auto turning = [&](int b) { return nominal->motion.v.turning(b)[2]; };
    constexpr double differences = 1e-8;
    EXPECT_NEAR(turning(0), rate, closed_m);
    EXPECT_NEAR(turning(1), rate * (after.coupler - before.coupler) / (2 * step), differences);
    EXPECT_NEAR(turning(2), rate * (after.rocker - before.rocker) / (2 * step), differences);
    EXPECT_THAT(mechanism->warnings,
                testing::ElementsAre(has("/joints/crank_pivot/angle_rad: ", "starts with 0.9", "have it at 0.5 rad")));
}

TEST(StartValues, HoldOnWhicheverJointOfALoopTheyAreGivenCutOrNot) {
    // Between these all four angles grow or fall with the crank's, so that each tells all others.
    constexpr double drawn = 1.2, wanted = 1.5;
    const FourBar at = four_bar(wanted);
    const std::map<std::string, double> angles{{"crank_pivot", at.crank},
                                               {"crank_pin", at.coupler - at.crank},
                                               {"rocker_pin", at.rocker - at.coupler},
                                               {"rocker_pivot", at.rocker}};
    for (const auto& [given, angle] : angles)
        for (const auto& [cut, ignored] : angles) {
            SCOPED_TRACE(testing::Message() << "given " << given << ", cut " << cut);
            ordered_json text = four_bar_text(drawn);
            text["joints"][given].update({{"angle_rad", angle}, {"rate_rad_s", 0.4}});
            text["joints"][cut]["cut"] = true;
            const auto mechanism = assembled(text);
            const Motions start = motions_of(*mechanism, mechanism->nominal_kernel_parameters());
            EXPECT_NEAR(angle_of(start, 0), at.crank, closed_m);
            EXPECT_NEAR(angle_of(start, 1), at.coupler, closed_m);
            EXPECT_NEAR(angle_of(start, 2), at.rocker, closed_m);
            const std::map<std::string, double> rates{{"crank_pivot", start.spin[0][2]},
                                                      {"crank_pin", start.spin[1][2] - start.spin[0][2]},
                                                      {"rocker_pin", start.spin[2][2] - start.spin[1][2]},
                                                      {"rocker_pivot", start.spin[2][2]}};
            EXPECT_NEAR(rates.at(given), 0.4, closed_m);
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
    text["joints"]["shoulder"].update({{"angle_rad", 20}, {"rate_rad_s", 3}});
    assembled(text);
    text["joints"]["shoulder"]["angle_rad"] = 19.0;
    EXPECT_THAT(refusal_of(text), has("/joints/shoulder/angle_rad: ", "starts with 19", "drivers.motor", "20"));
    text["joints"]["shoulder"].update({{"angle_rad", 20}, {"rate_rad_s", 2}});
    EXPECT_THAT(refusal_of(text), has("/joints/shoulder/rate_rad_s: ", "starts with 2", "drivers.motor", "3"));
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

TEST(StartValues, VaryWithTheBitsThatEachInstanceHasByItself) {
    ordered_json text = four_bar_text(0.5);
    text["joints"]["crank_pivot"].update({{"angle_rad", 0.9}, {"rate_rad_s", 3.0}});
    const auto mechanism = assembled(text);
    const std::vector<double> nominal = nominal_values(*mechanism);
    const std::vector<unsigned char> given(nominal.size(), 0);
    for (const char* address : {"joints.crank_pivot.angle_rad", "joints.crank_pivot.rate_rad_s",
                                "bodies.coupler.mass_kg", "joints.rocker_pivot.points_m[0][0]", "gravity_m_s2[1]"}) {
        const std::size_t varied[] = {number_of(*mechanism, address)};
        const VariedParameters parameters(mechanism, nominal, given, varied, Coordinates::joint);
        EXPECT_TRUE(std::is_sorted(parameters.parameters().begin(), parameters.parameters().end()));
        std::vector<double> memory, out(parameters.parameters().size());
        for (const double factor : {1.0, 1.1, 0.95}) {
            std::vector<double> values = nominal;
            values[varied[0]] *= factor;
            const double sample[] = {values[varied[0]]};
            parameters.compute(sample, memory, out.data());
            std::vector<double> expected = mechanism->nominal_kernel_parameters();
            for (std::size_t k = 0; k < out.size(); ++k)
                expected[static_cast<std::size_t>(parameters.parameters()[k])] = out[k];
            EXPECT_EQ(mechanism->kernel_parameters(values, given), expected) << address;
        }
    }
    // No number changes anything else.
    const std::vector<double> before = mechanism->nominal_kernel_parameters();
    for (std::size_t number = 0; number < nominal.size(); ++number) {
        std::vector<double> values = nominal;
        values[number] = 1.003 * values[number] + 1e-4;
        const std::vector<double> after = mechanism->kernel_parameters(values, given);
        const std::size_t varied[] = {number};
        const std::vector<int> dependent = mechanism->dependent_parameters(varied);
        for (std::size_t k = 0; k < after.size(); ++k)
            EXPECT_TRUE(before[k] == after[k] || std::binary_search(dependent.begin(), dependent.end(), int(k)))
                << mechanism->numbers[number].address << " changes " << k;
    }
    const std::size_t gravity[] = {number_of(*mechanism, "gravity_m_s2[1]")};
    EXPECT_EQ(mechanism->dependent_parameters(gravity), std::vector<int>{gravity_parameter + 1});
}

TEST(StartValues, OfAnInstanceThatCannotHoldNameTheRowThatStaysOpen) {
    ordered_json text = four_bar_text(0.5);
    text["joints"]["rocker_pivot"]["angle_rad"] = four_bar(0.5).rocker;
    const auto mechanism = assembled(text);
    std::vector<double> values = nominal_values(*mechanism);
    values[number_of(*mechanism, "joints.rocker_pivot.angle_rad")] = 0.2;  // the coupler does not reach that far
    const std::vector<double> p = mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    EXPECT_GE(p[static_cast<std::size_t>(mechanism->table.open_start_row)], 1.0);
    const auto instance = std::make_unique<NominalInstance>(mechanism->table, p);
    EXPECT_EQ(instance->assemble().reason, static_cast<double>(Reason::constraints_inconsistent));
}

TEST(StartValues, AreNotThereInAFileWithoutThem) {
    const auto mechanism = assembled(pendulum_of_two());
    EXPECT_EQ(mechanism->table.open_start_row, 0);
    const std::size_t point[] = {number_of(*mechanism, "joints.elbow.points_m[0][0]")};
    std::vector<int> of_bodies = mechanism->dependent_parameters(point);
    std::erase_if(of_bodies, [&](int parameter) { return parameter >= mechanism->table.joint.link_parameter; });
    EXPECT_EQ(of_bodies.size(), 4u) << "the point and the length scale";
}

TEST(StartValues, ThatContradictNameBothSides) {
    // Two angles of a loop of one freedom.
    ordered_json text = four_bar_text(0.5);
    text["joints"]["crank_pivot"]["angle_rad"] = 0.9;
    text["joints"]["rocker_pivot"]["angle_rad"] = four_bar(0.5).rocker;
    EXPECT_THAT(refusal_of(text), has("/joints/crank_pivot: ", "joints.crank_pivot.angle_rad and ",
                                      "joints.rocker_pivot.angle_rad", "contradict", "stays open"));
    text["joints"]["rocker_pivot"]["angle_rad"] = four_bar(0.9).rocker;
    assembled(text);
    // Their rates.
    text["joints"]["crank_pivot"]["rate_rad_s"] = 1.0;
    text["joints"]["rocker_pivot"]["rate_rad_s"] = 1.0;
    EXPECT_THAT(refusal_of(text), has("joints.crank_pivot.rate_rad_s", "joints.rocker_pivot.rate_rad_s"));
    // An angle that the loop does not reach.
    text = four_bar_text(0.5);
    text["joints"]["rocker_pivot"]["angle_rad"] = 0.2;
    EXPECT_THAT(refusal_of(text),
                has("/joints/rocker_pivot: ", "joints.rocker_pivot.angle_rad contradicts the other joints"));
    // A body that is to stay.
    text = pendulum_of_two();
    text["bodies"]["upper"].update({{"position_m", {0, 0, 0}}, {"pinned", {"orientation"}}});
    text["joints"]["shoulder"]["angle_rad"] = 0.3;
    EXPECT_THAT(refusal_of(text), has("/bodies/upper/pinned: ", "joints.shoulder.angle_rad", "0.3"));
    // A pose, which gives way with a warning, or not.
    text = four_bar_text(0.5);
    text["joints"]["crank_pivot"]["angle_rad"] = 0.9;
    text["assembly"] = "refuse";
    EXPECT_THAT(refusal_of(text),
                has("/joints/crank_pivot/angle_rad: ", "starts with 0.9", "poses", "0.5 rad", "\"warn\" allows"));
}

TEST(StartValues, OfOtherJointsAreUnknownKeys) {
    ordered_json text = pendulum_of_two();
    text["joints"]["shoulder"]["displacement_m"] = 0.1;
    EXPECT_THAT(refusal_of(text), has("/joints/shoulder/displacement_m: ", "unknown"));
    text = pendulum_of_two();
    text["joints"]["shoulder"]["angle_rad"] = "t";
    EXPECT_THAT(refusal_of(text), has("/joints/shoulder/angle_rad: ", "time"));
}

}  // namespace
}  // namespace myriad::mechanism
