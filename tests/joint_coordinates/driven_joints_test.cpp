// Drivers of universal, planar and translational joints against closed forms, by the kernels and on the reference path,
// in both coordinates.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

// Of an analysis of positions, velocities and accelerations: Newton's tolerance and round-off of numbers up to some
// hundred.
constexpr double analysed = 1e-9;

// Rows of the channels at the steps of a run, the start first.
struct Path {
    const char* name;
    Coordinates coordinates;
    bool is_reference;
    friend void PrintTo(const Path& path, std::ostream* out) { *out << path.name; }
};
constexpr Path paths[] = {{"kernels_body", Coordinates::body, false},
                          {"kernels_joint", Coordinates::joint, false},
                          {"reference_body", Coordinates::body, true},
                          {"reference_joint", Coordinates::joint, true}};

std::vector<std::vector<double>> run_on(const Path& path, const Mechanism& mechanism, Method method, double step_s,
                                        int steps, const std::vector<int>& observed) {
    RunSetup setup;
    setup.method = method, setup.coordinates = path.coordinates, setup.step_s = step_s, setup.steps = steps;
    setup.observed = observed;
    if (path.is_reference) return reference_rows(mechanism, setup);
    const InstanceEnd end = run_nominal(mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    return end.rows;
}

Vector3d vector_in(const std::vector<double>& row, std::size_t first) {
    return {row[first], row[first + 1], row[first + 2]};
}

class DrivenJoints : public testing::TestWithParam<Path> {};

// A body without symmetry that a universal joint holds at its centre of mass: R = exp(angle_1 n) R_0 exp(angle_2 m),
// n on the ground and m on the body, both unit and perpendicular at the start. For steady rates, in body axes,
//   w = rate_1 R^T n + rate_2 m,   w' = rate_1 rate_2 (R^T n) x m,   torque on the body J w' + w x J w.
constexpr const char* turning_cross = R"({
    "parameters": {"rate_1_rad_s": 2.5, "rate_2_rad_s": -1.75},
    "bodies": {"arm": {"mass_kg": 2.0, "position_m": [0.4, -0.2, 0.3],
        "inertia_kg_m2": {"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.02, "xz": -0.03, "yz": 0.01},
        "orientation": {"rotation_vector_rad": [0.3, -0.5, 0.8]}}},
    "joints": {"cross": {"type": "universal", "bodies": BODIES, "points_m": POINTS, "axes": AXES}},
    "drivers": {"first": {"type": "FIRST", "joint": "cross", "value_rad": "0.2 + rate_1_rad_s * t"},
                "second": {"type": "SECOND", "joint": "cross", "value_rad": "0.5 + rate_2_rad_s * t"}},
    "sensors": {
        "first_torque": {"type": "reaction_torque", "joint": "first"},
        "second_torque": {"type": "reaction_torque", "joint": "second"},
        "torque": {"type": "reaction_torque", "joint": "cross"}, "force": {"type": "reaction_force", "joint": "cross"},
        "first_angle": {"type": "FIRST", "joint": "cross"}, "second_angle": {"type": "SECOND", "joint": "cross"}}})";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

// R_0, n and m.
struct CrossAxes {
    Matrix3d start =
        Eigen::AngleAxisd(Vector3d(0.3, -0.5, 0.8).norm(), Vector3d(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
    Vector3d on_ground = Vector3d(0.2, 0.6, -0.4).normalized(),
             on_arm = start.transpose() * on_ground.cross(Vector3d::UnitX()).normalized();
};

// `is_turned`: the arm is body A, so that the joint's first angle is about its own axis.
std::string turning_cross_text(bool is_turned) {
    const CrossAxes axes;
    const auto digits = [](const Vector3d& v) { return nlohmann::json{v[0], v[1], v[2]}.dump(); };
    const std::string on_ground = digits(axes.on_ground), on_arm = digits(axes.on_arm), place = "[0.4, -0.2, 0.3]",
                      centre = "[0, 0, 0]";
    std::string text = replaced(turning_cross, "FIRST", is_turned ? "angle_2" : "angle_1");
    text = replaced(text, "SECOND", is_turned ? "angle_1" : "angle_2");
    text = replaced(text, "BODIES", is_turned ? R"(["arm", "ground"])" : R"(["ground", "arm"])");
    text = replaced(text, "POINTS", "[" + (is_turned ? centre + ", " + place : place + ", " + centre) + "]");
    return replaced(text, "AXES", "[" + (is_turned ? on_arm + ", " + on_ground : on_ground + ", " + on_arm) + "]");
}

TEST_P(DrivenJoints, OfAUniversalJointAtSteadyRatesTurnItsBodyAsTheClosedFormSays) {
    for (const bool is_turned : {false, true}) {
        SCOPED_TRACE(is_turned ? "the arm is body A" : "the arm is body B");
        const auto mechanism = parse_mechanism(turning_cross_text(is_turned), "cross.json");
        EXPECT_EQ(mechanism->freedoms, 0);
        std::vector<int> observed;
        for (int k = 3; k < 7; ++k) observed.push_back(k);    // orientation
        for (int k = 10; k < 13; ++k) observed.push_back(k);  // angular velocity
        for (const NamedChannels& named : mechanism->channels)
            if (named.name == "angular_acceleration")
                for (int k = 0; k < 3; ++k) observed.push_back(13 + named.first_channel + k);
        for (const char* name : {"first_torque", "second_torque", "torque", "force"})
            for (int k = 0; k < 3; ++k) observed.push_back(channel_index(*mechanism, name, k));
        for (const char* name : {"first_angle", "second_angle"}) observed.push_back(channel_index(*mechanism, name));
        constexpr double step = 0.05;
        const CrossAxes axes;
        // Where the arm is body A, reactions are on the ground, and angles are of the ground against the arm.
        const double sign = is_turned ? -1.0 : 1.0, rate_1 = sign * 2.5, rate_2 = sign * -1.75;
        Matrix3d J;
        J << 0.3, 0.02, -0.03, 0.02, 0.4, 0.01, -0.03, 0.01, 0.5;
        const auto rows = run_on(GetParam(), *mechanism, Method::kinematics, step, 60, observed);
        ASSERT_EQ(rows.size(), 61u);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double t = step * static_cast<double>(i);
            const std::vector<double>& row = rows[i];
            const auto& [start, n, m] = axes;
            const Matrix3d R = Eigen::AngleAxisd(sign * 0.2 + rate_1 * t, n).toRotationMatrix() * start *
                               Eigen::AngleAxisd(sign * 0.5 + rate_2 * t, m).toRotationMatrix();
            const Matrix3d found = Eigen::Quaterniond(row[0], row[1], row[2], row[3]).toRotationMatrix();
            EXPECT_NEAR((found - R).norm(), 0.0, analysed) << "at " << t << " s";
            const Vector3d on_body = R.transpose() * n, w = rate_1 * on_body + rate_2 * m,
                           w_rate = rate_1 * rate_2 * on_body.cross(m);
            EXPECT_NEAR((vector_in(row, 4) - w).norm(), 0.0, analysed);
            EXPECT_NEAR((vector_in(row, 7) - w_rate).norm(), 0.0, analysed);
            const Vector3d torque = R * (J * w_rate + w.cross(J * w)), second = R * m, third = n.cross(second);
            EXPECT_NEAR((sign * vector_in(row, 10) - n.dot(torque) * n).norm(), 0.0, analysed);
            EXPECT_NEAR((sign * vector_in(row, 13) - second.dot(torque) * second).norm(), 0.0, analysed);
            EXPECT_NEAR((sign * vector_in(row, 16) - third.dot(torque) * third).norm(), 0.0, analysed);
            EXPECT_NEAR(vector_in(row, 19).norm(), 0.0, analysed) << "nothing moves the centre of mass";
            EXPECT_NEAR(row[22], 0.2 + 2.5 * t, analysed);
            EXPECT_NEAR(row[23], 0.5 - 1.75 * t, analysed) << "over full turns";
        }
    }
}

// The slides of a planar joint drive a plate along a circle, beside the weight that its plane carries.
constexpr const char* plate_on_a_circle = R"json({
    "parameters": {"radius_m": 0.4, "rate_rad_s": 3.0, "mass_kg": 2.0},
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"plate": {"mass_kg": "mass_kg", "inertia_kg_m2": [0.3, 0.4, 0.6]}},
    "joints": {"table": {"type": "planar", "bodies": ["ground", "plate"], "points_m": [[1.0, 0.5, -0.2], [0, 0, 0]],
        "axes": [[0, 0, 1], [0, 0, 1]], "references": [[0.8, 0.6, 0], [1, 0, 0]]}},
    "drivers": {
        "along": {"type": "displacement_1", "joint": "table", "value_m": "radius_m * cos(rate_rad_s * t)"},
        "across": {"type": "displacement_2", "joint": "table", "value_m": "radius_m * sin(rate_rad_s * t)"}TURN},
    "sensors": {
        "push_along": {"type": "reaction_force", "joint": "along"},
        "push_across": {"type": "reaction_force", "joint": "across"},
        "weight": {"type": "reaction_force", "joint": "table"}, "turn": {"type": "angle", "joint": "table"},
        "rate": {"type": "rate", "joint": "table"}}})json";

TEST_P(DrivenJoints, OfAPlanarJointOnACirclePullWithMassRadiusAndRateSquared) {
    // Kinematics needs a driver of the angle as well; with generalized-alpha the plate keeps its angle.
    for (const Method method : {Method::kinematics, Method::generalized_alpha}) {
        const bool is_analysed = method == Method::kinematics;
        SCOPED_TRACE(is_analysed ? "kinematics" : "generalized_alpha");
        const auto mechanism = parse_mechanism(
            replaced(plate_on_a_circle, "TURN",
                     is_analysed ? R"(, "turn": {"type": "angle", "joint": "table", "value_rad": "5 * t"})" : ""),
            "plate.json");
        std::vector<int> observed{0, 1, 2};
        for (const char* name : {"push_along", "push_across", "weight"})
            for (int k = 0; k < 3; ++k) observed.push_back(channel_index(*mechanism, name, k));
        observed.push_back(channel_index(*mechanism, "turn")), observed.push_back(channel_index(*mechanism, "rate"));
        observed.push_back(channel_index(*mechanism, "multiplier.along"));
        constexpr double step = 0.01;
        // Of generalized-alpha the positions are driven, too; its forces have the error of the method, in body
        // coordinates m r w^4 h^2 of some size. In joint coordinates the drivers' accelerations are their functions'.
        const bool is_exact = is_analysed || GetParam().coordinates == Coordinates::joint;
        const double of_forces = is_exact ? analysed : 2.0 * 0.4 * std::pow(3.0, 4) * step * step;
        const auto rows = run_on(GetParam(), *mechanism, method, step, 100, observed);
        ASSERT_EQ(rows.size(), 101u);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::vector<double>& row = rows[i];
            const double t = step * static_cast<double>(i);
            const Vector3d x(0.8, 0.6, 0.0), y(-0.6, 0.8, 0.0), radial = std::cos(3.0 * t) * x + std::sin(3.0 * t) * y;
            EXPECT_NEAR((vector_in(row, 0) - (Vector3d(1.0, 0.5, -0.2) + 0.4 * radial)).norm(), 0.0, analysed);
            const Vector3d along = vector_in(row, 3), across = vector_in(row, 6);
            EXPECT_NEAR(std::hypot(along.norm(), across.norm()), 2.0 * 0.4 * 9.0, of_forces) << "m r w^2";
            EXPECT_NEAR((along - x.dot(-7.2 * radial) * x).norm(), 0.0, of_forces);
            EXPECT_NEAR((across - y.dot(-7.2 * radial) * y).norm(), 0.0, of_forces);
            EXPECT_NEAR((vector_in(row, 9) - Vector3d(0.0, 0.0, 2.0 * 9.81)).norm(), 0.0, analysed * 1e2);
            EXPECT_NEAR(row[12], is_analysed ? 5.0 * t : -std::atan2(0.6, 0.8), analysed) << "over full turns";
            EXPECT_NEAR(row[13], is_analysed ? 5.0 : 0.0, analysed);
            EXPECT_NEAR(row[14], 7.2 * std::cos(3.0 * t), of_forces) << "the force on B is minus the multiplier";
        }
    }
}

// An arm away from its joint, driven about both axes by uneven motions, under gravity; and a plate in all three slides.
constexpr const char* uneven_cross = R"json({
    "gravity_m_s2": [1.0, -2.0, -9.81],
    "bodies": {"arm": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.4, 0.5], "position_m": [0.5, 0.0, 0.0]}},
    "joints": {"cross": {"type": "universal", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [-0.5, 0.1, 0.2]],
        "axes": [[0, 0, 1], [0, 1, 0]]}},
    "drivers": {"first": {"type": "angle_1", "joint": "cross", "value_rad": "0.6 * sin(4 * t)"},
                "second": {"type": "angle_2", "joint": "cross", "value_rad": "0.8 * t^2"}}})json";
constexpr const char* uneven_slides = R"json({
    "gravity_m_s2": [1.0, -2.0, -9.81],
    "bodies": {"box": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.4, 0.5], "position_m": [0.5, 0.0, 0.0]}},
    "joints": {"slides": {"type": "translational", "bodies": BODIES, "points_m": [[0, 0, 0], [-0.5, 0.1, 0.2]],
        "axes": [[1, 2, 0.5], [1, 2, 0.5]], "references": [[0, 0, 1], [0, 0, 1]]}},
    "drivers": {"x": {"type": "displacement_1", "joint": "slides", "value_m": "0.6 * sin(4 * t)"},
                "y": {"type": "displacement_2", "joint": "slides", "value_m": "0.8 * t^2"},
                "z": {"type": "displacement_3", "joint": "slides", "value_m": "t - t^3"}}})json";

TEST_P(DrivenJoints, DoTheWorkThatTheEnergyGains) {
    for (const std::string& text :
         {std::string(uneven_cross), replaced(uneven_slides, "BODIES", R"(["ground", "box"])"),
          replaced(uneven_slides, "BODIES", R"(["box", "ground"])")}) {
        const auto mechanism = parse_mechanism(text, "uneven.json");
        const std::vector<int> observed{channel_index(*mechanism, "energy"), channel_index(*mechanism, "work")};
        double before = 0.0;
        for (const int refinement : {1, 2}) {
            const auto rows =
                run_on(GetParam(), *mechanism, Method::kinematics, 0.01 / refinement, 80 * refinement, observed);
            const double gained = rows.back()[0] - rows.front()[0], left = std::abs(gained - rows.back()[1]);
            EXPECT_GT(std::abs(gained), 0.5);
            EXPECT_LT(left, 1e-2 * std::abs(gained));
            // The work is summed by the trapezoidal rule.
            if (refinement > 1) EXPECT_NEAR(std::log2(before / left), 2.0, 0.1);
            before = left;
        }
    }
}

// A governor: a bob turns about the vertical at a steady rate W and swings freely about the second axis. It stays where
// (I_1 - I_3) W^2 cos(angle_2) = m g l, I_1 across and I_3 along its arm about the joint; the driver then does nothing.
constexpr const char* governor = R"json({
    "parameters": {"mass_kg": 1.5, "arm_m": 0.6, "rate_rad_s": 7.0, "across_kg_m2": "0.05 + mass_kg * arm_m^2",
                   "cosine": "mass_kg * 9.81 * arm_m / ((across_kg_m2 - 0.02) * rate_rad_s^2)"},
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"bob": {"mass_kg": "mass_kg", "inertia_kg_m2": [0.05, 0.05, 0.02]}},
    "joints": {"cross": {"type": "universal", "bodies": ["ground", "bob"], "points_m": [[0, 0, 0], [0, 0, "arm_m"]],
        "axes": [[0, 0, 1], [1, 0, 0]], "angle_2_rad": "acos(cosine)", "rate_2_rad_s": 0}},
    "drivers": {"motor": {"type": "angle_1", "joint": "cross", "value_rad": "rate_rad_s * t"}},
    "sensors": {"swing": {"type": "angle_2", "joint": "cross"}, "swing_rate": {"type": "rate_2", "joint": "cross"},
                "turn": {"type": "angle_1", "joint": "cross"}, "torque": {"type": "reaction_torque", "joint": "motor"}}})json";

TEST_P(DrivenJoints, KeepAGovernorWhereGravityAndItsTurningBalance) {
    const auto mechanism = parse_mechanism(governor, "governor.json");
    EXPECT_EQ(mechanism->freedoms, 1);
    std::vector<int> observed;
    for (const char* name : {"swing", "swing_rate", "turn"}) observed.push_back(channel_index(*mechanism, name));
    for (int k = 0; k < 3; ++k) observed.push_back(channel_index(*mechanism, "torque", k));
    const double cosine = 1.5 * 9.81 * 0.6 / ((0.05 + 1.5 * 0.36 - 0.02) * 49.0);
    std::vector<Method> methods{Method::generalized_alpha};
    if (GetParam().coordinates == Coordinates::joint && !GetParam().is_reference) methods.push_back(Method::rk4);
    for (const Method method : methods) {
        const bool is_explicit = method == Method::rk4;
        constexpr double step = 2e-3;
        // The steps of methods with rows are no exact turns; in joint coordinates the turning is the driver's.
        const double still = GetParam().coordinates == Coordinates::joint ? 1e-8 : 1e-4;
        const auto rows = run_on(GetParam(), *mechanism, method, step, 250, observed);
        ASSERT_EQ(rows.size(), 251u);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_NEAR(rows[i][0], std::acos(cosine), still) << (is_explicit ? "rk4" : "generalized_alpha");
            EXPECT_NEAR(rows[i][1], 0.0, 10.0 * still);
            EXPECT_NEAR(rows[i][2], 7.0 * step * static_cast<double>(i), analysed) << "over full turns";
            EXPECT_NEAR(vector_in(rows[i], 3).norm(), 0.0, 100.0 * still);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, DrivenJoints, testing::ValuesIn(paths),
                         [](const auto& given) { return std::string(given.param.name); });

// A slide of a joint that the tree passes from B to A is along A's axes, which turn with the body that hangs there.
TEST(DrivenSlides, AreRowsWhereTheTreePassesTheirJointFromBToA) {
    const auto prescribed_and_rows = [](const char* bodies) {
        const auto mechanism = parse_mechanism(replaced(uneven_slides, "BODIES", bodies), "slides.json");
        const Unknowns counted = unknowns_in_joint_coordinates(*mechanism, spanning_tree_of(*mechanism));
        EXPECT_EQ(counted.prescribed, mechanism->table.joint.prescribed);
        EXPECT_EQ(counted.driver_rows, mechanism->table.joint.rows);
        return std::pair(counted.prescribed, counted.driver_rows);
    };
    EXPECT_EQ(prescribed_and_rows(R"(["ground", "box"])"), std::pair(3, 0));
    EXPECT_EQ(prescribed_and_rows(R"(["box", "ground"])"), std::pair(0, 3));
}

}  // namespace
}  // namespace myriad::mechanism
