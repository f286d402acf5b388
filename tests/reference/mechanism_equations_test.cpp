#include "host/reference/mechanism/mechanism_equations.hpp"

#include <gtest/gtest.h>

#include "tests/reference/mechanism_models.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Central differences of smooth functions of size 1 to 100: error h^2 and round-off 1e-14 / h.
constexpr double state_difference = 1e-5, state_difference_tolerance = 2e-7;

MechanismState general_state(const MechanismModel& model) {
    MechanismState state;
    state.time_s = 0.37;
    for (const ModelBody& body : model.bodies) state.bodies.push_back({body.position_m, {}, {}, body.orientation});
    VectorXd velocity(12);
    velocity << 0.5, -0.2, 0.3, 1.0, -2.0, 0.5, -0.7, 0.4, 0.1, -0.5, 1.5, 2.0;
    set_velocity(state, velocity);
    state.counted_angles.assign(model.elements.size(), 0.0);
    return state;
}

VectorXd general_vector(Index size) {
    VectorXd vector(size);
    for (Index i = 0; i < size; ++i) vector[i] = std::sin(1.7 * static_cast<double>(i) + 0.4);
    return vector;
}

MechanismState displaced(MechanismState state, const VectorXd& displacement) {
    displace(state, displacement);
    return state;
}

double relative(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / (1.0 + b.norm()); }

struct Fixture {
    MechanismModel model = every_kind();
    MechanismState state = general_state(model);
    VectorXd multipliers = general_vector(constraint_rows(model));

    MechanismTerms terms(const MechanismState& at) const { return mechanism_terms(model, at, multipliers); }
    // The slope of a vector in the 12 displacements.
    template <class Function>
    MatrixXd slope(const Function& function) const {
        MatrixXd result(function(state).size(), 12);
        for (Index k = 0; k < 12; ++k) {
            const VectorXd step = state_difference * VectorXd::Unit(12, k);
            result.col(k) =
                (function(displaced(state, step)) - function(displaced(state, -step))) / (2.0 * state_difference);
        }
        return result;
    }
    // At time_s + dt on the motion with constant velocity in local coordinates: acceleration 0.
    MechanismState later(double dt) const {
        MechanismState result = displaced(state, dt * velocity_vector(state));
        result.time_s += dt;
        return result;
    }
};

}  // namespace

TEST(Rows, AreWhatTheirNamesSay) {
    // Body 0 stands still; body 1 is turned against it by 2.5 rad about an axis that both see as n.
    const Vector3d n = Vector3d(0.3, -0.5, 0.8).normalized(), a = n.cross(ex).normalized(), g = n.cross(a);
    const double angle = 2.5;
    MechanismModel model;
    model.bodies = {body(1.0, {1.0, 1.0, 1.0}, {1.0, 2.0, 3.0}, general_rotation(0.4, -0.8, 0.3)),
                    body(1.0, {1.0, 1.0, 1.0}, {3.0, 1.0, 4.0})};
    model.bodies[1].orientation = model.bodies[0].orientation * rotation_exponential(angle * n);
    model.functions = {TimeFunction(0.25)};
    const auto value = [&](RowKind kind) {
        ModelElement element;
        element.kind = kind;
        element.body = {0, 1};
        element.direction = ey;
        element.first = a, element.second = g, element.other = a;
        element.function = 0;
        element.frame = {general_rotation(0.1, 0.2, 0.3), general_rotation(-0.4, 0.1, 0.2)};
        model.elements = {element};
        MechanismState state = general_state(model);
        return element_terms(model, state, 0).phi;
    };
    const double tolerance = 1e-14;  // a few roundings of numbers of size 1
    const Vector3d d(2.0, -1.0, 1.0);
    EXPECT_NEAR((value(RowKind::point) - d).norm(), 0.0, tolerance);
    EXPECT_NEAR(value(RowKind::coordinate_difference)[0], -1.0 - 0.25, tolerance);
    EXPECT_NEAR(value(RowKind::dot_1)[0], std::cos(angle) - 0.25, tolerance);
    EXPECT_NEAR(value(RowKind::dot_2)[0], (model.bodies[0].orientation * a).dot(d) - 0.25, tolerance);
    EXPECT_NEAR(value(RowKind::distance)[0], std::sqrt(6.0) - 0.25, tolerance);
    EXPECT_NEAR(value(RowKind::driven_angle)[0], std::sin(angle - 0.25), tolerance);
    EXPECT_NEAR(value(RowKind::angle)[0], angle - 0.25, tolerance);
    EXPECT_NEAR((rotation_exponential(value(RowKind::rotation_vector)) - general_rotation(0.1, 0.2, 0.3).transpose() *
                                                                             rotation_exponential(angle * n) *
                                                                             general_rotation(-0.4, 0.1, 0.2))
                    .norm(),
                0.0, tolerance);
}

TEST(Rows, CountTheAngleOverFullTurns) {
    MechanismModel model = every_kind();
    MechanismState state = general_state(model);
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        if (model.elements[e].kind != RowKind::angle) continue;
        const double principal = counted_angle(model, state, e);
        state.counted_angles[e] = principal + 4.0 * pi + 3.0;
        EXPECT_NEAR(counted_angle(model, state, e), principal + 4.0 * pi, 1e-14);
    }
}

TEST(Rows, HaveASmoothRotationVectorThroughZero) {
    // Where the closed form has 0/0: the derivative of log(exp(u)) at u = 0 along the body's axes is the identity.
    MechanismModel model;
    model.bodies = {body(1.0, {1.0, 1.0, 1.0}, origin, general_rotation(0.4, -0.8, 0.3))};
    ModelElement element;
    element.kind = RowKind::rotation_vector;
    element.body = {-1, 0};
    element.frame[0] = model.bodies[0].orientation;
    model.elements = {element};
    MechanismState state = general_state(every_kind());
    state.bodies = {{origin, origin, origin, model.bodies[0].orientation}};
    const ElementTerms terms = element_terms(model, state, 0);
    EXPECT_LE(terms.phi.norm(), 1e-15);
    EXPECT_LE((terms.jacobian.rightCols(3) - MatrixXd::Identity(3, 3)).norm(), 1e-14);
}

TEST(Derivatives, OfTheConstraintsAreThoseOfDifferences) {
    const Fixture fixture;
    const MechanismTerms terms = fixture.terms(fixture.state);
    EXPECT_LE(relative(terms.constraint_jacobian,
                       fixture.slope([&](const MechanismState& at) { return fixture.terms(at).constraint; })),
              state_difference_tolerance);
    const VectorXd rate = (fixture.terms(fixture.later(state_difference)).constraint -
                           fixture.terms(fixture.later(-state_difference)).constraint) /
                          (2.0 * state_difference);
    EXPECT_LE(relative(terms.constraint_rate, rate), state_difference_tolerance);
    EXPECT_LE(relative(terms.constraint_rate - terms.constraint_jacobian * velocity_vector(fixture.state),
                       terms.constraint_phi_t),
              1e-14);
}

TEST(Derivatives, GammaIsTheAccelerationTermOfDifferences) {
    const Fixture fixture;
    const VectorXd second = (fixture.terms(fixture.later(state_difference)).constraint_rate -
                             fixture.terms(fixture.later(-state_difference)).constraint_rate) /
                            (2.0 * state_difference);
    EXPECT_LE(relative(fixture.terms(fixture.state).acceleration_term, second), state_difference_tolerance);
}

TEST(Derivatives, OfReactionsAndForcesAreThoseOfDifferences) {
    const Fixture fixture;
    const MechanismTerms terms = fixture.terms(fixture.state);
    EXPECT_LE(relative(terms.reaction_by_displacement, fixture.slope([&](const MechanismState& at) {
                  return VectorXd(fixture.terms(at).constraint_jacobian.transpose() * fixture.multipliers);
              })),
              state_difference_tolerance);
    EXPECT_LE(relative(terms.force_by_displacement,
                       fixture.slope([&](const MechanismState& at) { return fixture.terms(at).force; })),
              state_difference_tolerance);
    MatrixXd by_velocity(12, 12);
    for (Index k = 0; k < 12; ++k) {
        const auto force = [&](double step) {
            MechanismState state = fixture.state;
            set_velocity(state, velocity_vector(state) + step * VectorXd::Unit(12, k));
            return fixture.terms(state).force;
        };
        by_velocity.col(k) = (force(state_difference) - force(-state_difference)) / (2.0 * state_difference);
    }
    EXPECT_LE(relative(terms.force_by_velocity, by_velocity), state_difference_tolerance);
}

TEST(Derivatives, PowerBalancesTheChangeOfEnergy) {
    // (T + V)' = v.(f + gyroscopic force) + V' along any motion: here with the accelerations of M v' + B^T lambda = f;
    // the constraints, which do not hold, do the work -lambda B v.
    const Fixture fixture;
    const MechanismTerms terms = fixture.terms(fixture.state);
    const VectorXd velocity = velocity_vector(fixture.state);
    const VectorXd acceleration =
        terms.mass.ldlt().solve(terms.force - terms.constraint_jacobian.transpose() * fixture.multipliers);
    const auto energy = [&](double dt) {
        MechanismState state = fixture.later(dt);
        set_velocity(state, velocity + dt * acceleration);
        const MechanismTerms at = fixture.terms(state);
        return at.kinetic_energy + at.potential_energy;
    };
    const double rate = (energy(state_difference) - energy(-state_difference)) / (2.0 * state_difference);
    EXPECT_NEAR(rate, terms.work_rate - fixture.multipliers.dot(terms.constraint_rate),
                state_difference_tolerance * (1.0 + std::abs(rate)));
}

TEST(ElementWrench, IsThePartOfTheForceThatTheElementGives) {
    // The force of one law alone on body 1; the other body, or the ground, has the opposite about one point.
    MechanismModel model = bodies_on_springs();
    model.gravity_m_s2.setZero();
    model.loads.clear();
    const double tolerance = 1e-12;  // round-off of forces of size 100
    MechanismState state = general_state(every_kind());
    for (std::size_t b = 0; b < 2; ++b) state.bodies[b].angular_velocity.setZero();
    const std::vector<ModelElement> elements = model.elements;
    for (const ModelElement& element : elements) {
        model.elements = {element};
        const MechanismTerms terms = mechanism_terms(model, state, {});
        const Vector3d lambda = element_multipliers(model, state, {})[0];
        const Wrench on_i = element_wrench(model, state, 0, lambda, 0),
                     on_j = element_wrench(model, state, 0, lambda, 1);
        const auto j = static_cast<std::size_t>(element.body[1]);
        const auto x = 6 * static_cast<Index>(j);
        EXPECT_GE(on_j.force.norm() + on_j.torque.norm(), 1.0);
        EXPECT_LE((on_j.force - terms.force.segment<3>(x)).norm(), tolerance);
        EXPECT_LE((on_j.torque - state.bodies[j].orientation * terms.force.segment<3>(x + 3)).norm(), tolerance);
        const Vector3d centre_i =
            element.body[0] < 0 ? origin : state.bodies[static_cast<std::size_t>(element.body[0])].position;
        EXPECT_LE((on_i.force + on_j.force).norm(), tolerance);
        EXPECT_LE((on_i.torque + centre_i.cross(on_i.force) + on_j.torque + state.bodies[j].position.cross(on_j.force))
                      .norm(),
                  tolerance);
    }
}

TEST(TimeFunctions, HaveTheDerivativesOfCalculus) {
    using Second = Differentiated<Differentiated<double, 1>, 1>;
    const double time = 0.8;
    Second t(time);
    t.value.derivative[0] = 1.0, t.derivative[0].value = 1.0;
    const TimeFunction x = TimeFunction::time();
    const auto of = [](TimeOperation operation, const TimeFunction& a) { return TimeFunction::of(operation, a); };
    const double s = std::sin(time), c = std::cos(time), e = std::exp(time), T = std::tan(time), H = std::tanh(time);
    struct Case {
        TimeFunction function;
        double value, rate, second;
    };
    const std::vector<Case> cases = {
        {x * x * x - 2.0 * x, time * time * time - 2.0 * time, 3.0 * time * time - 2.0, 6.0 * time},
        {1.0 / x, 1.0 / time, -1.0 / (time * time), 2.0 / (time * time * time)},
        {-sin(x), -s, -c, s},
        {cos(x) * sin(x), c * s, c * c - s * s, -4.0 * s * c},
        {of(TimeOperation::tangent, x), T, 1.0 + T * T, 2.0 * T * (1.0 + T * T)},
        {of(TimeOperation::exponential, x), e, e, e},
        {of(TimeOperation::logarithm, x), std::log(time), 1.0 / time, -1.0 / (time * time)},
        {of(TimeOperation::square_root, x), std::sqrt(time), 0.5 / std::sqrt(time), -0.25 / (time * std::sqrt(time))},
        {of(TimeOperation::absolute, -x), time, 1.0, 0.0},
        {of(TimeOperation::hyperbolic_tangent, x), H, 1.0 - H * H, -2.0 * H * (1.0 - H * H)},
        {TimeFunction::of(TimeOperation::power, x, 2.5), std::pow(time, 2.5), 2.5 * std::pow(time, 1.5),
         3.75 * std::sqrt(time)},
        {TimeFunction::of(TimeOperation::minimum, x, 1.0), time, 1.0, 0.0},
        {TimeFunction::of(TimeOperation::maximum, x, 1.0), 1.0, 0.0, 0.0},
        {TimeFunction::of(TimeOperation::less, x, 1.0), 1.0, 0.0, 0.0},
        {TimeFunction::of(TimeOperation::choose, TimeFunction::of(TimeOperation::less, 1.0, x), 5.0, x * x),
         time * time, 2.0 * time, 2.0},
        {TimeFunction::of(TimeOperation::arctangent2, sin(x), cos(x)), time, 1.0, 0.0},
    };
    const double tolerance = 1e-14;  // a few roundings
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Second result = cases[i].function(t);
        EXPECT_NEAR(result.value.value, cases[i].value, tolerance) << i;
        EXPECT_NEAR(result.derivative[0].value, cases[i].rate, tolerance) << i;
        EXPECT_NEAR(result.value.derivative[0], cases[i].rate, tolerance) << i;
        EXPECT_NEAR(result.derivative[0].derivative[0], cases[i].second, tolerance) << i;
        EXPECT_EQ(cases[i].function(time), result.value.value) << i;
    }
}

}  // namespace myriad::reference
