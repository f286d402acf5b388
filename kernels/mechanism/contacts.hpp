// A contact of a mechanism at one pose: gap, directions, and velocities along them (table in topology.hpp).
//
//   d = (r_j + R_j s_j) - (r_i + R_i s_i)                 world; R: body to world
//   sphere_plane    n = R_i n_i,  g = n . d - r_j + c/2,         p = r_j + R_j s_j - r_j n,   tangents R_i t, n x R_i t
//   sphere_sphere   n = d/|d|,    g = |d| - r_i - r_j + c/2,     p = r_i + R_i s_i + r_i n,   tangents across n
//   sphere_capsule  the same with s_i + x (e_i - s_i) instead of s_i, 0 <= x <= 1, which is nearest to the sphere
//   u = e . (v_j - v_i) + t_j . w_j + t_i . w_i           e: normal or tangent, world; w: body frames
//   t_j = R_j^T ((p - r_j) x e),  t_i = -R_i^T ((p - r_i) x e)
//
// so that u of the normal is g' and a positive normal impulse opens the gap. p is the point where the bodies touch.
// Source: nonsmooth sect. 2.1 (W_N = dg/dq). Not handled: spheres with one centre (not finite), edges, curved pairs
// other than spheres; limits, which joint coordinates alone know (kernels/joint_coordinates/contact_places.hpp).
#pragma once
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/contact/passing.hpp"
#include "kernels/mechanism/equations.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct ContactPlace {
    Real gap;
    Vec<3, Real> apart;                          // of round surfaces alone: ContactAxis
    Vec<3, Real> direction[contact_directions];  // e, world
    Vec<3, Real> turn[2][contact_directions];    // t of bodies i and j, m
};

// Two directions across the unit vector n and across each other, right-handed with it: n turned into the z axis, or
// into -z where it points down (Duff et al., Building an orthonormal basis, revisited, 2017).
template <class Real>
MYRIAD_HD void directions_across(Vec<3, Real> n, Vec<3, Real>& first, Vec<3, Real>& second) {
    const Real one(1.0), sign = select(n[2] < Real(0.0), -one, one), a = -one / (sign + n[2]), b = n[0] * n[1] * a;
    first = {fma(sign * n[0], n[0] * a, one), sign * b, -(sign * n[0])};
    second = {b, fma(n[1], n[1] * a, sign), -n[1]};
}

template <class Real, class Parameters>
MYRIAD_HD Real contact_length(const Parameters& p, int offset) {
    return offset < 0 ? Real(0.0) : p[offset];
}

template <class Real, class Parameters>
MYRIAD_HD ContactLaw<Real> contact_law(const Contact& contact, const Parameters& p) {
    return {p[contact.law], p[contact.law + 1], p[contact.law + 2]};
}

// A point of the world in the frame of body i.
template <class Real, int capacity>
MYRIAD_HD Vec<3, Real> to_frame_of(int i, const Bodies<Real, capacity>& bodies, Vec<3, Real> point) {
    return i < 0 ? point : bodies.to_body(i, point - bodies.of[i].position);
}

template <class Real>
MYRIAD_HD Vec<3, Real> nearest_on_segment(Vec<3, Real> begin, Vec<3, Real> end, Vec<3, Real> point) {
    const Real zero(0.0), one(1.0);
    const Vec<3, Real> way = end - begin;
    const Real square = dot(way, way), along = dot(way, point - begin);
    // A segment without length is a point.
    const Real share = select(zero < square, along / square, zero);
    const Real kept = select(share <= zero, zero, select(one <= share, one, share));
    return fma(kept, way, begin);
}

// How two surfaces face each other, world.
template <class Real>
struct ContactAxis {
    Real gap;
    Vec<3, Real> normal, touching;  // touching: the point p
    Vec<3, Real> apart;  // of spheres d, world; of a capsule the sphere's centre from s_i, in the axes of body i
};
template <class Real, int capacity, class Parameters>
MYRIAD_HD ContactAxis<Real> contact_axis(const Contact& contact, const Bodies<Real, capacity>& bodies,
                                         const Parameters& p) {
    const int i = contact.body[0], j = contact.body[1], at = contact.parameter;
    const bool has_plane = contact.kind == ContactKind::sphere_plane;
    const Vec<3, Real> s_j = vector_at<Real>(p, at + (has_plane ? 9 : 3)), to = bodies.point(j, s_j);
    const bool has_segment = contact.kind == ContactKind::sphere_capsule;
    const Vec<3, Real> begin = vector_at<Real>(p, at), centre = has_segment ? to_frame_of(i, bodies, to) : begin,
                       s_i = has_segment ? nearest_on_segment(begin, vector_at<Real>(p, at + 6), centre) : begin,
                       from = bodies.point(i, s_i), d = to - from, apart = has_segment ? centre - begin : d;
    const Real radius_i = contact_length<Real>(p, contact.radius[0]),
               radius_j = contact_length<Real>(p, contact.radius[1]),
               half_play = Real(0.5) * contact_length<Real>(p, contact.play);
    if (has_plane) {
        const Vec<3, Real> n = bodies.to_world(i, vector_at<Real>(p, at + 3));
        return {dot(n, d) - radius_j + half_play, n, fma(-radius_j, n, to), apart};
    }
    const Real length = sqrt(dot(d, d));
    const Vec<3, Real> n = (Real(1.0) / length) * d;
    return {length - radius_i - radius_j + half_play, n, fma(radius_i, n, from), apart};
}
// `from`, `to`: what is apart at two poses.
template <class Real, class Parameters>
MYRIAD_HD Passing<Real> contact_passing(const Contact& contact, const Parameters& p, Vec<3, Real> from,
                                        Vec<3, Real> to) {
    const Real radius = contact_length<Real>(p, contact.radius[0]) + contact_length<Real>(p, contact.radius[1]);
    if (contact.kind == ContactKind::sphere_capsule) {
        const Vec<3, Real> axis = vector_at<Real>(p, contact.parameter + 6) - vector_at<Real>(p, contact.parameter),
                           nearest = nearest_to_way(axis, from, to);
        from = from - nearest, to = to - nearest;
    }
    return passing(from, to, radius);
}
// Normal and tangents.
template <class Real, int capacity, class Parameters>
MYRIAD_HD void set_directions(const Contact& contact, const Bodies<Real, capacity>& bodies, const Parameters& p,
                              const Vec<3, Real>& normal, Vec<3, Real> (&direction)[contact_directions]) {
    direction[0] = normal;
    if (contact.kind == ContactKind::sphere_plane) {
        direction[1] = bodies.to_world(contact.body[0], vector_at<Real>(p, contact.parameter + 6));
        direction[2] = cross(normal, direction[1]);
    } else {
        directions_across(normal, direction[1], direction[2]);
    }
}
template <class Real, int capacity, class Parameters>
MYRIAD_HD ContactPlace<Real> contact_place(const Contact& contact, const Bodies<Real, capacity>& bodies,
                                           const Parameters& p) {
    const ContactAxis<Real> axis = contact_axis(contact, bodies, p);
    ContactPlace<Real> place;
    place.gap = axis.gap, place.apart = axis.apart;
    set_directions(contact, bodies, p, axis.normal, place.direction);
    MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
        const int b = contact.body[side];
        if (b < 0) continue;
        const Vec<3, Real> lever = bodies.to_body(b, axis.touching - bodies.of[b].position);
        MYRIAD_UNROLL for (int k = 0; k < contact_directions; ++k) {
            const Vec<3, Real> e = bodies.to_body(b, place.direction[k]);
            place.turn[side][k] = side == 0 ? cross(e, lever) : cross(lever, e);
        }
    }
    return place;
}

// u of direction k from velocities, accelerations or increments of the bodies: `linear(b)` world, `turning(b)` body
template <class Real, class Linear, class Turning>
MYRIAD_HD Real along_contact(const Contact& contact, const ContactPlace<Real>& place, int k, const Linear& linear,
                             const Turning& turning) {
    const int i = contact.body[0], j = contact.body[1];
    Real u(0.0);
    if (i >= 0) u = dot(place.turn[0][k], turning(i)) - dot(place.direction[k], linear(i));
    if (j >= 0) u = u + (dot(place.turn[1][k], turning(j)) + dot(place.direction[k], linear(j)));
    return u;
}

// The sum of the forces, or impulses, of contacts first .. last - 1 on their bodies j in the world, with the directions
// of this pose. `loads(row)`: of all contacts.
template <class Topology, class Real, int capacity, class Parameters, class Loads>
MYRIAD_HD Vec<3, Real> contact_vector(const Topology& topology, const Bodies<Real, capacity>& bodies,
                                      const Parameters& p, int first, int last, const Loads& loads) {
    Vec<3, Real> sum{Real(0.0), Real(0.0), Real(0.0)};
    for (int c = first; c < last; ++c) {
        const ContactPlace<Real> place = contact_place(topology.contact(c), bodies, p);
        MYRIAD_UNROLL for (int k = 0; k < contact_directions; ++k) sum =
            fma(loads(c * contact_directions + k), place.direction[k], sum);
    }
    return sum;
}

// The reason why the coefficients, radii, plays and ends of a contact cannot be, and a warning for laws by which an
// impact may gain energy.
template <class Topology, class Parameters, class Real>
MYRIAD_HD void check_contacts(const Topology& topology, const Parameters& p, Real& reason, Real& warnings) {
    const Real zero(0.0);
    MaskOf<Real> gains = !true_mask<Real>();
    MYRIAD_EACH(c, topology, contacts) {
        const Contact& contact = topology.contact(c);
        check_contact_law(contact_law<Real>(contact, p), reason, gains);
        if (c > 0 && contact.kind == ContactKind::upper_limit) {
            const Contact& other = topology.contact(c - 1);
            if (other.kind == ContactKind::lower_limit && other.element == contact.element)
                reason = reason_unless(Real(p[other.parameter]) <= Real(p[contact.parameter]),
                                       Reason::contact_law_invalid, reason);
        }
        const int lengths[] = {contact.radius[0], contact.radius[1], contact.play};
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) reason =
            reason_unless(zero <= contact_length<Real>(p, lengths[i]), Reason::length_not_positive, reason);
    }
    warnings = warnings + select(gains, Real(static_cast<double>(Warning::impacts_may_gain_energy)), zero);
}

}  // namespace myriad::inline MYRIAD_VARIANT
