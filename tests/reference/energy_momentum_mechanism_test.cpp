// The energy-momentum integrators of mechanisms on the reference path: moments, multipliers and refusals. Invariants
// and motions are those of the kernels, with which they agree (tests/properties/twin_test.cpp, tests/energy_momentum).
#include <gtest/gtest.h>

#include <optional>

#include "host/text/user_error.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d, Eigen::VectorXd;

const std::vector<std::string> integrators{"energy_momentum", "livens_midpoint", "energy_momentum_convective"};

// The largest change of the moment of momentum.
double change_of_moment(const MechanismModel& model, const std::string& integrator, double end_s, double step_s) {
    MechanismSettings settings = mechanism_settings(integrator, end_s, step_s);
    std::optional<Vector3d> first;
    double largest = 0.0;
    settings.after_step = [&](const MechanismSample& now) {
        if (!first) first = now.angular_momentum;
        largest = std::max(largest, (now.angular_momentum - *first).norm());
    };
    EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok") << integrator;
    return largest;
}

// Two bodies without symmetry, free in space.
MechanismModel two_bodies() {
    MechanismModel model;
    model.bodies = {general_body(2.5, {0.3, 0.1, -2.0}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {0.9, -0.6, -1.1}, general_rotation(-0.3, 0.5, 1.2))};
    model.bodies[0].velocity_m_s = {0.5, -0.2, 0.3};
    model.bodies[0].angular_velocity_rad_s = {1.0, -2.0, 0.5};
    model.bodies[1].angular_velocity_rad_s = {-0.5, 1.5, 2.0};
    return model;
}

MechanismModel two_bodies_on_a_universal_joint() {
    MechanismModel model = two_bodies();
    add_point(model, 0, 1, {0.2, -0.3, 0.5}, {-0.4, 0.1, 0.2});
    add_dot_1(model, 0, 1, Vector3d(0.6, -0.3, 0.7).normalized(), Vector3d(0.1, 0.9, -0.4).normalized());
    return model;
}

// Relative to energies and momenta of some 10.
constexpr double round_off_of_invariants = 1e-11;

}  // namespace

TEST(EnergyMomentumOfMechanisms, KeepsTheAngularMomentumOfAPointOnlyToSecondOrder) {
    const auto change = [](const std::string& integrator, double step_s) {
        return change_of_moment(two_bodies_on_a_universal_joint(), integrator, 1.0, step_s);
    };
    for (const std::string integrator : {"energy_momentum", "livens_midpoint"}) {
        const double ratio = change(integrator, 0.01) / change(integrator, 0.005);
        EXPECT_NEAR(ratio, 4.0, 0.4) << integrator;
    }
    EXPECT_LE(change("energy_momentum_convective", 0.01), round_off_of_invariants);
}

TEST(EnergyMomentumOfMechanisms, HasMultipliersThatAlternateAboutTheTrueOnes) {
    // Those of a step are off by the order of the step, with a sign that alternates; the mean of two steps is that of
    // the time between to second order, as the constraints and the equations of motion give it there.
    struct Error {
        double of_one, of_two;
    };
    const auto error = [](const std::string& integrator, double h) {
        std::vector<VectorXd> multipliers;
        std::vector<VectorXd> true_ones;
        MechanismSettings settings = mechanism_settings(integrator, 0.25, h);
        const MechanismModel model = two_bodies_on_a_universal_joint();
        settings.after_step = [&](const MechanismSample& sample) {
            multipliers.push_back(sample.motion.multipliers);
            true_ones.push_back(with_accelerations(model, sample.motion.state).multipliers);
        };
        EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
        const std::size_t end = multipliers.size() - 1;
        const double size = true_ones[end].norm();
        return Error{(multipliers[end] - 0.5 * (true_ones[end - 1] + true_ones[end])).norm() / size,
                     (0.5 * (multipliers[end - 1] + multipliers[end]) - true_ones[end - 1]).norm() / size};
    };
    for (const std::string& integrator : integrators) {
        const Error coarse = error(integrator, 1e-3), fine = error(integrator, 5e-4);
        EXPECT_NEAR(coarse.of_one / fine.of_one, 2.0, 0.1) << integrator;
        EXPECT_NEAR(coarse.of_two / fine.of_two, 4.0, 0.2) << integrator;
        EXPECT_LE(fine.of_two, 1e-6) << integrator;
    }
}

TEST(EnergyMomentumOfMechanisms, RefusesWhatItCannotTake) {
    for (const std::string& integrator : integrators) {
        EXPECT_THROW(
            run_reference_mechanism(double_pendulum(), mechanism_settings(integrator, 0.1, 0.01, "euler_parameters")),
            UserError);
        EXPECT_THROW(run_reference_mechanism(double_pendulum(), mechanism_settings(integrator, 0.1, 0.0)), UserError);
    }
}

TEST(EnergyMomentumIntegrators, EndWhereAStepTurnsABodyByMoreThanAThirdOfATurn) {
    // About a principal axis a step turns a body by 4 atan(h w / 4), 2 asin(h w / 2) and 2 atan(h w / 2): a third of a
    // turn at h w = 4 / sqrt(3), sqrt(3) and 2 sqrt(3).
    const std::vector<double> limits{4.0 / std::sqrt(3.0), std::sqrt(3.0), 2.0 * std::sqrt(3.0)};
    for (std::size_t i = 0; i < integrators.size(); ++i)
        for (const bool is_small : {true, false}) {
            MechanismModel model;
            model.bodies = {body(1.0, {1.0, 2.0, 3.0}, origin)};
            model.bodies[0].angular_velocity_rad_s = {0.0, 0.0, (is_small ? 0.999 : 1.001) * limits[i]};
            const MechanismResult result = run_reference_mechanism(model, mechanism_settings(integrators[i], 2.0, 1.0));
            EXPECT_EQ(result.status, is_small ? "ok" : "step_rotation_too_large") << integrators[i];
            EXPECT_EQ(result.steps_taken, is_small ? 2 : 0) << integrators[i];
        }
}

}  // namespace myriad::reference
