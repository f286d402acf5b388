// Loops with redundant rows: a run ends where the rows that were kept no longer stand for all of them, and goes on
// where they do. Loops at dead points are told what helps.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "host/backends/reference/reference_channels.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/tree/spare_rows.hpp"
#include "host/validation/runs/reference_values.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism::lost_rank {
namespace {

using Eigen::Isometry3d, Eigen::Vector3d;
using Json = nlohmann::ordered_json;

// G. T. Bennett's linkage (1903): opposite links have the same length and twist, a sin(beta) = b sin(alpha). Its loop
// closes in Denavit's and Hartenberg's frames for angles (t1, t2, -t1, -t2) with
//   tan(t1 / 2) tan(t2 / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2)
constexpr double degree = std::numbers::pi / 180.0;
constexpr double alpha = 50.0 * degree, beta = 80.0 * degree, a_m = 0.5;
const double b_m = a_m * std::sin(beta) / std::sin(alpha);
constexpr double first_angle = 2.0;

double second_angle_of(double first) {
    const double ratio = std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha));
    return 2.0 * std::atan2(ratio * std::cos(0.5 * first), std::sin(0.5 * first));
}

Json json_of(const Vector3d& v) { return {v[0], v[1], v[2]}; }

Json hinge(const char* one, const char* other, const Vector3d& point, const Vector3d& other_point, const Vector3d& axis,
           const Vector3d& other_axis) {
    return {{"type", "revolute"},
            {"bodies", {one, other}},
            {"points_m", {json_of(point), json_of(other_point)}},
            {"axes", {json_of(axis), json_of(other_axis)}}};
}

Json bennett_text() {
    struct Link {
        const char *name, *before;
        double length_m, twist, angle, mass_kg;
    };
    const double second = second_angle_of(first_angle);
    const Link links[] = {{"link_1", "ground", a_m, alpha, first_angle, 1.0},
                          {"link_2", "link_1", b_m, beta, second, 1.5},
                          {"link_3", "link_2", a_m, alpha, -first_angle, 2.0}};
    Json text = {{"gravity_m_s2", {0, -9.81, 0}}};
    Isometry3d frame = Isometry3d::Identity();
    int number = 1;
    for (const Link& link : links) {
        frame = frame * Eigen::AngleAxisd(link.angle, Vector3d::UnitZ()) *
                Eigen::Translation3d(link.length_m, 0.0, 0.0) * Eigen::AngleAxisd(link.twist, Vector3d::UnitX());
        const Eigen::AngleAxisd turn(frame.linear());
        text["bodies"][link.name] = {{"mass_kg", link.mass_kg},
                                     {"inertia_kg_m2", {0.01, 0.03, 0.02}},
                                     {"centre_of_mass_m", {-0.5 * link.length_m, 0, 0}},
                                     {"position_m", json_of(frame.translation())},
                                     {"orientation", {{"rotation_vector_rad", json_of(turn.angle() * turn.axis())}}}};
        const std::string name = "hinge_" + std::to_string(number++);
        text["joints"][name] = hinge(link.before, link.name, Vector3d::Zero(), {-link.length_m, 0.0, 0.0},
                                     Vector3d::UnitZ(), {0.0, std::sin(link.twist), std::cos(link.twist)});
        text["sensors"][name] = {{"type", "angle"}, {"joint", name}};
    }
    text["joints"]["hinge_4"] = hinge("link_3", "ground", Vector3d::Zero(), {-b_m, 0.0, 0.0}, Vector3d::UnitZ(),
                                      {0.0, std::sin(beta), std::cos(beta)});
    text["sensors"]["hinge_4"] = {{"type", "angle"}, {"joint", "hinge_4"}};
    return text;
}

std::shared_ptr<const Mechanism> bennett(bool is_driven = false) {
    Json text = bennett_text();
    if (is_driven) text["drivers"]["motor"] = {{"type", "angle"}, {"joint", "hinge_1"}, {"value_rad", "5 * t"}};
    return parse_mechanism(text.dump(), "bennett.json");
}

std::vector<int> hinges_of(const Mechanism& mechanism) {
    std::vector<int> channels;
    for (const char* hinge : {"hinge_1", "hinge_2", "hinge_3", "hinge_4"})
        channels.push_back(channel_index(mechanism, hinge));
    return channels;
}

// Sensors show the angles of the frames since the start.
double largest_error_of_closure(const std::vector<std::vector<double>>& rows) {
    double largest = 0.0;
    for (const std::vector<double>& row : rows) {
        if (std::isnan(row[0])) continue;  // rows behind a failure
        const double first = first_angle + row[0], second = second_angle_of(first);
        const double expected[] = {first, second, -first, -second},
                     start[] = {first_angle, second_angle_of(first_angle), -first_angle, -second_angle_of(first_angle)};
        for (std::size_t h = 0; h < 4; ++h)
            largest =
                std::max(largest, std::abs(std::remainder(row[h] - (expected[h] - start[h]), 2.0 * std::numbers::pi)));
    }
    return largest;
}

// When the linkage passes the flat pose, in which the rows that are kept of hinge_4, along x and y, lose rank; and how
// far hinge_1 has turned after 2 s.
constexpr double time_of_the_pose = reference_values::bennett_linkage::time_of_the_flat_pose,
                 turned_in_two_seconds = reference_values::bennett_linkage::turned_in_2_s;

// Newton's tolerance, over the least sine of the angle at which two rows of the loop meet away from the pose where they
// lose rank.
constexpr double closed = 1e-7;
// Before the pose the rows are so nearly dependent that a step of 20 ms may fail this long before.
constexpr double ill_posed_s = 1e-3;

TEST(LostRank, OfABennettLinkageIsPassedByTheExactIterationMatrixInTheOrderOfTheMethod) {
    const auto mechanism = bennett();
    ASSERT_TRUE(may_lose_rank(*mechanism));
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.exact_matrix = true, setup.observed = hinges_of(*mechanism);
    std::vector<double> drifts;
    for (const double step : {2e-3, 1e-3, 5e-4, 1e-4}) {
        setup.step_s = step, setup.steps = static_cast<int>(std::lround(2.0 / step));
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << step << ": " << sentence_of(end.reason);
        EXPECT_LE(largest_error_of_closure(end.rows), closed) << step;
        EXPECT_NEAR(end.rows.back()[0], turned_in_two_seconds, 50.0 * step * step) << step;
        drifts.push_back(end.energy_drift / (step * step));
    }
    // Second order: a constant over h^2.
    for (const double drift : drifts) EXPECT_NEAR(drift / drifts[1], 1.0, 0.2);
}

bool is_stopped_for(const InstanceEnd& end, const Mechanism& mechanism) {
    const int freedoms = mechanism.table.joint.tree.freedoms;
    return end.status == Status::singular_matrix && end.reason == Reason::rows_lose_rank &&
           freedoms <= end.weak_place && end.weak_place < freedoms + mechanism.table.joint.rows;
}

TEST(LostRank, OfABennettLinkageEndsExplicitMethodsBeforeItAtAnyStep) {
    const auto mechanism = bennett();
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.observed = hinges_of(*mechanism);
    for (const Method method : {Method::rk4, Method::rk67, Method::dopri5, Method::ode23})
        for (const double step : {2e-2, 1e-2, 2e-3, 5e-4}) {
            setup.method = method, setup.step_s = step, setup.steps = static_cast<int>(std::lround(2.0 / step));
            const InstanceEnd end = run_nominal(*mechanism, setup);
            EXPECT_TRUE(is_stopped_for(end, *mechanism))
                << static_cast<int>(method) << ", " << step << ": " << sentence_of(end.reason);
            EXPECT_LE(largest_error_of_closure(end.rows), closed);
            EXPECT_LE(end.time_s, time_of_the_pose);
            EXPECT_GE(end.time_s, time_of_the_pose - step - ill_posed_s) << static_cast<int>(method) << ", " << step;
        }
}

TEST(LostRank, EndsTheSimplifiedIterationMatrixAtAnyStep) {
    const auto mechanism = bennett();
    RunSetup setup;
    setup.coordinates = Coordinates::joint;
    for (const Method method : {Method::generalized_alpha, Method::implicit_euler})
        for (const double step : {5e-3, 1e-3, 1e-4}) {
            setup.method = method, setup.step_s = step, setup.steps = static_cast<int>(std::lround(2.0 / step));
            const InstanceEnd end = run_nominal(*mechanism, setup);
            EXPECT_TRUE(is_stopped_for(end, *mechanism)) << step << ": " << sentence_of(end.reason);
        }
}

std::string reference_status(const Mechanism& mechanism, const std::string& integrator, double step_s, double end_s,
                             bool passes) {
    const reference::MechanismModel model = backends::reference_model(mechanism, mechanism.nominal_kernel_parameters());
    reference::MechanismSettings settings;
    settings.integrator = integrator, settings.joint_coordinates = true, settings.passes_lost_rank = passes;
    settings.step_s = step_s, settings.end_s = end_s;
    return run_reference_mechanism(model, settings).status;
}

TEST(LostRank, EndsTheReferencePathAsItEndsTheKernels) {
    const auto mechanism = bennett();
    for (const double step : {2e-2, 1e-2, 2e-3}) {
        EXPECT_EQ(reference_status(*mechanism, "rk4", step, 1.0, false), "singular_matrix") << step;
        EXPECT_EQ(reference_status(*mechanism, "generalized_alpha", step, 1.0, false), "singular_matrix") << step;
    }
    EXPECT_EQ(reference_status(*mechanism, "generalized_alpha", 5e-3, 1.0, true), "ok");
    EXPECT_EQ(reference_status(*bennett(true), "kinematics", 0.02, 1.5, true), "ok");
}

// Rods on fixed pins, one metre apart, and couplers between their ends: parallelograms that move as one pendulum. Where
// rods and couplers lie in one line the rows of each loop lose rank.
Json parallelograms_text(int loops, const std::string& base) {
    Json text = {{"gravity_m_s2", {0, -9.81, 0}}};
    const Vector3d z = Vector3d::UnitZ(), half(0.5, 0.0, 0.0);
    const auto rod = [](int i) { return "rod_" + std::to_string(i); };
    for (int i = 0; i <= loops; ++i) {
        text["bodies"][rod(i)] = {{"mass_kg", 1},
                                  {"inertia_kg_m2", {0.001, 1.0 / 12.0, 1.0 / 12.0}},
                                  {"position_m", {i, 0.5, 0}},
                                  {"orientation", {{"rotation_vector_rad", {0, 0, 0.5 * std::numbers::pi}}}}};
        const std::string name = "pin_" + std::to_string(i);
        text["joints"][name] = hinge(base.c_str(), rod(i).c_str(), {1.0 * i, 0.0, 0.0}, -half, z, z);
        text["joints"][name]["rate_rad_s"] = 1;
    }
    for (int i = 0; i < loops; ++i) {
        const std::string coupler = "coupler_" + std::to_string(i);
        text["bodies"][coupler] = {
            {"mass_kg", 1}, {"inertia_kg_m2", {0.001, 1.0 / 12.0, 1.0 / 12.0}}, {"position_m", {i + 0.5, 1, 0}}};
        text["joints"]["left_" + std::to_string(i)] = hinge(rod(i).c_str(), coupler.c_str(), half, -half, z, z);
        text["joints"]["right_" + std::to_string(i)] = hinge(coupler.c_str(), rod(i + 1).c_str(), half, half, z, z);
    }
    text["sensors"]["angle"] = {{"type", "angle"}, {"joint", "pin_0"}};
    return text;
}

std::shared_ptr<const Mechanism> parallelograms(int loops) {
    return parse_mechanism(parallelograms_text(loops, "ground").dump(), "parallelograms.json");
}

std::shared_ptr<const Mechanism> parallelogram_on_a_table() {
    Json text = parallelograms_text(1, "table");
    text["bodies"]["table"] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", {0, 0, 0}}};
    text["joints"]["bearing"] =
        hinge("ground", "table", Vector3d::Zero(), Vector3d::Zero(), Vector3d::UnitX(), Vector3d::UnitX());
    return parse_mechanism(text.dump(), "parallelogram_on_a_table.json");
}

bool has_rows_of_the_world(const Mechanism& mechanism) {
    return std::any_of(mechanism.redundant_rows.begin(), mechanism.redundant_rows.end(), [&](const RedundantRow& row) {
        return mechanism.table.element[row.element].kind == ElementKind::point;
    });
}

TEST(LostRank, IsNoMatterOfAPlanarLoopOnABodyThatTurnsBecauseItsRowsTurnToo) {
    const auto on_ground = parallelograms(1), on_table = parallelogram_on_a_table();
    EXPECT_TRUE(has_rows_of_the_world(*on_ground));
    EXPECT_FALSE(has_rows_of_the_world(*on_table));
    for (const auto& mechanism : {on_ground, on_table}) {
        // Across the plane: a displacement and two axes.
        EXPECT_EQ(mechanism->redundant_rows.size(), 3u);
        EXPECT_FALSE(may_lose_rank(*mechanism));
    }
}

// Angle of the rods beyond upright after a time: (n + 1) / 3 + n kg m^2 and a moment of (n + 1) / 2 + n kg m in
// gravity, by the classical method of order 4 in steps of 1e-4 s, whose error is round-off.
double angle_of_the_pendulum(int loops, double end_s) {
    const double n = loops, inertia = (n + 1.0) / 3.0 + n, moment = (0.5 * (n + 1.0) + n) * 9.81;
    constexpr double h = 1e-4;
    Eigen::Vector2d y(0.0, 1.0);
    const auto slope = [&](const Eigen::Vector2d& at) {
        return Eigen::Vector2d(at[1], moment / inertia * std::sin(at[0]));
    };
    for (long step = std::lround(end_s / h); step > 0; --step) {
        const Eigen::Vector2d k1 = slope(y), k2 = slope(y + 0.5 * h * k1), k3 = slope(y + 0.5 * h * k2),
                              k4 = slope(y + h * k3);
        y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return y[0];
}

TEST(DeadPoints, OfParallelogramsAreNamedWhereAMethodStallsAndPassedByTheExactMatrix) {
    constexpr int loops = 2;
    const auto mechanism = parallelograms(loops);
    EXPECT_FALSE(may_lose_rank(*mechanism)) << "rows across the plane of a planar loop are not spare ones";
    RunSetup setup;
    setup.coordinates = Coordinates::joint;
    setup.step_s = 5e-4, setup.steps = 20000;
    setup.method = Method::rk4;
    const InstanceEnd stalled = run_nominal(*mechanism, setup);
    const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
    EXPECT_EQ(stalled.status, Status::newton_stalled);
    EXPECT_TRUE(is_near_dead_point(*mechanism, parameters, stalled.final_state, stalled.time_s))
        << sentence_of(stalled.reason);
    EXPECT_FALSE(is_near_dead_point(*mechanism, parameters, stalled.initial_state, 0.0));
    setup.method = Method::generalized_alpha;
    setup.observed = {channel_index(*mechanism, "angle")};
    // By the simplified matrix the steps at the dead point begin again.
    for (const bool exact : {true, false}) {
        setup.exact_matrix = exact;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        // Some h^2 times the cube of the largest rate, 7 rad/s, over ten seconds.
        constexpr double of_second_order = 1e-3;
        EXPECT_NEAR(end.rows.back()[0] - end.rows.front()[0], angle_of_the_pendulum(loops, 10.0), of_second_order);
    }
}

// A four-bar that the file has in its flat pose, where all pins lie in one line and the row along it says nothing.
TEST(RowsLeftOut, AtASingularPoseOfTheFileEndTheRunWhereTheyAreMissed) {
    const char* flat = R"json({
        "gravity_m_s2": [0, -9.81, 0],
        "bodies": {"crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0.2, 0, 0]},
                   "coupler": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0.7, 0, 0]},
                   "rocker": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [1.25, 0, 0]}},
        "joints": {
            "a": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.2, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
            "b": {"type": "revolute", "bodies": ["crank", "coupler"], "points_m": [[0.2, 0, 0], [-0.3, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
            "c": {"type": "revolute", "bodies": ["coupler", "rocker"], "points_m": [[0.3, 0, 0], [-0.25, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
            "d": {"type": "revolute", "bodies": ["rocker", "ground"], "points_m": [[0.25, 0, 0], [1.5, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]}}})json";
    const auto mechanism = parse_mechanism(flat, "flat.json");
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 1e-3, setup.steps = 200, setup.exact_matrix = true;
    for (const Method method : {Method::generalized_alpha, Method::rk4}) {
        setup.method = method;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        EXPECT_EQ(end.status, Status::singular_matrix);
        EXPECT_EQ(end.reason, Reason::spare_row_not_met) << sentence_of(end.reason);
        // Rows of a, b and c: 5 each; the first of d is that along x.
        EXPECT_EQ(end.worst_row, 15);
    }
    EXPECT_EQ(reference_status(*mechanism, "rk4", 1e-3, 0.2, false), "singular_matrix");
    setup.coordinates = Coordinates::body;
    for (const Method method : {Method::generalized_alpha, Method::implicit_euler}) {
        setup.method = method;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        EXPECT_EQ(end.status, Status::singular_matrix);
        EXPECT_EQ(end.reason, Reason::spare_row_not_met) << sentence_of(end.reason);
        EXPECT_LE(end.time_s, 32.0 * setup.step_s) << "it has fallen by 5 mm, and left its loop by some 0.01 mm";
    }
}

}  // namespace
}  // namespace myriad::mechanism::lost_rank
