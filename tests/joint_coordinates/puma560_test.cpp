// The Puma 560 against what others say of the same robot: the torques that carry it, and its motion in another program.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/validation/runs/reference_values.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
namespace known = reference_values::puma560;

constexpr const char* joints[] = {"base", "shoulder", "elbow", "wrist_roll", "wrist_pitch", "flange"};
constexpr double digits = 1e-9;  // of the values

json robot() { return json::parse(catalog_mechanism("puma560")->text); }

// Held at its initial pose by drivers, whose torques on the links are along the axes of the joints. Those of joints 2,
// 3 and 5 point along -y there, those of the others lie in the plane x-z.
TEST(Puma560, IsCarriedByTheStaticTorques) {
    json file = robot();
    file.erase("forces");
    const char* starts[] = {"0", "start_2_rad", "start_3_rad", "0", "start_5_rad", "0"};
    for (std::size_t i = 0; i < 6; ++i) {
        const std::string number = std::to_string(i + 1);
        file["drivers"]["hold_" + number] = {{"type", "angle"}, {"joint", joints[i]}, {"value_rad", starts[i]}};
        file["sensors"]["torque_" + number] = {{"type", "reaction_torque"}, {"joint", "hold_" + number}};
    }
    const auto mechanism = parse_mechanism(file.dump(), "puma560.json");
    // The first link has inertia about one axis alone, which bodies by themselves have on the charts of papers/.
    for (const OrientationChart chart : {OrientationChart::rotation, OrientationChart::rotation_vector}) {
        RunSetup setup{.method = Method::kinematics, .steps = 1, .chart = chart};
        setup.coordinates = chart == OrientationChart::rotation ? Coordinates::joint : Coordinates::body;
        for (std::size_t i = 0; i < 6; ++i)
            for (int k = 0; k < 3; ++k)
                setup.observed.push_back(channel_index(*mechanism, "torque_" + std::to_string(i + 1), k));
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        for (std::size_t i = 0; i < 6; ++i) {
            const double* torque = &end.rows.back()[3 * i];
            const bool along_y = i == 1 || i == 2 || i == 4;
            const double about_axis = along_y ? -torque[1] : std::hypot(torque[0], torque[2]);
            EXPECT_NEAR(about_axis, known::static_torques[i], digits) << joints[i];
            EXPECT_NEAR(along_y ? std::hypot(torque[0], torque[2]) : torque[1], 0.0, digits) << joints[i];
        }
    }
}

// EXUDYN's kinematic tree: two profiles of 0.25 s, gravity upwards, angles at t = 0.4 (facts A.4).
TEST(Puma560, AgreesWithAnotherProgramOnTheSameRobot) {
    json file = robot();
    file["gravity_m_s2"] = {0.0, 0.0, 9.81};
    for (const char* start : {"start_2_rad", "start_3_rad", "start_5_rad"}) file["parameters"][start] = 0.0;
    constexpr double first[] = {90.0, 0.0, -45.0, 0.0, 0.0, 0.0}, second[] = {0.0, 22.5, 90.0, 0.0, 22.5, 0.0};
    // From 0 to 1 in 0.25 s: a constant acceleration, then as much deceleration.
    const auto profile = [](const std::string& begin_s) {
        const std::string s = "min(max((t - " + begin_s + ") / 0.25, 0), 1)";
        return "if(" + s + " < 0.5, 2 * " + s + "^2, 1 - 2 * (1 - " + s + ")^2)";
    };
    for (std::size_t i = 0; i < 6; ++i)
        file["forces"]["control_" + std::to_string(i + 1)]["target"] =
            "pi / 180 * (" + std::to_string(first[i]) + " * " + profile("0") + " + " +
            std::to_string(second[i] - first[i]) + " * " + profile("0.25") + ")";
    const auto mechanism = parse_mechanism(file.dump(), "puma560.json");
    RunSetup setup{.method = Method::rk4, .coordinates = Coordinates::joint, .step_s = 1e-4, .steps = 4000};
    for (std::size_t i = 0; i < 6; ++i)
        setup.observed.push_back(channel_index(*mechanism, "angle_" + std::to_string(i + 1)));
    const InstanceEnd end = run_nominal(*mechanism, setup);
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(end.rows.back()[i], known::angles_on_a_path[i], digits) << joints[i];
}

}  // namespace
}  // namespace myriad::mechanism
