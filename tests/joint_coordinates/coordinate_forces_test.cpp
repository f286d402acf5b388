// Forces that are formulas of coordinates and rates of joints: against springs that exist, against the reference path,
// by their work, by the iterations that they need, by their bits.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/reference_runs.hpp"
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

// Every kind of name and of entry: own and others' coordinates and rates, inward, outward and beside, and time.
json with_formulas() {
    json file = sledge_on_an_arm();
    file["forces"] = {
        {"turning",
         {{"type", "joint_force"},
          {"joint", "hinge"},
          {"torque_N_m",
           "-k * sin(angle) - d * rate + 3 * sin(2 * t) * rail.displacement_rate - "
           "5 * rail.displacement * axle.rate"}}},
        {"sliding",
         {{"type", "joint_force"},
          {"joint", "rail"},
          {"force_N", "-2 * k * displacement + if(hinge.rate < 0, 1, 2) * hinge.angle^2 - tanh(displacement_rate)"}}},
        {"beside", {{"type", "joint_force"}, {"joint", "axle"}, {"torque_N_m", "-4 * (angle - hinge.angle) + cos(t)"}}},
        {"steady", {{"type", "joint_force"}, {"joint", "axle"}, {"torque_N_m", 0.25}}}};
    return file;
}

TEST(CoordinateForces, LeadToTheMotionOfTheReferencePath) {
    const auto mechanism = parsed_forces(with_formulas());
    ASSERT_EQ(mechanism->table.joint.coordinate_forces, 4);
    EXPECT_FALSE(mechanism->table.joint.is_symmetric);
    for (const auto& [method, name] :
         {std::pair{Method::generalized_alpha, "generalized_alpha"}, {Method::rk4, "rk4"}}) {
        const RunSetup setup = setup_of(*mechanism, method, 2e-3, 300);
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_LE(end.most_newton_iterations, 4.0);
        const auto rows = reference_rows(*mechanism, name, 2e-3, 300, setup.spectral_radius, setup.observed);
        ASSERT_EQ(rows.size(), end.rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t c = 0; c < rows[i].size(); ++c)
                EXPECT_NEAR(end.rows[i][c], rows[i][c], 1e-7) << name << ", row " << i << ", channel " << c;
    }
}

TEST(CoordinateForces, DoTheWorkThatTheEnergyGains) {
    // Without the force that jumps.
    json file = with_formulas();
    file["forces"]["sliding"]["force_N"] = "-2 * k * displacement + 2 * hinge.angle^2 - tanh(displacement_rate)";
    double before = 0.0;
    for (const int refinement : {1, 2}) {
        const auto rows = rows_of(file, Method::rk4, 8e-3 / refinement, 100 * refinement);
        const double left = rows.back()[4] - rows.front()[4] - rows.back()[5];
        EXPECT_GT(std::abs(rows.back()[5]), 0.5) << "they do some work";
        EXPECT_LT(std::abs(left), 1e-5);
        // The order of the method.
        if (refinement == 2) EXPECT_NEAR(std::log2(before / left), 4.0, 0.5);
        before = left;
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

TEST(CoordinateForces, HaveTheSameBitsAloneAndInPacks) {
    const auto mechanism = parsed_forces(with_formulas());
    std::vector<std::vector<double>> instances;
    for (int n = 0; n < 33; ++n)
        instances.push_back(with_numbers(
            *mechanism,
            {{"parameters.k", 10.0 + n}, {"parameters.d", 0.1 * n}, {"forces.steady.torque_N_m", 0.5 - 0.1 * n}}));
    for (const Method method : {Method::generalized_alpha, Method::rk4}) {
        RunSetup setup = setup_of(*mechanism, method, 2e-3, 100);
        const std::vector<InstanceEnd> alone = run_instances(*mechanism, instances, setup);
        setup.width = Width::packs;
        const std::vector<InstanceEnd> packs = run_instances(*mechanism, instances, setup);
        for (std::size_t n = 0; n < instances.size(); ++n) {
            ASSERT_EQ(alone[n].status, Status::ok) << sentence_of(alone[n].reason);
            EXPECT_TRUE(same_bits(alone[n].record, packs[n].record)) << "instance " << n;
            if (n > 0) EXPECT_FALSE(same_bits(alone[n].final_state, alone[0].final_state));
        }
    }
}

}  // namespace
}  // namespace myriad::mechanism
