// Each energy-momentum integrator of the reference path keeps its numbers, and loses others.
#include <gtest/gtest.h>

#include <map>

#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "host/text/user_error.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d, Eigen::VectorXd;

// The largest change of every observable since the start, and the largest value of those that are zero in a motion.
std::map<std::string, double> changes(const std::string& system, const Parameters& parameters,
                                      const std::string& integrator, double end_s, double step_s,
                                      bool exact_inverse_mass = false) {
    Settings settings = steps_of_livens(end_s, step_s);
    settings.exact_inverse_mass = exact_inverse_mass;
    Observables first;
    std::map<std::string, double> largest;
    settings.after_step = [&](double time_s, const Observables& observables) {
        if (time_s == 0.0) first = observables;
        for (const auto& [name, value] : observables) {
            if (!first.contains(name)) continue;
            largest[name] = std::max(largest[name], (value - first.at(name)).norm());
        }
        const auto momentum = observables.find("angular_momentum");
        if (momentum != observables.end())
            largest["momentum_z"] =
                std::max(largest["momentum_z"], std::abs((momentum->second - first.at("angular_momentum"))[2]));
    };
    const Result result = run_reference(system, integrator, parameters, settings);
    EXPECT_EQ(result.status, "ok") << system << ' ' << integrator << ' ' << result.reason;
    return largest;
}

// Round-off of a sum of 200 steps at most, relative to the kept number.
constexpr double round_off_of_a_sum = 1e-12;

}  // namespace

TEST(EnergyMomentum, KeepsTheEnergyOfAConstantSingularMass) {
    // 100 steps of 0.1 s. T + V is the generalized energy here.
    const auto change = changes("mass_spring", two_masses_on_springs(factor_of_the_code), "energy_momentum", 10.0, 0.1);
    EXPECT_LE(change.at("energy"), round_off_of_a_sum);
    EXPECT_LE(change.at("generalized_energy"), round_off_of_a_sum);
    EXPECT_LE(change.at("constraint_residual"), round_off_of_a_sum);
    EXPECT_LE(change.at("momentum_defect"), round_off_of_a_sum);
    EXPECT_GE(
        changes("mass_spring", two_masses_on_springs(factor_of_the_code), "livens_midpoint", 10.0, 0.1).at("energy"),
        1e-3);
}

TEST(EnergyMomentum, KeepsTheGeneralizedEnergyOfTheSpringPendulumAndTheTotalEnergyToATenThousandth) {
    // 100 steps of 0.01 s, livens fig. 4.
    const auto change = changes("spring_pendulum", swinging_spring(), "energy_momentum", 1.0, 0.01);
    EXPECT_LE(change.at("generalized_energy"), round_off_of_a_sum);
    EXPECT_GE(change.at("energy"), 1e-4);
    EXPECT_LE(change.at("energy"), 4e-4);
    // The plain Gonzalez gradient of T and V in (r, theta, phi) also points along phi.
    EXPECT_GE(change.at("angular_momentum_z"), 1e-6);
    EXPECT_LE(changes("spring_pendulum", swinging_spring(), "livens_midpoint", 1.0, 0.01).at("angular_momentum_z"),
              round_off_of_a_sum);
}

TEST(EnergyMomentum, KeepsGeneralizedEnergyAndMomentumMapOfAFreeBody) {
    // 40 steps of 0.05 s, livens figs. 6 to 8, and 200 of 0.01 s of a body without symmetry that also falls.
    for (const std::string integrator : {"energy_momentum", "energy_momentum_full", "energy_momentum_null_space"}) {
        const auto change = changes("free_rigid_body", free_rotation(), integrator, 2.0, 0.05);
        EXPECT_LE(change.at("generalized_energy"), 2500.0 * round_off_of_a_sum);
        EXPECT_LE(change.at("momentum_map"), 180.0 * round_off_of_a_sum);
        EXPECT_LE(change.at("constraint_residual"), round_off_of_a_sum);
        EXPECT_GE(change.at("energy"), 100.0);
        EXPECT_GE(change.at("angular_momentum"), 10.0);
        EXPECT_GE(change.at("velocity_constraint_residual"), 1.0);
    }
    const auto general = changes("free_rigid_body", general_free_body(), "energy_momentum", 2.0, 0.01);
    EXPECT_LE(general.at("generalized_energy"), 200.0 * round_off_of_a_sum);
    EXPECT_LE(general.at("momentum_map"), 20.0 * round_off_of_a_sum);
}

TEST(EnergyMomentum, KeepsGeneralizedEnergyAndVerticalMomentumOfATop) {
    // 20 steps of 0.005 s, livens figs. 10, 11, and of a top without symmetry.
    for (const Parameters& parameters : {SteadyPrecession::parameters(), general_top()}) {
        const auto change = changes("heavy_top", parameters, "energy_momentum", 0.1, 0.005);
        EXPECT_LE(change.at("generalized_energy"), 50.0 * round_off_of_a_sum);
        EXPECT_GE(change.at("energy"), 1e-5);
    }
}

TEST(HamiltonianEnergyMomentum, KeepsEnergyAndMomentum) {
    const auto body = changes("free_rigid_body", free_rotation(), "energy_momentum_hamiltonian", 2.0, 0.05);
    EXPECT_LE(body.at("energy"), 2500.0 * round_off_of_a_sum);
    EXPECT_LE(body.at("angular_momentum"), 180.0 * round_off_of_a_sum);
    const auto top = changes("heavy_top", general_top(), "energy_momentum_hamiltonian", 1.0, 0.005);
    EXPECT_LE(top.at("energy"), 50.0 * round_off_of_a_sum);
    EXPECT_LE(top.at("momentum_z"), 10.0 * round_off_of_a_sum);
}

TEST(MidpointRules, KeepTheMomentumMapAndNotTheEnergy) {
    for (const std::string integrator : {"livens_midpoint", "hamiltonian_midpoint"}) {
        const auto change = changes("free_rigid_body", free_rotation(), integrator, 2.0, 0.01);
        EXPECT_LE(change.at("angular_momentum"), 180.0 * 1e-11) << integrator;
        EXPECT_GE(change.at("energy"), 1.0) << integrator;
    }
}

TEST(HamiltonianMidpoint, IsTheLivensMidpointWithTheExactInverseOfTheMass) {
    // Facts F; the other inverse gives another motion.
    for (const auto& [system, parameters, end_s, step_s] :
         {std::tuple{"free_rigid_body", free_rotation(), 2.0, 0.05},
          std::tuple{"free_rigid_body", general_free_body(), 2.0, 0.02},
          std::tuple{"heavy_top", SteadyPrecession::parameters(), 0.1, 0.005},
          std::tuple{"heavy_top", general_top(), 1.0, 0.01}}) {
        Settings settings = steps_of_livens(end_s, step_s);
        const Result livens = run_reference(system, "livens_midpoint", parameters, settings),
                     at_unit_length = run_reference(system, "hamiltonian_midpoint", parameters, settings);
        settings.exact_inverse_mass = true;
        const Result exact = run_reference(system, "hamiltonian_midpoint", parameters, settings);
        const auto distance = [&](const Result& other) {
            return (livens.final_configuration.orientation - other.final_configuration.orientation).norm();
        };
        EXPECT_LE(distance(exact), 1e-10) << system;  // round-off after up to 100 steps of a growing difference
        EXPECT_LE((exact.final_velocity - livens.final_velocity).norm(), 1e-9) << system;
        EXPECT_GE(distance(at_unit_length), 1e-4) << system;
    }
}

TEST(ConvectiveEnergyMomentum, KeepsTotalEnergyAndMomentum) {
    const auto body = changes("free_rigid_body", free_rotation(), "energy_momentum_convective", 2.0, 0.05);
    EXPECT_LE(body.at("energy"), 2500.0 * round_off_of_a_sum);
    EXPECT_LE(body.at("angular_momentum"), 180.0 * round_off_of_a_sum);
    const auto falling = changes("free_rigid_body", general_free_body(), "energy_momentum_convective", 2.0, 0.01);
    EXPECT_LE(falling.at("energy"), 500.0 * round_off_of_a_sum);
    for (const Parameters& parameters : {SteadyPrecession::parameters(), general_top()}) {
        const auto top = changes("heavy_top", parameters, "energy_momentum_convective", 0.1, 0.005);
        EXPECT_LE(top.at("energy"), 50.0 * round_off_of_a_sum);
        EXPECT_LE(top.at("momentum_z"), 10.0 * round_off_of_a_sum);
    }
}

TEST(EnergyMomentum, RefusesWhatItCannotRun) {
    const auto run = [](const std::string& system, const Parameters& parameters, const std::string& integrator,
                        const std::string& chart) {
        Settings settings = steps_of_livens(0.1, 0.01);
        settings.chart = chart;
        return run_reference(system, integrator, parameters, settings);
    };
    EXPECT_THROW(run("heavy_top", general_top(), "energy_momentum", "cardan_xyz"), UserError);
    EXPECT_THROW(run("mass_spring", two_masses_on_springs(0.5), "energy_momentum_hamiltonian", "rotation"), UserError);
    EXPECT_THROW(run("spring_pendulum", swinging_spring(), "energy_momentum_convective", "rotation"), UserError);
    EXPECT_EQ(run("spring_pendulum", swinging_spring(), "energy_momentum", "cardan_xyz").status, "ok");
    Settings settings = steps_of_livens(0.1, 0.01);
    settings.step_s.reset();
    EXPECT_THROW(run_reference("heavy_top", "energy_momentum", general_top(), settings), UserError);
}

}  // namespace myriad::reference
