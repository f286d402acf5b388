// Contact of mechanisms on the reference path against closed forms: impact of a hinged rod, collision of balls; and its
// terms against differences. `myriad validate` has its other motions, by every method.
#include "host/reference/contact/contact_mechanism.hpp"

#include <gtest/gtest.h>

#include "host/text/user_error.hpp"
#include "tests/reference/contact_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Sums of a few dozen products, through the inverse of a step's matrix.
constexpr double round_off_of_a_step = 1e-12;

MechanismResult run(const MechanismModel& model, const std::string& method, double end_s, double step_s) {
    MechanismSettings settings = joint_settings(method, end_s, step_s);
    settings.spectral_radius = 0.8;
    const MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << method << ' ' << result.reason;
    return result;
}

// Two bodies without symmetry, a sphere of one on a plane of the other, two spheres, and both against the ground.
MechanismModel touching_bodies() {
    MechanismModel model = bodies_on_springs();
    const Eigen::Matrix3d frame = general_rotation(0.4, -1.1, 0.7);
    for (const std::array<int, 2> bodies : {std::array{0, 1}, std::array{1, 0}, std::array{-1, 0}, std::array{1, -1}}) {
        ModelContact plane =
            on_plane(bodies[0], bodies[1], {0.2, -0.3, 0.5}, frame.col(0), frame.col(1), {-0.4, 0.1, 0.2}, 0.15);
        plane.play_m = 0.01;
        ModelContact spheres = between_spheres(bodies[0], bodies[1], 0.2, 0.3);
        spheres.point = {Vector3d(0.1, 0.3, -0.2), Vector3d(-0.2, 0.2, 0.4)};
        model.contacts.push_back(plane), model.contacts.push_back(spheres);
    }
    return model;
}

MechanismState state_of(const MechanismModel& model) {
    MechanismState state;
    for (const ModelBody& given : model.bodies)
        state.bodies.push_back({given.position_m, given.velocity_m_s, given.angular_velocity_rad_s, given.orientation});
    return state;
}

}  // namespace

TEST(ContactTerms, FollowFromTheGapsAndFromTheMotionOfThePointsByDifferences) {
    const MechanismModel model = touching_bodies();
    const MechanismState state = state_of(model);
    const MatrixXd w = contact_directions(model, state);
    constexpr double step = 1e-5, tolerance = 1e-9;  // of a central difference of numbers of order 1
    for (Index column = 0; column < w.cols(); ++column) {
        MechanismState before = state, after = state;
        displace(before, -step * VectorXd::Unit(w.cols(), column));
        displace(after, step * VectorXd::Unit(w.cols(), column));
        const VectorXd slope = (contact_gaps(model, after) - contact_gaps(model, before)) / (2.0 * step);
        for (Index k = 0; k < slope.size(); ++k)
            EXPECT_NEAR(w(3 * k, column), slope[k], tolerance) << k << ' ' << column;
    }
    const VectorXd v = velocity_vector(state);
    MechanismState before = state, after = state;
    displace(before, -step * v), displace(after, step * v);
    const VectorXd turning =
        (contact_directions(model, after) * v - contact_directions(model, before) * v) / (2.0 * step);
    EXPECT_LE((contact_turning(model, state) - turning).cwiseAbs().maxCoeff(), 1e2 * tolerance);
}

TEST(ContactTerms, AreThoseOfPerpendicularUnitDirections) {
    // A body that only translates along e gives every contact on it a velocity of length |e|.
    const MechanismModel model = touching_bodies();
    const MatrixXd w = contact_directions(model, state_of(model));
    for (Index k = 0; k < w.rows(); k += 3)
        for (Index body = 0; body < w.cols(); body += 6) {
            const Eigen::Matrix3d directions = w.block<3, 3>(k, body);
            if (directions.norm() == 0.0) continue;
            EXPECT_LE((directions * directions.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-14);
            const double sign = model.contacts[static_cast<std::size_t>(k / 3)].body[0] == body / 6 ? -1.0 : 1.0;
            EXPECT_NEAR(directions.determinant(), sign, 1e-14);
        }
}

TEST(ContactMethods, AreGeneralizedAlphaWhereNothingTouches) {
    MechanismSettings settings = mechanism_settings("generalized_alpha", 0.2, 1e-3);
    settings.spectral_radius = 0.8, settings.published_start = true;  // as the scheme with contacts starts
    MechanismModel model = with_free_bodies(spatial_double_pendulum());
    const MechanismResult plain = run_reference_mechanism(model, settings);
    model.contacts = {on_plane(-1, 1, {0.0, 0.0, -50.0}, ez, ex, origin, 0.1)};
    const MechanismResult contact = run(model, "nonsmooth_generalized_alpha", 0.2, 1e-3);
    for (std::size_t b = 0; b < 2; ++b)
        EXPECT_LE((plain.last.motion.state.bodies[b].position - contact.last.motion.state.bodies[b].position).norm(),
                  round_off_of_a_step);
    // Round-off of a position, divided by the step, shows in a multiplier.
    EXPECT_LE((plain.last.motion.multipliers - contact.last.motion.multipliers).norm(), 1e-7);
}

TEST(HingedRod, TakesTheImpulseOfAWallAsItsInertiaAboutTheHingeSays) {
    constexpr double angle = 0.3, rate = 2.0, restitution = 0.7, length = 1.0;
    const double inertia = 1.5 * length * length / 3.0;
    const double lever = length * std::cos(angle);  // of the wall's normal at the tip
    // At the start, so that the velocity before is known exactly.
    const MechanismModel model = rod_at_a_wall(angle, rate, length * std::sin(angle), 0.0, restitution);
    MechanismSample first;
    MechanismSettings settings = joint_settings("nonsmooth_generalized_alpha", 1e-3, 1e-3);
    settings.after_step = [&](const MechanismSample& sample) {
        if (sample.motion.state.time_s == 0.0) first = sample;
    };
    EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
    EXPECT_NEAR(first.motion.state.bodies[0].angular_velocity.y(), restitution * rate, round_off_of_a_step);
    EXPECT_NEAR(first.contacts.impulse[0], (1.0 + restitution) * inertia * rate / lever, round_off_of_a_step);
    EXPECT_LE(first.velocity_residual, round_off_of_a_step);
    const double loss = 0.5 * inertia * rate * rate * (1.0 - restitution * restitution);
    EXPECT_NEAR(first.contact_record.impact_loss_j, loss, round_off_of_a_step);
}

TEST(HingedRod, WithFrictionAtTheWallStillReboundsByItsNormalRestitution) {
    // One freedom: the normal law alone says how fast the tip leaves, down along the wall; friction pushes it up and
    // changes the impulse only, I (w+ - w-) = -L (cos angle - friction sin angle).
    constexpr double angle = 0.3, rate = 2.0, restitution = 0.7, friction = 0.2, inertia = 0.5;
    const MechanismModel model = rod_at_a_wall(angle, rate, std::sin(angle), friction, restitution);
    MechanismSample first;
    MechanismSettings settings = joint_settings("nonsmooth_generalized_alpha", 1e-3, 1e-3);
    settings.after_step = [&](const MechanismSample& sample) {
        if (sample.motion.state.time_s == 0.0) first = sample;
    };
    EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
    EXPECT_NEAR(first.motion.state.bodies[0].angular_velocity.y(), restitution * rate, round_off_of_a_step);
    const double lever = std::cos(angle) - friction * std::sin(angle);
    EXPECT_NEAR(first.contacts.impulse[0], (1.0 + restitution) * inertia * rate / lever, round_off_of_a_step);
    EXPECT_NEAR(first.contacts.impulse[1], friction * first.contacts.impulse[0], round_off_of_a_step);
}

namespace {

MechanismModel colliding_balls(double friction, double restitution) {
    MechanismModel model;
    model.bodies = {ball(1.0, 0.1, origin, {1.0, 0.2, 0.0}), ball(2.5, 0.2, {0.3001, 0.0, 0.02}, {-0.6, 0.0, 0.3})};
    model.bodies[0].angular_velocity_rad_s = {3.0, -5.0, 8.0};
    model.bodies[1].angular_velocity_rad_s = {-2.0, 6.0, 4.0};
    model.contacts = {with_law(between_spheres(0, 1, 0.1, 0.2), friction, restitution)};
    return with_free_bodies(model);
}

}  // namespace

TEST(Balls, SlideOrStickInACollisionAsInClosedForm) {
    // At the start: balls that touch. The tangential compliance of two balls is 7/2 of the normal one.
    for (const double friction : {0.05, 5.0}) {
        MechanismModel model = colliding_balls(friction, 0.8);
        const Vector3d n = (model.bodies[1].position_m - model.bodies[0].position_m).normalized();
        model.bodies[1].position_m = 0.3 * n;
        const auto slip = [&](const std::vector<BodyState>& bodies) -> Vector3d {
            const Vector3d u = bodies[1].velocity - bodies[1].angular_velocity.cross(0.2 * n) - bodies[0].velocity -
                               bodies[0].angular_velocity.cross(0.1 * n);
            return u;
        };
        MechanismSample first;
        MechanismSettings settings = joint_settings("nonsmooth_generalized_alpha", 1e-3, 1e-3);
        settings.after_step = [&](const MechanismSample& sample) {
            if (sample.motion.state.time_s == 0.0) first = sample;
        };
        ASSERT_EQ(run_reference_mechanism(model, settings).status, "ok");
        const Vector3d before = slip(state_of(model).bodies), after = slip(first.motion.state.bodies);
        const double reduced = 1.0 / (1.0 / 1.0 + 1.0 / 2.5), normal = -(1.0 + 0.8) * reduced * before.dot(n);
        EXPECT_NEAR(after.dot(n), -0.8 * before.dot(n), round_off_of_a_step);
        EXPECT_NEAR(first.contacts.impulse[0], normal, round_off_of_a_step);
        const Vector3d slip_before = before - before.dot(n) * n, slip_after = after - after.dot(n) * n;
        const double stopping = reduced * slip_before.norm() / 3.5;
        const double tangential = std::min(friction * normal, stopping);
        EXPECT_NEAR(first.contacts.impulse.tail<2>().norm(), tangential, round_off_of_a_step) << friction;
        EXPECT_LE((slip_after - (1.0 - tangential / stopping) * slip_before).norm(), round_off_of_a_step) << friction;
    }
}

TEST(Start, WithBodiesInsideEachOtherIsRefusedOrMovedOutOfByTheLeastDisplacement) {
    // A ball of 1 kg, 10 mm deep in one of 2.5 kg: in the mass-weighted norm the shares are as 1/m.
    MechanismModel model = colliding_balls(0.3, 0.5);
    model.bodies[1].position_m = 0.29 * ex;
    MechanismSettings settings = joint_settings("nonsmooth_generalized_alpha", 1e-3, 1e-3);
    const MechanismResult refused = run_reference_mechanism(model, settings);
    EXPECT_EQ(refused.status, "assembly_failed");
    EXPECT_TRUE(refused.start_penetrates);
    MechanismSample first;
    settings.contact.project_penetration = true;
    settings.after_step = [&](const MechanismSample& sample) {
        if (sample.motion.state.time_s == 0.0) first = sample;
    };
    ASSERT_EQ(run_reference_mechanism(model, settings).status, "ok");
    EXPECT_NEAR(first.motion.state.bodies[0].position.x(), -0.01 * 2.5 / 3.5, round_off_of_a_step);
    EXPECT_NEAR(first.motion.state.bodies[1].position.x(), 0.29 + 0.01 * 1.0 / 3.5, round_off_of_a_step);
    EXPECT_NEAR(first.assembly_correction, 0.01 * std::hypot(1.0, 2.5) / 3.5, round_off_of_a_step);
    // A hinged rod turns out of the wall and keeps its hinge.
    const MechanismModel rod = rod_at_a_wall(0.3, 0.0, std::sin(0.2), 0.0, 0.0);
    ASSERT_EQ(run_reference_mechanism(rod, settings).status, "ok");
    EXPECT_NEAR(first.contacts.gap[0], 0.0, round_off_of_a_step);
    EXPECT_LE(first.constraint_residual, round_off_of_a_step);
    EXPECT_NEAR(first.motion.state.bodies[0].position.x(), 0.5 * std::sin(0.2), round_off_of_a_step);
}

TEST(Mechanisms, WithContactsAreRefusedByOtherMethodsAndInOtherCoordinates) {
    const MechanismModel model = ball_on_floor(0.1, 0.0, 0.5);
    EXPECT_THROW(run_reference_mechanism(model, joint_settings("generalized_alpha", 1.0, 0.1)), UserError);
    MechanismSettings settings = joint_settings("nonsmooth_generalized_alpha", 0.1, 0.1);
    EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
    settings.joint_coordinates = false;
    EXPECT_THROW(run_reference_mechanism(model, settings), UserError);
    settings.joint_coordinates = true, settings.chart = "cardan_xyz";
    EXPECT_THROW(run_reference_mechanism(model, settings), UserError);
}

}  // namespace myriad::reference
