// The reference path in joint coordinates: against itself in body coordinates, drivers, angles and failures. Its orders
// and energies are those of the kernels (tests/properties).
#include <gtest/gtest.h>

#include "host/text/user_error.hpp"
#include "tests/reference/joint_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::VectorXd;

struct Subject {
    const char* name;
    MechanismModel model;
};

std::vector<Subject> tree_subjects() {
    return {{"chain", spatial_chain()},
            {"slides", sliding_tree()},
            {"double pendulum", double_pendulum_with_tree()},
            {"driven chain", driven_chain()}};
}
std::vector<Subject> loop_subjects() {
    return {{"slider-crank", slider_crank_with_tree()}, {"four-link", four_link_with_tree()}};
}
VectorXd poses_of(const MechanismSample& sample) {
    VectorXd positions(12 * static_cast<Index>(sample.motion.state.bodies.size()));
    Index x = 0;
    for (const BodyState& body : sample.motion.state.bodies) {
        positions.segment<12>(x) << body.position, body.orientation.reshaped();
        x += 12;
    }
    return positions;
}
VectorXd element_multipliers_of(const MechanismSample& sample) {
    VectorXd multipliers(3 * static_cast<Index>(sample.element_multipliers.size()));
    for (std::size_t e = 0; e < sample.element_multipliers.size(); ++e)
        multipliers.segment<3>(3 * static_cast<Index>(e)) = sample.element_multipliers[e];
    return multipliers;
}
// Everything that a channel can show.
VectorXd everything(const MechanismSample& sample) {
    const VectorXd positions = poses_of(sample), velocities = velocity_vector(sample.motion.state),
                   multipliers = element_multipliers_of(sample);
    VectorXd all(positions.size() + 2 * velocities.size() + multipliers.size());
    all << positions, velocities, sample.motion.acceleration, multipliers;
    return all;
}

MechanismSample sample_at_end(const MechanismModel& model, const MechanismSettings& settings) {
    const MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << settings.integrator << ' ' << result.reason;
    return result.last;
}

// Sums of accelerations and forces of some hundred N, and of rows over the square of a step of a millisecond.
constexpr double round_off_of_steps = 1e-8;

}  // namespace

TEST(JointCoordinates, OfAnUnevenSpanEndWithAShorterStepWhereNoRowsAreLeft) {
    const auto second_last_s = [](const MechanismModel& model) {
        std::vector<double> times_s;
        MechanismSettings settings = joint_settings("generalized_alpha", 0.105, 0.01);
        settings.after_step = [&](const MechanismSample& sample) { times_s.push_back(sample.motion.state.time_s); };
        EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
        EXPECT_EQ(times_s.size(), 12u);
        return times_s.rbegin()[1];
    };
    constexpr double round_off_s = 1e-15;  // of a sum of steps
    EXPECT_NEAR(second_last_s(double_pendulum_with_tree()), 0.1, round_off_s);
    EXPECT_NEAR(second_last_s(slider_crank_with_tree()), 0.105 * 10.0 / 11.0, round_off_s);
}

TEST(JointCoordinates, GiveTheAccelerationsAndReactionsOfBodyCoordinatesAtAnyOfTheirStates) {
    std::vector<Subject> subjects = tree_subjects();
    for (const Subject& backwards :
         {Subject{"chain, backwards", spatial_chain(true)}, Subject{"slides, backwards", sliding_tree(true)},
          Subject{"driven chain, backwards", driven_chain(true)}})
        subjects.push_back(backwards);
    for (const auto& [name, model] : subjects)
        for (const std::string method : {"generalized_alpha", "rk4"}) {
            MechanismSettings settings = joint_settings(method, 0.05, 0.01);
            settings.after_step = [&, &name = name, &model = model](const MechanismSample& sample) {
                const MechanismMotion body = with_accelerations(model, sample.motion.state);
                EXPECT_LE((sample.motion.acceleration - body.acceleration).norm(), round_off_of_steps) << name;
                EXPECT_LE((sample.motion.multipliers - body.multipliers).norm(), round_off_of_steps) << name;
                EXPECT_LE(sample.constraint_residual, 1e-14) << name;
                EXPECT_LE(sample.velocity_residual, 1e-13) << name;
            };
            EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok") << name;
        }
}

TEST(JointCoordinates, DoNotDependOnTheOrderOfAJointsBodies) {
    // A planar joint's slides are along its parent's axes in either order.
    for (const std::string method : {"generalized_alpha", "rk4"}) {
        const MechanismSettings settings = joint_settings(method, 0.1, 0.01);
        for (const auto build : {spatial_chain, sliding_tree, driven_chain})
            EXPECT_LE((poses_of(sample_at_end(build(false), settings)) - poses_of(sample_at_end(build(true), settings)))
                          .norm(),
                      1e-12)
                << method;
    }
}

TEST(PrescribedCoordinates, StandAtTheirFunctions) {
    for (const bool is_backwards : {false, true})
        for (const std::string method : {"generalized_alpha", "implicit_euler", "rk4"}) {
            const MechanismModel model = driven_chain(is_backwards);
            MechanismSettings settings = joint_settings(method, 0.5, 0.01);
            settings.after_step = [&](const MechanismSample& sample) {
                for (const PrescribedFreedom& prescribed : model.tree.prescribed) {
                    const auto e = static_cast<std::size_t>(prescribed.element);
                    const ElementTerms terms = element_terms(model, sample.motion.state, e);
                    const MechanismState& state = sample.motion.state;
                    EXPECT_LE(std::abs(terms.phi[0]), 1e-14) << method;
                    EXPECT_LE(std::abs(terms.rate[0]), 1e-13) << method;
                    // phi'' = B A + gamma
                    VectorXd acceleration = VectorXd::Zero(12);
                    for (std::size_t side = 0; side < 2; ++side) {
                        const int body = model.elements[e].body[side];
                        if (body >= 0)
                            acceleration.segment<6>(6 * static_cast<Index>(side)) =
                                sample.motion.acceleration.segment<6>(6 * body);
                    }
                    EXPECT_LE(std::abs(terms.jacobian.row(0).dot(acceleration) + terms.acceleration_term[0]), 1e-11)
                        << method << state.time_s;
                }
            };
            sample_at_end(model, settings);
        }
}

TEST(PrescribedCoordinates, GiveTheMotionOfAMechanismWithoutFreedom) {
    const MechanismModel model = four_link_with_tree();
    std::vector<VectorXd> joint, body;
    MechanismSettings settings = joint_settings("kinematics", 1.0, 0.01);
    settings.after_step = [&](const MechanismSample& sample) { joint.push_back(everything(sample)); };
    sample_at_end(model, settings);
    settings.joint_coordinates = false;
    settings.after_step = [&](const MechanismSample& sample) { body.push_back(everything(sample)); };
    sample_at_end(model, settings);
    ASSERT_EQ(joint.size(), 101u);
    ASSERT_EQ(body.size(), joint.size());
    for (std::size_t n = 0; n < joint.size(); ++n) EXPECT_LE((joint[n] - body[n]).norm(), round_off_of_steps) << n;

    // A single body, whose only coordinate is prescribed, has no unknown at all.
    MechanismModel pendulum = driven_pendulum();
    hang(pendulum, TwinJoint::revolute, 0, -1, 0, 3);
    prescribe(pendulum, 3, 0, 0);
    for (const std::string method : {"kinematics", "generalized_alpha", "rk4"}) {
        MechanismSettings of_pendulum = joint_settings(method, 1.0, 0.125);
        const VectorXd found = everything(sample_at_end(pendulum, of_pendulum));
        of_pendulum.joint_coordinates = false, of_pendulum.integrator = "kinematics";
        EXPECT_LE((everything(sample_at_end(pendulum, of_pendulum)) - found).norm(), round_off_of_steps) << method;
    }
}

TEST(Start, GivesMultipliersOfRowsTheOrderOfTheMethodInJointCoordinates) {
    // The largest distance over all steps of the multipliers from those that positions and velocities determine.
    constexpr double margin = 0.15;  // what the next power of the step adds
    for (const auto& [name, model] : loop_subjects())
        for (const double spectral_radius : {0.9, 0.5, 0.0})
            for (const std::string method : {"generalized_alpha", "implicit_euler"}) {
                const auto distance = [&, &model = model](int steps, bool published) {
                    double largest = 0.0;
                    MechanismSettings settings = joint_settings(method, 0.02, 0.02 / steps);
                    settings.spectral_radius = spectral_radius, settings.published_start = published;
                    settings.after_step = [&](const MechanismSample& sample) {
                        const VectorXd exact = with_accelerations(model, sample.motion.state).multipliers;
                        largest = std::max(largest, (sample.motion.multipliers - exact).lpNorm<Eigen::Infinity>());
                    };
                    sample_at_end(model, settings);
                    return largest;
                };
                const auto found = [&](bool published) {
                    return std::log2(distance(20, published) / distance(40, published));
                };
                const double expected = method == "generalized_alpha" ? 2.0 : 1.0;
                EXPECT_GE(found(false), expected - margin) << name << ' ' << method << spectral_radius;
                EXPECT_LE(found(true), expected - 1.0 + margin) << name << ' ' << method << spectral_radius;
            }
}

TEST(JointCoordinates, CountTheTurnsOfASpringOverWholeTurns) {
    // A rotor on a torsion spring, which turns three times before it comes to rest: the closed form is a cosine.
    MechanismModel model;
    model.bodies = {body(1.0, {1.0, 1.0, 2.0}, origin)};
    model.bodies[0].angular_velocity_rad_s = {0.0, 0.0, 6.0 * pi};
    add_joint(model, TwinJoint::revolute, 0, -1, {origin, ez, ex});
    ModelElement spring;
    spring.kind = RowKind::angle;
    spring.body = {-1, 0};
    spring.first = ex, spring.second = ey, spring.other = ex;
    spring.has_law = true, spring.stiffness[0] = 2.0;
    model.elements.push_back(spring);
    double largest = 0.0;
    MechanismSettings settings = joint_settings("rk67", 4.0, 0.01);
    settings.after_step = [&](const MechanismSample& sample) {
        const double angle = 6.0 * pi * std::sin(sample.motion.state.time_s);
        EXPECT_NEAR(sample.element_multipliers.back()[0], 2.0 * angle, 1e-9);
        largest = std::max(largest, sample.element_multipliers.back()[0] / 2.0);
    };
    sample_at_end(model, settings);
    EXPECT_GE(largest, 5.99 * pi);

    // Without the spring, by one and a half half turns a step, more than poses can tell.
    model.elements.back().stiffness.setZero();
    settings = joint_settings("generalized_alpha", 4.0, 0.25);
    settings.after_step = [&](const MechanismSample& sample) {
        EXPECT_NEAR(sample.motion.state.counted_angles.back(), 6.0 * pi * sample.motion.state.time_s, 1e-11);
    };
    sample_at_end(model, settings);
}

TEST(JointCoordinates, CountAnAngleFromTheTurnThatItIsGivenIn) {
    MechanismModel model = driven_pendulum();
    hang(model, TwinJoint::revolute, 0, -1, 0, 3);
    prescribe(model, 3, 0, 0);
    model.elements.push_back(model.elements[3]);
    model.elements[4].kind = RowKind::angle, model.elements[4].is_sensor = true;
    model.elements[4].function = -1, model.elements[4].start_angle_rad = 6.0 * pi;
    for (const bool joint : {true, false}) {
        MechanismSettings settings = joint_settings("kinematics", 1.0, 0.125);
        settings.joint_coordinates = joint;
        settings.after_step = [&](const MechanismSample& sample) {
            const MechanismState& state = sample.motion.state;
            EXPECT_NEAR(state.counted_angles[4], 6.0 * pi + 0.25 * pi * std::cos(2.0 * state.time_s), 1e-13);
        };
        sample_at_end(model, settings);
    }
}

TEST(JointCoordinates, TakeBodiesWithoutMassThatCarryOthers) {
    MechanismModel model = spatial_chain();
    model.bodies[1].mass_kg = 0.0, model.bodies[1].inertia_kg_m2.setZero();
    MechanismSettings settings = joint_settings("generalized_alpha", 0.02, 1e-3);
    settings.after_step = [&](const MechanismSample& sample) {
        const MechanismMotion body = with_accelerations(model, sample.motion.state);
        EXPECT_LE((sample.motion.acceleration - body.acceleration).norm(), round_off_of_steps);
        EXPECT_LE((sample.motion.multipliers - body.multipliers).norm(), round_off_of_steps);
    };
    sample_at_end(model, settings);
}

TEST(JointCoordinates, KeepTheToleranceOfChosenSteps) {
    const VectorXd truth = poses_of(sample_at_end(driven_chain(), joint_settings("rk67", 0.4, 2e-3)));
    for (const std::string method : {"ode23", "dopri5"}) {
        MechanismSettings settings = joint_settings(method, 0.4, 0.0);
        settings.control.absolute_tolerance = 1e-7;
        // Errors of some tens of steps, each below the tolerance.
        EXPECT_LE((poses_of(sample_at_end(driven_chain(), settings)) - truth).norm(), 100 * 1e-7) << method;
    }
}

TEST(JointCoordinates, FailWithTheirStatus) {
    MechanismSettings stalls = joint_settings("generalized_alpha", 0.1, 0.01);
    stalls.most_newton_iterations = 1;
    EXPECT_EQ(run_reference_mechanism(slider_crank_with_tree(), stalls).status, "newton_stalled");
    MechanismSettings turns = joint_settings("generalized_alpha", 0.1, 0.01);
    turns.largest_step_rotation_rad = 1e-3;
    EXPECT_EQ(run_reference_mechanism(spatial_chain(), turns).status, "step_rotation_too_large");
    turns.integrator = "rk4";
    EXPECT_EQ(run_reference_mechanism(spatial_chain(), turns).status, "step_rotation_too_large");
    EXPECT_EQ(run_reference_mechanism(double_pendulum_with_tree(), joint_settings("kinematics", 0.1, 0.01)).status,
              "singular_matrix");
    MechanismModel without_mass = double_pendulum_with_tree();
    without_mass.bodies[1].mass_kg = 0.0, without_mass.bodies[1].inertia_kg_m2.setZero();
    EXPECT_EQ(run_reference_mechanism(without_mass, joint_settings("generalized_alpha", 0.1, 0.01)).status,
              "singular_matrix");
    MechanismModel infinite = driven_chain();
    infinite.functions[1] = 1.0 / (0.05 - TimeFunction::time());
    EXPECT_EQ(run_reference_mechanism(infinite, joint_settings("generalized_alpha", 0.1, 0.05)).status, "not_finite");
    EXPECT_EQ(run_reference_mechanism(slider_crank_with_tree(), joint_settings("rk4", 0.1, 0.01)).status, "ok");
    EXPECT_THROW(run_reference_mechanism(double_pendulum(), joint_settings("rk4", 0.1, 0.01)), UserError);
    MechanismSettings chart = joint_settings("generalized_alpha", 0.1, 0.01);
    chart.chart = "euler_parameters";
    EXPECT_THROW(run_reference_mechanism(double_pendulum_with_tree(), chart), UserError);
}

}  // namespace myriad::reference
