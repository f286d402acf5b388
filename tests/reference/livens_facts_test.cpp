// The facts (D.1, D.4, D.5, F) on the energy-momentum integrators, beside what `myriad validate` compares on
// the reference path.
#include <gtest/gtest.h>

#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::VectorXd;

VectorXd final_value(const std::string& system, const Parameters& parameters, const std::string& integrator,
                     double end_s, double step_s, const std::string& observable) {
    const Result result = run_reference(system, integrator, parameters, steps_of_livens(end_s, step_s));
    EXPECT_EQ(result.status, "ok") << system << ' ' << integrator << ' ' << result.reason;
    return result.final_observables.at(observable);
}

}  // namespace

TEST(MassSpring, MovesAsItsAccelerationsSay) {
    const VectorXd found =
        final_value("mass_spring", two_masses_on_springs(factor_of_the_code), "rk67", 10.0, 0.01, "coordinates");
    EXPECT_LE((found - vector_of(reference_values::mass_spring::half_at_10_s)).norm(), 2e-10);
}

TEST(SteadilyPrecessingTop, DoesNotPrecessSteadilyWithTheAxisOfTheMisprint) {
    // Livens eq. 114 as printed adds m l^2 to the axial moment; eq. 118 then gives the spin 7.129 instead of 135.6.
    const double mass = 2700.0 * std::numbers::pi * 0.05 * 0.05 * 0.1 / 3.0, about_centre = 0.3 * mass * 0.05 * 0.05,
                 axial = about_centre + mass * 0.075 * 0.075;
    const double spin = mass * 9.81 * 0.075 / (axial * 10.0) + (about_centre - axial) / axial * 10.0 * 0.5;
    EXPECT_NEAR(spin, 7.129, 1e-3);
    EXPECT_NEAR(SteadyPrecession::spin_rate(), 135.6, 1e-10);
    Parameters parameters = SteadyPrecession::parameters();
    set_vector(parameters, "initial_angular_velocity_rad_s",
               {0.0, 10.0 * std::sin(std::numbers::pi / 3), 10.0 * 0.5 + spin});
    const VectorXd found = final_value("heavy_top", parameters, "livens_midpoint", 0.1, 1e-3, "position");
    EXPECT_GE((found - SteadyPrecession::position(0.1)).norm() / 0.075, 0.1);
}

TEST(ParasiticMode, StallsNewtonsMethodAtALargeStep) {
    // Facts F: step 0.05 s, at step 165 when iterated to 1e-9. Iterated to round-off it is earlier or later by a few
    // steps, as the mode grows from round-off as well.
    const Result result =
        run_reference("free_rigid_body", "energy_momentum", free_rotation(), steps_of_livens(50.0, 0.05));
    EXPECT_EQ(result.status, "newton_stalled");
    EXPECT_NEAR(static_cast<double>(result.steps_taken), 165.0, 15.0);
    EXPECT_GE(result.final_observables.at("momentum_defect")[0], 50.0);
    const Result midpoint =
        run_reference("free_rigid_body", "livens_midpoint", free_rotation(), steps_of_livens(50.0, 0.05));
    EXPECT_EQ(midpoint.status, "ok");
    EXPECT_LE(midpoint.final_observables.at("momentum_defect")[0], 1e-10);
}

}  // namespace myriad::reference
