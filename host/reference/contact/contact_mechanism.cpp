#include "host/reference/contact/contact_mechanism.hpp"

#include <algorithm>

#include "host/reference/mathematics/forward_derivative.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

template <class Scalar>
using Vector3 = Eigen::Matrix<Scalar, 3, 1>;

// Numbers that are differentiated by the displacements of the two bodies, and along the motion.
using ByDisplacement = Differentiated<double, 12>;
using AlongMotion = Differentiated<double, 1>;

template <class Scalar>
struct Place {
    Vector3<Scalar> position;
    Eigen::Matrix<Scalar, 3, 3> orientation;

    Vector3<Scalar> turned(const Vector3d& u) const { return orientation * u.cast<Scalar>(); }
    Vector3<Scalar> point(const Vector3d& s) const { return position + turned(s); }
    // The velocity of the point of the body that is at p now.
    Vector3<Scalar> velocity(const Vector3d& v, const Vector3d& w, const Vector3<Scalar>& p) const {
        return v.cast<Scalar>() + turned(w).cross(Vector3<Scalar>(p - position));
    }
};

template <class Scalar>
Vector3<Scalar> unit(const Vector3<Scalar>& u) {
    using std::sqrt;
    return u / sqrt(u.dot(u));
}

// Two directions that complete n to a right-handed frame; smooth but where n.z changes its sign (Duff et al., 2017).
template <class Scalar>
std::array<Vector3<Scalar>, 2> tangents_across(const Vector3<Scalar>& n) {
    const double sign = plain_value(n[2]) < 0.0 ? -1.0 : 1.0;
    const Scalar a = Scalar(-1.0) / (n[2] + Scalar(sign)), b = n[0] * n[1] * a;
    return {Vector3<Scalar>(Scalar(1.0) + sign * (n[0] * n[0] * a), sign * b, -sign * n[0]),
            Vector3<Scalar>(b, Scalar(sign) + n[1] * n[1] * a, -n[1])};
}

// The part along `way` of a vector `to` from its begin, or the end that it passes.
template <class Scalar>
Vector3<Scalar> beside_segment(const Vector3<Scalar>& way, const Vector3<Scalar>& to) {
    const Scalar along = way.dot(to), all = way.dot(way);
    if (plain_value(along) <= 0.0) return Vector3<Scalar>(Scalar(0.0), Scalar(0.0), Scalar(0.0));
    if (plain_value(along) >= plain_value(all)) return way;
    return way * (along / all);
}

template <class Scalar>
struct Touch {
    Scalar gap;
    Vector3<Scalar> point;
    std::array<Vector3<Scalar>, rows_per_contact> direction;
};

template <class Scalar>
Touch<Scalar> touch(const ModelContact& contact, const Place<Scalar>& i, const Place<Scalar>& j) {
    using std::sqrt;
    Vector3<Scalar> from = i.point(contact.point[0]);
    if (contact.kind == ModelContactKind::sphere_capsule)
        from +=
            beside_segment(i.turned(contact.end - contact.point[0]), Vector3<Scalar>(j.point(contact.point[1]) - from));
    const Vector3<Scalar> d = j.point(contact.point[1]) - from;
    const Scalar half_play(0.5 * contact.play_m);
    Touch<Scalar> result;
    Vector3<Scalar>& n = result.direction[0];
    if (contact.kind == ModelContactKind::sphere_plane) {
        n = i.turned(contact.normal);
        result.gap = n.dot(d) - Scalar(contact.radius_m[1]) + half_play;
        result.point = j.point(contact.point[1]) - n * Scalar(contact.radius_m[1]);
        result.direction[1] = i.turned(contact.tangent);
        result.direction[2] = n.cross(result.direction[1]);
        return result;
    }
    n = unit(d);
    result.gap = sqrt(d.dot(d)) - Scalar(contact.radius_m[0] + contact.radius_m[1]) + half_play;
    result.point = from + n * Scalar(contact.radius_m[0]);
    const auto tangents = tangents_across(n);
    result.direction[1] = tangents[0], result.direction[2] = tangents[1];
    return result;
}

bool is_limit(const ModelContact& contact) {
    return contact.kind == ModelContactKind::lower_limit || contact.kind == ModelContactKind::upper_limit;
}
bool is_round(const ModelContact& contact) {
    return contact.kind == ModelContactKind::sphere_sphere || contact.kind == ModelContactKind::sphere_capsule;
}
double sign_of(const ModelContact& limit) { return limit.kind == ModelContactKind::lower_limit ? 1.0 : -1.0; }

// Adds the gradient of the element's value, times a factor, to row `row`.
void add_gradient(const MechanismModel& model, int element, const ElementTerms& terms, double factor, Index row,
                  MatrixXd& w) {
    const Eigen::RowVectorXd gradient = terms.jacobian.row(0);
    for (std::size_t side = 0; side < 2; ++side)
        if (const int body = model.elements[static_cast<std::size_t>(element)].body[side]; body >= 0)
            w.block<1, 6>(row, 6 * body) += factor * gradient.segment<6>(side == 0 ? 0 : 6);
}
ElementTerms terms_of(const MechanismModel& model, const MechanismState& state, int element) {
    return element_terms(model, state, static_cast<std::size_t>(element));
}
double value_of(const ElementTerms& terms) { return terms.phi[0] + terms.time_function; }
// Of the rate of the element's value, at constant velocities.
double turning_of(const ElementTerms& terms) { return terms.acceleration_term[0] - terms.phi_tt[0]; }

Index rows_of(const MechanismModel& model) {
    return rows_per_contact * static_cast<Index>(model.contacts.size()) + set_valued_frictions(model);
}

Place<double> place(const BodyState& body) { return {body.position, body.orientation}; }

// At x + e, R exp(e) to the first order of e; `first` is the first direction of this body.
Place<ByDisplacement> displaced_place(const BodyState& body, std::size_t first) {
    Place<ByDisplacement> result;
    const Eigen::Matrix3d& R = body.orientation;
    for (Index row = 0; row < 3; ++row) {
        result.position[row].value = body.position[row];
        result.position[row].derivative[first + static_cast<std::size_t>(row)] = 1.0;
        for (Index column = 0; column < 3; ++column) {
            ByDisplacement& entry = result.orientation(row, column);
            entry.value = R(row, column);
            for (Index e = 0; e < 3; ++e)
                entry.derivative[first + 3 + static_cast<std::size_t>(e)] = (R * skew(Vector3d::Unit(e)))(row, column);
        }
    }
    return result;
}

Place<AlongMotion> moving_place(const BodyState& body) {
    Place<AlongMotion> result;
    const Eigen::Matrix3d rate = body.orientation * skew(body.angular_velocity);
    for (Index row = 0; row < 3; ++row) {
        result.position[row].value = body.position[row], result.position[row].derivative[0] = body.velocity[row];
        for (Index column = 0; column < 3; ++column) {
            result.orientation(row, column).value = body.orientation(row, column);
            result.orientation(row, column).derivative[0] = rate(row, column);
        }
    }
    return result;
}

// Velocities in the three directions, for velocities of the bodies i and j: v_i, w_i, v_j, w_j.
template <class Scalar>
Vector3<Scalar> local_velocity(const Touch<Scalar>& at, const Place<Scalar>& i, const Place<Scalar>& j,
                               const Eigen::Matrix<double, 12, 1>& v) {
    const Vector3<Scalar> u =
        j.velocity(v.segment<3>(6), v.segment<3>(9), at.point) - i.velocity(v.segment<3>(0), v.segment<3>(3), at.point);
    return {at.direction[0].dot(u), at.direction[1].dot(u), at.direction[2].dot(u)};
}

}  // namespace

int set_valued_frictions(const MechanismModel& model) {
    return static_cast<int>(std::count_if(model.frictions.begin(), model.frictions.end(),
                                          [](const ModelFriction& friction) { return friction.is_set; }));
}

VectorXd contact_gaps(const MechanismModel& model, const MechanismState& state) {
    VectorXd gaps(static_cast<Index>(model.contacts.size()));
    Index k = 0;
    for (const ModelContact& contact : model.contacts)
        gaps[k++] = is_limit(contact)
                        ? sign_of(contact) * (value_of(terms_of(model, state, contact.element)) - contact.bound)
                        : touch(contact, place(body_or_ground(state, contact.body[0])),
                                place(body_or_ground(state, contact.body[1])))
                              .gap;
    return gaps;
}

MatrixXd contact_directions(const MechanismModel& model, const MechanismState& state) {
    MatrixXd w = MatrixXd::Zero(rows_of(model), 6 * static_cast<Index>(model.bodies.size()));
    Index row = 0;
    for (const ModelContact& contact : model.contacts) {
        if (is_limit(contact)) {
            add_gradient(model, contact.element, terms_of(model, state, contact.element), sign_of(contact), row, w);
            row += rows_per_contact;
            continue;
        }
        const BodyState &i = body_or_ground(state, contact.body[0]), &j = body_or_ground(state, contact.body[1]);
        const ByDisplacement gap = touch(contact, displaced_place(i, 0), displaced_place(j, 6)).gap;
        const Touch<double> at = touch(contact, place(i), place(j));
        for (Index k = 0; k < 12; ++k) {
            const int body = contact.body[k < 6 ? 0 : 1];
            if (body < 0) continue;
            const Vector3d u = local_velocity(at, place(i), place(j), Eigen::Matrix<double, 12, 1>::Unit(k));
            const Index column = 6 * body + k % 6;
            w(row, column) += gap.derivative[static_cast<std::size_t>(k)];
            for (Index tangent = 1; tangent <= contact.tangents; ++tangent) w(row + tangent, column) += u[tangent];
        }
        row += rows_per_contact;
    }
    for (const ModelFriction& friction : model.frictions)
        if (friction.is_set)
            add_gradient(model, friction.element, terms_of(model, state, friction.element), 1.0, row++, w);
    return w;
}

Vector3d contact_vector(const MechanismModel& model, const MechanismState& state, std::size_t first, std::size_t last,
                        const VectorXd& loads) {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t c = first; c < last; ++c) {
        const ModelContact& given = model.contacts[c];
        const auto along = loads.segment<rows_per_contact>(rows_per_contact * static_cast<Index>(c));
        const auto e =
            touch(given, place(body_or_ground(state, given.body[0])), place(body_or_ground(state, given.body[1])))
                .direction;
        for (std::size_t k = 0; k < e.size(); ++k) sum += along[static_cast<Index>(k)] * e[k];
    }
    return sum;
}

Eigen::Matrix3Xd contact_ways(const MechanismModel& model, const MechanismState& state) {
    Eigen::Matrix3Xd ways = Eigen::Matrix3Xd::Zero(3, static_cast<Index>(model.contacts.size()));
    Index k = 0;
    for (const ModelContact& contact : model.contacts) {
        const Index column = k++;
        if (!is_round(contact)) continue;
        const Place<double> i = place(body_or_ground(state, contact.body[0])),
                            j = place(body_or_ground(state, contact.body[1]));
        const Vector3d way = j.point(contact.point[1]) - i.point(contact.point[0]);
        ways.col(column) =
            contact.kind == ModelContactKind::sphere_capsule ? Vector3d(i.orientation.transpose() * way) : way;
    }
    return ways;
}

std::optional<ContactPass> contact_pass(const ModelContact& contact, const Vector3d& from, const Vector3d& to) {
    if (!is_round(contact)) return std::nullopt;
    const bool is_capsule = contact.kind == ModelContactKind::sphere_capsule;
    const Vector3d axis = is_capsule ? Vector3d(contact.end - contact.point[0]) : Vector3d::Zero();
    const double radius = contact.radius_m[0] + contact.radius_m[1];
    const auto at = [&](double share) -> Vector3d { return from + share * (to - from); };
    if ((to - from).norm() < (from - beside_segment(axis, from)).norm() - radius) return std::nullopt;
    // Of a convex function on 0 .. 1.
    const auto least = [](const auto& function) {
        double low = 0.0, high = 1.0;
        for (int i = 0; i < 200; ++i) {
            const double third = (high - low) / 3.0;
            if (function(low + third) <= function(high - third))
                high -= third;
            else
                low += third;
        }
        return 0.5 * (low + high);
    };
    const double nearest = least([&](double share) {
        const Vector3d p = at(share);
        return (p - beside_segment(axis, p)).norm();
    });
    const Vector3d centre = is_capsule ? beside_segment(axis, at(nearest)) : Vector3d::Zero();
    const auto outside = [&](double share) { return (at(share) - centre).norm() - radius; };
    const double closest = least(outside);
    constexpr double round_off = 1e-7;  // a search for an extreme finds it to the root of round-off
    // Straight ways of a sphere that slides over another dip below the surface, too.
    constexpr double shallow = 1e-4;
    if (closest <= round_off || closest >= 1.0 - round_off || outside(0.0) <= 0.0 ||
        outside(closest) >= -shallow * radius)
        return std::nullopt;
    double open = 0.0, inside = closest;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (open + inside);
        (outside(middle) > 0.0 ? open : inside) = middle;
    }
    return ContactPass{open, closest};
}

VectorXd contact_turning(const MechanismModel& model, const MechanismState& state) {
    VectorXd rates = VectorXd::Zero(rows_of(model));
    Index row = 0;
    for (const ModelContact& contact : model.contacts) {
        if (is_limit(contact)) {
            rates[row] = sign_of(contact) * turning_of(terms_of(model, state, contact.element));
            row += rows_per_contact;
            continue;
        }
        const BodyState &i = body_or_ground(state, contact.body[0]), &j = body_or_ground(state, contact.body[1]);
        const Place<AlongMotion> at_i = moving_place(i), at_j = moving_place(j);
        Eigen::Matrix<double, 12, 1> v;
        v << i.velocity, i.angular_velocity, j.velocity, j.angular_velocity;
        const Vector3<AlongMotion> u = local_velocity(touch(contact, at_i, at_j), at_i, at_j, v);
        for (Index k = 0; k <= contact.tangents; ++k) rates[row + k] = u[k].derivative[0];
        row += rows_per_contact;
    }
    for (const ModelFriction& friction : model.frictions)
        if (friction.is_set) rates[row++] = turning_of(terms_of(model, state, friction.element));
    return rates;
}

FreeTurning free_turning(const MechanismModel& model, const MechanismState& state, double h) {
    const auto numbers = 6 * static_cast<Eigen::Index>(model.bodies.size());
    FreeTurning turning{Eigen::MatrixXd::Zero(numbers, numbers), Eigen::VectorXd::Zero(numbers)};
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const bool is_held =
            std::any_of(model.elements.begin(), model.elements.end(), [&](const ModelElement& element) {
                const bool is_of_body =
                    element.body[0] == static_cast<int>(b) || element.body[1] == static_cast<int>(b);
                return is_of_body && !element.has_law && !element.is_sensor;
            });
        if (is_held) continue;
        const Eigen::Matrix3d& inertia = model.bodies[b].inertia_kg_m2;
        const Eigen::Matrix3d rest = inertia - inertia.trace() / 3.0 * Eigen::Matrix3d::Identity();
        const Eigen::Vector3d w = state.bodies[b].angular_velocity, usual = w.cross(inertia * w);
        const Eigen::Vector3d momentum = rest * (w - 0.5 * h * (inertia.inverse() * usual));
        const auto first = 6 * static_cast<Eigen::Index>(b) + 3;
        turning.impulse.segment<3>(first) = h * (usual - w.cross(momentum));
        turning.by_change.block<3, 3>(first, first) = -0.5 * h * skew(momentum);
    }
    return turning;
}

}  // namespace myriad::reference
