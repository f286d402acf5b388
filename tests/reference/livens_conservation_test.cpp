// The midpoint rules of the reference path with either inverse of the mass, and what its energy-momentum methods
// refuse. What they keep is that of the kernels, with which they agree (host/validation/twins.cpp).
#include <gtest/gtest.h>

#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "host/text/user_error.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

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
