// Friction in joints: against closed forms, and in loops on the reference path; Newton's method where joints come to
// rest; failures.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

constexpr double inertia_kg_m2 = 0.4, start_rad_s = 3.0;

// A flywheel on a bearing with friction.
json flywheel(double dry_N_m, double viscous_N_m_s_rad, double regularisation_rad_s) {
    json file = json::parse(R"({
        "bodies": {"wheel": {"mass_kg": 5, "inertia_kg_m2": [0.2, 0.2, 0.4]}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]], "rate_rad_s": 3}},
        "forces": {"bearing": {"type": "joint_friction", "joint": "axle"}},
        "sensors": {"angle": {"type": "angle", "joint": "axle"}, "rate": {"type": "rate", "joint": "axle"}}})");
    json& bearing = file["forces"]["bearing"];
    if (viscous_N_m_s_rad != 0.0) bearing["viscous_N_m_s_rad"] = viscous_N_m_s_rad;
    if (dry_N_m == 0.0) return file;
    bearing["coulomb_N_m"] = dry_N_m, bearing["regularisation_rad_s"] = regularisation_rad_s;
    return file;
}

// The same with a slide, where masses, lengths and units differ.
json sledge(double dry_N, double regularisation_m_s) {
    json file = json::parse(R"({
        "bodies": {"sledge": {"mass_kg": 0.4, "inertia_kg_m2": [0.2, 0.2, 0.4]}},
        "joints": {"rail": {"type": "cylindrical", "bodies": ["ground", "sledge"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]], "displacement_rate_m_s": 3, "rate_rad_s": 2}},
        "forces": {"shoe": {"type": "joint_friction", "joint": "rail", "coordinate": "displacement"}},
        "sensors": {"way": {"type": "displacement", "joint": "rail"},
                    "rate": {"type": "displacement_rate", "joint": "rail"}}})");
    file["forces"]["shoe"]["coulomb_N"] = dry_N, file["forces"]["shoe"]["regularisation_m_s"] = regularisation_m_s;
    return file;
}

std::shared_ptr<const Mechanism> parsed(const json& file) { return parse_mechanism(file.dump(), "friction.json"); }

RunSetup setup_of(Method method, double step_s, int steps, const Mechanism& mechanism) {
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.step_s = step_s, setup.steps = steps;
    setup.observed = {channel_index(mechanism, "rate"), channel_index(mechanism, "work"),
                      channel_index(mechanism, "energy")};
    return setup;
}

// J w' = -T tanh(w / s) has the solution sinh(w / s) = sinh(w_0 / s) exp(-T t / (J s)).
double rate_by_dry_friction(double dry, double s, double t) {
    const double x = start_rad_s / s;
    const double logarithm = x + std::log1p(-std::exp(-2.0 * x)) - std::log(2.0) - dry * t / (inertia_kg_m2 * s);
    return logarithm > 30.0 ? s * (logarithm + std::log(2.0)) : s * std::asinh(std::exp(logarithm));
}

// Where s is small, J w' = -T - d w: at rest at (J / d) log(1 + d w_0 / T), having lost all its energy.
TEST(JointFriction, BringsAFlywheelToRestAtItsTimeAndTakesItsEnergy) {
    constexpr double dry = 0.7, viscous = 0.25, s = 1e-6, h = 1e-3;
    const double rests_s = inertia_kg_m2 / viscous * std::log1p(viscous * start_rad_s / dry);
    const auto mechanism = parsed(flywheel(dry, viscous, s));
    const InstanceEnd end = run_nominal(*mechanism, setup_of(Method::generalized_alpha, h, 2000, *mechanism));
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    double seen_s = 0.0;
    for (std::size_t i = 0; i < end.rows.size(); ++i) {
        const double t = h * static_cast<double>(i);
        const double sliding = (start_rad_s + dry / viscous) * std::exp(-viscous * t / inertia_kg_m2) - dry / viscous;
        if (t < rests_s - h) EXPECT_NEAR(end.rows[i][0], sliding, 1e-6) << "the method's own error, at " << t << " s";
        // At rest nothing turns it round.
        if (t > rests_s + 2.0 * h) EXPECT_NEAR(end.rows[i][0], 0.0, 10.0 * s) << "at " << t << " s";
        if (end.rows[i][0] > 100.0 * s) seen_s = t;
    }
    EXPECT_NEAR(seen_s, rests_s, 2.0 * h);
    const double energy = 0.5 * inertia_kg_m2 * start_rad_s * start_rad_s;
    EXPECT_NEAR(end.rows.front()[2], energy, 1e-14);
    EXPECT_NEAR(end.rows.back()[2], 0.0, 1e-9);
    // The step in which it comes to rest loses its energy, some T w h, by the trapezoidal rule.
    EXPECT_NEAR(end.rows.back()[1], -energy, dry * start_rad_s * h * h + 1e-6);
}

TEST(JointFriction, ActsOnTheSlideOfACylindricalJointAlone) {
    constexpr double dry = 1.1, s = 0.8, h = 1e-3;
    const auto mechanism = parsed(sledge(dry, s));
    RunSetup setup = setup_of(Method::rk4, h, 1000, *mechanism);
    setup.observed.push_back(12);  // the angular velocity about z
    const InstanceEnd end = run_nominal(*mechanism, setup);
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    for (std::size_t i = 0; i < end.rows.size(); ++i) {
        EXPECT_NEAR(end.rows[i][0], rate_by_dry_friction(dry, s, h * static_cast<double>(i)), 1e-11);
        EXPECT_EQ(end.rows[i][3], 2.0);
    }
}

// Three arms that swing, turn round, stick to each other and come to rest.
json swinging_arms(double regularisation_rad_s) {
    json file = json::parse(R"({"gravity_m_s2": [0, -9.81, 0]})");
    std::string parent = "ground";
    for (int k = 0; k < 3; ++k) {
        const std::string name = "arm_" + std::to_string(k), joint = "hinge_" + std::to_string(k);
        file["bodies"][name] = {
            {"mass_kg", 1.0 + k}, {"inertia_kg_m2", {0.01, 0.05, 0.06}}, {"centre_of_mass_m", {0.3, 0.05, 0}}};
        file["joints"][joint] = {{"type", "revolute"},
                                 {"bodies", {parent, name}},
                                 {"points_m", {{k == 0 ? 0.0 : 0.5, 0, 0}, {0, 0, 0}}},
                                 {"axes", {{0, 0, 1}, {0, 0, 1}}},
                                 {"angle_rad", 0.4 - 0.7 * k},
                                 {"rate_rad_s", 2.0 - k}};
        file["forces"][joint] = {{"type", "joint_friction"},
                                 {"joint", joint},
                                 {"coulomb_N_m", 3.0 - k},
                                 {"viscous_N_m_s_rad", 0.05},
                                 {"regularisation_rad_s", regularisation_rad_s}};
        file["sensors"][k == 0 ? "rate" : "rate_" + std::to_string(k)] = {{"type", "rate"}, {"joint", joint}};
        parent = name;
    }
    return file;
}

RunSetup setup_of_arms(const Mechanism& mechanism, Method method, double step_s, int steps) {
    RunSetup setup = setup_of(method, step_s, steps, mechanism);
    for (const char* name : {"rate_1", "rate_2"}) setup.observed.push_back(channel_index(mechanism, name));
    setup.spectral_radius = 0.8;
    return setup;
}

TEST(JointFriction, NeedsFewIterationsForAnyRegularisationWhereJointsTurnRoundAndStick) {
    for (const double s : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
        SCOPED_TRACE(testing::Message() << s << " rad/s");
        const auto mechanism = parsed(swinging_arms(s));
        const InstanceEnd end =
            run_nominal(*mechanism, setup_of_arms(*mechanism, Method::generalized_alpha, 1e-3, 4000));
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason) << " at " << end.time_s;
        // Without friction a step takes 2.
        EXPECT_LE(end.newton_iterations / end.steps, 3.0);
        EXPECT_LE(end.most_newton_iterations, 10.0);
        // Of some 50 J. A joint that comes to rest within a step loses energy unevenly in it.
        EXPECT_LE(end.energy_drift, 0.05);
    }
}

// The tree of a slider-crank carries the crank, the rod and the slider's rail; the rod's end is rows.
TEST(JointFriction, SlowsALoopOfRowsAsOnTheReferencePath) {
    json file = json::parse(R"({
        "gravity_m_s2": [0, -9.81, 0],
        "bodies": {
            "crank": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0.5, 0, 0]},
            "rod": {"mass_kg": 2, "inertia_kg_m2": [0.01, 0.6, 0.6], "position_m": [2, 0, 0]},
            "slider": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [3, 0, 0]}},
        "joints": {
            "main": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                     "axes": [[0, 0, 1], [0, 0, 1]], "angle_rad": 0.7, "rate_rad_s": 6},
            "pin": {"type": "revolute", "bodies": ["crank", "rod"], "points_m": [[0.5, 0, 0], [-1, 0, 0]],
                    "axes": [[0, 0, 1], [0, 0, 1]]},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "points_m": [[0, 0, 0], [0, 0, 0]],
                      "axes": [[1, 0, 0], [1, 0, 0]]},
            "wrist": {"type": "spherical", "bodies": ["rod", "slider"], "points_m": [[1, 0, 0], [0, 0, 0]],
                      "cut": true}},
        "forces": {"shoe": {"type": "joint_friction", "joint": "guide", "coulomb_N": 8, "regularisation_m_s": 0.2},
                   "bearing": {"type": "joint_friction", "joint": "main", "viscous_N_m_s_rad": 0.2}},
        "sensors": {"rate": {"type": "rate", "joint": "main"}}})");
    const auto mechanism = parsed(file);
    EXPECT_GT(mechanism->table.joint.constraint_rows, 0);
    const RunSetup setup = setup_of(Method::generalized_alpha, 2e-3, 500, *mechanism);
    const InstanceEnd end = run_nominal(*mechanism, setup);
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    const auto rows = reference_rows(*mechanism, setup);
    ASSERT_EQ(rows.size(), end.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(end.rows[i][c], rows[i][c], 1e-6) << "row " << i;
    EXPECT_LT(end.rows.back()[1], -10.0);
    // With hardly any regularisation it stops and stays.
    file["forces"]["shoe"]["regularisation_m_s"] = 1e-6, file["forces"]["shoe"]["coulomb_N"] = 80;
    const auto stiff = parsed(file);
    const InstanceEnd stops = run_nominal(*stiff, setup_of(Method::generalized_alpha, 1e-3, 3000, *stiff));
    ASSERT_EQ(stops.status, Status::ok) << sentence_of(stops.reason);
    EXPECT_NEAR(stops.rows.back()[0], 0.0, 1e-4);
    EXPECT_LE(stops.most_newton_iterations, 10.0);
}

TEST(JointFriction, WithNumbersThatMakeNoSenseEndsThatInstanceAlone) {
    json file = swinging_arms(1e-4);
    file["joints"]["hinge_1"]["rotor_inertia_kg_m2"] = 0.01;
    const auto mechanism = parsed(file);
    const std::pair<const char*, Reason> bad[] = {
        {"forces.hinge_0.coulomb_N_m", Reason::friction_invalid},
        {"forces.hinge_1.viscous_N_m_s_rad", Reason::friction_invalid},
        {"forces.hinge_2.regularisation_rad_s", Reason::friction_invalid},
        {"joints.hinge_1.rotor_inertia_kg_m2", Reason::rotor_inertia_negative}};
    for (const auto& [address, reason] : bad) {
        std::vector<std::vector<double>> instances(4, mechanism->nominal_kernel_parameters());
        instances[2] = with_numbers(*mechanism, {{address, -1.0}});
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.width = Width::packs;
        const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
        EXPECT_EQ(ends[2].status, Status::invalid_parameter) << address;
        EXPECT_EQ(ends[2].reason, reason) << address;
        EXPECT_EQ(ends[1].status, Status::ok);
        EXPECT_EQ(ends[3].status, Status::ok);
        EXPECT_TRUE(same_bits(ends[1].record, ends[3].record));
    }
}

}  // namespace
}  // namespace myriad::mechanism
