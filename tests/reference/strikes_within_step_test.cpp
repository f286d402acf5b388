// Strikes within a step on the reference path, by all methods with contact: closed forms where accelerations are
// constant, and the second order of the step elsewhere.
#include <gtest/gtest.h>

#include "tests/reference/contact_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d;

constexpr const char* moreau = "moreau_midpoint";
// Sums over a thousand steps of numbers of order 1, and the halvings that find a touch.
constexpr double round_off_of_a_run = 1e-11;

MechanismResult run(const MechanismModel& model, const std::string& method, double end_s, double step_s,
                    bool within = true) {
    MechanismSettings settings = joint_settings(method, end_s, step_s);
    settings.spectral_radius = 0.8;
    settings.contact.strikes_within_step = within;
    const MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << method << ' ' << result.reason;
    return result;
}

// Of a ball that falls through `height` and rebounds.
double height_of_bounces(double height, double restitution, double time_s) {
    double start_s = 0.0, speed = 0.0, from = height;
    for (;;) {
        const double flight_s = (speed + std::sqrt(speed * speed + 2.0 * gravity_m_s2 * from)) / gravity_m_s2,
                     t = time_s - start_s;
        if (t <= flight_s) return from + speed * t - 0.5 * gravity_m_s2 * t * t;
        speed = restitution * (gravity_m_s2 * flight_s - speed);
        start_s += flight_s, from = 0.0;
    }
}

MechanismModel two_balls(double radius, double offset, double start, double speed) {
    MechanismModel model;
    model.bodies = {ball(0.01, radius, origin), ball(0.01, radius, {start, offset, 0.0}, {speed, 0.0, 0.0})};
    model.contacts = {with_law(between_spheres(0, 1, radius, radius), 0.0, 1.0)};
    return with_free_bodies(model);
}

// Bodies without symmetry, far from each other's centres where they touch; no force acts.
MechanismModel spinning_bodies() {
    MechanismModel model;
    model.bodies = {general_body(2.5, {0.4, 0.1, -0.2}, general_rotation(0.4, -0.8, 0.3)),
                    general_body(1.5, {1.1, -0.1, 0.1}, general_rotation(-0.3, 0.5, 1.2))};
    model.bodies[0].velocity_m_s = {3.0, -0.2, 0.3};
    model.bodies[0].angular_velocity_rad_s = {3.0, -4.0, 2.5};
    model.bodies[1].angular_velocity_rad_s = {-2.5, 3.5, 4.0};
    ModelContact contact = with_law(between_spheres(0, 1, 0.4, 0.35), 0.3, 0.7, 0.7);
    contact.point = {Vector3d(0.1, 0.2, -0.1), Vector3d(-0.2, 0.1, 0.1)};
    model.contacts = {contact};
    return with_free_bodies(model);
}

// Its tip strikes a wall.
MechanismModel pendulum_at_a_wall() {
    MechanismModel model = double_pendulum_with_tree();
    model.contacts = {with_law(on_plane(-1, 1, {0.0, 3.6, 0.0}, ey, ez, ex, 0.0), 0.2, 0.6, 0.6)};
    return model;
}

// The largest difference of positions and velocities of all bodies, m and m/s.
double difference(const MechanismResult& one, const MechanismResult& other) {
    double largest = 0.0;
    for (std::size_t b = 0; b < one.last.motion.state.bodies.size(); ++b) {
        const BodyState &a = one.last.motion.state.bodies[b], &c = other.last.motion.state.bodies[b];
        largest = std::max({largest, (a.position - c.position).norm(), (a.velocity - c.velocity).norm(),
                            (a.angular_velocity - c.angular_velocity).norm(), (a.orientation - c.orientation).norm()});
    }
    return largest;
}

}  // namespace

TEST(StrikesWithinAStep, OfABouncingBallAreAtTheTimesOfItsClosedForm) {
    constexpr double end_s = 1.2;
    for (const std::string& method : contact_methods())
        for (const double step_s : {4e-3, 1e-3}) {
            SCOPED_TRACE(method + ' ' + std::to_string(step_s));
            const MechanismResult result = run(ball_on_floor(1.0, 0.0, 0.8), method, end_s, step_s);
            EXPECT_NEAR(result.last.motion.state.bodies[0].position.z(), 0.1 + height_of_bounces(1.0, 0.8, end_s),
                        round_off_of_a_run);
            EXPECT_EQ(result.last.contact_record.impacts, 2.0);
            EXPECT_LE(result.last.contact_energy_error_j, round_off_of_a_run);
        }
}

TEST(StrikesWithinAStep, LeaveABodyThatStaysAtTheDepthThatItsWeightAddsInAStep) {
    for (const std::string& method : contact_methods())
        for (const double step_s : {4e-3, 2e-3, 1e-3}) {
            SCOPED_TRACE(method + ' ' + std::to_string(step_s));
            const MechanismResult result = run(ball_on_floor(1.0, 0.3, 0.0), method, 1.0, step_s);
            EXPECT_NEAR(result.last.contacts.gap[0], -0.5 * gravity_m_s2 * step_s * step_s, round_off_of_a_run);
            EXPECT_NEAR(result.last.contacts.force[0], 2.0 * gravity_m_s2, 1e-8);
            EXPECT_EQ(result.last.contact_record.impacts, 1.0);
            EXPECT_LE(result.last.contact_energy_error_j, round_off_of_a_run);
            EXPECT_EQ(result.last.contact_record.sunk_m, 0.0);
        }
}

// With a restitution below 1 rebounds end within a finite time.
TEST(StrikesWithinAStep, LetBouncesEnd) {
    constexpr double step_s = 1e-3;
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismResult result = run(ball_on_floor(1.0, 0.3, 0.5), method, 2.0, step_s);
        EXPECT_LE(std::abs(result.last.contacts.gap[0]), 2.0 * gravity_m_s2 * step_s * step_s);
        EXPECT_LE(std::abs(result.last.contacts.velocity[0]), 1e-12);
        EXPECT_LE(result.last.contact_energy_error_j, 1e-3);
    }
}

// 25 mm a step: spheres of 10 mm fly through each other between two poses.
TEST(StrikesWithinAStep, OfSpheresAreAllSeenWhereTheyTouch) {
    constexpr double radius = 0.01, speed = 25.0, step_s = 1e-3, end_s = 0.012;
    for (const std::string& method : contact_methods())
        for (const double offset : {0.0, 0.008, 0.016, 0.0199})
            for (int i = 0; i < 23; ++i) {
                const double start = -0.1003 - i * 0.0011;
                SCOPED_TRACE(method + ' ' + std::to_string(offset) + ' ' + std::to_string(start));
                const MechanismResult result = run(two_balls(radius, offset, start, speed), method, end_s, step_s);
                const Vector3d between(-std::sqrt(4.0 * radius * radius - offset * offset), offset, 0.0),
                    normal = between.normalized(), v(speed, 0.0, 0.0), taken = normal * normal.dot(v);
                const double touch_s = (between.x() - start) / speed;
                const auto& bodies = result.last.motion.state.bodies;
                EXPECT_LE((bodies[0].position - (end_s - touch_s) * taken).norm(), round_off_of_a_run);
                EXPECT_LE((bodies[1].position - between - (end_s - touch_s) * (v - taken)).norm(), round_off_of_a_run);
                EXPECT_LE((result.last.momentum - 0.01 * v).norm(), round_off_of_a_run);
                EXPECT_LE((result.last.angular_momentum - 0.01 * Vector3d(start, offset, 0.0).cross(v)).norm(),
                          round_off_of_a_run);
                EXPECT_EQ(result.last.contact_record.impacts, 1.0);
                EXPECT_EQ(result.last.contact_record.jumped, 0.0);
            }
}

// A ball meets the side of a capsule of the ground at 45 degrees.
TEST(StrikesWithinAStep, OfACapsuleAreWhereItsSideIsTouched) {
    constexpr double end_s = 0.01, speed = 40.0;
    MechanismModel model;
    model.bodies = {ball(0.01, 0.01, {-0.15, 0.2, 0.0}, speed * Vector3d(1.0, -1.0, 0.0))};
    ModelContact contact = with_law(between_spheres(-1, 0, 0.02, 0.01), 0.0, 1.0);
    contact.kind = ModelContactKind::sphere_capsule;
    contact.point[0] = {-0.5, 0.0, 0.0}, contact.end = {0.5, 0.0, 0.0};
    model.contacts = {contact};
    model = with_free_bodies(model);
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const BodyState body = run(model, method, end_s, 1e-3).last.motion.state.bodies[0];
        const double touch_s = (0.2 - 0.03) / speed;
        EXPECT_LE((body.position - Vector3d(-0.15 + speed * end_s, 0.03 + speed * (end_s - touch_s), 0.0)).norm(),
                  round_off_of_a_run);
    }
}

TEST(StrikesWithinAStep, OfOneBodyAfterTheOtherAreAllPlaced) {
    // The first of four balls in a row hits the second: within 1.2 mm each, 20 mm a step.
    constexpr double radius = 0.01, speed = 20.0, end_s = 0.02;
    MechanismModel model;
    model.bodies = {ball(0.01, radius, origin, speed * ex)};
    for (int b = 1; b < 4; ++b) {
        model.bodies.push_back(ball(0.01, radius, (0.1 + (b - 1) * 0.0212) * ex));
        model.contacts.push_back(with_law(between_spheres(b - 1, b, radius, radius), 0.0, 1.0));
    }
    model = with_free_bodies(model);
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismSample last = run(model, method, end_s, 1e-3).last;
        const auto& bodies = last.motion.state.bodies;
        const double gaps = 0.08 + 2.0 * 0.0012;
        for (std::size_t b = 0; b < 3; ++b) EXPECT_LE(bodies[b].velocity.norm(), round_off_of_a_run);
        EXPECT_NEAR(bodies[3].position.x(), 0.1424 + speed * end_s - gaps, round_off_of_a_run);
        EXPECT_NEAR(bodies[3].velocity.x(), speed, round_off_of_a_run);
        EXPECT_EQ(last.contact_record.impacts, 3.0);
        EXPECT_EQ(last.contact_record.crowded, 0.0);
    }
}

TEST(StrikesWithinAStep, OfALimitAreAtItsBound) {
    constexpr double rate = 5.0, bound = 0.4, end_s = 0.2;
    MechanismModel model;
    model.bodies = {body(1.0, {0.01, 0.02, 0.03}, origin)};
    model.bodies[0].angular_velocity_rad_s = rate * ez;
    add_joint(model, TwinJoint::revolute, 0, -1, {origin, ez, ex});
    ModelElement angle;
    angle.kind = RowKind::angle;
    angle.body = {-1, 0};
    angle.first = ex, angle.second = ey, angle.other = ex;
    angle.is_sensor = true;
    model.elements.push_back(angle);
    ModelContact limit;
    limit.kind = ModelContactKind::upper_limit;
    limit.element = static_cast<int>(model.elements.size()) - 1, limit.bound = bound;
    limit.normal_restitution = 0.5, limit.tangents = 0;
    model.contacts = {limit};
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismSample last = run(model, method, end_s, 7e-3).last;
        EXPECT_NEAR(last.contacts.gap[0], 0.5 * (rate * end_s - bound), round_off_of_a_run);
        EXPECT_NEAR(last.motion.state.bodies[0].angular_velocity.z(), -0.5 * rate, round_off_of_a_run);
    }
}

// The published schemes strike where a step ends, so that the touch is off by up to a step.
TEST(StrikesWithinAStep, HaveErrorsOfTheOrderOfTheStepSquared) {
    for (const std::string& method : contact_methods()) {
        if (method == moreau) continue;  // of order 1 where forces depend on velocities
        for (const bool spins : {true, false}) {
            SCOPED_TRACE(method + (spins ? " spinning bodies" : " pendulum"));
            const double end_s = spins ? 0.2 : 0.95, step_s = spins ? 4e-3 : 8e-3;
            const MechanismModel model = spins ? spinning_bodies() : pendulum_at_a_wall();
            const MechanismResult fine = run(model, method, end_s, step_s / 8);
            EXPECT_GT(fine.last.contact_record.impacts, 0.0);
            const double error = difference(run(model, method, end_s, step_s), fine),
                         of_half = difference(run(model, method, end_s, step_s / 2), fine),
                         published = difference(run(model, method, end_s, step_s, false), fine);
            EXPECT_LT(of_half, error / 2.5);
            EXPECT_LT(error, published / 5.0);
        }
    }
}

TEST(StrikesWithinAStep, KeepMomentumAndTheAngularMomentumToTheOrderOfTheStepSquared) {
    const auto lost = [](const std::string& method, double step_s) {
        MechanismSettings settings = joint_settings(method, 0.2, step_s);
        settings.spectral_radius = 0.8, settings.contact.strikes_within_step = true;
        std::optional<Vector3d> momentum, angular;
        double largest = 0.0;
        settings.after_step = [&](const MechanismSample& sample) {
            if (!angular) momentum = sample.momentum, angular = sample.angular_momentum;
            EXPECT_LE((sample.momentum - *momentum).norm(), round_off_of_a_run);
            largest = std::max(largest, (sample.angular_momentum - *angular).norm());
        };
        EXPECT_EQ(run_reference_mechanism(spinning_bodies(), settings).last.contact_record.impacts, 1.0);
        return largest;
    };
    for (const std::string& method : contact_methods()) {
        if (method == moreau) continue;  // whose error of order 1 is that of spinning bodies without contact
        SCOPED_TRACE(method);
        EXPECT_LT(lost(method, 2e-3), lost(method, 4e-3) / 3.0);
    }
}

// A cart that is driven meets a ball at rest.
TEST(StrikesWithinAStep, TakeWorkFromDrivers) {
    constexpr double speed = 2.0, restitution = 0.6, mass = 2.0, gap = 0.05, end_s = 0.1;
    MechanismModel model;
    model.bodies = {body(5.0, {0.1, 0.2, 0.3}, origin), ball(mass, 0.1, (0.3 + gap) * ex)};
    add_joint(model, TwinJoint::prismatic, 0, -1, {origin, ex, ey});
    add_dot_2(model, -1, 0, ex);
    model.elements.back().function = 0;
    model.functions = {speed * TimeFunction::time()};
    prescribe(model, static_cast<int>(model.elements.size()) - 1, 0, 0);
    hang(model, TwinJoint::free, 1, -1);
    model.contacts = {with_law(on_plane(0, 1, 0.2 * ex, ex, ey, origin, 0.1), 0.0, restitution)};
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismSample last = run(model, method, end_s, 7e-3).last;
        const double after = (1.0 + restitution) * speed;
        EXPECT_NEAR(last.motion.state.bodies[1].position.x(), 0.3 + gap + after * (end_s - gap / speed),
                    round_off_of_a_run);
        EXPECT_NEAR(last.work_j, mass * after * speed, round_off_of_a_run);
        EXPECT_NEAR(last.contact_record.impact_loss_j, 0.5 * mass * speed * speed * (1.0 - restitution * restitution),
                    round_off_of_a_run);
    }
}

TEST(StrikesWithinAStep, PutBackOnTheRowsOfALoop) {
    MechanismModel model = slider_crank_with_tree();
    // A stop for the slider, which moves at 0.24 m/s at first.
    model.contacts = {with_law(on_plane(-1, 2, {0.21, 0.0, 0.0}, -ex, ey, origin, 0.0), 0.1, 0.5, 0.5)};
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismSample last = run(model, method, 0.15, 1e-3).last;
        EXPECT_GE(last.contact_record.impacts, 1.0);
        EXPECT_LE(last.constraint_residual, 1e-9);
        EXPECT_LE(last.contact_record.penetration_m, 1e-5);
    }
}

}  // namespace myriad::reference
