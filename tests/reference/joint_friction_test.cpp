// Dry friction of joint coordinates as a law with a set of forces at rest, and contacts with one tangent, against
// closed forms: masses on slides, a double pendulum, a box. Files of ensembles/expected/ that begin with dry_friction
// hold what is pushed or driven, strikes, stops and stays.
#include <gtest/gtest.h>

#include "host/text/user_error.hpp"
#include "tests/reference/contact_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Vector3d;

// Sums of a few dozen products, through the inverse of a step's matrix, over some hundred steps.
constexpr double round_off_of_friction = 1e-11;

constexpr double sliding_mass_kg = 2.0;

struct FrictionScheme {
    std::string name;
    bool has_tree;  // false: every joint is cut
};
std::vector<FrictionScheme> friction_schemes() {
    std::vector<FrictionScheme> schemes;
    for (const std::string& name : contact_methods()) {
        schemes.push_back({name, false});
        schemes.push_back({name, true});
    }
    return schemes;
}

MechanismResult run_with_friction(const MechanismModel& model, const FrictionScheme& scheme, double end_s,
                                  double step_s, std::vector<MechanismSample>* samples = nullptr) {
    MechanismSettings settings = joint_settings(scheme.name, end_s, step_s);
    settings.spectral_radius = 0.8;
    if (samples != nullptr) settings.after_step = [=](const MechanismSample& sample) { samples->push_back(sample); };
    const MechanismResult result = run_reference_mechanism(scheme.has_tree ? model : with_free_bodies(model), settings);
    EXPECT_EQ(result.status, "ok") << scheme.name << ' ' << result.reason;
    return result;
}

int add_measured_slide(MechanismModel& model, int i, int j) {
    add_dot_2(model, i, j, ex);
    model.elements.back().is_sensor = true;
    return static_cast<int>(model.elements.size()) - 1;
}

void add_set_valued_friction(MechanismModel& model, int element, double dry, double viscous = 0.0) {
    model.frictions.push_back({.element = element, .dry = dry, .viscous = viscous, .is_set = true});
}

// A mass on a slide along x.
MechanismModel mass_on_a_slide(double push_N, double friction_N, double speed_m_s, double viscous = 0.0) {
    MechanismModel model;
    model.gravity_m_s2 = weight;
    model.bodies = {body(sliding_mass_kg, {0.1, 0.2, 0.3}, origin)};
    model.bodies[0].velocity_m_s = speed_m_s * ex;
    add_joint(model, TwinJoint::prismatic, 0, -1, {origin, ex, ey});
    add_set_valued_friction(model, add_measured_slide(model, -1, 0), friction_N, viscous);
    model.functions = {TimeFunction(push_N)};
    model.loads = {{ModelLoadKind::force_world, 0, origin, {0, -1, -1}}};
    return model;
}

// The same mass on a cart that moves along x by a function of time.
MechanismModel mass_on_a_driven_cart(const TimeFunction& way, double friction_N) {
    MechanismModel model;
    model.bodies = {body(5.0, {0.1, 0.2, 0.3}, origin), body(sliding_mass_kg, {0.1, 0.2, 0.3}, {0.0, 0.0, 0.4})};
    add_joint(model, TwinJoint::prismatic, 0, -1, {origin, ex, ey});
    add_joint(model, TwinJoint::prismatic, 1, 0, {{0.0, 0.0, 0.4}, ex, ey});
    add_dot_2(model, -1, 0, ex);
    model.elements.back().function = 0;
    prescribe(model, static_cast<int>(model.elements.size()) - 1, 0, 0);
    model.functions = {way};
    add_set_valued_friction(model, add_measured_slide(model, 0, 1), friction_N);
    return model;
}

}  // namespace

TEST(SetValuedFriction, LeavesViscousFrictionAndItsWorkToTheMechanism) {
    // m v' = -T - d v: v + T/d dies out as exp(-d t / m).
    constexpr double speed = 2.0, friction_N = 1.0, viscous = 3.0, end_s = 0.4, rate = viscous / sliding_mass_kg;
    const double decay = std::exp(-rate * end_s), limit = friction_N / viscous,
                 way = (speed + limit) * (1.0 - decay) / rate - limit * end_s;
    for (const FrictionScheme& scheme : friction_schemes()) {
        SCOPED_TRACE(scheme.name + (scheme.has_tree ? ", tree" : ", rows"));
        constexpr double step_s = 1e-3;
        const MechanismSample last =
            run_with_friction(mass_on_a_slide(0.0, friction_N, speed, viscous), scheme, end_s, step_s).last;
        // Moreau's rule takes the viscous force of the step's beginning.
        const double tolerance = scheme.name == "moreau_midpoint" ? rate * step_s : rate * rate * step_s * step_s;
        const double expected = (speed + limit) * decay - limit;
        EXPECT_NEAR(last.motion.state.bodies[0].velocity.x(), expected, tolerance * speed);
        EXPECT_NEAR(last.motion.state.bodies[0].position.x(), way, tolerance * speed);
        EXPECT_NEAR(last.contact_record.friction_loss_j, friction_N * way, friction_N * speed * tolerance);
        const double energy = 0.5 * sliding_mass_kg * (speed * speed - expected * expected);
        EXPECT_NEAR(last.work_j, friction_N * way - energy, 10.0 * tolerance * energy);
    }
}

TEST(SetValuedFriction, CarriesAMassOnACartUpToItsBound) {
    const TimeFunction t = TimeFunction::time();
    constexpr double acceleration = 3.0, end_s = 0.4, step_s = 0.01, way = 0.5 * acceleration * end_s * end_s;
    for (const FrictionScheme& scheme : friction_schemes())
        for (const double friction_N : {7.0, 4.0}) {
            SCOPED_TRACE(scheme.name + ' ' + std::to_string(friction_N));
            const MechanismModel model = mass_on_a_driven_cart(0.5 * acceleration * t * t, friction_N);
            const MechanismSample last = run_with_friction(model, scheme, end_s, step_s).last;
            // 6 N accelerate the mass with the cart. Moreau's rule drives the cart by the rate of the step's middle, so
            // that what it carries is half a step behind.
            const double force = std::min(friction_N, acceleration * sliding_mass_kg),
                         of_mass = 0.5 * force / sliding_mass_kg * end_s * end_s;
            const double late = scheme.name == "moreau_midpoint" ? acceleration * end_s * step_s : 0.0;
            EXPECT_NEAR(last.motion.state.bodies[0].position.x(), way, round_off_of_friction);
            EXPECT_NEAR(last.motion.state.bodies[1].position.x(), of_mass, late + round_off_of_friction);
            EXPECT_NEAR(last.contacts.force[0], force, 1e2 * round_off_of_friction);
            EXPECT_NEAR(last.contact_record.friction_loss_j, force * (way - of_mass),
                        force * late + round_off_of_friction);
            // 7 kg that have this speed.
            EXPECT_LE(last.contact_energy_error_j, 7.0 * acceleration * late + 1e-9);
            // The driver moves both: its function is the coordinate, so its multiplier is what it must overcome.
            EXPECT_NEAR(last.element_multipliers[static_cast<std::size_t>(model.tree.prescribed[0].element)][0],
                        -(5.0 * acceleration + force), 1e2 * round_off_of_friction);
        }
}

TEST(SetValuedFriction, OfTwoJointsHoldsOrLetsSlideEachForItself) {
    // A rod of 4 m along y on a hinge, and one of 2 m that hangs from its end: weights turn about the hinge alone.
    constexpr double gravity_N_m = 9.81 * (78.0 * 2.0 + 39.0 * 4.0);
    for (const FrictionScheme& scheme : friction_schemes())
        for (const double at_hinge : {1.1 * gravity_N_m, 0.3 * gravity_N_m}) {
            SCOPED_TRACE(scheme.name + ' ' + std::to_string(at_hinge));
            MechanismModel model = double_pendulum_with_tree();
            for (const std::size_t hanging : {0u, 1u}) {
                const ModelElement axis = model.elements[hanging == 0 ? 1 : 4];
                ModelElement angle = axis;
                angle.kind = RowKind::angle, angle.is_sensor = true;
                angle.first = axis.first.unitOrthogonal(), angle.second = axis.first.cross(angle.first);
                angle.other = ex;
                model.elements.push_back(angle);
                add_set_valued_friction(model, static_cast<int>(model.elements.size()) - 1,
                                        hanging == 0 ? at_hinge : 1e4);
            }
            std::vector<MechanismSample> samples;
            run_with_friction(model, scheme, 0.05, 1e-3, &samples);
            const MechanismSample &first = samples.front(), &last = samples.back();
            // What is left turns both rods about the hinge as one body.
            const double inertia =
                model.bodies[0].inertia_kg_m2(2, 2) + 78.0 * 4.0 + model.bodies[1].inertia_kg_m2(2, 2) + 39.0 * 17.0;
            const double turning = -std::max(0.0, gravity_N_m - at_hinge) / inertia;
            EXPECT_NEAR(std::abs(first.contacts.force[0]), std::min(at_hinge, gravity_N_m),
                        round_off_of_friction * gravity_N_m);
            for (const Eigen::Index body : {0, 1}) {
                const Vector3d turned = first.motion.state.bodies[static_cast<std::size_t>(body)].orientation *
                                        Vector3d(first.motion.acceleration.segment<3>(6 * body + 3));
                EXPECT_LE((turned - turning * ex).norm(), round_off_of_friction * gravity_N_m);
            }
            const auto angular_velocity = [&](std::size_t b) -> Vector3d {
                return last.motion.state.bodies[b].orientation * last.motion.state.bodies[b].angular_velocity;
            };
            // Rows on position level hold velocities to the square of the step.
            EXPECT_LE((angular_velocity(0) - angular_velocity(1)).norm(),
                      scheme.has_tree ? 1e2 * round_off_of_friction : 1e-6);
            EXPECT_NEAR(angular_velocity(0).x(), 0.05 * turning, 0.01 * 0.05 * std::abs(turning) + 1e-9);
        }
}

TEST(SetValuedFriction, IsForMethodsWithContactAlone) {
    EXPECT_THROW(
        run_reference_mechanism(mass_on_a_slide(3.0, 4.0, 0.0), joint_settings("generalized_alpha", 0.1, 0.01)),
        UserError);
}

TEST(ContactsWithOneTangent, SlowABoxAlongItAlone) {
    constexpr double friction = 0.3, end_s = 0.2, along = 1.5, across = 0.8;
    MechanismModel model = box_on_incline(0.0, friction, along);
    model.bodies[0].velocity_m_s.y() = across;
    for (ModelContact& contact : model.contacts) contact.tangents = 1, contact.tangential_restitution = 0.5;
    for (const std::string& method : contact_methods()) {
        SCOPED_TRACE(method);
        const MechanismSample last = run_with_friction(model, {method, true}, end_s, 0.01).last;
        const BodyState& box = last.motion.state.bodies[0];
        const double deceleration = friction * gravity_m_s2, way = along * end_s - 0.5 * deceleration * end_s * end_s;
        EXPECT_NEAR(box.velocity.x(), along - deceleration * end_s, round_off_of_friction);
        EXPECT_NEAR(box.position.x(), way, round_off_of_friction);
        EXPECT_NEAR(box.velocity.y(), across, round_off_of_friction);
        EXPECT_LE(box.angular_velocity.norm(), round_off_of_friction);
        for (Eigen::Index row = 2; row < 12; row += 3) {
            EXPECT_EQ(last.contacts.force[row], 0.0);
            EXPECT_EQ(last.contacts.velocity[row], 0.0);
        }
        const double lost = friction * 3.0 * gravity_m_s2 * way;
        EXPECT_NEAR(last.contact_record.friction_loss_j, lost, 10.0 * round_off_of_friction);
        EXPECT_NEAR(last.contact_record.wear_work_j, lost, 10.0 * round_off_of_friction);
        EXPECT_LE(last.contact_energy_error_j, 10.0 * round_off_of_friction);
    }
}

}  // namespace myriad::reference
