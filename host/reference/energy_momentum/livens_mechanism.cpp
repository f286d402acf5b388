#include "host/reference/energy_momentum/livens_mechanism.hpp"

#include "host/reference/energy_momentum/livens_rigid_body.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Vector3d, Eigen::VectorXd;

namespace {

constexpr Index per_body = 7;

Index count(std::size_t size) { return static_cast<Index>(size); }

// A body's coordinates in a stacked vector, or those of the ground.
struct Place {
    NumberVector x = NumberVector::Zero();
    NumberQuaternion q = NumberQuaternion::Unit(0);
    NumberVector point(const Vector3d& s) const { return x + turned<Number>(q, s.cast<Number>()); }
};

Place place_of(const Numbers& q, int body) {
    if (body < 0) return {};
    return {q.segment<3>(per_body * body), q.segment<4>(per_body * body + 3)};
}

// Both bodies of an element at the ends of a step and between.
struct Pair {
    Place i, j;
};
struct ElementStep {
    Pair start, half, end;
};

ElementStep element_step(const ModelElement& element, const LivensStep& step) {
    const auto pair = [&](const Numbers& q) {
        return Pair{place_of(q, element.body[0]), place_of(q, element.body[1])};
    };
    ElementStep places{pair(step.q), pair(step.q_half()), pair(step.q_end)};
    if (element.body[0] < 0) places.half.i = {};
    if (element.body[1] < 0) places.half.j = {};
    return places;
}

NumberQuaternion relative(const Pair& at) { return product<Number>(conjugate<Number>(at.i.q), at.j.q); }

NumberMatrix matrix(const NumberQuaternion& q) {
    NumberMatrix R;
    for (Index k = 0; k < 3; ++k) R.col(k) = turned<Number>(q, Vector3d(Vector3d::Unit(k)).cast<Number>());
    return R;
}
EndPair ends(const Pair& at) { return {{at.i.x, matrix(at.i.q)}, {at.j.x, matrix(at.j.q)}}; }

// w of one body: what R_m^T torque works on, 2 E(q_half) (q+ - q) / |q_half|^2.
NumberVector turn(const Place& start, const Place& half, const Place& end) {
    return E_times<Number>(half.q, end.q - start.q) * (Number(2.0) / half.q.dot(half.q));
}

bool is_constraint(const ModelElement& element) { return !element.has_law && !element.is_sensor; }

// Adds -(D phi)^T lambda; lambda has the element's rows.
void add_reaction(const ModelElement& element, const DiscreteRows& rows, LivensRule rule, const ElementStep& at,
                  const std::vector<Number>& lambda, Numbers& force) {
    const auto add = [&](int body, const NumberVector& to_position, const NumberQuaternion& to_quaternion) {
        if (body < 0) return;
        force.segment<3>(per_body * body) -= to_position;
        force.segment<4>(per_body * body + 3) -= to_quaternion;
    };
    if (rows.turns()) {
        const NumberQuaternion r = rule == LivensRule::energy_momentum
                                       ? NumberQuaternion((relative(at.start) + relative(at.end)) * Number(0.5))
                                       : relative(at.half);
        const NumberQuaternion by_r =
            gradient_of_turned<Number>(rows.first(), r, element.other.cast<Number>()) * lambda[0];
        // <y, q_i* o dq_j> = <q_i o y, dq_j> and <y, dq_i* o q_j> = <q_j o y*, dq_i>.
        add(element.body[0], NumberVector::Zero(), product<Number>(at.half.j.q, conjugate<Number>(by_r)));
        add(element.body[1], NumberVector::Zero(), product<Number>(at.half.i.q, by_r));
        return;
    }
    if (element.kind == RowKind::rotation_vector) {
        const NumberVector torque = rows.rotation_vector_torque(
            lambda, turn(at.start.j, at.half.j, at.end.j) - turn(at.start.i, at.half.i, at.end.i));
        const auto on = [&](const Place& half, double sign) {
            return NumberQuaternion(E_transposed_times<Number>(half.q, torque) *
                                    (Number(2.0 * sign) / half.q.dot(half.q)));
        };
        add(element.body[0], NumberVector::Zero(), on(at.half.i, -1.0));
        add(element.body[1], NumberVector::Zero(), on(at.half.j, 1.0));
        return;
    }
    NumberVector f;
    if (element.kind == RowKind::point)
        f << lambda[0], lambda[1], lambda[2];
    else
        f = rows.direction() * lambda[0];
    add(element.body[0], -f, -gradient_of_turned<Number>(f, at.half.i.q, element.point[0].cast<Number>()));
    add(element.body[1], f, gradient_of_turned<Number>(f, at.half.j.q, element.point[1].cast<Number>()));
    if (element.kind == RowKind::dot_2)
        add(element.body[0], NumberVector::Zero(),
            gradient_of_turned<Number>(rows.mean_gap() * lambda[0], at.half.i.q, element.first.cast<Number>()));
}

}  // namespace

LivensMechanism::LivensMechanism(const MechanismModel& model) : model_(model) {}

Index LivensMechanism::coordinates() const { return per_body * count(model_.bodies.size()); }

LivensDerivatives LivensMechanism::kinetic(LivensRule rule, const LivensStep& step) const {
    LivensDerivatives result{constants(VectorXd::Zero(coordinates())), constants(VectorXd::Zero(coordinates()))};
    const Numbers v_half = step.v_half();
    Index x = 0;
    for (const ModelBody& body : model_.bodies) {
        const RotationDerivatives rotation =
            rotation_kinetic(rule, body.inertia_kg_m2, step.q.segment<4>(x + 3), step.v.segment<4>(x + 3),
                             step.q_end.segment<4>(x + 3), step.v_end.segment<4>(x + 3));
        result.by_rate.segment<3>(x) = v_half.segment<3>(x) * Number(body.mass_kg);
        result.by_rate.segment<4>(x + 3) = rotation.by_rate;
        result.by_coordinates.segment<4>(x + 3) = rotation.by_coordinates;
        x += per_body;
    }
    return result;
}

DiscreteRows LivensMechanism::discrete_rows(const ModelElement& element, const EndPair& start, const EndPair& end,
                                            const LivensStep& step) const {
    const auto e = static_cast<std::size_t>(&element - model_.elements.data());
    return {model_, element, start, end, step.end_s - step.h, step.end_s, e < counted_.size() ? counted_[e] : 0.0};
}

std::vector<Number> LivensMechanism::multipliers(const ModelElement& element, const DiscreteRows& rows,
                                                 const LivensStep& step, Index& next) {
    if (element.has_law) return rows.law();
    std::vector<Number> lambda(rows.phi().size());
    for (std::size_t r = 0; r < lambda.size(); ++r)
        if (element.active[r]) lambda[r] = step.multipliers[next++];
    return lambda;
}

Numbers LivensMechanism::load(const LivensStep& step) const {
    Numbers force = constants(VectorXd::Zero(coordinates()));
    const Numbers q_half = step.q_half();
    for (const ModelLoad& load : model_.loads) {
        Vector3d given = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            const int function = load.function[static_cast<std::size_t>(k)];
            if (function >= 0) given[k] = model_.functions[static_cast<std::size_t>(function)](step.mid_s);
        }
        const Place at = place_of(q_half, load.body);
        NumberVector value = given.cast<Number>();
        if (load.kind == ModelLoadKind::force_body) value = turned<Number>(at.q, value);
        const Index x = per_body * load.body;
        if (load.kind == ModelLoadKind::force_world || load.kind == ModelLoadKind::force_body) {
            force.segment<3>(x) += value;
            force.segment<4>(x + 3) += gradient_of_turned<Number>(value, at.q, load.point.cast<Number>());
        } else {
            force.segment<4>(x + 3) +=
                (load.kind == ModelLoadKind::torque_world ? E_transposed_times<Number>(at.q, value)
                                                          : G_transposed_times<Number>(at.q, value)) *
                Number(2.0);
        }
    }
    return force;
}

Numbers LivensMechanism::force(LivensRule rule, const LivensStep& step) const {
    Numbers force = load(step);
    const Numbers q_half = step.q_half();
    Index next = 0;
    for (const ModelBody& body : model_.bodies) {
        const Index x = per_body * next;
        force.segment<3>(x) += Vector3d(body.mass_kg * model_.gravity_m_s2).cast<Number>();
        force.segment<4>(x + 3) -= q_half.segment<4>(x + 3) * step.multipliers[next++];
    }
    for (const ModelElement& element : model_.elements) {
        if (element.is_sensor) continue;
        const ElementStep at = element_step(element, step);
        const EndPair start = ends(at.start), end = ends(at.end);
        const DiscreteRows rows = discrete_rows(element, start, end, step);
        add_reaction(element, rows, rule, at, multipliers(element, rows, step, next), force);
    }
    return force;
}

Numbers LivensMechanism::constraint(const LivensStep& step) const {
    Numbers values(step.multipliers.size());
    Index next = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        const NumberQuaternion q = place_of(step.q_end, static_cast<int>(b)).q;
        values[next++] = (q.dot(q) - Number(1.0)) * Number(0.5);
    }
    for (const ModelElement& element : model_.elements) {
        if (!is_constraint(element)) continue;
        const ElementStep at = element_step(element, step);
        const EndPair start = ends(at.start), end = ends(at.end);
        const DiscreteRows rows = discrete_rows(element, start, end, step);
        for (std::size_t r = 0; r < rows.phi_end().size(); ++r)
            if (element.active[r]) values[next++] = rows.phi_end()[r];
    }
    return values;
}

double LivensMechanism::work(LivensRule, const LivensStep& step) const {
    double work = plain(load(step)).dot(plain(step.q_end - step.q));
    Index next = count(model_.bodies.size());
    for (const ModelElement& element : model_.elements) {
        if (element.is_sensor) continue;
        const ElementStep at = element_step(element, step);
        const EndPair start = ends(at.start), end = ends(at.end);
        const DiscreteRows rows = discrete_rows(element, start, end, step);
        work += rows.work(multipliers(element, rows, step, next));
    }
    return work;
}

double LivensMechanism::size(const VectorXd& correction) const {
    double sum = 0.0;
    for (Index x = 0; x < correction.size(); x += per_body)
        sum += (correction.segment<3>(x) / model_.length_scale_m).squaredNorm() +
               4.0 * correction.segment<4>(x + 3).squaredNorm();
    return std::sqrt(sum);
}

VectorXd LivensMechanism::momentum(const VectorXd& q, const VectorXd& v) const {
    VectorXd p(q.size());
    Index x = 0;
    for (const ModelBody& body : model_.bodies) {
        p.segment<3>(x) = body.mass_kg * v.segment<3>(x);
        p.segment<4>(x + 3) = rotation_momentum(body.inertia_kg_m2, q.segment<4>(x + 3), v.segment<4>(x + 3));
        x += per_body;
    }
    return p;
}

VectorXd LivensMechanism::rate(const VectorXd& q, const VectorXd& p, const VectorXd&) const {
    VectorXd v(q.size());
    Index x = 0;
    for (const ModelBody& body : model_.bodies) {
        const Quaternion orientation = q.segment<4>(x + 3);
        v.segment<3>(x) = p.segment<3>(x) / body.mass_kg;
        v.segment<4>(x + 3) = rate_of_angular_velocity(
            orientation, angular_velocity_of_momentum(body.inertia_kg_m2, orientation, p.segment<4>(x + 3)));
        x += per_body;
    }
    return v;
}

VectorXd LivensMechanism::coordinates_of(const MechanismState& state) const {
    VectorXd q(coordinates());
    Index x = 0;
    for (const BodyState& body : state.bodies) {
        q.segment<per_body>(x) << body.position, quaternion_of(body.orientation);
        x += per_body;
    }
    return q;
}

VectorXd LivensMechanism::rates_of(const MechanismState& state) const {
    const VectorXd q = coordinates_of(state);
    VectorXd v(coordinates());
    Index x = 0;
    for (const BodyState& body : state.bodies) {
        v.segment<per_body>(x) << body.velocity, rate_of_angular_velocity(q.segment<4>(x + 3), body.angular_velocity);
        x += per_body;
    }
    return v;
}

VectorXd LivensMechanism::multipliers_of(const VectorXd& rows) const {
    VectorXd multipliers(count(model_.bodies.size()) + rows.size());
    multipliers << VectorXd::Zero(count(model_.bodies.size())), rows;
    return multipliers;
}

MechanismState LivensMechanism::state_of(const LivensState& state) const {
    MechanismState result;
    result.time_s = state.time_s;
    for (Index x = 0; x < state.q.size(); x += per_body) {
        const Quaternion q = state.q.segment<4>(x + 3), v = state.v.segment<4>(x + 3);
        result.bodies.push_back(
            {state.q.segment<3>(x), state.v.segment<3>(x), angular_velocity_of_rate(q, v), rotation_matrix_of(q)});
    }
    result.counted_angles = counted_;
    count_angles(model_, result);
    return result;
}

VectorXd LivensMechanism::rows_of(const LivensState& state) const {
    return state.multipliers.tail(state.multipliers.size() - count(model_.bodies.size()));
}

double LivensMechanism::excess_energy(const LivensState& state) const {
    return (state.p - momentum(state.q, state.v)).dot(state.v);
}

double LivensMechanism::momentum_defect(const LivensState& state) const {
    return (state.p - momentum(state.q, state.v)).norm();
}

double LivensMechanism::quaternion_rate_residual(const LivensState& state) const {
    double squared = 0.0;
    for (Index x = 3; x < state.q.size(); x += per_body)
        squared += std::pow(state.q.segment<4>(x).dot(state.v.segment<4>(x)), 2);
    return std::sqrt(squared);
}

Vector3d LivensMechanism::angular_momentum(const LivensState& state) const {
    Vector3d sum = Vector3d::Zero();
    for (Index x = 0; x < state.q.size(); x += per_body) {
        const Vector3d position = state.q.segment<3>(x), momentum = state.p.segment<3>(x);
        sum += position.cross(momentum) + 0.5 * E_times<double>(state.q.segment<4>(x + 3), state.p.segment<4>(x + 3));
    }
    return sum;
}

}  // namespace myriad::reference
