// Sensors of spherical joints: they start with the start values of their joint and show what the bodies' own channels
// say, in both coordinates, in the tree, against its direction, and cut.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::Matrix3d, Eigen::Quaterniond, Eigen::Vector3d;

// A chain of balls, of which the second one names its bodies against the way from the ground. It starts with values of
// its joints, or from the poses of its bodies where the third one is cut.
constexpr const char* balls = R"json({
    "gravity_m_s2": [0.5, -1.0, -9.81],
    "bodies": {
        "upper": {"mass_kg": 2.0, "inertia_kg_m2": [0.2, 0.3, 0.4], "centre_of_mass_m": [0.5, 0.1, 0.0]},
        "lower": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.15, 0.12], "centre_of_mass_m": [0.4, 0.0, -0.1]},
        "last": {"mass_kg": 0.5, "inertia_kg_m2": [0.05, 0.04, 0.03], "centre_of_mass_m": [0.2, 0.1, 0.1]}},
    "joints": {
        "shoulder": {"type": "spherical", "bodies": ["ground", "upper"], "points_m": [[0.2, 0.3, 0.1], [0, 0, 0]]},
        "elbow": {"type": "spherical", "bodies": ["lower", "upper"], "points_m": [[0, 0, 0], [1.0, 0, 0]]},
        "wrist": {"type": "spherical", "bodies": ["lower", "last"], "points_m": [[0.8, 0, 0], [0, 0, 0]]}},
    "sensors": {
        "shoulder_turn": {"type": "orientation", "joint": "shoulder"},
        "shoulder_rate": {"type": "angular_velocity", "joint": "shoulder"},
        "elbow_turn": {"type": "orientation", "joint": "elbow"},
        "elbow_rate": {"type": "angular_velocity", "joint": "elbow"},
        "wrist_turn": {"type": "orientation", "joint": "wrist"},
        "wrist_rate": {"type": "angular_velocity", "joint": "wrist"}}})json";
constexpr const char* start_of_joints = R"json({"joints": {
    "shoulder": {"orientation": {"rotation_vector_rad": [0.4, -0.9, 2.8]}, "angular_velocity_rad_s": [1.0, -4.0, 12.0]},
    "elbow": {"orientation": {"quaternion": [-0.4, 0.3, -0.6, 0.5]}, "angular_velocity_rad_s": [-3.0, 2.0, 4.0]}}})json";
constexpr const char* start_of_bodies = R"json({
    "bodies": {"upper": {"position_m": [0.2, 0.3, 0.1], "angular_velocity_rad_s": [9.0, -4.0, 7.0]},
               "lower": {"position_m": [1.2, 0.3, 0.1], "angular_velocity_rad_s": [-12.0, 3.0, 4.0]},
               "last": {"position_m": [2.0, 0.3, 0.1], "angular_velocity_rad_s": [15.0, 6.0, -9.0]}},
    "joints": {"wrist": {"cut": true}}})json";
struct Ball {
    const char* joint;
    int a, b;  // bodies
};
constexpr Ball of_balls[] = {{"shoulder", -1, 0}, {"elbow", 1, 0}, {"wrist", 1, 2}};

std::shared_ptr<const Mechanism> chain(bool is_cut) {
    nlohmann::ordered_json text = nlohmann::ordered_json::parse(balls);
    text.update(nlohmann::ordered_json::parse(is_cut ? start_of_bodies : start_of_joints), true);
    return parse_mechanism(text.dump(), "balls.json");
}

std::vector<int> channels_of(const Mechanism& mechanism) {
    std::vector<int> channels;
    for (int k = 0; k < 39; ++k) channels.push_back(k);
    for (const Ball& ball : of_balls) {
        for (int k = 0; k < 4; ++k) channels.push_back(channel_index(mechanism, std::string(ball.joint) + "_turn", k));
        for (int k = 0; k < 3; ++k) channels.push_back(channel_index(mechanism, std::string(ball.joint) + "_rate", k));
    }
    return channels;
}

struct Seen {
    Quaterniond turn;
    Vector3d rate;
};
Seen sensed(const std::vector<double>& row, std::size_t ball) {
    const double* at = row.data() + 39 + 7 * ball;
    return {{at[0], at[1], at[2], at[3]}, {at[4], at[5], at[6]}};
}
// From the channels of the bodies.
Seen defined(const std::vector<double>& row, const Ball& ball) {
    const auto turn = [&](int body) {
        const double* q = row.data() + 13 * body + 3;
        return body < 0 ? Quaterniond::Identity() : Quaterniond(q[0], q[1], q[2], q[3]);
    };
    const auto rate = [&](int body) {
        const double* w = row.data() + 13 * body + 10;
        return body < 0 ? Vector3d(Vector3d::Zero()) : Vector3d(w[0], w[1], w[2]);
    };
    Quaterniond relative = turn(ball.a).conjugate() * turn(ball.b);
    if (relative.w() < 0.0) relative.coeffs() *= -1.0;
    return {relative, rate(ball.b) - relative.conjugate() * rate(ball.a)};
}

// Of numbers up to some ten.
constexpr double rounded = 1e-13;

void expect_what_the_bodies_say(const std::vector<std::vector<double>>& rows) {
    int turned_over = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < std::size(of_balls); ++k) {
            const Seen found = sensed(rows[i], k), expected = defined(rows[i], of_balls[k]);
            ASSERT_LE((found.turn.coeffs() - expected.turn.coeffs()).norm(), rounded)
                << of_balls[k].joint << ", row " << i;
            ASSERT_LE((found.rate - expected.rate).norm(), 10.0 * rounded) << of_balls[k].joint << ", row " << i;
            if (i > 0 && sensed(rows[i - 1], k).turn.dot(found.turn) < 0.0) ++turned_over;
        }
    EXPECT_GT(turned_over, 0) << "no joint turned by more than half a turn, so that the sign of w was not seen";
}

void expect_the_start_values(const std::vector<double>& row) {
    constexpr double assembled = 1e-12;
    const Vector3d u(0.4, -0.9, 2.8);
    const Quaterniond shoulder(Eigen::AngleAxisd(u.norm(), u.normalized()));
    EXPECT_LE((sensed(row, 0).turn.coeffs() - shoulder.coeffs()).norm(), assembled);
    EXPECT_LE((sensed(row, 0).rate - Vector3d(1.0, -4.0, 12.0)).norm(), assembled);
    EXPECT_LE((sensed(row, 1).turn.coeffs() - Quaterniond(0.4, -0.3, 0.6, -0.5).normalized().coeffs()).norm(),
              assembled)
        << "of its two quaternions the one with w >= 0";
    EXPECT_LE((sensed(row, 1).rate - Vector3d(-3.0, 2.0, 4.0)).norm(), assembled);
}

constexpr double turning_step_s = 1e-3;
constexpr int turning_steps = 400;

TEST(SphericalSensors, ShowWhatTheBodiesSayInBothCoordinates) {
    for (const bool is_cut : {false, true})
        for (const Coordinates coordinates : {Coordinates::body, Coordinates::joint}) {
            SCOPED_TRACE(std::string(is_cut ? "cut, " : "") + (coordinates == Coordinates::body ? "body" : "joint"));
            const auto mechanism = chain(is_cut);
            ASSERT_GT(mechanism->table.joint.tree.links, 0) << mechanism->body_coordinates_because;
            EXPECT_EQ(mechanism->table.joint.rows, is_cut ? 3 : 0);
            RunSetup setup;
            setup.coordinates = coordinates, setup.step_s = turning_step_s, setup.steps = turning_steps;
            setup.observed = channels_of(*mechanism);
            const InstanceEnd end = run_nominal(*mechanism, setup);
            ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
            expect_what_the_bodies_say(end.rows);
            if (!is_cut) expect_the_start_values(end.rows.front());
        }
}

}  // namespace
}  // namespace myriad::mechanism
