// The reference runs against closed forms, the published start of the heavy top (facts A.1), and what the equations
// keep. `myriad validate` runs the reference path to the published and the converged values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "host/reference/systems/heavy_top.hpp"
#include "tests/reference/models.hpp"

namespace myriad::reference {

namespace {

// Values of the facts are written with ten decimals.
constexpr double ten_decimals = 0.5e-10;
// Round-off of some 1e4 steps, each a few ulp, at growth of errors by a small factor.
constexpr double round_off_of_a_run = 1e-11;
double relative_drift(const Result& result, const std::string& name) {
    const Eigen::VectorXd start = result.trajectory.front().observables.at(name);
    double largest = 0.0;
    for (const Sample& sample : result.trajectory)
        largest = std::max(largest, (sample.observables.at(name) - start).norm());
    return largest / start.norm();
}

}  // namespace

TEST(HeavyTop, StartsWithThePublishedAccelerationsAndEnergy) {
    namespace known = reference_values::heavy_top;
    const auto top = heavy_top(fast_top());
    const Configuration start = top->initial_configuration();
    const Eigen::VectorXd w = top->initial_velocity();
    const Eigen::Vector3d angular_acceleration = top->acceleration(start, w);
    EXPECT_LE((angular_acceleration - vector_of(known::start_angular_acceleration)).norm(), 1e-10);
    const Observables seen = top->observe(start, w);
    EXPECT_LE((seen.at("velocity") - Eigen::Vector3d(4.61538, 0.0, 0.0)).norm(), ten_decimals);
    EXPECT_NEAR(seen.at("energy")[0], known::energy, 1e-9);
    EXPECT_NEAR(seen.at("tilt")[0], std::numbers::pi / 2, ten_decimals);
    // Acceleration of the centre of mass, c = (0, 1, 0): w' x c + w x (w x c).
    const Eigen::Vector3d c(0.0, 1.0, 0.0), rate = w;
    const Eigen::Vector3d centre = angular_acceleration.cross(c) + rate.cross(rate.cross(c));
    EXPECT_LE((centre - vector_of(known::start_acceleration)).norm(), 2.0 * ten_decimals);
}

TEST(HeavyTop, KeepsEnergyVerticalMomentumAndTheSpinOfASymmetricBody) {
    for (const Parameters& parameters : {fast_top(), general_top()}) {
        Settings settings = fixed_steps(1.0, 1e-4);
        settings.observe_every_steps = 50;
        const Result result = run_reference("heavy_top", "rk67", parameters, settings);
        ASSERT_EQ(result.status, "ok") << result.reason;
        double vertical = 0.0, horizontal = 0.0;
        const Eigen::Vector3d start = result.trajectory.front().observables.at("angular_momentum");
        for (const Sample& sample : result.trajectory) {
            const Eigen::Vector3d change = sample.observables.at("angular_momentum") - start;
            vertical = std::max(vertical, std::abs(change.z()));
            horizontal = std::max(horizontal, change.head<2>().norm());
        }
        EXPECT_LE(relative_drift(result, "energy"), round_off_of_a_run);
        EXPECT_LE(vertical, round_off_of_a_run * start.norm());
        EXPECT_GE(horizontal, 0.1 * start.norm());  // gravity turns it: a momentum that never moves is no check
    }
    const Result result = run_reference("heavy_top", "rk4", fast_top(), fixed_steps(1.0, 1e-3));
    EXPECT_NEAR(result.final_velocity[1], 150.0, 150.0 * 1e-14);  // no step changes it, whatever its error
}

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
