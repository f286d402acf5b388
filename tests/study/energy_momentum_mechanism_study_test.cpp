// Studies of mechanisms with energy-momentum methods: what is taken, what is refused, and the bundled ones.
#include "host/study/study_mechanism.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* methods[] = {"energy_momentum", "livens_midpoint", "energy_momentum_convective"};

std::string keys_of(const std::string& method, const std::string& more = "") {
    return R"({"integrator": {"name": ")" + method + R"(", "step_s": 0.01, "end_s": 0.5)" + more + "}}";
}
void expect_taken(const json& mechanism) {
    for (const char* method : methods)
        EXPECT_EQ(parsed(pendulum_study(keys_of(method), mechanism)).integrator.name, method);
}

// A block on the rod's end, held by a joint of this type.
json with_joint(const std::string& type) {
    json mechanism = pendulum_json();
    mechanism["bodies"]["block"] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}, {"position_m", {2, 0, 0}}};
    mechanism["joints"]["end"] = {{"type", type}, {"bodies", {"rod", "block"}}};
    json& joint = mechanism["joints"]["end"];
    if (type != "DP1" && type != "D") joint["points_m"] = {{1, 0, 0}, {0, 0, 0}};
    if (type == "D") joint["points_m"] = {{1, 0, 0}, {0, 0, 0.5}}, joint["value_m"] = 0.5;
    if (type == "DP1") joint["axes"] = {{1, 0, 0}, {0, 1, 0}};
    if (type == "universal") joint["axes"] = {{1, 0, 0}, {0, 1, 0}};
    if (type == "revolute" || type == "cylindrical" || type == "prismatic") joint["axes"] = {{1, 0, 0}, {1, 0, 0}};
    return mechanism;
}

TEST(EnergyMomentumMechanismStudy, TakesEveryJoint) {
    for (const char* type : {"spherical", "revolute", "universal", "prismatic", "cylindrical", "fixed", "DP1", "D"}) {
        SCOPED_TRACE(type);
        expect_taken(with_joint(type));
    }
}

TEST(EnergyMomentumMechanismStudy, TakesForcesDriversAndSensors) {
    json mechanism = pendulum_json();
    mechanism["forces"] = json::parse(R"json({
        "spring": {"type": "spring_damper", "bodies": ["ground", "rod"], "points_m": [[0, 1, 0], [0, 0, 0]],
                   "stiffness_N_m": 5, "damping_N_s_m": 0.1, "rest_length_m": "0.5 + 0.1 * t"},
        "coil": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 3, "rest_angle_rad": 0},
        "control": {"type": "pd_controller", "joint": "hinge", "target": "sin(t)", "proportional": 10, "derivative": 1},
        "bush": {"type": "bushing", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0]],
                 "stiffness_N_m": [1, 1, 1], "stiffness_N_m_rad": [1, 2, 3]},
        "push": {"type": "force", "body": "rod", "force_N": ["t", 0, 0]},
        "twist": {"type": "torque", "body": "rod", "torque_N_m": [0, 1, 0], "frame": "body"}})json");
    mechanism["sensors"]["turned"] = {{"type", "angle"}, {"joint", "hinge"}};
    expect_taken(mechanism);
    expect_taken(driven_pendulum_json());
}

TEST(EnergyMomentumMechanismStudy, HasNewtonsKeysAndNoneOfTheMatrix) {
    const Study plain = parsed(pendulum_study(keys_of("energy_momentum_convective")));
    EXPECT_EQ(plain.newton.most_iterations, 40u);
    EXPECT_FALSE(plain.newton.modified);
    const Study given = parsed(pendulum_study(
        keys_of("energy_momentum_convective", R"(, "newton_tolerance": 1e-12, "most_newton_iterations": 9)")));
    EXPECT_EQ(given.newton.tolerance, 1e-12);
    EXPECT_EQ(given.task().schedule.most_newton_iterations, 9.0);
    EXPECT_EQ(given.task().plan.keeps_factors, 0);
}

TEST(EnergyMomentumMechanismStudy, CertifiesEnergiesMomentaAndTheParasiticMode) {
    const Study study = parsed(pendulum_study(keys_of("energy_momentum")));
    std::vector<std::string> names;
    for (const CertificateEntry& entry : study.certificate()) names.push_back(entry.name);
    EXPECT_THAT(names, ElementsAre("energy_balance", "constraint_residual", "velocity_residual", "newton_iterations",
                                   "newton_iterations_in_a_step", "assembly_correction", "velocity_correction",
                                   "kinetic_energy", "work", "potential_rise", "potential_fall", "generalized_energy",
                                   "momentum_defect", "quaternion_rate_residual", "quaternion_length_residual",
                                   "linear_momentum.x", "linear_momentum.y", "linear_momentum.z", "angular_momentum.x",
                                   "angular_momentum.y", "angular_momentum.z"));
    EXPECT_EQ(parsed(pendulum_study("{}")).certificate().size(), 11u);
}

TEST(EnergyMomentumMechanismStudy, WarnsOfLongRunsWithTheParasiticMode) {
    const std::string span = R"(, "step_s": 0.01, "end_s": 100})";
    const auto warnings = [&](const std::string& method) {
        return parsed(pendulum_study(R"({"integrator": {"name": ")" + method + "\"" + span + "}")).warnings;
    };
    EXPECT_THAT(warnings("energy_momentum"), ElementsAre(has("parasitic mode", "energy_momentum_convective")));
    EXPECT_THAT(warnings("energy_momentum_convective"), IsEmpty());
    EXPECT_THAT(warnings("livens_midpoint"), IsEmpty());
}

TEST(EnergyMomentumMechanismStudy, OfTheLoopAndTheSatelliteAreRead) {
    const Study loop = read_study(source_dir() / "ensembles/studies/four_bar_loop.json");
    EXPECT_EQ(loop.mechanism->freedoms, 12);
    EXPECT_EQ(loop.task().schedule.total_steps, 100.0);
    EXPECT_THAT(loop.warnings, IsEmpty());
    const Study satellite = read_study(source_dir() / "ensembles/studies/tumbling_satellite.json");
    EXPECT_EQ(satellite.task().schedule.total_steps, 1e6);
    EXPECT_THAT(satellite.warnings, IsEmpty());
}

}  // namespace
}  // namespace myriad::study
