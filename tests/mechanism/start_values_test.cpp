// Planar joints and start values by the kernels and on the reference path, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "host/backends/reference/reference_channels.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "tests/mechanism/kernel_runs.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

// Newton's tolerance, of metres and rad, over some hundred steps.
constexpr double converged_rows = 1e-9;

// A plate on a plane across (0, 0.6, 0.8), held at its centre of mass, about whose normal it is a top.
constexpr const char* plate_on_a_plane = R"({
    "gravity_m_s2": [0.0, 0.0, -9.81],
    "bodies": {"plate": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.4, 0.6]}},
    "joints": {"plane": {"type": "planar", "bodies": ["ground", "plate"], "points_m": [[1.0, 0.5, -0.2], [0.0, 0.0, 0.0]],
        "axes": [[0.0, 0.6, 0.8], [0.0, 0.0, 1.0]], "references": [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        "displacement_1_m": 0.3, "displacement_rate_1_m_s": 1.5, "displacement_2_m": -0.4,
        "displacement_rate_2_m_s": 2.0, "angle_rad": 9.0, "rate_rad_s": 5.0}},
    "sensors": {
        "along": {"type": "displacement_1", "joint": "plane"}, "up": {"type": "displacement_2", "joint": "plane"},
        "up_rate": {"type": "displacement_rate_2", "joint": "plane"}, "turn": {"type": "angle", "joint": "plane"},
        "push": {"type": "reaction_force", "joint": "plane"}}})";

TEST(PlanarJoint, LetsAPlateSlideUpAndDownAndTurnAsInTheBooks) {
    const auto mechanism = parse_mechanism(plate_on_a_plane, "plate.json");
    EXPECT_EQ(mechanism->freedoms, 3);
    // Discrete rotations turn by less than the rate: by the midpoint rules of their quaternions.
    constexpr double step = 2e-3, turn = 5.0 * step;
    for (const auto& [method, turn_of_step] : {std::pair{Method::generalized_alpha, turn},
                                               {Method::energy_momentum, 4.0 * std::atan(turn / 4.0)},
                                               {Method::energy_momentum_convective, 2.0 * std::atan(turn / 2.0)}}) {
        RunSetup setup{};
        setup.method = method, setup.step_s = step, setup.steps = 300;
        for (const char* name : {"along", "up", "up_rate", "turn"})
            setup.observed.push_back(channel_index(*mechanism, name));
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        // The second slide is along normal x reference: (0, 0.8, -0.6), down the slope.
        constexpr double down_m_s2 = 0.6 * 9.81;
        for (std::size_t i = 0; i < end.rows.size(); i += 50) {
            const double t = step * static_cast<double>(i);
            EXPECT_NEAR(end.rows[i][0], 0.3 + 1.5 * t, converged_rows);
            EXPECT_NEAR(end.rows[i][1], -0.4 + 2.0 * t + 0.5 * down_m_s2 * t * t, converged_rows);
            EXPECT_NEAR(end.rows[i][2], 2.0 + down_m_s2 * t, converged_rows);
            EXPECT_NEAR(end.rows[i][3], 9.0 + turn_of_step * static_cast<double>(i), converged_rows)
                << "over full turns, from the start value";
        }
    }
}

TEST(PlanarJoint, PushesWithTheWeightAcrossThePlane) {
    const auto mechanism = parse_mechanism(plate_on_a_plane, "plate.json");
    RunSetup setup{};
    for (int k = 0; k < 3; ++k) setup.observed.push_back(channel_index(*mechanism, "push", k));
    const InstanceEnd end = run_nominal(*mechanism, setup);
    for (const auto& row : end.rows) {
        EXPECT_NEAR(row[0], 0.0, 1e-6);
        EXPECT_NEAR(row[1], 2.0 * 9.81 * 0.8 * 0.6, 1e-6);
        EXPECT_NEAR(row[2], 2.0 * 9.81 * 0.8 * 0.8, 1e-6);
    }
}

// A double pendulum whose poses the start values alone give; each instance its own.
constexpr const char* started_pendulum = R"({
    "gravity_m_s2": [0.0, -9.81, 0.0],
    "bodies": {"upper": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.1, 0.1], "centre_of_mass_m": [0.5, 0, 0]},
               "lower": {"mass_kg": 2.0, "inertia_kg_m2": [0.01, 0.1, 0.1], "centre_of_mass_m": [0.4, 0, 0]}},
    "joints": {
        "shoulder": {"type": "revolute", "bodies": ["ground", "upper"], "points_m": [[0, 0, 0], [0, 0, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.7, "rate_rad_s": 1.3},
        "elbow": {"type": "revolute", "bodies": ["upper", "lower"], "points_m": [[1, 0, 0], [0, 0, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": -0.4, "rate_rad_s": -2.0}},
    "sensors": {"shoulder_angle": {"type": "angle", "joint": "shoulder"}, "elbow_angle": {"type": "angle", "joint": "elbow"},
        "shoulder_rate": {"type": "rate", "joint": "shoulder"}, "elbow_rate": {"type": "rate", "joint": "elbow"}}})";

TEST(StartValuesOfInstances, HoldAfterAssemblyInEveryLane) {
    const auto mechanism = parse_mechanism(started_pendulum, "pendulum.json");
    constexpr double assembled = 1e-12;
    for (const std::size_t count : {1u, 31u, 33u}) {
        std::vector<std::vector<double>> instances;
        for (std::size_t i = 0; i < count; ++i)
            instances.push_back(with_numbers(*mechanism, {{"joints.shoulder.angle_rad", 0.7 * static_cast<double>(i)},
                                                          {"joints.elbow.rate_rad_s", -2.0 + static_cast<double>(i)}}));
        RunSetup setup{};
        setup.width = Width::packs, setup.steps = 1;
        for (const char* name : {"shoulder_angle", "elbow_angle", "shoulder_rate", "elbow_rate"})
            setup.observed.push_back(channel_index(*mechanism, name));
        const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<double>& start = ends[i].rows.front();
            EXPECT_NEAR(start[0], 0.7 * static_cast<double>(i), assembled * static_cast<double>(i + 1));
            EXPECT_NEAR(start[1], -0.4, assembled);
            EXPECT_NEAR(start[2], 1.3, assembled);
            EXPECT_NEAR(start[3], -2.0 + static_cast<double>(i), assembled * static_cast<double>(i + 1));
            EXPECT_LE(ends[i].assembly_correction, assembled);
        }
    }
}

// Two values in a loop of one freedom: an instance whose second one does not follow from the first.
constexpr const char* started_parallelogram = R"({
    "bodies": {
        "left": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0, 0]},
        "top": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 1, 0]},
        "right": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [2, 0, 0]}},
    "joints": {
        "foot": {"type": "revolute", "bodies": ["ground", "left"], "points_m": [[0, 0, 0], [0, 0, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.3},
        "corner": {"type": "spherical", "bodies": ["left", "top"], "points_m": [[0, 1, 0], [0, 0, 0]]},
        "other_corner": {"type": "revolute", "bodies": ["top", "right"], "points_m": [[2, 0, 0], [0, 1, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]]},
        "other_foot": {"type": "revolute", "bodies": ["ground", "right"], "points_m": [[2, 0, 0], [0, 0, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.3}}})";

TEST(StartValuesOfInstances, ThatContradictFailInTheirLaneAloneAndNameAJoint) {
    const auto mechanism = parse_mechanism(started_parallelogram, "parallelogram.json");
    std::vector<std::vector<double>> instances(33, mechanism->nominal_kernel_parameters());
    RunSetup setup{};
    setup.width = Width::packs, setup.steps = 2;
    const std::vector<InstanceEnd> healthy = run_instances(*mechanism, instances, setup);
    instances[17] = with_numbers(*mechanism, {{"joints.other_foot.angle_rad", 0.5}});
    const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (i == 17) continue;
        EXPECT_EQ(ends[i].status, Status::ok) << sentence_of(ends[i].reason);
        EXPECT_TRUE(same_bits(ends[i].record, healthy[i].record)) << "instance " << i;
    }
    EXPECT_EQ(ends[17].status, Status::assembly_failed);
    EXPECT_EQ(ends[17].reason, Reason::constraints_inconsistent);
    EXPECT_GE(ends[17].worst_row, 0);
}

TEST(ReferenceStart, LetsAPlateSlideAndTurnOnAPlaneFromWhereItsJointStarts) {
    const auto mechanism = parse_mechanism(plate_on_a_plane, "plate.json");
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(*mechanism, p);
    // Discrete rotations turn by less than the rate: by the midpoint rules of their quaternions.
    constexpr double step = 2e-3, turn = 5.0 * step;
    for (const auto& [integrator, turn_of_step] : {std::pair{"generalized_alpha", turn},
                                                   {"energy_momentum", 4.0 * std::atan(turn / 4.0)},
                                                   {"energy_momentum_convective", 2.0 * std::atan(turn / 2.0)}}) {
        SCOPED_TRACE(integrator);
        reference::MechanismSettings settings;
        settings.integrator = integrator, settings.end_s = 0.2, settings.step_s = step;
        settings.after_step = [&, turned = turn_of_step](const reference::MechanismSample& sample) {
            const double t = sample.motion.state.time_s;
            const auto sensed = [&](const char* name) {
                return backends::reference_channel(mechanism->table, p, model, sample, channel_index(*mechanism, name));
            };
            // The second slide is along normal x reference: (0, 0.8, -0.6), down the slope.
            constexpr double down_m_s2 = 0.6 * 9.81;
            EXPECT_NEAR(sensed("along"), 0.3 + 1.5 * t, converged_rows);
            EXPECT_NEAR(sensed("up"), -0.4 + 2.0 * t + 0.5 * down_m_s2 * t * t, converged_rows);
            EXPECT_NEAR(sensed("up_rate"), 2.0 + down_m_s2 * t, converged_rows);
            EXPECT_NEAR(sensed("turn"), 9.0 + turned * t / step, converged_rows)
                << "over full turns, from the start value";
        };
        const reference::MechanismResult result = run_reference_mechanism(model, settings);
        EXPECT_EQ(result.status, "ok") << result.reason;
        EXPECT_EQ(result.steps_taken, 100);
    }
}

TEST(ReferenceStart, RefusesValuesThatDoNotHoldAndNamesTheirRow) {
    const auto mechanism = parse_mechanism(R"json({
        "bodies": {"arm": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.3},
            "stop": {"type": "D", "bodies": ["ground", "arm"], "points_m": [[2, 0, 0], [1, 0, 0]],
                "value_m": "sqrt((2 - cos(0.3))^2 + sin(0.3)^2)"}}})json",
                                           "stop.json");
    std::vector<double> values = nominal_values(*mechanism);
    const auto status_of = [&](double angle) {
        values[number_of(*mechanism, "joints.hinge.angle_rad")] = angle;
        const std::vector<double> p =
            mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
        reference::MechanismSettings settings;
        settings.end_s = 1e-3, settings.step_s = 1e-3;
        return run_reference_mechanism(backends::reference_model(*mechanism, p), settings);
    };
    EXPECT_EQ(status_of(0.3).status, "ok");
    const reference::MechanismResult open = status_of(0.7);
    EXPECT_EQ(open.status, "assembly_failed");
    EXPECT_EQ(open.worst_row, 5) << "of the hinge's five rows and the distance";
}

}  // namespace
}  // namespace myriad::mechanism
