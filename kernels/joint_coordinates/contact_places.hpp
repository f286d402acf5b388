// The contacts of a mechanism in joint coordinates: gaps and directions as in body coordinates, and the gradient of
// their velocities in the rates of the tree.
//
//   u = W^T v    of row r: the wrench of a unit load on its two links, walked inward to the last link that both hang on
//   load on link l, about its origin in its axes:  f = R_l^T (+-e),  t = R_b t_b + c x f
//
//   limit    g = +-(q - p),  u = +-v_j: the row has one entry, and no load on a link
//   friction u = v_j of a joint's dry friction, the same; its rows stand behind those of all contacts
//
// e, t_b: direction (world) and turn (body axes) of kernels/mechanism/contacts.hpp; R_b: body to link axes, c: the
// body's centre of mass in the link. SI units. Not handled: loads on the way inward, which both sides share.
#pragma once
#include "kernels/joint_coordinates/equations.hpp"
#include "kernels/mechanism/contacts.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// g' = sign v_j
template <class Real>
MYRIAD_HD Real limit_sign(const Contact& contact) {
    return contact.kind == ContactKind::lower_limit ? Real(1.0) : Real(-1.0);
}
template <class Real, class T, class Parameters>
MYRIAD_HD Real limit_gap(const T& topology, const Contact& limit, const JointConfiguration<Real, T>& q,
                         const Parameters& p) {
    const Real value = coordinate(q, topology.freedom_of_element(limit.element));
    return limit_sign<Real>(limit) * (value - Real(p[limit.parameter]));
}

template <class R, class T>
struct JointContactPlaces {
    using Real = R;
    static constexpr int capacity = T::most_contacts, directions = contact_directions,
                         rows = capacity * directions + T::most_set_frictions;
    T topology;
    ContactPlace<Real> of[capacity];
    bool is_seen[capacity];                  // as in body coordinates
    Real gradient[rows * T::most_freedoms];  // W^T, row by row, as long as the tree has freedoms

    MYRIAD_HD Real* gradient_of(int row) { return gradient + row * topology.freedoms(); }
    MYRIAD_HD const Real* gradient_of(int row) const { return gradient + row * topology.freedoms(); }

    template <class Sees>
    MYRIAD_HD void see(const Sees& sees) {
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) is_seen[c] = sees(c);
    }
    // The gaps, from the coordinates and the frames of the links in the world.
    template <class Equations, class Configuration>
    MYRIAD_NOINLINE void find_gaps(const Equations& equations, const Configuration& q,
                                   const Bodies<Real, T::most_links>& frames) {
        topology = equations.topology;
        Bodies<Real, T::most_bodies> bodies;
        see([](int) MYRIAD_INLINE { return true; });
        pose_bodies(equations, frames, bodies);
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) {
            const Contact& contact = topology.contact(c);
            of[c].gap = is_limit(contact.kind) ? limit_gap(topology, contact, q, equations.p)
                                               : contact_axis(contact, bodies, equations.p).gap;
        }
        see([](int) MYRIAD_INLINE { return false; });
    }
    template <class Equations, class Configuration>
    MYRIAD_HD void find(const Equations& equations, const Configuration& q, const TreePlaces<Real, T>& places,
                        const Bodies<Real, T::most_links>& frames) {
        find_gaps(equations, q, frames);
        see([](int) MYRIAD_INLINE { return true; });
        find_directions(equations, places, frames);
    }
    // Directions and gradient of the seen contacts, by the places of the links.
    template <class Equations>
    MYRIAD_NOINLINE void find_directions(const Equations& equations, const TreePlaces<Real, T>& places,
                                         const Bodies<Real, T::most_links>& frames) {
        Bodies<Real, T::most_bodies> bodies;
        pose_bodies(equations, frames, bodies);
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) {
            const Contact& contact = topology.contact(c);
            if (!is_seen[c]) continue;
            if (!is_limit(contact.kind)) of[c] = contact_place(contact, bodies, equations.p);
            const int common = common_link(contact);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < directions; ++k) {
                Real* const along = gradient_of(c * directions + k);
                MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) along[i] = Real(0.0);
                if (k > contact.tangents) continue;
                if (k == 0 && is_limit(contact.kind))
                    along[topology.freedom_of_element(contact.element)] = limit_sign<Real>(contact);
                MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                    if (contact.body[side] < 0) continue;
                    const int l = topology.link_of_body(contact.body[side]);
                    equations.add_components(l, common, unit_load(c, k, side, equations, frames), places, along);
                }
            }
        }
        MYRIAD_UNROLL_PLAN for (int f = 0; f < topology.set_frictions(); ++f) {
            Real* const along = gradient_of(topology.contacts() * directions + f);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) along[i] = Real(0.0);
            along[topology.friction(f).freedom] = Real(1.0);
        }
    }
    MYRIAD_HD Real velocity(int row, const TreeRates<Real, T>& v) const {
        if (row < topology.contacts() * directions && !is_seen[row / directions]) return Real(0.0);
        const Real* const along = gradient_of(row);
        Real u(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) u = fma(along[i], v[i], u);
        return u;
    }
    // The same; it is zero where it is no more than the round-off of its sum.
    MYRIAD_HD Real velocity_beyond_noise(int row, const TreeRates<Real, T>& v) const {
        const Real* const along = gradient_of(row);
        Real size(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) size = size + absolute(along[i] * v[i]);
        const Real u = velocity(row, v);
        return select(absolute(u) <= constant<Real>(1e-14, 1e-6) * size, Real(0.0), u);
    }
    // Adds l to the forces of the freedoms.
    MYRIAD_HD void add_load(int row, Real l, Real* forces) const {
        const Real* const along = gradient_of(row);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) forces[i] = fma(l, along[i], forces[i]);
    }
    // The loads on links, about their origins in their axes.
    template <class Equations, class Loads>
    MYRIAD_NOINLINE void load_links(const Equations& equations, const Bodies<Real, T::most_links>& frames,
                                    const Loads& loads, Screw<Real>* on_links) const {
        const Vec<3, Real> none{Real(0.0), Real(0.0), Real(0.0)};
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) on_links[l] = {none, none};
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c)
            MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = topology.contact(c).body[side];
            if (b < 0) continue;
            Screw<Real>& load = on_links[topology.link_of_body(b)];
            MYRIAD_UNROLL for (int k = 0; k < directions; ++k) load =
                fma(loads[c * directions + k], unit_load(c, k, side, equations, frames), load);
        }
    }

  private:
    // The poses of the bodies that a seen contact is on.
    template <class Equations>
    MYRIAD_HD void pose_bodies(const Equations& equations, const Bodies<Real, T::most_links>& frames,
                               Bodies<Real, T::most_bodies>& bodies) const {
        bool is_wanted[T::most_bodies] = {};
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) {
            const Contact& contact = topology.contact(c);
            if (is_limit(contact.kind) || !is_seen[c]) continue;
            MYRIAD_UNROLL for (int side = 0; side < 2; ++side) if (contact.body[side] >= 0)
                is_wanted[contact.body[side]] = true;
        }
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            if (!is_wanted[b]) continue;
            const int l = topology.link_of_body(b);
            const Place<Real>& frame = frames.of[l];
            bodies.of[b].matrix = frame.matrix * equations.links().body_axes(l);
            bodies.of[b].position = frame.position + frame.matrix * equations.links().centre(l);
        }
    }
    // The last link on both ways to the ground; parents have smaller numbers. -1: the ground.
    MYRIAD_HD int common_link(const Contact& contact) const {
        int a = contact.body[0] < 0 ? -1 : topology.link_of_body(contact.body[0]),
            b = contact.body[1] < 0 ? -1 : topology.link_of_body(contact.body[1]);
        while (a != b) {
            if (a > b)
                a = topology.link(a).parent;
            else
                b = topology.link(b).parent;
        }
        return a;
    }
    template <class Equations>
    MYRIAD_HD Screw<Real> unit_load(int c, int k, int side, const Equations& equations,
                                    const Bodies<Real, T::most_links>& frames) const {
        const auto links = equations.links();
        const int l = topology.link_of_body(topology.contact(c).body[side]);
        const Vec<3, Real> e = frames.to_body(l, of[c].direction[k]), force = side == 0 ? -e : e;
        return {add_cross(links.centre(l), force, links.body_axes(l) * of[c].turn[side][k]), force};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
