// In joint coordinates an instance's bits depend on nothing but itself: not on its place in a pack, on where launches
// end, on the order or on neighbours that fail; and every failure has its status.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

struct JointRun {
    const char* mechanism;
    Method method;
    double step_s;
    friend void PrintTo(const JointRun& run, std::ostream* out) { *out << run.mechanism; }
};
constexpr JointRun joint_runs[] = {{"double_pendulum", Method::generalized_alpha, 1e-3},
                                   {"double_pendulum", Method::rk4, 1e-3},
                                   {"double_pendulum", Method::dopri5, 1e-2},
                                   {"four_link", Method::generalized_alpha, 2e-3},
                                   {"four_link", Method::kinematics, 5e-3},
                                   {"four_link", Method::rk4, 2e-3},
                                   {"four_link", Method::ode23, 1e-2},
                                   {"heavy_top", Method::generalized_alpha, 1e-3},
                                   {"high_speed_rotor", Method::rk67, 2e-4},
                                   {"pendulum", Method::implicit_euler, 2e-3},
                                   {"puma560", Method::generalized_alpha, 1e-3},
                                   {"slider_crank_haug", Method::generalized_alpha, 2e-3},
                                   {"slider_crank_haug", Method::dopri5, 1e-2},
                                   {"slider_crank_haug", Method::rk67, 2e-3},
                                   {"slider_crank_iftomm", Method::implicit_euler, 1e-3},
                                   {"slider_crank_iftomm", Method::rk4, 1e-3}};

constexpr int steps = 20;
constexpr std::size_t many = 33;  // more than a tile

// Gravity differs, so that no instance is like another.
std::vector<std::vector<double>> different_instances(const Mechanism& mechanism) {
    std::vector<std::vector<double>> all;
    for (std::size_t n = 0; n < many; ++n) {
        all.push_back(mechanism.nominal_kernel_parameters());
        for (std::size_t k = 0; k < 3; ++k)
            all.back()[gravity_parameter + k] += 0.01 * static_cast<double>(n) + 0.1 * static_cast<double>(k);
    }
    return all;
}

RunSetup setup_of(const JointRun& run) {
    RunSetup setup;
    setup.method = run.method, setup.coordinates = Coordinates::joint, setup.step_s = run.step_s, setup.steps = steps;
    setup.maxima = {0, 4};
    return setup;
}

void expect_equal(const InstanceEnd& a, const InstanceEnd& b, std::size_t n) {
    EXPECT_TRUE(same_bits(a.record, b.record)) << "instance " << n;
    EXPECT_TRUE(same_bits(a.final_state, b.final_state)) << "instance " << n;
    EXPECT_TRUE(same_bits(a.maxima, b.maxima)) << "instance " << n;
}

class SameBitsInJointCoordinates : public testing::TestWithParam<JointRun> {};

TEST_P(SameBitsInJointCoordinates, AloneInPacksByShortLaunchesAndInAnyOrder) {
    const auto mechanism = catalog_mechanism(GetParam().mechanism);
    auto instances = different_instances(*mechanism);
    RunSetup setup = setup_of(GetParam());
    const std::vector<InstanceEnd> alone = run_instances(*mechanism, instances, setup);
    for (const InstanceEnd& end : alone) ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EXPECT_FALSE(same_bits(alone[0].record, alone[1].record));
    setup.width = Width::packs;
    const std::vector<InstanceEnd> packs = run_instances(*mechanism, instances, setup);
    setup.attempts_per_launch = 3;
    const std::vector<InstanceEnd> launches = run_instances(*mechanism, instances, setup);
    std::reverse(instances.begin(), instances.end());
    const std::vector<InstanceEnd> reversed = run_instances(*mechanism, instances, setup);
    for (std::size_t n = 0; n < many; ++n) {
        expect_equal(alone[n], packs[n], n);
        expect_equal(alone[n], launches[n], n);
        expect_equal(alone[n], reversed[many - 1 - n], n);
    }
}
INSTANTIATE_TEST_SUITE_P(Mechanisms, SameBitsInJointCoordinates, testing::ValuesIn(joint_runs));

// The slider's line is five metres off the crank's axis: a short rod does not reach it.
constexpr const char* offset_crank = R"({
    "gravity_m_s2": [0, -9.81, 0], "parameters": {"rod_m": 6.0},
    "bodies": {
        "crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0, 0.5, 0],
                  "orientation": {"x_axis": [0, 1, 0], "y_axis": [-1, 0, 0]}},
        "rod": {"mass_kg": 2, "inertia_kg_m2": [0.01, 6, 6], "position_m": [2.23606797749979, 3, 0],
                "orientation": {"x_axis": [4.47213595499958, 4, 0], "y_axis": [-4, 4.47213595499958, 0]}},
        "slider": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [4.47213595499958, 5, 0]}},
    "joints": {
        "main": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                 "axes": [[0, 0, 1], [0, 0, 1]]},
        "pin": {"type": "revolute", "bodies": ["crank", "rod"], "points_m": [[0.5, 0, 0], ["-rod_m / 2", 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]},
        "wrist": {"type": "revolute", "bodies": ["rod", "slider"], "points_m": [["rod_m / 2", 0, 0], [0, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
        "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "points_m": [[0, 5, 0], [0, 0, 0]],
                  "axes": [[1, 0, 0], [1, 0, 0]]}}})";

// Nothing resists a turn about its own line where the axial inertia is zero.
constexpr const char* hanging_needle = R"({
    "gravity_m_s2": [0, -9.81, 0],
    "bodies": {"needle": {"mass_kg": 1, "inertia_kg_m2": [0.2, 1, 1], "position_m": [0.5, 0, 0]}},
    "joints": {"tip": {"type": "spherical", "bodies": ["ground", "needle"],
                       "points_m": [[0, 0, 0], [-0.5, 0, 0]]}}})";

struct Failure {
    const char *name, *text;
    std::map<std::string, double> numbers;
    double step_s;
    int most_iterations;
    Status status;
    friend void PrintTo(const Failure& failure, std::ostream* out) { *out << failure.name; }
};
const Failure joint_failures[] = {
    {"closing", offset_crank, {{"parameters.rod_m", 2.0}}, 1e-3, 12, Status::assembly_failed},
    {"stalling", offset_crank, {{"bodies.crank.angular_velocity_rad_s[2]", 2000.0}}, 2e-3, 4, Status::newton_stalled},
    {"needle", hanging_needle, {{"bodies.needle.inertia_kg_m2[0]", 0.0}}, 1e-3, 12, Status::singular_matrix},
    {"no_mass", hanging_needle, {{"bodies.needle.mass_kg", -1.0}}, 1e-3, 12, Status::invalid_parameter},
    {"no_number",
     hanging_needle,
     {{"bodies.needle.mass_kg", std::numeric_limits<double>::quiet_NaN()}},
     1e-3,
     12,
     Status::invalid_parameter},
    {"whirl",
     hanging_needle,
     {{"bodies.needle.angular_velocity_rad_s[1]", 1e4}},
     1e-3,
     12,
     Status::step_rotation_too_large},
};

class FailuresInJointCoordinates : public testing::TestWithParam<Failure> {};

TEST_P(FailuresInJointCoordinates, HaveTheirStatusInEveryLaneAndHarmNoNeighbour) {
    const Failure& failure = GetParam();
    const auto mechanism = parse_mechanism(failure.text, failure.name);
    ASSERT_GT(mechanism->table.joint.tree.links, 0) << mechanism->body_coordinates_because;
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = failure.step_s, setup.steps = steps;
    setup.most_newton_iterations = failure.most_iterations, setup.width = Width::packs;
    const std::size_t lanes = lanes_of_a_pack();
    std::vector<std::vector<double>> sound(lanes, mechanism->nominal_kernel_parameters());
    for (std::size_t n = 0; n < lanes; ++n) sound[n][gravity_parameter] = 0.1 * static_cast<double>(n);
    const std::vector<InstanceEnd> expected = run_instances(*mechanism, sound, setup);
    for (const InstanceEnd& end : expected) ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    for (std::size_t spoilt = 0; spoilt < lanes; ++spoilt) {
        auto instances = sound;
        instances[spoilt] = with_numbers(*mechanism, failure.numbers);
        const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
        EXPECT_EQ(ends[spoilt].status, failure.status) << sentence_of(ends[spoilt].reason);
        EXPECT_EQ(ends[spoilt].weak_place, failure.status == Status::singular_matrix ? 0 : -1);
        for (std::size_t n = 0; n < lanes; ++n)
            if (n != spoilt) expect_equal(ends[n], expected[n], n);
    }
}
INSTANTIATE_TEST_SUITE_P(Each, FailuresInJointCoordinates, testing::ValuesIn(joint_failures),
                         [](const auto& given) { return std::string(given.param.name); });

// An angle is within half a turn, with its whole turns beside it, however often it goes round.
TEST(JointCoordinates, CountWholeTurnsExactly) {
    const auto mechanism = parse_mechanism(R"({
        "gravity_m_s2": [0, 0, 0],
        "bodies": {"wheel": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 2], "position_m": [0, 0, 0],
                             "angular_velocity_rad_s": [0, 0, 200]}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]]}},
        "sensors": {"angle": {"type": "angle", "joint": "axle"}, "rate": {"type": "rate", "joint": "axle"}}})",
                                           "wheel");
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.step_s = 1e-2, setup.steps = 1000;
    setup.observed = {channel_index(*mechanism, "angle"), channel_index(*mechanism, "rate")};
    const InstanceEnd end = run_nominal(*mechanism, setup);
    ASSERT_EQ(end.status, Status::ok);
    // Each of a thousand steps rounds the angle, which is below pi, once.
    EXPECT_NEAR(end.rows.back()[0], 2000.0, 1000 * 4.5e-16 + 2000.0 * 2.3e-16);
    EXPECT_EQ(end.rows.back()[1], 200.0);
}

}  // namespace
}  // namespace myriad::mechanism
