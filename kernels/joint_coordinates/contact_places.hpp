// The contacts of a mechanism in joint coordinates: gaps and directions as in body coordinates, and the gradient of
// their velocities in the rates of the tree.
//
//   u = W^T v    row r: e . (rates of the point p where the bodies touch), of each freedom between the two bodies
//   rates of p   turning about z: z x (p - o);  an orientation: the same about all axes of its link;  a slide: its axis
//   load on link l, about its origin o in its axes:  f = R_l^T (+-e),  t = R_l^T (p - o) x f
//
//   limit    g = +-(q - p),  u = +-v_j: the row has one entry, and no load on a link
//   friction u = v_j of a joint's dry friction, the same; its rows stand behind those of all contacts
//
// e, p: direction and touching point, world (kernels/mechanism/contacts.hpp). SI units. Not handled: loads on the way
// inward, which both sides share.
#pragma once
#include "kernels/joint_coordinates/equations.hpp"
#include "kernels/mechanism/contacts.hpp"
#include "kernels/system/entries.hpp"

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

template <class Real>
struct JointContactPlace {
    Real gap;
    Vec<3, Real> direction[contact_directions], touching;  // e; p: world
    Vec<3, Real> apart;                                    // as in body coordinates
};

template <class R, class T>
struct JointContactPlaces {
    using Real = R;
    // With room for both ends of limits, only directions that exist have a row in memory: the stack must not grow.
    static constexpr bool leaves_out_rows = T::most_contacts > most_counted_contacts;
    static constexpr int capacity = T::most_contacts, directions = contact_directions,
                         rows = leaves_out_rows ? T::most_contact_rows : capacity * directions + T::most_set_frictions;
    T topology;
    JointContactPlace<Real> of[capacity];
    bool is_seen[capacity];                               // as in body coordinates
    Real gradient[rows * T::most_freedoms];               // W^T, row by row, as long as the tree has freedoms
    short first_row[leaves_out_rows ? capacity + 1 : 1];  // of a contact, and of the frictions, where rows are left out

    MYRIAD_HD Real gap(int c) const { return of[c].gap; }
    MYRIAD_HD Real* gradient_of(int row) { return gradient + place_of(row) * topology.freedoms(); }
    MYRIAD_HD const Real* gradient_of(int row) const { return gradient + place_of(row) * topology.freedoms(); }

    MYRIAD_HD Real gradient_at(int row, int freedom) const {
        return is_in_memory(row) ? gradient_of(row)[freedom] : Real(0.0);
    }

    template <class Sees>
    MYRIAD_HD void see(const Sees& sees) {
        MYRIAD_EACH(c, topology, contacts) is_seen[c] = sees(c);
    }
    // The gaps, from the coordinates and the frames of the links in the world.
    template <class Equations, class Configuration>
    MYRIAD_NOINLINE void find_gaps(const Equations& equations, const Configuration& q,
                                   const Bodies<Real, T::most_links>& frames) {
        topology = equations.topology;
        find_rows();
        Bodies<Real, T::most_bodies> bodies;
        see([](int) MYRIAD_INLINE { return true; });
        pose_bodies(equations, frames, bodies);
        MYRIAD_EACH(c, topology, contacts) {
            const Contact& contact = topology.contact(c);
            if (is_limit(contact.kind)) {
                of[c].gap = limit_gap(topology, contact, q, equations.p);
                continue;
            }
            const ContactAxis<Real> axis = contact_axis(contact, bodies, equations.p);
            of[c].gap = axis.gap;
            if (is_round(contact.kind)) of[c].apart = axis.apart;
        }
        see([](int) MYRIAD_INLINE { return false; });
    }
    template <class Equations, class Configuration>
    MYRIAD_HD void find(const Equations& equations, const Configuration& q, const Bodies<Real, T::most_links>& frames) {
        find_gaps(equations, q, frames);
        see([](int) MYRIAD_INLINE { return true; });
        find_directions(equations, frames);
    }
    // Directions and gradient of the seen contacts, by the frames of the links.
    template <class Equations>
    MYRIAD_NOINLINE void find_directions(const Equations& equations, const Bodies<Real, T::most_links>& frames) {
        Bodies<Real, T::most_bodies> bodies;
        pose_bodies(equations, frames, bodies);
        MYRIAD_EACH(c, topology, contacts) {
            if (!is_seen[c]) continue;
            const Contact& contact = topology.contact(c);
            Real* const along = gradient_of(c * directions);
            const int in_memory = leaves_out_rows ? 1 + contact.tangents : directions;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < in_memory * topology.freedoms(); ++i) along[i] = Real(0.0);
            if (is_limit(contact.kind)) {
                along[topology.freedom_of_element(contact.element)] = limit_sign<Real>(contact);
                continue;
            }
            const ContactAxis<Real> axis = contact_axis(contact, bodies, equations.p);
            of[c].gap = axis.gap, of[c].touching = axis.touching;
            set_directions(contact, bodies, equations.p, axis.normal, of[c].direction);
            const int common = topology.common_link_of_contact(c);
            MYRIAD_UNROLL for (int side = 0; side < 2; ++side) if (contact.body[side] >= 0)
                add_side(contact, of[c], topology.link_of_body(contact.body[side]), common,
                         Real(side == 0 ? -1.0 : 1.0), equations, frames, along);
        }
        MYRIAD_EACH(f, topology, set_frictions) {
            Real* const along = gradient_of(topology.contacts() * directions + f);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) along[i] = Real(0.0);
            along[topology.friction(f).freedom] = Real(1.0);
        }
    }
    MYRIAD_HD Real velocity(int row, const TreeRates<Real, T>& v) const {
        if (!has_gradient(row)) return Real(0.0);
        const Real* const along = gradient_of(row);
        Real u(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) u = fma(along[i], v[i], u);
        return u;
    }
    // The same; it is zero where it is no more than the round-off of its sum.
    MYRIAD_HD Real velocity_beyond_noise(int row, const TreeRates<Real, T>& v) const {
        if (!is_in_memory(row)) return Real(0.0);
        const Real* const along = gradient_of(row);
        Real size(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) size = size + absolute(along[i] * v[i]);
        const Real u = velocity(row, v);
        return select(absolute(u) <= constant<Real>(1e-14, 1e-6) * size, Real(0.0), u);
    }
    // Adds l to the forces of the freedoms, in the lanes where it `acts`. A contact that is not seen carries none.
    MYRIAD_HD void add_load(int row, MaskOf<Real> acts, Real l, Real* forces) const {
        if (!has_gradient(row)) return;
        const Real* const along = gradient_of(row);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) forces[i] =
            select(acts, fma(l, along[i], forces[i]), forces[i]);
    }
    // The loads on links, about their origins in their axes.
    template <class Loads>
    MYRIAD_NOINLINE void load_links(const Bodies<Real, T::most_links>& frames, const Loads& loads,
                                    Screw<Real>* on_links) const {
        const Vec<3, Real> none{Real(0.0), Real(0.0), Real(0.0)};
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) on_links[l] = {none, none};
        MYRIAD_EACH(c, topology, contacts) MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                const int b = topology.contact(c).body[side];
                if (b < 0) continue;
                Screw<Real>& load = on_links[topology.link_of_body(b)];
                MYRIAD_UNROLL for (int k = 0; k < directions; ++k) load =
                    fma(loads[c * directions + k], unit_load(c, k, side, frames), load);
            }
    }

  private:
    MYRIAD_HD void find_rows() {
        if constexpr (leaves_out_rows) {
            int rows_before = 0;
            MYRIAD_EACH(c, topology, contacts) {
                first_row[c] = static_cast<short>(rows_before);
                rows_before += 1 + topology.contact(c).tangents;
            }
            first_row[topology.contacts()] = static_cast<short>(rows_before);
        }
    }
    MYRIAD_HD int place_of(int row) const {
        if constexpr (!leaves_out_rows) return row;
        const int contacts = topology.contacts(), c = row / directions < contacts ? row / directions : contacts;
        return first_row[leaves_out_rows ? c : 0] + row - c * directions;
    }
    MYRIAD_HD bool is_in_memory(int row) const {
        const int c = row / directions;
        return !leaves_out_rows || c >= topology.contacts() || row - c * directions <= topology.contact(c).tangents;
    }
    MYRIAD_HD bool has_gradient(int row) const {
        if (!is_in_memory(row)) return false;
        return row >= topology.contacts() * directions || is_seen[row / directions];
    }
    // The poses of the bodies that a seen contact is on.
    template <class Equations>
    MYRIAD_HD void pose_bodies(const Equations& equations, const Bodies<Real, T::most_links>& frames,
                               Bodies<Real, T::most_bodies>& bodies) const {
        bool is_wanted[T::most_bodies] = {};
        MYRIAD_EACH(c, topology, contacts) {
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
    // The rates of the touching point, on the body of link `outer`, along the directions: of each freedom up to
    // `common`.
    template <class Equations>
    MYRIAD_HD void add_side(const Contact& contact, const JointContactPlace<Real>& place, int outer, int common,
                            Real sign, const Equations& equations, const Bodies<Real, T::most_links>& frames,
                            Real* along) const {
        MYRIAD_UNROLL_PLAN for (int l = outer; l != common; l = topology.link(l).parent) {
            const TreeLink& link = topology.link(l);
            const Place<Real>& frame = frames.of[l];
            if (link.slides > 0) {
                const auto links = equations.links();
                const Mat3<Real> joint_axes =
                    link.parent >= 0 ? links.on_parent(l, frames.of[link.parent].matrix) : links.axes(l);
                MYRIAD_UNROLL_PLAN for (int i = 0; i < link.slides; ++i) add_rate(
                    contact, place, sign * column_of(joint_axes, link.first_axis + i), link.freedom + i, along);
            }
            const int freedom = link.freedom + link.slides;
            const Vec<3, Real> arm = place.touching - frame.position;
            if (link.turning == TreeTurning::about_z)
                add_rate(contact, place, sign * cross(column_of(frame.matrix, 2), arm), freedom, along);
            if (link.turning == TreeTurning::any)
                MYRIAD_UNROLL for (int i = 0; i < 3; ++i)
                    add_rate(contact, place, sign * cross(column_of(frame.matrix, i), arm), freedom + i, along);
        }
    }
    MYRIAD_HD void add_rate(const Contact& contact, const JointContactPlace<Real>& place, const Vec<3, Real>& rate,
                            int freedom, Real* along) const {
        MYRIAD_UNROLL_PLAN for (int k = 0; k <= contact.tangents; ++k) {
            Real& entry = along[k * topology.freedoms() + freedom];
            entry = entry + dot(place.direction[k], rate);
        }
    }
    MYRIAD_HD Screw<Real> unit_load(int c, int k, int side, const Bodies<Real, T::most_links>& frames) const {
        const int l = topology.link_of_body(topology.contact(c).body[side]);
        const Vec<3, Real> e = frames.to_body(l, of[c].direction[k]), force = side == 0 ? -e : e;
        return {cross(frames.to_body(l, of[c].touching - frames.of[l].position), force), force};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
