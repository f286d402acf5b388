// The rows phi of one element between bodies i and j: values, gradients, velocity and acceleration terms.
//
//   phi'  = D . (v_j - v_i) + g_i . w_i + g_j . w_j + phi_t        D: `direction`, world; g: `turn`, body frames
//   phi'' = the same with accelerations + `bias`
//   d = (r_j + R_j s_j) - (r_i + R_i s_i),  u^w = R u
//   row                       D        g_i                              g_j
//   point, CD, distance       c        -s_i x R_i^T c                   s_j x R_j^T c            c: axis, c, d/|d|
//   DP2                       a^w      a x R_i^T (d + R_i s_i)          s_j x R_j^T a^w
//   DP1, driven_angle         0        a x R_i^T b^w                    b x R_j^T a^w            a = cos f g - sin f a
//   angle                     0        -n                               R_j^T R_i n
//   rotation_vector theta     0        -(F_i E) rows of T^-1            F_j rows of T^-1         E = exp(theta)
//   with T^-1 the inverse tangent operator at theta
//
// Source: rA paper, eqs. 15 to 18 and its tables of partial derivatives, for DP1, DP2, D, CD; the angle and the
// rotation vector hold for force elements. Not handled: a distance of zero, a relative rotation by half a turn (not
// finite).
#pragma once
#include "kernels/mechanism/bodies.hpp"
#include "kernels/mechanism/taylor.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Rows {
    Vec<3, Real> value;         // phi
    Vec<3, Real> direction[3];  // D, world
    Vec<3, Real> turn[2][3];    // g of bodies i and j: what turns with the body
    Vec<3, Real> partial_rate;  // phi_t
    // The stiffness needs these again. `vector`: the vector u fixed to each body (s, a or b). `seen`: what crosses u in
    // g, in that body's axes: R^T D, or R^T of the other body's vector. An angle has n and R_i^T w_j.
    Vec<3, Real> vector[2], seen[2];
    Real length;  // m, of a distance; for the kind angle the angle itself, rad
};

// Calls `use` with the kind as a type.
template <ElementKind of>
struct KindOf {
    static constexpr ElementKind value = of;
};
template <class Use>
MYRIAD_HD void with_kind(ElementKind kind, const Use& use) {
    switch (kind) {
        case ElementKind::point:
            return use(KindOf<ElementKind::point>{});
        case ElementKind::coordinate_difference:
            return use(KindOf<ElementKind::coordinate_difference>{});
        case ElementKind::dot_1:
            return use(KindOf<ElementKind::dot_1>{});
        case ElementKind::dot_2:
            return use(KindOf<ElementKind::dot_2>{});
        case ElementKind::distance:
            return use(KindOf<ElementKind::distance>{});
        case ElementKind::driven_angle:
            return use(KindOf<ElementKind::driven_angle>{});
        case ElementKind::angle:
            return use(KindOf<ElementKind::angle>{});
        case ElementKind::rotation_vector:
            return use(KindOf<ElementKind::rotation_vector>{});
    }
}

template <class Real, class Parameters>
MYRIAD_HD Rotation<Real> rotation_at(const Parameters& p, int offset) {
    return {p[offset], p[offset + 1], p[offset + 2], p[offset + 3]};
}

// Kinds of element, bit by bit: of others no code is made.
constexpr unsigned all_element_kinds = ~0u;
MYRIAD_HD constexpr unsigned only(ElementKind kind) { return 1u << static_cast<int>(kind); }
MYRIAD_HD constexpr bool is_among(unsigned kinds, ElementKind kind) { return (kinds & only(kind)) != 0; }

// The rows of element e, which is of one of `kinds`. `function`: f with its derivatives; `turned`: the angle counted so
// far, rad (kind angle)
template <unsigned kinds = all_element_kinds, class Real, int capacity, class Parameters>
MYRIAD_HD Rows<Real> rows_at(const Element& e, const Bodies<Real, capacity>& bodies, const Parameters& p,
                             const Taylor<Real>& function, Real turned) {
    Rows<Real> rows;
    const int i = e.body[0], j = e.body[1], at = e.parameter;
    const Real zero(0.0);
    const Vec<3, Real> none{zero, zero, zero};
    rows.direction[0] = none, rows.partial_rate = none, rows.length = zero;
    const auto levers = [&](int k, Vec<3, Real> c, Vec<3, Real> s_i, Vec<3, Real> s_j) MYRIAD_INLINE {
        rows.vector[0] = s_i, rows.vector[1] = s_j;
        if (i >= 0) rows.seen[0] = bodies.to_body(i, c), rows.turn[0][k] = cross(rows.seen[0], s_i);
        if (j >= 0) rows.seen[1] = bodies.to_body(j, c), rows.turn[1][k] = cross(s_j, rows.seen[1]);
    };
    const auto directions = [&](Vec<3, Real> a, Vec<3, Real> b) MYRIAD_INLINE {
        const Vec<3, Real> a_world = bodies.to_world(i, a), b_world = bodies.to_world(j, b);
        rows.vector[0] = a, rows.vector[1] = b;
        if (i >= 0) rows.seen[0] = bodies.to_body(i, b_world), rows.turn[0][0] = cross(a, rows.seen[0]);
        if (j >= 0) rows.seen[1] = bodies.to_body(j, a_world), rows.turn[1][0] = cross(b, rows.seen[1]);
        return dot(a_world, b_world);
    };
    switch (e.kind) {
        case ElementKind::point:
            if (is_among(kinds, ElementKind::point)) {
                const auto s_i = vector_at<Real>(p, at), s_j = vector_at<Real>(p, at + 3);
                rows.value = bodies.point(j, s_j) - bodies.point(i, s_i);
                MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                    rows.direction[k] = unit_vector<Real>(k);
                    if (i >= 0) rows.turn[0][k] = cross(row_of(bodies.of[i].matrix, k), s_i);
                    if (j >= 0) rows.turn[1][k] = cross(s_j, row_of(bodies.of[j].matrix, k));
                }
            }
            break;
        case ElementKind::coordinate_difference:
            if (is_among(kinds, ElementKind::coordinate_difference)) {
                const auto c = vector_at<Real>(p, at), s_i = vector_at<Real>(p, at + 3),
                           s_j = vector_at<Real>(p, at + 6);
                rows.value[0] = dot(c, bodies.point(j, s_j) - bodies.point(i, s_i)) - function.value;
                rows.direction[0] = c, rows.partial_rate[0] = -function.rate;
                levers(0, c, s_i, s_j);
            }
            break;
        case ElementKind::dot_1:
            if (is_among(kinds, ElementKind::dot_1)) {
                const auto a = vector_at<Real>(p, at), b = vector_at<Real>(p, at + 3);
                rows.value[0] = directions(a, b) - function.value, rows.partial_rate[0] = -function.rate;
            }
            break;
        case ElementKind::dot_2:
            if (is_among(kinds, ElementKind::dot_2)) {
                const auto a = vector_at<Real>(p, at), s_i = vector_at<Real>(p, at + 3),
                           s_j = vector_at<Real>(p, at + 6);
                const Vec<3, Real> a_world = bodies.to_world(i, a);
                const Vec<3, Real> d = bodies.point(j, s_j) - bodies.point(i, s_i);
                const Vec<3, Real> from_centre = bodies.to_body(i, d) + s_i;
                rows.value[0] = dot(a_world, d) - function.value, rows.partial_rate[0] = -function.rate;
                rows.direction[0] = a_world;
                levers(0, a_world, s_i, s_j);
                rows.vector[0] = a, rows.seen[0] = from_centre;
                if (i >= 0) rows.turn[0][0] = cross(a, from_centre);
            }
            break;
        case ElementKind::distance:
            if (is_among(kinds, ElementKind::distance)) {
                const auto s_i = vector_at<Real>(p, at), s_j = vector_at<Real>(p, at + 3);
                const Vec<3, Real> d = bodies.point(j, s_j) - bodies.point(i, s_i);
                rows.length = sqrt(dot(d, d));
                const Vec<3, Real> along = (Real(1.0) / rows.length) * d;
                rows.value[0] = rows.length - function.value, rows.partial_rate[0] = -function.rate;
                rows.direction[0] = along;
                levers(0, along, s_i, s_j);
            }
            break;
        case ElementKind::driven_angle:
            if (is_among(kinds, ElementKind::driven_angle)) {
                const auto reference = vector_at<Real>(p, at), normal = vector_at<Real>(p, at + 3),
                           b = vector_at<Real>(p, at + 6);
                const SineCosine<Real> f = sincos(function.value);
                const Vec<3, Real> a = fma(f.cosine, normal, -f.sine * reference);
                const Vec<3, Real> a_rate = -function.rate * fma(f.sine, normal, f.cosine * reference);
                rows.value[0] = directions(a, b);
                rows.partial_rate[0] = dot(bodies.to_world(i, a_rate), bodies.to_world(j, b));
            }
            break;
        case ElementKind::angle:
            if (is_among(kinds, ElementKind::angle)) {
                const auto n = vector_at<Real>(p, at), a = vector_at<Real>(p, at + 3), g = vector_at<Real>(p, at + 6),
                           b = vector_at<Real>(p, at + 9);
                const Vec<3, Real> b_in_i = bodies.to_body(i, bodies.to_world(j, b));
                const Real raw = atan2(dot(g, b_in_i), dot(a, b_in_i)), turn = full_turn<Real>();
                const Real full_turns = nearest_integer((turned - raw) / turn);
                rows.length = fma(turn, full_turns, raw);
                rows.value[0] = rows.length - function.value, rows.partial_rate[0] = -function.rate;
                rows.turn[0][0] = none - n;
                rows.turn[1][0] = bodies.to_body(j, bodies.to_world(i, n));
                rows.vector[0] = n;
                rows.seen[0] = bodies.to_body(i, bodies.to_world(j, bodies.angular_velocity(j)));
            }
            break;
        case ElementKind::rotation_vector:
            if (is_among(kinds, ElementKind::rotation_vector)) {
                const Mat3<Real> frame_i = matrix_of(rotation_at<Real>(p, at)),
                                 frame_j = matrix_of(rotation_at<Real>(p, at + 4));
                Mat3<Real> relative = transpose(frame_i);
                if (i >= 0) relative = relative * transpose(bodies.of[i].matrix);
                if (j >= 0) relative = relative * bodies.of[j].matrix;
                relative = relative * frame_j;
                rows.value = log(rotation_of(relative));
                const Mat3<Real> inverse = tangent_inverse_matrix(rows.value), turned_back = frame_i * relative;
                MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                    rows.direction[k] = none;
                    rows.turn[1][k] = frame_j * row_of(inverse, k);
                    rows.turn[0][k] = none - turned_back * row_of(inverse, k);
                }
            }
            break;
    }
    return rows;
}

// B v: D . (v_j - v_i) + g_i . w_i + g_j . w_j of row k
template <class Real, int capacity>
MYRIAD_HD Real row_rate(const Element& e, const Rows<Real>& rows, int k, const Bodies<Real, capacity>& bodies) {
    Real rate(0.0);
    if (e.body[0] >= 0)
        rate = dot(rows.turn[0][k], bodies.of[e.body[0]].angular_velocity) -
               dot(rows.direction[k], bodies.of[e.body[0]].velocity);
    if (e.body[1] >= 0)
        rate = rate + dot(rows.turn[1][k], bodies.of[e.body[1]].angular_velocity) +
               dot(rows.direction[k], bodies.of[e.body[1]].velocity);
    return rate;
}

// phi'' of a constraint of one of `kinds` for zero accelerations (the kinds angle and rotation_vector are force
// elements)
template <unsigned kinds = all_element_kinds, class Real, int capacity, class Parameters>
MYRIAD_HD Vec<3, Real> row_bias(const Element& e, const Bodies<Real, capacity>& bodies, const Parameters& p,
                                const Taylor<Real>& function) {
    const int i = e.body[0], j = e.body[1], at = e.parameter;
    const Real two(2.0);
    Vec<3, Real> bias{};
    const auto points = [&](int first, Vec<3, Real>& d, Vec<3, Real>& d_rate) {
        const auto s_i = vector_at<Real>(p, first), s_j = vector_at<Real>(p, first + 3);
        d = bodies.point(j, s_j) - bodies.point(i, s_i);
        d_rate = bodies.point_velocity(j, s_j) - bodies.point_velocity(i, s_i);
        return bodies.centripetal(j, s_j) - bodies.centripetal(i, s_i);
    };
    Vec<3, Real> d, d_rate;
    switch (e.kind) {
        case ElementKind::point:
            if (is_among(kinds, ElementKind::point)) return points(at, d, d_rate);
            break;
        case ElementKind::coordinate_difference:
            if (is_among(kinds, ElementKind::coordinate_difference))
                bias[0] = dot(vector_at<Real>(p, at), points(at + 3, d, d_rate)) - function.acceleration;
            break;
        case ElementKind::dot_1:
            if (is_among(kinds, ElementKind::dot_1)) {
                const auto a = vector_at<Real>(p, at), b = vector_at<Real>(p, at + 3);
                bias[0] = dot(bodies.centripetal(i, a), bodies.to_world(j, b)) +
                          two * dot(bodies.turning(i, a), bodies.turning(j, b)) +
                          dot(bodies.to_world(i, a), bodies.centripetal(j, b)) - function.acceleration;
            }
            break;
        case ElementKind::dot_2:
            if (is_among(kinds, ElementKind::dot_2)) {
                const auto a = vector_at<Real>(p, at);
                const Vec<3, Real> d_bias = points(at + 3, d, d_rate);
                bias[0] = dot(bodies.centripetal(i, a), d) + two * dot(bodies.turning(i, a), d_rate) +
                          dot(bodies.to_world(i, a), d_bias) - function.acceleration;
            }
            break;
        case ElementKind::distance:
            if (is_among(kinds, ElementKind::distance)) {
                const Vec<3, Real> d_bias = points(at, d, d_rate);
                const Real length = sqrt(dot(d, d)), rate = dot(d, d_rate) / length;
                bias[0] = (dot(d, d_bias) + dot(d_rate, d_rate) - rate * rate) / length - function.acceleration;
            }
            break;
        case ElementKind::driven_angle:
            if (is_among(kinds, ElementKind::driven_angle)) {
                const auto reference = vector_at<Real>(p, at), normal = vector_at<Real>(p, at + 3),
                           b = vector_at<Real>(p, at + 6);
                const SineCosine<Real> f = sincos(function.value);
                const Vec<3, Real> a = fma(f.cosine, normal, -f.sine * reference);
                const Vec<3, Real> across = fma(f.sine, normal, f.cosine * reference);  // -da/df
                const Vec<3, Real> a_rate = -function.rate * across;
                const Vec<3, Real> a_second = -(function.rate * function.rate) * a - function.acceleration * across;
                const Vec<3, Real> a_world_rate = bodies.to_world(i, a_rate) + bodies.turning(i, a);
                const Vec<3, Real> a_world_second =
                    bodies.to_world(i, a_second) + two * bodies.turning(i, a_rate) + bodies.centripetal(i, a);
                bias[0] = dot(a_world_second, bodies.to_world(j, b)) + two * dot(a_world_rate, bodies.turning(j, b)) +
                          dot(bodies.to_world(i, a), bodies.centripetal(j, b));
            }
            break;
        default:
            break;
    }
    return bias;
}

// Of the line whose length is the element, a distance.
template <class Real, class Parameters, class Bodies>
MYRIAD_HD Real line_component(const Element& e, const Parameters& p, const Bodies& bodies, const Channel& channel) {
    const auto s_i = vector_at<Real>(p, e.parameter), s_j = vector_at<Real>(p, e.parameter + 3);
    const Vec<3, Real> line = channel.kind == ChannelKind::element_line
                                  ? bodies.point(e.body[1], s_j) - bodies.point(e.body[0], s_i)
                                  : bodies.point_velocity(e.body[1], s_j) - bodies.point_velocity(e.body[0], s_i);
    return line[channel.b] + Real(0.0);
}

}  // namespace myriad::inline MYRIAD_VARIANT
