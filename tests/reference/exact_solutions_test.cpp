// The reference runs against closed forms, converged values of an independent integration (facts A.1, D.3, D.4), and
// what the equations keep.
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
constexpr double round_off = 1e-11;
// The facts' own integrations carry a relative tolerance of 1e-9 or less; their tenth decimal may be off by a few.
constexpr double independent_integration = 3e-10;

double up_to_sign(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
    return std::min((a - b).norm(), (a + b).norm());
}

double relative_drift(const Result& result, const std::string& name) {
    const Eigen::VectorXd start = result.trajectory.front().observables.at(name);
    double largest = 0.0;
    for (const Sample& sample : result.trajectory)
        largest = std::max(largest, (sample.observables.at(name) - start).norm());
    return largest / start.norm();
}

}  // namespace

TEST(HeavyTop, StartsWithThePublishedAccelerationsAndEnergy) {
    const auto top = heavy_top(fast_top());
    const Configuration start = top->initial_configuration();
    const Eigen::VectorXd w = top->initial_velocity();
    const Eigen::Vector3d angular_acceleration = top->acceleration(start, w);
    EXPECT_NEAR(angular_acceleration.x(), 661.3461692307692, 1e-10);
    EXPECT_NEAR(angular_acceleration.tail<2>().norm(), 0.0, 1e-10);
    const Observables seen = top->observe(start, w);
    EXPECT_LE((seen.at("velocity") - Eigen::Vector3d(4.61538, 0.0, 0.0)).norm(), ten_decimals);
    EXPECT_NEAR(seen.at("energy")[0], 5435.696790866, 1e-9);
    EXPECT_NEAR(seen.at("tilt")[0], std::numbers::pi / 2, ten_decimals);
    // Acceleration of the centre of mass, c = (0, 1, 0): w' x c + w x (w x c).
    const Eigen::Vector3d c(0.0, 1.0, 0.0), rate = w;
    const Eigen::Vector3d centre = angular_acceleration.cross(c) + rate.cross(rate.cross(c));
    EXPECT_NEAR(centre.x(), 0.0, 1e-10);
    EXPECT_NEAR(centre.y(), -21.3017325444, ten_decimals);
    EXPECT_NEAR(centre.z(), -30.9608307692, ten_decimals + 1e-12);
}

TEST(HeavyTop, ReachesTheConvergedStates) {
    Settings settings = fixed_steps(2.0, 1e-4);
    settings.observation_times_s = {0.2, 0.8, 1.0, 2.0};
    const Result result = run_reference("heavy_top", "rk67", fast_top(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    const auto seen = [&](std::size_t i, const std::string& name) {
        return result.trajectory.at(i + 1).observables.at(name);  // the first is the initial state
    };
    const auto check = [](const std::string& what, double error, double tolerance) {
        std::printf("%-28s difference %.2e\n", what.c_str(), error);
        EXPECT_LE(error, tolerance) << what;
    };
    const auto difference = [&](std::size_t i, const std::string& name, const Eigen::Vector3d& expected) {
        return (seen(i, name) - expected).cwiseAbs().maxCoeff();
    };
    check("t = 0.2 orientation",
          up_to_sign(seen(0, "orientation"), {-0.708279153, 0.438781088, 0.545728396, 0.089399753}),
          1e-9);  // nine decimals
    check("t = 0.8 position", difference(1, "position", {-0.4181624243, 0.9072079679, -0.0459770571}),
          independent_integration);
    check("t = 1 position", difference(2, "position", {0.1733439641, 0.6400885921, -0.7484907911}),
          independent_integration);
    check("t = 1 velocity", difference(2, "velocity", {0.5708253034, -4.5887282963, -3.7919551547}),
          10 * independent_integration);  // the velocity is ten times as large
    check("t = 1 orientation",
          up_to_sign(seen(2, "orientation"), {0.7329439807, -0.2782857193, 0.5318246113, -0.3201761427}),
          independent_integration);
    check("t = 2 position", difference(3, "position", {-0.1504168227, -0.7241655916, -0.6730222696}),
          independent_integration);
}

TEST(HeavyTop, PrecessesSteadilyAsTheClosedFormSays) {
    EXPECT_NEAR(SteadyPrecession::spin_rate(), 135.6, 1e-9);  // facts D.4
    EXPECT_LE((SteadyPrecession::position(0.1) - Eigen::Vector3d(0.0546551437, -0.0350936642, 0.0375)).norm(),
              2 * ten_decimals);
    Settings settings = fixed_steps(2.0, 2e-4);
    settings.observe_every_steps = 100;
    const Result result = run_reference("heavy_top", "rk67", SteadyPrecession::parameters(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    ASSERT_EQ(result.trajectory.size(), 101u);
    double position = 0.0, orientation = 0.0, tilt = 0.0, spin = 0.0;
    for (const Sample& sample : result.trajectory) {
        const double t = sample.time_s;
        position = std::max(position, (sample.observables.at("position") - SteadyPrecession::position(t)).norm());
        orientation = std::max(orientation, up_to_sign(sample.observables.at("orientation"),
                                                       quaternion_of(SteadyPrecession::orientation(t))));
        tilt = std::max(tilt, std::abs(sample.observables.at("tilt")[0] - SteadyPrecession::nutation));
        spin = std::max(spin, std::abs(sample.observables.at("angular_velocity")[2] - 140.6));
    }
    std::printf("position %.2e m, orientation %.2e, tilt %.2e rad, spin %.2e rad/s\n", position, orientation, tilt,
                spin);
    EXPECT_LE(position, round_off);
    EXPECT_LE(orientation, 10 * round_off);  // the spin turns by 271 rad
    EXPECT_LE(tilt, round_off);
    EXPECT_LE(spin, 140.6 * round_off);
    const Observables& start = result.trajectory.front().observables;
    EXPECT_NEAR(start.at("energy")[0], 5.669055191, 1e-9);
    EXPECT_NEAR(start.at("angular_momentum")[2], 0.07106577107, 1e-11);
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
        EXPECT_LE(relative_drift(result, "energy"), round_off);
        EXPECT_LE(vertical, round_off * start.norm());
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
    EXPECT_LE((Q * one.final_configuration.orientation - other.final_configuration.orientation).norm(), round_off);
    EXPECT_LE((one.final_velocity - other.final_velocity).norm(), round_off);
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
                EXPECT_LE((value - other.final_observables.at(name)).norm(), round_off * (1.0 + value.norm()))
                    << system << ' ' << chart << ' ' << name;
        }
    }
}

TEST(FreeRigidBody, RotatesAsPublished) {
    Settings settings = fixed_steps(10.0, 5e-4);
    settings.observation_times_s = {0.45, 2.0, 10.0};
    const Result result = run_reference("free_rigid_body", "rk67", free_rotation(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    const std::vector<Eigen::Vector4d> orientations{{0.7914357203, -0.0243179859, -0.4379837881, -0.4256857262},
                                                    {0.930545003, 0.140954753, 0.2982509407, 0.158946945},
                                                    {-0.276648326, 0.4888487852, 0.8015688404, 0.2048901242}};
    for (std::size_t i = 0; i < orientations.size(); ++i) {
        const double error = up_to_sign(result.trajectory[i + 1].observables.at("orientation"), orientations[i]);
        std::printf("t = %-5g orientation difference %.2e\n", result.trajectory[i + 1].time_s, error);
        EXPECT_LE(error, independent_integration);
    }
    const double rate_tolerance = 30 * independent_integration;  // rates up to 28 rad/s
    EXPECT_LE((result.trajectory[2].observables.at("angular_velocity") -
               Eigen::Vector3d(12.7435288952, 19.2852563396, 18.7104777341))
                  .norm(),
              rate_tolerance);
    EXPECT_LE(
        (result.trajectory[3].observables.at("angular_velocity") - Eigen::Vector3d(20.6237916, 15.9247182, 11.8206334))
            .norm(),
        rate_tolerance + 1e-7);  // seven decimals
    const Observables& start = result.trajectory.front().observables;
    EXPECT_NEAR(start.at("energy")[0], 2500.0, 1e-9);
    EXPECT_LE((start.at("angular_momentum") - Eigen::Vector3d(60.0, 160.0, 60.0)).norm(), 1e-10);
    EXPECT_LE(relative_drift(result, "energy"), round_off);
    EXPECT_LE(relative_drift(result, "angular_momentum"), round_off);
}

TEST(FreeRigidBody, FliesAParabola) {
    // Every method of order 2 or more is exact for it; implicit_euler is of order 1.
    const double t = 0.7;
    const std::vector<std::string> of_contact = nonsmooth_methods();
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
