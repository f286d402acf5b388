// Elements of a mechanism: what a joint, a driver or a force element measures between two bodies, with its derivatives.
#include <cmath>
#include <numbers>

#include "host/reference/mathematics/logarithm.hpp"
#include "host/reference/mathematics/rotation.hpp"
#include "host/reference/mechanism/mechanism_equations.hpp"

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

double angle_before(const MechanismState& state, std::size_t element) {
    return element < state.counted_angles.size() ? state.counted_angles[element] : 0.0;
}

}  // namespace

const BodyState& body_or_ground(const MechanismState& state, int body) {
    static const BodyState ground{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Matrix3d::Identity()};
    return body < 0 ? ground : state.bodies[static_cast<std::size_t>(body)];
}

VectorXd velocity_of_bodies(const ModelElement& element, const MechanismState& state) {
    const BodyState &i = body_or_ground(state, element.body[0]), &j = body_or_ground(state, element.body[1]);
    VectorXd velocity(12);
    velocity << i.velocity, i.angular_velocity, j.velocity, j.angular_velocity;
    return velocity;
}

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

}  // namespace myriad::reference
