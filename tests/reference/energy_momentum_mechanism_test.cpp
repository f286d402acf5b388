// The energy-momentum integrators of mechanisms on the reference path: their invariants with joints, springs, dampers
// and loads, and agreement with generalized-alpha on the same mechanism.
#include <gtest/gtest.h>

#include "host/text/user_error.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d, Eigen::VectorXd;

const std::vector<std::string> integrators{"energy_momentum", "livens_midpoint", "energy_momentum_convective"};

// The largest change since the start.
struct Changes {
    double energy = 0.0, generalized_energy = 0.0;  // less the work
    double momentum = 0.0, angular_momentum = 0.0;
    double constraint = 0.0, momentum_defect = 0.0;
    double work_j = 0.0, dissipation_j = 0.0;
    MechanismResult result;
};

Changes changes(const MechanismModel& model, const std::string& integrator, double end_s, double step_s) {
    MechanismSettings settings = mechanism_settings(integrator, end_s, step_s);
    Changes found;
    MechanismSample first;
    bool is_first = true;
    settings.after_step = [&](const MechanismSample& now) {
        if (is_first) first = now, is_first = false;
        const auto energy = [](const MechanismSample& s) {
            return s.kinetic_energy_j + s.potential_energy_j - s.work_j;
        };
        const auto generalized = [](const MechanismSample& s) { return s.generalized_energy_j - s.work_j; };
        const auto grow = [](double& largest, double value) { largest = std::max(largest, std::abs(value)); };
        grow(found.energy, energy(now) - energy(first));
        grow(found.generalized_energy, generalized(now) - generalized(first));
        grow(found.momentum, (now.momentum - first.momentum).norm());
        grow(found.angular_momentum, (now.angular_momentum - first.angular_momentum).norm());
        grow(found.constraint, now.constraint_residual);
        grow(found.momentum_defect, now.momentum_defect);
        found.work_j = now.work_j;
    };
    found.result = run_reference_mechanism(model, settings);
    EXPECT_EQ(found.result.status, "ok") << integrator << ' ' << found.result.reason;
    return found;
}

ModelElement spring(int i, int j, double stiffness, double damping) {
    ModelElement element;
    element.kind = RowKind::distance;
    element.body = {i, j};
    element.point = {Vector3d(0.2, -0.3, 0.5), Vector3d(-0.4, 0.1, 0.2)};
    element.has_law = true;
    element.stiffness[0] = stiffness, element.damping[0] = damping;
    element.function = 0;
    return element;
}

// Two bodies without symmetry, free in space.
MechanismModel two_bodies() {
    MechanismModel model;
    model.bodies = {general_body(2.5, {0.3, 0.1, -2.0}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {0.9, -0.6, -1.1}, general_rotation(-0.3, 0.5, 1.2))};
    model.bodies[0].velocity_m_s = {0.5, -0.2, 0.3};
    model.bodies[0].angular_velocity_rad_s = {1.0, -2.0, 0.5};
    model.bodies[1].angular_velocity_rad_s = {-0.5, 1.5, 2.0};
    model.functions = {TimeFunction(0.8)};
    return model;
}

// Directions that stay perpendicular, and nothing else between the bodies.
MechanismModel two_bodies_with_a_direction() {
    MechanismModel model = two_bodies();
    add_dot_1(model, 0, 1, Vector3d(0.6, -0.3, 0.7).normalized(), Vector3d(0.1, 0.9, -0.4).normalized());
    return model;
}

MechanismModel two_bodies_on_a_universal_joint() {
    MechanismModel model = two_bodies();
    add_point(model, 0, 1, {0.2, -0.3, 0.5}, {-0.4, 0.1, 0.2});
    add_dot_1(model, 0, 1, Vector3d(0.6, -0.3, 0.7).normalized(), Vector3d(0.1, 0.9, -0.4).normalized());
    return model;
}

MechanismModel two_bodies_at_a_distance() {
    MechanismModel model = two_bodies();
    ModelElement distance = spring(0, 1, 0.0, 0.0);
    distance.has_law = false;
    model.elements.push_back(distance);
    return model;
}

// Relative to energies and momenta of some 10.
constexpr double round_off_of_invariants = 1e-11;

}  // namespace

TEST(RelativeDirection, HasNoNetTorque) {
    // 200 steps of 0.01 s; livens midpoint keeps what is quadratic, and the momentum map is.
    for (const std::string& integrator : integrators) {
        const Changes change = changes(two_bodies_with_a_direction(), integrator, 2.0, 0.01);
        EXPECT_LE(change.momentum, round_off_of_invariants) << integrator;
        EXPECT_LE(change.angular_momentum, round_off_of_invariants) << integrator;
        EXPECT_LE(change.constraint, round_off_of_invariants) << integrator;
        if (integrator != "livens_midpoint") {
            EXPECT_LE(change.generalized_energy, round_off_of_invariants) << integrator;
        }
    }
}

TEST(EnergyMomentumOfMechanisms, KeepsTheGeneralizedEnergyWithEveryJoint) {
    for (const MechanismModel& model :
         {two_bodies_on_a_universal_joint(), two_bodies_at_a_distance(), spatial_double_pendulum()}) {
        const Changes change = changes(model, "energy_momentum", 1.0, 0.01);
        EXPECT_LE(change.generalized_energy, round_off_of_invariants);
        EXPECT_LE(change.constraint, round_off_of_invariants);
        EXPECT_GE(change.energy, 1e-7);
        EXPECT_GE(change.momentum_defect, 1e-5);
    }
    // Revolute joints, rods of 78 kg and 4 m: energies of thousands of joules.
    EXPECT_LE(changes(double_pendulum(), "energy_momentum", 1.0, 0.01).generalized_energy,
              1e3 * round_off_of_invariants);
}

TEST(EnergyMomentumOfMechanisms, KeepsTheAngularMomentumOfAPointOnlyToSecondOrder) {
    const auto change = [](const std::string& integrator, double step_s) {
        return changes(two_bodies_on_a_universal_joint(), integrator, 1.0, step_s).angular_momentum;
    };
    for (const std::string integrator : {"energy_momentum", "livens_midpoint"}) {
        const double ratio = change(integrator, 0.01) / change(integrator, 0.005);
        EXPECT_NEAR(ratio, 4.0, 0.4) << integrator;
    }
    EXPECT_LE(change("energy_momentum_convective", 0.01), round_off_of_invariants);
}

TEST(ConvectiveEnergyMomentumOfMechanisms, KeepsTotalEnergyAndMomentaWithEveryJoint) {
    for (const MechanismModel& model : {two_bodies_on_a_universal_joint(), two_bodies_at_a_distance()}) {
        const Changes change = changes(model, "energy_momentum_convective", 1.0, 0.01);
        EXPECT_LE(change.energy, round_off_of_invariants);
        EXPECT_LE(change.momentum, round_off_of_invariants);
        EXPECT_LE(change.angular_momentum, round_off_of_invariants);
        EXPECT_LE(change.constraint, round_off_of_invariants);
    }
    EXPECT_LE(changes(spatial_double_pendulum(), "energy_momentum_convective", 1.0, 0.01).energy,
              round_off_of_invariants);
    EXPECT_LE(changes(double_pendulum(), "energy_momentum_convective", 1.0, 0.01).energy,
              1e3 * round_off_of_invariants);
}

TEST(ConvectiveEnergyMomentumOfMechanisms, KeepsAllMomentaOfTheFourBarLoopAfterTheLoads) {
    MechanismSettings settings = mechanism_settings("energy_momentum_convective", 10.0, 0.1);
    settings.after_step = [&](const MechanismSample& sample) {
        if (sample.motion.state.time_s < 1.0 - 1e-9) return;
        // 2095 J, 400 kg m/s at up to 100 m: round-off of positions over the step.
        EXPECT_NEAR(sample.kinetic_energy_j, sample.work_j, 2095.0 * round_off_of_invariants);
        EXPECT_LE((sample.momentum - 400.0 * ex).norm(), 400.0 * round_off_of_invariants);
        EXPECT_LE((sample.angular_momentum - 300.0 * ex).norm(), 4e4 * round_off_of_invariants);
        EXPECT_LE(sample.constraint_residual, 1e-12);
    };
    EXPECT_EQ(run_reference_mechanism(four_bar_loop(), settings).status, "ok");
}

TEST(Springs, GiveBackWhatTheyTookAndDampersTakeTheirWork) {
    for (const double damping : {0.0, 2.0}) {
        MechanismModel model = two_bodies();
        model.elements = {spring(0, 1, 60.0, damping), spring(-1, 0, 40.0, damping)};
        const Changes livens = changes(model, "energy_momentum", 1.0, 0.01),
                      convective = changes(model, "energy_momentum_convective", 1.0, 0.01);
        EXPECT_LE(livens.generalized_energy, round_off_of_invariants) << damping;
        EXPECT_LE(convective.energy, round_off_of_invariants) << damping;
        for (const double work : {livens.work_j, convective.work_j})
            if (damping == 0.0)
                EXPECT_EQ(work, 0.0);
            else
                EXPECT_LE(work, -1.0);
    }
}

TEST(Springs, OfChangingRestLengthDoTheWorkOfIt) {
    MechanismModel model = two_bodies();
    model.elements = {spring(0, 1, 60.0, 2.0)};
    model.functions[0] = 0.8 + 0.2 * sin(3.0 * TimeFunction::time());
    EXPECT_LE(changes(model, "energy_momentum", 1.0, 0.01).generalized_energy, round_off_of_invariants);
    EXPECT_LE(changes(model, "energy_momentum_convective", 1.0, 0.01).energy, round_off_of_invariants);
}

TEST(Loads, ChangeTheEnergyByTheirWork) {
    for (const ModelLoadKind kind : {ModelLoadKind::force_world, ModelLoadKind::force_body, ModelLoadKind::torque_world,
                                     ModelLoadKind::torque_body}) {
        MechanismModel model = two_bodies_on_a_universal_joint();
        const TimeFunction t = TimeFunction::time();
        model.functions = {2.0 * sin(3.0 * t), 1.0 - t, 0.5 * t};
        model.loads = {{kind, 1, {0.1, 0.2, -0.1}, {0, 1, 2}}};
        const Changes livens = changes(model, "energy_momentum", 1.0, 0.01),
                      convective = changes(model, "energy_momentum_convective", 1.0, 0.01);
        EXPECT_LE(livens.generalized_energy, round_off_of_invariants);
        EXPECT_LE(convective.energy, round_off_of_invariants);
        EXPECT_GE(std::abs(livens.work_j), 0.01);
        EXPECT_NEAR(livens.work_j, convective.work_j, 1e-3 * std::abs(livens.work_j));
    }
}

TEST(EnergyMomentumOfMechanisms, ConvergesToTheMotionOfGeneralizedAlpha) {
    MechanismModel pulled = two_bodies_on_a_universal_joint();
    pulled.gravity_m_s2 = weight;
    pulled.elements.push_back(spring(-1, 0, 60.0, 2.0));
    pulled.functions.push_back(2.0 * sin(3.0 * TimeFunction::time()));
    pulled.loads = {{ModelLoadKind::force_body, 1, {0.1, 0.2, -0.1}, {1, -1, 1}},
                    {ModelLoadKind::torque_body, 0, origin, {-1, 1, -1}},
                    {ModelLoadKind::torque_world, 1, origin, {1, 1, -1}}};
    for (const MechanismModel& model : {pulled, double_pendulum(), two_bodies_at_a_distance()}) {
        const auto at_step = [&](const std::string& integrator, double h) {
            const MechanismResult result = run_reference_mechanism(model, mechanism_settings(integrator, 0.25, h));
            EXPECT_EQ(result.status, "ok") << integrator;
            VectorXd values(12 * static_cast<Eigen::Index>(model.bodies.size()));
            Eigen::Index x = 0;
            for (const BodyState& body : result.last.motion.state.bodies) {
                values.segment<12>(x) << body.position, body.orientation.col(0), body.velocity, body.angular_velocity;
                x += 12;
            }
            return values;
        };
        const VectorXd known = extrapolated(at_step("generalized_alpha", 1e-3), at_step("generalized_alpha", 5e-4), 2);
        for (const std::string& integrator : integrators) {
            const VectorXd coarse = at_step(integrator, 5e-3), fine = at_step(integrator, 2.5e-3);
            EXPECT_NEAR((coarse - known).norm() / (fine - known).norm(), 4.0, 0.3) << integrator;
            // The next terms: fourth order here, third there.
            EXPECT_LE((extrapolated(coarse, fine, 2) - known).norm(), 1e-5) << integrator;
        }
    }
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
