// States that do not satisfy the constraints are put together, or refused in their lane alone.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "host/text/user_error.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

// Assembly promises round-off of some metres and rad, far below the tolerance by which it refuses.
constexpr double assembled_m = 1e-12;
// Velocities of some m/s times matrices of condition 1e3 or less.
constexpr double consistent_m_s = 1e-11;

struct AssembledStart {
    InstanceEnd end;
    double constraint_residual, velocity_residual, correction;
};

// The state at the start of a run of one step.
AssembledStart assembled(const Mechanism& mechanism, const std::vector<double>& parameters) {
    RunSetup setup{};
    setup.steps = 1, setup.coordinates = Coordinates::joint;
    for (const char* name : {"constraint_residual", "velocity_residual", "assembly_correction"})
        setup.observed.push_back(channel_index(mechanism, name));
    const InstanceEnd end = run_instances(mechanism, {parameters}, setup).front();
    return {end, end.rows[0][0], end.rows[0][1], end.rows[0][2]};
}

double& parameter_of(std::vector<double>& parameters, int body, int offset) {
    return parameters[static_cast<std::size_t>(body_parameter(body, offset))];
}

// Every body moved by up to `size` m and turned by up to `size` rad; velocities anything.
std::vector<double> disturbed(const Mechanism& mechanism, double size, int variant) {
    std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    const auto wave = [&](int i) { return std::sin(1.3 * i + 2.1 * variant); };
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        for (int k = 0; k < 3; ++k) {
            parameter_of(parameters, b, body_position + k) += size * wave(7 * b + k);
            parameter_of(parameters, b, body_velocity + k) += wave(11 * b + k + 3);
            parameter_of(parameters, b, body_angular_velocity + k) += wave(13 * b + k + 5);
        }
        const Eigen::Quaterniond q(
            parameter_of(parameters, b, body_orientation), parameter_of(parameters, b, body_orientation + 1),
            parameter_of(parameters, b, body_orientation + 2), parameter_of(parameters, b, body_orientation + 3));
        const Eigen::Vector3d axis(wave(3 * b), wave(3 * b + 1), wave(3 * b + 2));
        const Eigen::Quaterniond turned = q * Eigen::Quaterniond(Eigen::AngleAxisd(size, axis.normalized()));
        const double components[] = {turned.w(), turned.x(), turned.y(), turned.z()};
        for (int k = 0; k < 4; ++k) parameter_of(parameters, b, body_orientation + k) = components[k];
    }
    return parameters;
}

TEST(Assembly, PutsDisturbedMechanismsTogether) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm", "slider_crank_haug", "four_link", "puma560"}) {
        const auto mechanism = catalog_mechanism(name);
        const double length = mechanism->nominal_kernel_parameters()[length_scale_parameter];
        for (int variant = 0; variant < 5; ++variant) {
            SCOPED_TRACE(testing::Message() << name << " variant " << variant);
            const double size = 0.02 * std::min(length, 1.0);
            const AssembledStart start = assembled(*mechanism, disturbed(*mechanism, size, variant));
            EXPECT_NE(start.end.status, Status::assembly_failed) << sentence_of(start.end.reason);
            EXPECT_LE(start.constraint_residual, assembled_m * std::max(1.0, length));
            EXPECT_LE(start.velocity_residual, consistent_m_s * std::max(1.0, length));
            EXPECT_GT(start.correction, 1e-3 * size);
        }
    }
}

TEST(Assembly, LeavesAConsistentStateWhereItIs) {
    for (const char* name : {"double_pendulum", "slider_crank_iftomm", "slider_crank_haug"}) {
        const auto mechanism = catalog_mechanism(name);
        EXPECT_LE(assembled(*mechanism, mechanism->nominal_kernel_parameters()).correction, 1e-14) << name;
    }
}

// Two bodies, in the order of their names, whose centres are to meet; 0.3 m apart in the file.
std::string pair_text(const std::string& pinned) {
    return R"({"bodies": {
        "a_light": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.2, 0.25], "velocity_m_s": [1.0, 0.0, 0.0],
                  "orientation": {"rotation_vector_rad": [0.3, -0.2, 0.5]})" +
           pinned + R"(},
        "b_heavy": {"mass_kg": 3.0, "inertia_kg_m2": [0.3, 0.2, 0.4], "position_m": [0.1, 0.2, -0.2],
                  "velocity_m_s": [-1.0, 2.0, 0.0]}},
      "joints": {"ball": {"type": "spherical", "bodies": ["a_light", "b_heavy"], "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}}})";
}

TEST(Assembly, MovesBodiesInInverseProportionToTheirMasses) {
    const auto mechanism = parse_mechanism(pair_text(""), "pair.json");
    const InstanceEnd end = assembled(*mechanism, mechanism->nominal_kernel_parameters()).end;
    // The common centre of mass and the total momentum stay.
    const double position[] = {0.075, 0.15, -0.15}, velocity[] = {-0.5, 1.5, 0.0};
    for (int b = 0; b < 2; ++b)
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(end.initial_state[static_cast<std::size_t>(13 * b + k)], position[k], 1e-15);
            EXPECT_NEAR(end.initial_state[static_cast<std::size_t>(13 * b + 7 + k)], velocity[k], 1e-15);
        }
}

TEST(Assembly, DoesNotMoveWhatIsPinned) {
    const auto mechanism = parse_mechanism(pair_text(R"(, "pinned": ["position", "orientation"])"), "pair.json");
    const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
    const AssembledStart start = assembled(*mechanism, parameters);
    EXPECT_LE(start.constraint_residual, assembled_m);
    EXPECT_LE(start.velocity_residual, consistent_m_s);
    // The coordinates of the tree round twice.
    for (int k = 0; k < 7; ++k)
        EXPECT_NEAR(start.end.initial_state[static_cast<std::size_t>(k)],
                    parameters[static_cast<std::size_t>(body_parameter(0, body_position + k))], 2.3e-16);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(start.end.initial_state[static_cast<std::size_t>(13 + k)], 0.0, 1e-15);
}

// A rod between two walls on its ends' points; only what is not pinned may give way.
constexpr const char* pinned_position = R"({"bodies": {
        "a_rod": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.2, 0.2], "pinned": ["position"]},
        "b_end": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.9, 0.2, 0.0], "pinned": ["position"]}},
      "joints": {"reach": {"type": "DP2", "bodies": ["a_rod", "b_end"], "axis": [0.0, 1.0, 0.0],
                           "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}}})";

TEST(Assembly, TurnsABodyWhosePositionIsPinned) {
    const auto mechanism = parse_mechanism(pinned_position, "pinned.json");
    const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
    const AssembledStart start = assembled(*mechanism, parameters);
    EXPECT_LE(start.constraint_residual, assembled_m);
    for (int b = 0; b < 2; ++b)
        for (int k = 0; k < 3; ++k)
            EXPECT_EQ(start.end.initial_state[static_cast<std::size_t>(13 * b + k)],
                      parameters[static_cast<std::size_t>(body_parameter(b, body_position + k))]);
    // The rod's y axis goes across (0.9, 0.2, 0) by a turn about z alone, the least there is.
    EXPECT_NEAR(2.0 * std::atan2(start.end.initial_state[6], start.end.initial_state[3]), std::atan2(0.2, 0.9), 1e-12);
}

// Two wires to points 2 m apart: they reach the body only when they are 2 m long together.
constexpr const char* two_wires = R"({
    "parameters": {"left_m": 1.3, "right_m": 1.3},
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"weight": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.1, 0.1, -0.8]}},
    "joints": {
        "left": {"type": "D", "bodies": ["ground", "weight"], "points_m": [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.05]], "value_m": "left_m"},
        "right": {"type": "D", "bodies": ["ground", "weight"], "points_m": [[1.0, 0.0, 0.0], [0.0, 0.0, 0.05]], "value_m": "right_m"}}})";

// The joint or driver of a constraint row, as InstanceEnd::worst_row counts it.
std::string owner_of_row(const Mechanism& mechanism, int row) {
    int number = 0;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const Element& element = mechanism.table.element[e];
        if (element.has_law || element.is_sensor) continue;
        for (int k = 0; k < rows_of(element.kind); ++k, ++number)
            if (number == row)
                for (const auto* section : {&mechanism.joints, &mechanism.drivers})
                    for (const NamedElements& named : *section)
                        if (named.first_element <= e && e < named.first_element + named.element_count)
                            return named.section + "." + named.name;
    }
    return "";
}

// One lane is spoilt: it fails as told, and the others have the bits that they have without it.
void expect_failure_in_its_lane_alone(const Mechanism& mechanism, const std::vector<double>& spoilt, Status status,
                                      Reason reason) {
    const std::size_t lanes = lanes_of_a_pack();
    std::vector<std::vector<double>> healthy(lanes, mechanism.nominal_kernel_parameters());
    for (std::size_t lane = 0; lane < lanes; ++lane)
        healthy[lane][gravity_parameter] += 0.1 * static_cast<double>(lane);
    RunSetup setup{};
    setup.width = Width::packs;
    const std::vector<InstanceEnd> before = run_instances(mechanism, healthy, setup);
    for (std::size_t bad = 0; bad < lanes; ++bad) {
        SCOPED_TRACE(testing::Message() << "lane " << bad);
        auto instances = healthy;
        instances[bad] = spoilt;
        const std::vector<InstanceEnd> after = run_instances(mechanism, instances, setup);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            EXPECT_EQ(before[lane].status, Status::ok) << sentence_of(before[lane].reason);
            if (lane == bad) {
                EXPECT_EQ(name_of(after[lane].status), std::string(name_of(status)));
                EXPECT_EQ(sentence_of(after[lane].reason), std::string(sentence_of(reason)));
                EXPECT_EQ(after[lane].steps, 0.0);
            } else {
                EXPECT_TRUE(same_bits(after[lane].record, before[lane].record)) << "lane " << lane;
            }
        }
    }
}

TEST(Assembly, OfALoopThatDoesNotCloseFailsInItsLaneAlone) {
    const auto mechanism = parse_mechanism(two_wires, "two_wires.json");
    expect_failure_in_its_lane_alone(
        *mechanism, with_numbers(*mechanism, {{"parameters.left_m", 0.7}, {"parameters.right_m", 0.8}}),
        Status::assembly_failed, Reason::loop_does_not_close);
}

// Instance 17 of 33 fails in the row of `joint`, with the same bits in packs as alone; the others keep theirs.
void expect_the_joint_is_named(const Mechanism& mechanism, const std::vector<double>& spoilt, const char* joint) {
    constexpr std::size_t bad = 17, count = 33;
    std::vector<std::vector<double>> instances(count, mechanism.nominal_kernel_parameters());
    for (std::size_t i = 0; i < count; ++i) instances[i][gravity_parameter] += 0.1 * static_cast<double>(i);
    RunSetup setup{};
    setup.steps = 2;
    const std::vector<InstanceEnd> healthy = run_instances(mechanism, instances, setup);
    instances[bad] = spoilt;
    for (const Width width : {Width::alone, Width::packs}) {
        setup.width = width;
        const std::vector<InstanceEnd> ends = run_instances(mechanism, instances, setup);
        for (std::size_t i = 0; i < count; ++i) {
            if (i == bad) continue;
            EXPECT_EQ(ends[i].worst_row, -1);
            EXPECT_TRUE(same_bits(ends[i].record, healthy[i].record)) << "instance " << i;
        }
        EXPECT_EQ(name_of(ends[bad].status), std::string("assembly_failed"));
        EXPECT_EQ(owner_of_row(mechanism, ends[bad].worst_row), joint);
    }
}

TEST(Assembly, OfALoopThatDoesNotCloseNamesTheJointThatTheGivenStateIsFarthestFrom) {
    const auto mechanism = parse_mechanism(two_wires, "two_wires.json");
    expect_the_joint_is_named(*mechanism, with_numbers(*mechanism, {{"parameters.right_m", 0.4}}), "joints.right");
    expect_the_joint_is_named(*mechanism, with_numbers(*mechanism, {{"parameters.left_m", 0.4}}), "joints.left");
}

// A wheel on a shaft whose angle is driven twice: the second driver is redundant, and it may turn at another rate.
constexpr const char* driven_twice = R"({
    "parameters": {"rate": 0.5},
    "bodies": {"wheel": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.2]}},
    "joints": {"shaft": {"type": "revolute", "bodies": ["ground", "wheel"], "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
                         "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]}},
    "drivers": {"one": {"type": "angle", "joint": "shaft", "value_rad": "0.5 * t"},
                "two": {"type": "angle", "joint": "shaft", "value_rad": "rate * t"}}})";

TEST(Assembly, OfDriversAtDifferentRatesFailsInTheVelocities) {
    const auto mechanism = parse_mechanism(driven_twice, "driven_twice.json");
    ASSERT_EQ(mechanism->redundant_rows.size(), 1u);
    const std::string redundant = mechanism->redundant_rows[0].joint;
    const auto spoilt = with_numbers(*mechanism, {{"parameters.rate", 0.6}});
    expect_the_joint_is_named(*mechanism, spoilt, redundant.c_str());
    RunSetup setup{};
    setup.method = Method::kinematics;
    EXPECT_EQ(run_nominal(*mechanism, setup).status, Status::ok);
    EXPECT_EQ(run_instances(*mechanism, {spoilt}, setup).front().reason, Reason::constraints_inconsistent);
}

TEST(Assembly, OfAFileThatCannotBePutTogetherNamesTheJoint) {
    std::string text = two_wires;
    text.replace(text.find("\"left_m\": 1.3"), 13, "\"left_m\": 0.4");
    try {
        parse_mechanism(text, "two_wires.json");
        FAIL() << "two wires of 1.7 m were taken to reach over 2 m";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot be assembled"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("joints."), std::string::npos) << error.what();
    }
}

// A parallelogram of three links in the x-y plane on four revolute joints about z: 20 rows, of which the plane makes
// three redundant.
constexpr const char* parallelogram = R"({
    "gravity_m_s2": [0.0, -9.81, 0.0],
    "parameters": {"tilt": 0.0},
    "bodies": {
        "crank": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0.0, 0.5, 0.0],
                  "orientation": {"x_axis": [0.0, 1.0, 0.0], "z_axis": [0.0, 0.0, 1.0]}},
        "coupler": {"mass_kg": 1.5, "inertia_kg_m2": [0.01, 0.2, 0.2], "position_m": [0.75, 1.0, 0.0]},
        "rocker": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [1.5, 0.5, 0.0],
                   "orientation": {"x_axis": [0.0, 1.0, 0.0], "z_axis": [0.0, 0.0, 1.0]},
                   "angular_velocity_rad_s": [0.0, 0.0, 0.4]}},
    "joints": {
        "a": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0.0, 0.0, 0.0], [-0.5, 0.0, 0.0]],
              "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]},
        "b": {"type": "revolute", "bodies": ["crank", "coupler"], "points_m": [[0.5, 0.0, 0.0], [-0.75, 0.0, 0.0]],
              "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]},
        "c": {"type": "revolute", "bodies": ["coupler", "rocker"], "points_m": [[0.75, 0.0, 0.0], [0.5, 0.0, 0.0]],
              "axes": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]},
        "d": {"type": "revolute", "bodies": ["ground", "rocker"], "points_m": [[1.5, 0.0, 0.0], [-0.5, 0.0, 0.0]],
              "axes": [["tilt", 0.0, 1.0], [0.0, 0.0, 1.0]]}}})";

TEST(RedundantRows, OfAPlanarFourBarAreThreeAndNamed) {
    const auto mechanism = parse_mechanism(parallelogram, "four_bar.json");
    ASSERT_EQ(mechanism->redundant_rows.size(), 3u);
    EXPECT_EQ(mechanism->table.constraint_rows, 17);
    EXPECT_EQ(mechanism->freedoms, 1);
    for (const RedundantRow& row : mechanism->redundant_rows) {
        EXPECT_EQ(row.joint.rfind("joints.", 0), 0u) << row.joint;
        EXPECT_FALSE(row.meaning.empty());
    }
}

TEST(RedundantRows, AreKeptByTheMotionAllTheSame) {
    const auto mechanism = parse_mechanism(parallelogram, "four_bar.json");
    RunSetup setup{};
    setup.steps = 1000;
    // The residual counts the rows that were removed as well.
    setup.maxima = {channel_index(*mechanism, "constraint_residual")};
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EXPECT_LE(end.maxima[0], assembled_m);
    // Crank and rocker of a parallelogram turn alike.
    const auto at = [&](const std::string& body) {
        const auto& names = mechanism->body_names;
        return 13 * static_cast<std::size_t>(std::find(names.begin(), names.end(), body) - names.begin());
    };
    for (std::size_t k = 3; k < 7; ++k)
        EXPECT_NEAR(end.final_state[at("crank") + k], end.final_state[at("rocker") + k], 1e-11);
}

TEST(RedundantRows, ThatContradictInAnInstanceFailInItsLaneAlone) {
    const auto mechanism = parse_mechanism(parallelogram, "four_bar.json");
    expect_failure_in_its_lane_alone(*mechanism, with_numbers(*mechanism, {{"parameters.tilt", 1e-3}}),
                                     Status::assembly_failed, Reason::constraints_inconsistent);
    expect_the_joint_is_named(*mechanism, with_numbers(*mechanism, {{"parameters.tilt", 1e-3}}),
                              mechanism->redundant_rows.back().joint.c_str());
}

// A body driven about y: on Cardan angles its second one is 90 degrees at the eighth step.
TEST(Kinematics, EndsWhereAChartHasItsSingularity) {
    const auto mechanism = parse_mechanism(R"({
        "bodies": {"arm": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.2]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"],
                             "points_m": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "axes": [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]}},
        "drivers": {"turn": {"type": "angle", "joint": "hinge", "value_rad": "pi / 2 * t"}}})",
                                           "arm.json");
    RunSetup setup{};
    setup.method = Method::kinematics;
    setup.step_s = 0.125, setup.steps = 16;
    EXPECT_EQ(run_nominal(*mechanism, setup).status, Status::ok);
    setup.chart = OrientationChart::cardan_xyz;
    const InstanceEnd end = run_nominal(*mechanism, setup);
    EXPECT_EQ(name_of(end.status), std::string("chart_singular"));
    EXPECT_EQ(end.steps, 7.0);
}

}  // namespace

}  // namespace myriad::mechanism
