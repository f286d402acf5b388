// Forces that are formulas of coordinates and rates of joints: against springs that exist, and by the iterations that
// they need.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// A swinging arm with a sledge on it, and a turntable beside them.
json sledge_on_an_arm() {
    return json::parse(R"({
        "gravity_m_s2": [0.5, -9.81, 0.3], "parameters": {"k": 30.0, "d": 0.7},
        "bodies": {
            "arm": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.3, 0.3], "centre_of_mass_m": [0.4, 0, 0.05]},
            "sledge": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.02, 0.02], "position_m": [0.5, 0, 0]},
            "table": {"mass_kg": 3, "inertia_kg_m2": [0.2, 0.3, 0.2], "position_m": [0, 0, 2]}},
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.5, "rate_rad_s": 3},
            "rail": {"type": "prismatic", "bodies": ["arm", "sledge"], "points_m": [[0.5, 0, 0], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]], "displacement_rate_m_s": 0.3},
            "axle": {"type": "revolute", "bodies": ["ground", "table"], "points_m": [[0, 0, 2], [0, 0, 0]],
                     "axes": [[0, 1, 0], [0, 1, 0]], "rate_rad_s": 1}},
        "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "way": {"type": "displacement", "joint": "rail"},
                    "rate": {"type": "rate", "joint": "hinge"}, "turn": {"type": "angle", "joint": "axle"}}})");
}
std::shared_ptr<const Mechanism> parsed_forces(const json& file) { return parse_mechanism(file.dump(), "forces.json"); }

RunSetup setup_of(const Mechanism& mechanism, Method method, double step_s, int steps) {
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.step_s = step_s, setup.steps = steps;
    setup.newton_tolerance = 1e-12;
    for (const char* name : {"angle", "rate", "way", "turn", "energy", "work"})
        setup.observed.push_back(channel_index(mechanism, name));
    return setup;
}
std::vector<std::vector<double>> rows_of(const json& file, Method method, double step_s, int steps) {
    const auto mechanism = parsed_forces(file);
    const InstanceEnd end = run_nominal(*mechanism, setup_of(*mechanism, method, step_s, steps));
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    return end.rows;
}

TEST(CoordinateForces, MoveLikeTheSpringsAndDampersThatTheyWriteOut) {
    json springs = sledge_on_an_arm(), formulas = springs;
    springs["forces"] = {
        {"turning",
         {{"type", "torsional_spring_damper"},
          {"joint", "hinge"},
          {"stiffness_N_m_rad", "k"},
          {"damping_N_m_s_rad", "d"},
          {"rest_angle_rad", "0.2 * t"}}},
        {"sliding",
         {{"type", "linear_spring_damper"}, {"joint", "rail"}, {"stiffness_N_m", "2 * k"}, {"damping_N_s_m", 0.1}}}};
    formulas["forces"] = {
        {"turning",
         {{"type", "joint_force"}, {"joint", "hinge"}, {"torque_N_m", "-k * (angle - 0.2 * t) - d * (rate - 0.2)"}}},
        {"sliding",
         {{"type", "joint_force"}, {"joint", "rail"}, {"force_N", "-2 * k * displacement - 0.1 * displacement_rate"}}}};
    for (const Method method : {Method::generalized_alpha, Method::implicit_euler, Method::rk4, Method::dopri5}) {
        const auto of_springs = rows_of(springs, method, 2e-3, 500), of_formulas = rows_of(formulas, method, 2e-3, 500);
        ASSERT_EQ(of_springs.size(), of_formulas.size());
        for (std::size_t i = 0; i < of_springs.size(); ++i)
            // Corrections are met to 1e-8 of accelerations of some 100; explicit methods to round-off.
            for (std::size_t c = 0; c < 4; ++c)
                EXPECT_NEAR(of_formulas[i][c], of_springs[i][c],
                            method == Method::rk4 || method == Method::dopri5 ? 1e-11 : 1e-8)
                    << "row " << i << ", channel " << c;
    }
}

// A stiff spring between the angles of a chain of arms: its derivative stands in the tree's pattern and in the matrix.
TEST(CoordinateForces, StiffBetweenNeighboursOfAChainNeedFewIterations) {
    json file = json::parse(R"({"gravity_m_s2": [0, -9.81, 0], "parameters": {"k": 1e6}})");
    std::string parent = "ground";
    for (int k = 0; k < 4; ++k) {
        const std::string name = "arm_" + std::to_string(k), joint = "hinge_" + std::to_string(k);
        file["bodies"][name] = {
            {"mass_kg", 1.0}, {"inertia_kg_m2", {0.01, 0.05, 0.06}}, {"centre_of_mass_m", {0.3, 0, 0}}};
        file["joints"][joint] = {{"type", "revolute"},
                                 {"bodies", {parent, name}},
                                 {"points_m", {{k == 0 ? 0.0 : 0.5, 0, 0}, {0, 0, 0}}},
                                 {"axes", {{0, 0, 1}, {0, 0, 1}}},
                                 {"angle_rad", 0.1}};
        parent = name;
    }
    for (int k = 0; k < 4; ++k) {
        const std::string own = "hinge_" + std::to_string(k);
        std::string torque = "0";
        for (const int next : {k - 1, k + 1})
            if (0 <= next && next < 4) torque += " - k * (angle - hinge_" + std::to_string(next) + ".angle)";
        file["forces"][own] = {{"type", "joint_force"}, {"joint", own}, {"torque_N_m", torque}};
    }
    const auto mechanism = parsed_forces(file);
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.steps = 500;
    const InstanceEnd end = run_nominal(*mechanism, setup);
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    EXPECT_LE(end.newton_iterations / end.steps, 4.0);
}

}  // namespace
}  // namespace myriad::mechanism
