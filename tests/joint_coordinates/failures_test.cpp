// In joint coordinates every failure has its status, in every place of a pack, and harms no neighbour.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

constexpr int steps = 20;

void expect_equal(const InstanceEnd& a, const InstanceEnd& b, std::size_t n) {
    EXPECT_TRUE(same_bits(a.record, b.record)) << "instance " << n;
    EXPECT_TRUE(same_bits(a.final_state, b.final_state)) << "instance " << n;
    EXPECT_TRUE(same_bits(a.maxima, b.maxima)) << "instance " << n;
}

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
    {"stalling", offset_crank, {{"bodies.crank.angular_velocity_rad_s[2]", 2e5}}, 2e-3, 4, Status::newton_stalled},
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
