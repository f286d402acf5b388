// Modes against the reference path, whose linear equations are differences of its own and whose roots are Eigen's: in
// mechanisms of the house and in random ones; and the same bits with any number of threads and instances.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "host/backends/interface/backend.hpp"
#include "host/backends/reference/reference_channels.hpp"
#include "host/backends/reference/reference_modes.hpp"
#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "tests/joint_coordinates/tree_instance.hpp"
#include "tests/linear/linear_mechanisms.hpp"
#include "tests/properties/random_mechanisms.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// Central differences over 6e-6 leave 1e-10 of an entry, and of a frequency the square root of that of the lowest of
// several as a share of the highest.
constexpr double same_square = 1e-7;
// m, rad: corrections of 1e-11 end both searches.
constexpr double same_pose = 1e-7;

// Random mechanisms that settle elsewhere on the reference path: differences err by 1e-10, which decides next to the
// boundary of two equilibria.
constexpr int most_elsewhere = 1;

// Of several equilibria both paths find the same one.
bool settles_as_on_the_reference_path(const Mechanism& mechanism) {
    const auto tree = std::make_unique<TreeInstance>(mechanism);
    const reference::MechanismModel model = backends::reference_model(mechanism, mechanism.nominal_kernel_parameters());
    try {
        const reference::JointEquations twin(model, reference::assembled_start(model).motion.state);
        const auto bodies = twin.bodies(twin.start(), Eigen::VectorXd::Zero(twin.size())).state.bodies;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const auto channel = [&](int part) { return tree->channel(static_cast<int>(b) * body_channels + part); };
            const Eigen::Vector3d position(channel(0), channel(1), channel(2));
            const Eigen::Quaterniond turn(channel(orientation_channel), channel(orientation_channel + 1),
                                          channel(orientation_channel + 2), channel(orientation_channel + 3));
            if (!((position - bodies[b].position).norm() < same_pose) ||
                !(turn.angularDistance(Eigen::Quaterniond(bodies[b].orientation)) < same_pose))
                return false;
        }
    } catch (const reference::StepFailure&) {
        return false;
    }
    return true;
}

void expect_the_modes_of_the_reference_path(const Mechanism& mechanism) {
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    const Modes ours = EquilibriumModes(mechanism).modes(parameters);
    const Modes theirs = backends::reference_modes(mechanism, parameters, mechanism.nominal_numbers());
    EXPECT_EQ(stability_names[static_cast<int>(ours.stability)], stability_names[static_cast<int>(theirs.stability)]);
    ASSERT_EQ(ours.modes.size(), theirs.modes.size());
    double largest = 1.0;
    for (const Mode& mode : theirs.modes) largest = std::max(largest, std::abs(mode.square_rad2_s2));
    for (std::size_t k = 0; k < ours.modes.size(); ++k) {
        const Mode &a = ours.modes[k], &b = theirs.modes[k];
        EXPECT_NEAR(a.square_rad2_s2, b.square_rad2_s2, same_square * largest) << "mode " << k + 1;
        if (b.square_rad2_s2 < 1e-3 * largest) continue;
        EXPECT_NEAR(a.damping_ratio, b.damping_ratio, 1e-4 * std::max(1.0, std::abs(b.damping_ratio)))
            << "mode " << k + 1;
    }
}

TEST(LinearTwin, HasTheModesOfTheMechanismsOfTheHouse) {
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms")) {
        SCOPED_TRACE(entry.path().filename().string());
        json file = json::parse(read_mechanism(entry.path())->text);
        if (file.contains("contacts")) continue;
        // The differences of the reference path leave nothing of a frequency beside one that is 3,000 times as high.
        if (entry.path().stem() == "three_masses") file["parameters"]["stiffness_0_N_m"] = 1e3;
        file["start"] = "equilibrium";
        const auto mechanism = parse_mechanism(file.dump(), "house.json");
        if (mechanism->freedoms == 0) continue;
        expect_the_modes_of_the_reference_path(*mechanism);
        ++compared;
    }
    EXPECT_GE(compared, 5);
}

// Springs, dampers, bushings, friction, rotors, formulas, loops and free bodies; some settle nowhere, on both paths.
TEST(LinearTwin, HasTheModesOfRandomMechanismsThatSettle) {
    int settled = 0, elsewhere = 0;
    for (int n = 0; n < 60; ++n) {
        SCOPED_TRACE(testing::Message() << "number " << n);
        const RandomMechanism random(120000 + static_cast<std::uint64_t>(n),
                                     {1 + n % 3, n % 3 == 0 ? 1 : 0, false, false, n % 2 == 0});
        json file = json::parse(random.text());
        file["start"] = "equilibrium";
        const auto mechanism = parse_mechanism(file.dump(), "random");
        const Modes ours = EquilibriumModes(*mechanism).modes(mechanism->nominal_kernel_parameters());
        if (ours.stability == Stability::none || mechanism->freedoms == 0) continue;
        ++settled;
        if (!settles_as_on_the_reference_path(*mechanism)) {
            ++elsewhere;
            continue;
        }
        expect_the_modes_of_the_reference_path(*mechanism);
    }
    EXPECT_GE(settled, 15);
    EXPECT_LE(elsewhere, most_elsewhere);
}

study::Study hanging_study(std::uint64_t instances) {
    json keys = {{"mechanism", hanging_rod(2.0, 0.5, 0.1, 0.3)},
                 {"start", "equilibrium"},
                 {"integrator", {{"name", "generalized_alpha"}, {"step_s", 0.01}, {"end_s", 0.01}}},
                 {"instances", instances},
                 {"design", {{"kind", "sobol"}, {"seed", 3}}},
                 {"parameters",
                  {{"bodies.rod.mass_kg", {{"uniform", {{"low", 1}, {"high", 3}}}}},
                   {"forces.wire.stiffness_N_m_rad", {{"uniform", {{"low", 0}, {"high", 30}}}}},
                   {"forces.wire.damping_N_m_s_rad", {{"uniform", {{"low", 0}, {"high", 5}}}}}}},
                 {"quantities",
                  {{"zeta", {{"damping_ratio", 1}}},
                   {"low_J", {{"max", "kinetic_energy"}}},
                   {"first_Hz", {{"eigenfrequency_Hz", 1}, {"probability", {{"above", 2.0}}}}},
                   {"first_rad_s", {{"eigenfrequency_rad_s", 1}}}}}};
    keys["mechanism"]["forces"]["wire"] = {{"type", "torsional_spring_damper"},
                                           {"joint", "hinge"},
                                           {"stiffness_N_m_rad", 1.0},
                                           {"damping_N_m_s_rad", 0.1}};
    return study::parse_study(keys.dump(), "study.json", ".");
}

ensemble::LinearAnalysis analysed(const study::Study& study, std::uint64_t first, std::uint64_t count, int threads,
                                  const char* backend = backends::names::cpu) {
    std::vector<double> varied(study.varied.size() * count);
    study.sampler().sample(first, count, varied.data());
    return ensemble::analyse_linearly(study, backend, count, ensemble::record_parameters(study, count, varied),
                                      threads);
}

TEST(LinearEnsembles, HaveTheSameBitsWithAnyNumberOfThreadsAndInstances) {
    const study::Study study = hanging_study(1024);
    const ensemble::LinearAnalysis all = analysed(study, 0, 1000, 1);
    ASSERT_EQ(all.quantities.size(), 3000u);
    for (const double value : all.quantities) EXPECT_TRUE(std::isfinite(value));
    for (const std::uint64_t count : {1u, 31u, 33u, 1000u})
        for (const int threads : {1, 3}) {
            const std::uint64_t first = 1000 - count;
            const ensemble::LinearAnalysis part = analysed(study, first, count, threads);
            ASSERT_EQ(part.quantities.size(), 3 * count);
            EXPECT_EQ(std::memcmp(part.quantities.data(), all.quantities.data() + 3 * first,
                                  part.quantities.size() * sizeof(double)),
                      0)
                << count << " instances, " << threads << " threads";
        }
}

TEST(LinearEnsembles, PutModesAmongTheQuantitiesOfTheMotionAndAgreeWithTheReferencePath) {
    const study::Study study = hanging_study(64);
    const ensemble::LinearAnalysis ours = analysed(study, 0, 33, 2),
                                   theirs = analysed(study, 0, 33, 2, backends::names::reference);
    ASSERT_EQ(ours.quantities.size(), theirs.quantities.size());
    for (std::size_t k = 0; k < ours.quantities.size(); ++k)
        EXPECT_NEAR(ours.quantities[k], theirs.quantities[k], 1e-8 * std::max(1.0, ours.quantities[k])) << k;
    EXPECT_EQ(ours.stability, theirs.stability);
    EXPECT_EQ(study.task().plan.quantity_count, 1);
    backends::Chunk chunk;
    chunk.count = 33;
    for (int i = 0; i < 33; ++i) chunk.quantities.push_back(100.0 + i);
    ensemble::add_modes(study, ours, chunk);
    ASSERT_EQ(chunk.quantities.size(), 4u * 33u);
    // In the order of the text: first_Hz, first_rad_s, low_J, zeta.
    for (std::size_t i = 0; i < 33; ++i) {
        EXPECT_EQ(chunk.quantities[4 * i], ours.quantities[3 * i]);
        EXPECT_NEAR(chunk.quantities[4 * i + 1], 2.0 * std::numbers::pi * chunk.quantities[4 * i], 1e-11);
        EXPECT_EQ(chunk.quantities[4 * i + 2], 100.0 + static_cast<double>(i));
        EXPECT_EQ(chunk.quantities[4 * i + 3], ours.quantities[3 * i + 2]);
    }
}

}  // namespace
}  // namespace myriad::mechanism
