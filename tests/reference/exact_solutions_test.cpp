// The reference runs against closed forms and a symmetry of the equations. `myriad validate` runs the reference path to
// published and converged values.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reference/models.hpp"

namespace myriad::reference {

namespace {

// Round-off of some 1e4 steps, each a few ulp, at growth of errors by a small factor.
constexpr double round_off_of_a_run = 1e-11;
}  // namespace

TEST(HeavyTop, IsTheSameInAWorldTurnedAboutTheVertical) {
    // World and initial orientation turned by one rotation: the motion turns with them.
    const Eigen::Vector3d turn(0.0, 0.0, -1.3);
    const Eigen::Matrix3d Q = rotation_exponential(turn);
    const Parameters parameters = general_top();
    Parameters turned = parameters;
    const Eigen::AngleAxisd start(Q * rotation_exponential({0.4, -0.8, 0.3}));
    set_vector(turned, "initial_rotation_vector_rad", start.angle() * start.axis());
    const Result one = run_reference("heavy_top", "rk4", parameters, fixed_steps(1.0, 1e-2));
    const Result other = run_reference("heavy_top", "rk4", turned, fixed_steps(1.0, 1e-2));
    EXPECT_LE((Q * one.final_configuration.orientation - other.final_configuration.orientation).norm(),
              round_off_of_a_run);
    EXPECT_LE((one.final_velocity - other.final_velocity).norm(), round_off_of_a_run);
}

TEST(Formulations, AgreeOnAGeneralTopAndAGeneralFreeBody) {
    for (const std::string system : {"heavy_top", "free_rigid_body"}) {
        const Parameters parameters = system == "heavy_top" ? general_top() : general_free_body();
        const auto run = [&](const std::string& chart) {
            return run_reference(system, "rk67", parameters, fixed_steps(0.5, 5e-4, chart));
        };
        const Result group = run("rotation");
        for (const std::string chart : {"cardan_xyz", "cardan_xyz_body_rate"}) {
            const Result other = run(chart);
            ASSERT_EQ(other.status, "ok") << other.reason;
            for (const auto& [name, value] : group.final_observables)
                EXPECT_LE((value - other.final_observables.at(name)).norm(), round_off_of_a_run * (1.0 + value.norm()))
                    << system << ' ' << chart << ' ' << name;
        }
    }
}

TEST(FreeRigidBody, FliesAParabola) {
    // Every method of order 2 or more is exact for it; implicit_euler is of order 1.
    const double t = 0.7;
    const std::vector<std::string> of_contact = contact_methods();
    for (const std::string& integrator : reference_integrators()) {
        if (integrator == "implicit_euler") continue;
        if (std::find(of_contact.begin(), of_contact.end(), integrator) != of_contact.end()) continue;
        const Result result = run_reference("free_rigid_body", integrator, general_free_body(), fixed_steps(t, 0.01));
        const Eigen::Vector3d gravity(1.0, -2.0, -9.0), velocity(1.0, 4.0, 7.0), position(0.3, 0.1, -2.0);
        EXPECT_LE((result.final_observables.at("position") - (position + t * velocity + 0.5 * t * t * gravity)).norm(),
                  1e-13)
            << integrator;
        EXPECT_LE((result.final_observables.at("velocity") - (velocity + t * gravity)).norm(), 1e-13) << integrator;
    }
}

}  // namespace myriad::reference
