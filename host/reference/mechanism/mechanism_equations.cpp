#include "host/reference/mechanism/mechanism_equations.hpp"

#include <cmath>
#include <numbers>

#include "host/reference/mathematics/logarithm.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Displacements of bodies i and j, then time.
constexpr int directions = 13, time_direction = 12;
using Once = Differentiated<double, directions>;
using Twice = Differentiated<Once, directions>;

template <class Scalar>
using Vector = std::array<Scalar, 3>;

template <class Scalar>
struct Pose {
    Vector<Scalar> position;
    std::array<Vector<Scalar>, 3> orientation;  // rows

    Vector<Scalar> turned(const Vector3d& u) const {
        Vector<Scalar> result;
        for (std::size_t i = 0; i < 3; ++i)
            result[i] = orientation[i][0] * u[0] + orientation[i][1] * u[1] + orientation[i][2] * u[2];
        return result;
    }
    Vector<Scalar> point(const Vector3d& s) const {
        Vector<Scalar> result = turned(s);
        for (std::size_t i = 0; i < 3; ++i) result[i] += position[i];
        return result;
    }
};

template <class Scalar>
Vector<Scalar> difference(const Vector<Scalar>& a, const Vector<Scalar>& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

template <class Scalar>
Scalar product(const Vector<Scalar>& a, const Vector<Scalar>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// phi; `angle_before` says in which turn an angle is.
template <class Scalar>
std::vector<Scalar> rows(const ModelElement& element, const Pose<Scalar>& i, const Pose<Scalar>& j, const Scalar& f,
                         double angle_before) {
    using std::sqrt, std::sin, std::cos, std::atan2;
    const auto d = [&] { return difference(j.point(element.point[1]), i.point(element.point[0])); };
    switch (element.kind) {
        case RowKind::point: {
            const Vector<Scalar> gap = d();
            return {gap[0], gap[1], gap[2]};
        }
        case RowKind::coordinate_difference: {
            const Vector<Scalar> gap = d();
            return {gap[0] * element.direction[0] + gap[1] * element.direction[1] + gap[2] * element.direction[2] - f};
        }
        case RowKind::dot_1:
            return {product(i.turned(element.first), j.turned(element.other)) - f};
        case RowKind::dot_2:
            return {product(i.turned(element.first), d()) - f};
        case RowKind::distance: {
            const Vector<Scalar> gap = d();
            return {sqrt(product(gap, gap)) - f};
        }
        case RowKind::rotation_vector: {
            std::array<Vector<Scalar>, 3> C;  // F_i^T R_i^T R_j F_j
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b)
                    C[a][b] = product(i.turned(element.frame[0].col(static_cast<Index>(a))),
                                      j.turned(element.frame[1].col(static_cast<Index>(b))));
            const Vector<Scalar> u = logarithm(C);
            return {u[0], u[1], u[2]};
        }
        default: {
            const Vector<Scalar> other = j.turned(element.other);
            const Scalar cosine = product(i.turned(element.first), other),
                         sine = product(i.turned(element.second), other);
            if (element.kind == RowKind::driven_angle) return {cos(f) * sine - sin(f) * cosine};
            const Scalar angle = atan2(sine, cosine);
            constexpr double turn = 2.0 * std::numbers::pi;
            return {angle + Scalar(turn * std::round((angle_before - plain_value(angle)) / turn)) - f};
        }
    }
}

// A body at x + e + n, R exp(e) exp(n), to the orders that Twice carries; `first` is its first direction.
Pose<Twice> displaced_pose(const Vector3d& position, const Matrix3d& R, std::size_t first) {
    Pose<Twice> pose;
    for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<std::size_t>(k);
        Twice& x = pose.position[i];
        x.value.value = position[k];
        x.value.derivative[first + i] = 1.0;
        x.derivative[first + i].value = 1.0;
    }
    std::array<Matrix3d, 3> by_e, axes;
    for (int k = 0; k < 3; ++k) {
        axes[static_cast<std::size_t>(k)] = skew(Vector3d::Unit(k));
        by_e[static_cast<std::size_t>(k)] = R * skew(Vector3d::Unit(k));
    }
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) {
            Twice& entry = pose.orientation[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            entry.value.value = R(row, column);
            for (std::size_t e = 0; e < 3; ++e) {
                entry.value.derivative[first + 3 + e] = by_e[e](row, column);
                entry.derivative[first + 3 + e].value = by_e[e](row, column);
                for (std::size_t n = 0; n < 3; ++n)
                    entry.derivative[first + 3 + n].derivative[first + 3 + e] = (by_e[e] * axes[n])(row, column);
            }
        }
    return pose;
}

Twice displaced_time(double time_s) {
    Twice time(time_s);
    time.value.derivative[time_direction] = 1.0;
    time.derivative[time_direction].value = 1.0;
    return time;
}

Twice function_value(const MechanismModel& model, int function, const Twice& time) {
    return function < 0 ? Twice(0.0) : model.functions[static_cast<std::size_t>(function)](time);
}

const BodyState& body_or_ground(const MechanismState& state, int body) {
    static const BodyState ground{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Matrix3d::Identity()};
    return body < 0 ? ground : state.bodies[static_cast<std::size_t>(body)];
}

double angle_before(const MechanismState& state, std::size_t element) {
    return element < state.counted_angles.size() ? state.counted_angles[element] : 0.0;
}

// Where the 12 displacements of an element stand among those of the mechanism; -1 for the ground.
std::array<Index, 12> places(const ModelElement& element) {
    std::array<Index, 12> place;
    for (std::size_t k = 0; k < 12; ++k) {
        const int body = element.body[k / 6];
        place[k] = body < 0 ? -1 : 6 * body + static_cast<Index>(k % 6);
    }
    return place;
}

void add(MatrixXd& to, const MatrixXd& block, const std::array<Index, 12>& place) {
    for (Index row = 0; row < 12; ++row)
        for (Index column = 0; column < 12; ++column) {
            const Index r = place[static_cast<std::size_t>(row)], c = place[static_cast<std::size_t>(column)];
            if (r >= 0 && c >= 0) to(r, c) += block(row, column);
        }
}

void add(VectorXd& to, const VectorXd& block, const std::array<Index, 12>& place) {
    for (Index row = 0; row < 12; ++row)
        if (place[static_cast<std::size_t>(row)] >= 0) to[place[static_cast<std::size_t>(row)]] += block[row];
}

// -B^T (k phi + d phi'), by displacement and velocity.
void add_law(const ModelElement& element, const ElementTerms& terms, const VectorXd& velocity, MechanismTerms& sum) {
    const std::array<Index, 12> place = places(element);
    for (Index r = 0; r < element.rows(); ++r) {
        const double k = element.stiffness[r], d = element.damping[r];
        const double lambda = k * terms.phi[r] + d * terms.rate[r];
        const VectorXd gradient = terms.jacobian.row(r);
        const MatrixXd& gradient_by_displacement = terms.jacobian_by_displacement[static_cast<std::size_t>(r)];
        const VectorXd rate_by_displacement =
            gradient_by_displacement.transpose() * velocity + terms.phi_t_by_displacement.row(r).transpose();
        add(sum.force, -gradient * lambda, place);
        add(sum.force_by_displacement,
            -gradient_by_displacement * lambda - gradient * (k * gradient + d * rate_by_displacement).transpose(),
            place);
        add(sum.force_by_velocity, -d * gradient * gradient.transpose(), place);
        sum.potential_energy += 0.5 * k * terms.phi[r] * terms.phi[r];
        sum.work_rate += lambda * terms.phi_t[r] - d * terms.rate[r] * terms.rate[r];
    }
}

void add_load(const MechanismModel& model, const ModelLoad& load, const MechanismState& state, MechanismTerms& sum) {
    const BodyState& body = state.bodies[static_cast<std::size_t>(load.body)];
    Vector3d value = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        const int function = load.function[static_cast<std::size_t>(k)];
        if (function >= 0) value[k] = model.functions[static_cast<std::size_t>(function)](state.time_s);
    }
    const Matrix3d& R = body.orientation;
    const Index x = 6 * load.body, r = x + 3;
    const Vector3d turned = R.transpose() * value;  // a world vector, seen from the body
    // A small turn e changes R^T u by (R^T u) x e and R u by R (e x u).
    switch (load.kind) {
        case ModelLoadKind::force_world:
            sum.force.segment<3>(x) += value;
            sum.force.segment<3>(r) += load.point.cross(turned);
            sum.force_by_displacement.block<3, 3>(r, r) += skew(load.point) * skew(turned);
            sum.work_rate += value.dot(body.velocity + R * body.angular_velocity.cross(load.point));
            return;
        case ModelLoadKind::force_body:
            sum.force.segment<3>(x) += R * value;
            sum.force.segment<3>(r) += load.point.cross(value);
            sum.force_by_displacement.block<3, 3>(x, r) -= R * skew(value);
            sum.work_rate += value.dot(R.transpose() * body.velocity + body.angular_velocity.cross(load.point));
            return;
        case ModelLoadKind::torque_world:
            sum.force.segment<3>(r) += turned;
            sum.force_by_displacement.block<3, 3>(r, r) += skew(turned);
            sum.work_rate += turned.dot(body.angular_velocity);
            return;
        default:
            sum.force.segment<3>(r) += value;
            sum.work_rate += value.dot(body.angular_velocity);
    }
}

void add_body(const ModelBody& body, const BodyState& state, const Vector3d& gravity, Index x, MechanismTerms& sum) {
    const Matrix3d& J = body.inertia_kg_m2;
    const Vector3d& w = state.angular_velocity;
    const Index r = x + 3;
    sum.mass.block<3, 3>(x, x) = body.mass_kg * Matrix3d::Identity();
    sum.mass.block<3, 3>(r, r) = J;
    sum.force.segment<3>(x) += body.mass_kg * gravity;
    sum.force.segment<3>(r) -= w.cross(J * w);
    sum.force_by_velocity.block<3, 3>(r, r) -= skew(w) * J - skew(J * w);
    sum.kinetic_energy += 0.5 * body.mass_kg * state.velocity.squaredNorm() + 0.5 * w.dot(J * w);
    sum.potential_energy -= body.mass_kg * gravity.dot(state.position);
}

VectorXd velocity_of_bodies(const ModelElement& element, const MechanismState& state) {
    const BodyState &i = body_or_ground(state, element.body[0]), &j = body_or_ground(state, element.body[1]);
    VectorXd velocity(12);
    velocity << i.velocity, i.angular_velocity, j.velocity, j.angular_velocity;
    return velocity;
}

// The force -g^T F of an element's value, its derivatives, and the power.
void add_along(const ModelElement& element, const ElementTerms& terms, const VectorXd& velocity, double F,
               double F_by_rate, MechanismTerms& sum) {
    const std::array<Index, 12> place = places(element);
    const VectorXd gradient = terms.jacobian.row(0);
    const MatrixXd& gradient_by_displacement = terms.jacobian_by_displacement[0];
    add(sum.force, -gradient * F, place);
    add(sum.force_by_displacement,
        -gradient_by_displacement * F -
            gradient * (F_by_rate * gradient_by_displacement.transpose() * velocity).transpose(),
        place);
    add(sum.force_by_velocity, -F_by_rate * gradient * gradient.transpose(), place);
    sum.work_rate -= F * gradient.dot(velocity);
}

void add_friction(const MechanismModel& model, const ModelFriction& friction, const MechanismState& state,
                  MechanismTerms& sum) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(friction.element)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(friction.element));
    const VectorXd velocity = velocity_of_bodies(element, state);
    const double rate = terms.jacobian.row(0).dot(velocity), share = std::tanh(rate / friction.rate),
                 dry = friction.is_set ? 0.0 : friction.dry;
    add_along(element, terms, velocity, dry * share + friction.viscous * rate,
              dry / friction.rate * (1.0 - share * share) + friction.viscous, sum);
}

// The value of an element over the displacements of its bodies.
struct SeenValue {
    std::array<Index, 12> place;
    double value, rate;
    VectorXd gradient, rate_by_displacement;
    MatrixXd gradient_by_displacement;
};
SeenValue seen_value(const MechanismModel& model, const MechanismState& state, int number) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(number)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(number));
    const VectorXd velocity = velocity_of_bodies(element, state), gradient = terms.jacobian.row(0);
    const MatrixXd& second = terms.jacobian_by_displacement[0];
    return {places(element), terms.phi[0] + terms.time_function, gradient.dot(velocity),
            gradient,        second.transpose() * velocity,      second};
}

void add_outer(MatrixXd& to, const VectorXd& rows, const std::array<Index, 12>& row_place, const VectorXd& columns,
               const std::array<Index, 12>& column_place) {
    for (std::size_t r = 0; r < 12; ++r)
        for (std::size_t c = 0; c < 12; ++c)
            if (row_place[r] >= 0 && column_place[c] >= 0)
                to(row_place[r], column_place[c]) += rows[static_cast<Index>(r)] * columns[static_cast<Index>(c)];
}

void add_coordinate_force(const MechanismModel& model, const ModelCoordinateForce& force, const MechanismState& state,
                          MechanismTerms& sum) {
    using Reads = ModelCoordinateForce::Reads;
    using Scalar = Differentiated<double, 1>;
    const SeenValue along = seen_value(model, state, force.element);
    std::vector<SeenValue> seen;
    std::vector<Scalar> variables;
    for (const ModelCoordinateForce::Variable& one : force.variables) {
        const bool is_function = one.reads == Reads::function;
        seen.push_back(is_function ? along : seen_value(model, state, one.index));
        variables.emplace_back(is_function ? model.functions[static_cast<std::size_t>(one.index)](state.time_s)
                               : one.reads == Reads::rate ? seen.back().rate
                                                          : seen.back().value);
    }
    const double F = force.formula(Scalar(state.time_s), variables).value;
    add(sum.force, along.gradient * F, along.place);
    add(sum.force_by_displacement, along.gradient_by_displacement * F, along.place);
    sum.work_rate += F * along.rate;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (force.variables[k].reads == Reads::function) continue;
        variables[k].derivative[0] = 1.0;
        const double by = force.formula(Scalar(state.time_s), variables).derivative[0];
        variables[k].derivative[0] = 0.0;
        const bool is_rate = force.variables[k].reads == Reads::rate;
        add_outer(sum.force_by_displacement, along.gradient, along.place,
                  by * (is_rate ? seen[k].rate_by_displacement : seen[k].gradient), seen[k].place);
        if (is_rate)
            add_outer(sum.force_by_velocity, along.gradient, along.place, by * seen[k].gradient, seen[k].place);
    }
}

void add_rotor(const MechanismModel& model, const ModelRotor& rotor, const MechanismState& state, MechanismTerms& sum) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(rotor.element)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(rotor.element));
    const VectorXd velocity = velocity_of_bodies(element, state), gradient = terms.jacobian.row(0);
    const std::array<Index, 12> place = places(element);
    const double inertia = rotor.ratio * rotor.ratio * rotor.inertia, rate = gradient.dot(velocity);
    add(sum.mass, inertia * gradient * gradient.transpose(), place);
    add(sum.force, -inertia * velocity.dot(terms.jacobian_by_displacement[0] * velocity) * gradient, place);
    sum.kinetic_energy += 0.5 * inertia * rate * rate;
}

}  // namespace

ElementTerms element_terms(const MechanismModel& model, const MechanismState& state, std::size_t element_index) {
    const ModelElement& element = model.elements[element_index];
    const BodyState &i = body_or_ground(state, element.body[0]), &j = body_or_ground(state, element.body[1]);
    const Twice f = function_value(model, element.function, displaced_time(state.time_s));
    const std::vector<Twice> phi =
        rows(element, displaced_pose(i.position, i.orientation, 0), displaced_pose(j.position, j.orientation, 6), f,
             angle_before(state, element_index));

    const Index count = element.rows();
    const VectorXd velocity = velocity_of_bodies(element, state);
    ElementTerms terms;
    terms.phi.resize(count), terms.phi_t.resize(count), terms.phi_tt.resize(count);
    terms.jacobian.resize(count, 12), terms.phi_t_by_displacement.resize(count, 12);
    terms.acceleration_term.resize(count);
    for (Index r = 0; r < count; ++r) {
        const Twice& row = phi[static_cast<std::size_t>(r)];
        terms.phi[r] = row.value.value;
        terms.phi_t[r] = row.derivative[time_direction].value;
        terms.phi_tt[r] = row.derivative[time_direction].derivative[time_direction];
        MatrixXd second(12, 12);
        for (Index n = 0; n < 12; ++n) {
            const Once& by_n = row.derivative[static_cast<std::size_t>(n)];
            terms.jacobian(r, n) = by_n.value;
            terms.phi_t_by_displacement(r, n) = by_n.derivative[time_direction];
            for (Index e = 0; e < 12; ++e) second(n, e) = by_n.derivative[static_cast<std::size_t>(e)];
        }
        terms.acceleration_term[r] =
            velocity.dot(second * velocity) + 2.0 * terms.phi_t_by_displacement.row(r).dot(velocity) + terms.phi_tt[r];
        terms.jacobian_by_displacement.push_back(std::move(second));
    }
    terms.rate = terms.jacobian * velocity + terms.phi_t;
    terms.time_function = f.value.value;
    terms.time_function_rate = f.derivative[time_direction].value;
    return terms;
}

double counted_angle(const MechanismModel& model, const MechanismState& state, std::size_t element) {
    if (model.elements[element].kind != RowKind::angle) return 0.0;
    const ElementTerms terms = element_terms(model, state, element);
    return terms.phi[0] + terms.time_function;
}

int constraint_rows(const MechanismModel& model) {
    int count = 0;
    for (const ModelElement& element : model.elements)
        for (int r = 0; r < element.rows(); ++r)
            if (!element.has_law && !element.is_sensor && element.active[static_cast<std::size_t>(r)]) ++count;
    return count;
}

namespace {

// NaN is worse than any number.
void keep_worst(double residual, int row, double& largest, int& worst_row) {
    if (std::abs(residual) <= largest || std::isnan(largest)) return;
    largest = std::abs(residual), worst_row = row;
}

}  // namespace

MechanismTerms mechanism_terms(const MechanismModel& model, const MechanismState& state, const VectorXd& multipliers) {
    const auto unknowns = 6 * static_cast<Index>(model.bodies.size());
    const Index count = constraint_rows(model);
    MechanismTerms sum;
    sum.mass = sum.force_by_displacement = sum.force_by_velocity = sum.reaction_by_displacement =
        MatrixXd::Zero(unknowns, unknowns);
    sum.force = VectorXd::Zero(unknowns);
    sum.constraint = sum.constraint_rate = sum.constraint_phi_t = sum.acceleration_term = VectorXd::Zero(count);
    sum.constraint_jacobian = MatrixXd::Zero(count, unknowns);

    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        add_body(model.bodies[b], state.bodies[b], model.gravity_m_s2, 6 * static_cast<Index>(b), sum);
    for (const ModelLoad& load : model.loads) add_load(model, load, state, sum);
    for (const ModelFriction& friction : model.frictions) add_friction(model, friction, state, sum);
    for (const ModelRotor& rotor : model.rotors) add_rotor(model, rotor, state, sum);
    for (const ModelCoordinateForce& force : model.coordinate_forces) add_coordinate_force(model, force, state, sum);

    Index next = 0;
    int number = 0;
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        const ModelElement& element = model.elements[e];
        if (element.is_sensor) continue;
        const ElementTerms terms = element_terms(model, state, e);
        if (element.has_law) {
            add_law(element, terms, velocity_of_bodies(element, state), sum);
            continue;
        }
        for (Index r = 0; r < element.rows(); ++r, ++number) {
            keep_worst(terms.phi[r], number, sum.largest_constraint, sum.worst_row);
            keep_worst(terms.rate[r], number, sum.largest_constraint_rate, sum.worst_row_of_rates);
        }
        const std::array<Index, 12> place = places(element);
        for (Index r = 0; r < element.rows(); ++r) {
            if (!element.active[static_cast<std::size_t>(r)]) continue;
            sum.constraint[next] = terms.phi[r];
            sum.constraint_rate[next] = terms.rate[r];
            sum.constraint_phi_t[next] = terms.phi_t[r];
            sum.acceleration_term[next] = terms.acceleration_term[r];
            VectorXd gradient = VectorXd::Zero(unknowns);
            add(gradient, terms.jacobian.row(r), place);
            sum.constraint_jacobian.row(next) = gradient;
            add(sum.reaction_by_displacement,
                multipliers[next] * terms.jacobian_by_displacement[static_cast<std::size_t>(r)], place);
            sum.work_rate += multipliers[next] * terms.phi_t[r];
            ++next;
        }
    }
    return sum;
}

std::vector<Vector3d> element_multipliers(const MechanismModel& model, const MechanismState& state,
                                          const VectorXd& multipliers) {
    std::vector<Vector3d> result;
    Index next = 0;
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        const ModelElement& element = model.elements[e];
        Vector3d lambda = Vector3d::Zero();
        if (element.has_law) {
            const ElementTerms terms = element_terms(model, state, e);
            for (Index r = 0; r < element.rows(); ++r)
                lambda[r] = element.stiffness[r] * terms.phi[r] + element.damping[r] * terms.rate[r];
        } else if (!element.is_sensor) {
            for (Index r = 0; r < element.rows(); ++r)
                if (element.active[static_cast<std::size_t>(r)]) lambda[r] = multipliers[next++];
        }
        result.push_back(lambda);
    }
    return result;
}

Wrench element_wrench(const MechanismModel& model, const MechanismState& state, std::size_t element,
                      const Vector3d& multipliers, std::size_t side) {
    const ElementTerms terms = element_terms(model, state, element);
    const VectorXd force = -terms.jacobian.transpose() * multipliers.head(terms.phi.size());
    const BodyState& body = body_or_ground(state, model.elements[element].body[side]);
    const Index x = 6 * static_cast<Index>(side);
    return {force.segment<3>(x), body.orientation * force.segment<3>(x + 3)};
}

VectorXd velocity_vector(const MechanismState& state) {
    VectorXd velocity(6 * static_cast<Index>(state.bodies.size()));
    Index x = 0;
    for (const BodyState& body : state.bodies) {
        velocity.segment<3>(x) = body.velocity;
        velocity.segment<3>(x + 3) = body.angular_velocity;
        x += 6;
    }
    return velocity;
}

void set_velocity(MechanismState& state, const VectorXd& velocity) {
    Index x = 0;
    for (BodyState& body : state.bodies) {
        body.velocity = velocity.segment<3>(x);
        body.angular_velocity = velocity.segment<3>(x + 3);
        x += 6;
    }
}

void displace(MechanismState& state, const VectorXd& displacement) {
    Index x = 0;
    for (BodyState& body : state.bodies) {
        body.position += displacement.segment<3>(x);
        body.orientation = orthonormalized(body.orientation * rotation_exponential(displacement.segment<3>(x + 3)));
        x += 6;
    }
}

}  // namespace myriad::reference
