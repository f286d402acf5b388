// Energy-momentum methods in study files: which systems and charts they go with, their keys, warnings and certificate.
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

using testing::Contains;
using testing::Not;

std::vector<std::string> integrators_for(const char* system) {
    std::vector<std::string> names;
    for (const IntegratorDescription& one : integrators_of(find_system(system, "test"))) names.push_back(one.name);
    return names;
}
std::string top_study(const std::string& keys) {
    return changed(R"({"integrator": {"step_s": 0.01, "end_s": 1, )" + keys + "}}");
}

TEST(EnergyMomentumStudy, OffersEachMethodWhereItCanRun) {
    EXPECT_THAT(integrators_for("heavy_top"),
                testing::IsSupersetOf({"rk4", "generalized_alpha", "energy_momentum", "energy_momentum_full",
                                       "energy_momentum_null_space", "energy_momentum_hamiltonian", "livens_midpoint",
                                       "hamiltonian_midpoint", "energy_momentum_convective"}));
    EXPECT_THAT(integrators_for("mass_spring"),
                testing::ElementsAre("energy_momentum", "energy_momentum_full", "livens_midpoint"));
    EXPECT_THAT(integrators_for("slider_crank_clearance"), Not(Contains("energy_momentum")));
}

TEST(EnergyMomentumStudy, KnowsNewtonsKeysAndNoOthers) {
    const Study study = parsed(top_study(R"("name": "livens_midpoint")"));
    EXPECT_EQ(study.task().schedule.most_newton_iterations, 40.0);
    EXPECT_EQ(study.task().schedule.newton_tolerance, 1e-10);
    EXPECT_EQ(parsed(study.canonical_json).canonical_json, study.canonical_json);
}

TEST(EnergyMomentumStudy, WarnsOfLongRunsByLivensMethod) {
    for (const char* name : {"energy_momentum", "energy_momentum_full", "energy_momentum_null_space"}) {
        const Study study =
            parsed(changed(R"({"integrator": {"name": ")" + std::string(name) + R"(", "step_s": 0.001, "end_s": 1}})"));
        ASSERT_EQ(study.warnings.size(), 1u) << name;
        EXPECT_THAT(study.warnings[0], has("1000 steps", "parasitic mode", "energy_momentum_convective"));
    }
    for (const char* name : {"livens_midpoint", "energy_momentum_convective", "energy_momentum_hamiltonian"})
        EXPECT_TRUE(
            parsed(changed(R"({"integrator": {"name": ")" + std::string(name) + R"(", "step_s": 0.001, "end_s": 1}})"))
                .warnings.empty());
    // Its mass is constant: there is no such mode.
    EXPECT_TRUE(parsed(changed(R"({"system": "mass_spring", "integrator": {"name": "energy_momentum", "step_s": 0.01,
                                   "end_s": 10}})"))
                    .warnings.empty());
}

TEST(EnergyMomentumStudy, AddsToTheCertificateWhatTheMethodsKeep) {
    const auto names = [](const Study& study) {
        std::vector<std::string> all;
        for (const CertificateEntry& entry : study.certificate()) all.push_back(entry.name);
        return all;
    };
    EXPECT_THAT(
        names(parsed(top_study(R"("name": "rk4")"))),
        testing::ElementsAre("energy", "angular_momentum.z", "kinetic_energy", "potential_rise", "potential_fall"));
    EXPECT_THAT(names(parsed(top_study(R"("name": "energy_momentum")"))),
                testing::ElementsAre("energy", "angular_momentum.z", "generalized_energy", "momentum_defect",
                                     "velocity_constraint_residual", "constraint_residual", "momentum_map.z",
                                     "kinetic_energy", "potential_rise", "potential_fall"));
    const Study springs = parsed(
        changed(R"({"system": "mass_spring", "integrator": {"name": "energy_momentum", "step_s": 0.01, "end_s": 1}})"));
    EXPECT_EQ(springs.certificate().size(), 8u);
    EXPECT_EQ(springs.certificate()[4].unit, "m^2");
    EXPECT_EQ(springs.certificate()[4].kind, CertificateKind::largest);
    EXPECT_EQ(springs.certificate()[1].kind, CertificateKind::drift);
}

}  // namespace
}  // namespace myriad::study
