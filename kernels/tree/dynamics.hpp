// The equations of motion of a tree of joints: the forces that a motion takes, and the mass matrix.
//
//   inverse dynamics   r = M(q) v' + h(q, v): per link about its origin, link frame,
//                      f = m a + w' x h + w x (w x h),   t = J w' + w x J w + h x a,
//                      less the load on it; then inward, f_parent += E R_J f, t_parent += E (R_J t + r x R_J f). The
//                      sums are the wrench with which the parent moves the link through its joint: its components along
//                      the freedoms are r, all of them the reaction. Featherstone 2008, sect. 5.3.
//   composite bodies   M(i, j): the wrench that moves the links outboard of freedom i, fixed together, by a unit of it,
//                      along freedom j. Featherstone 2008, sect. 6.2.
//   gyroscopic block   the derivative of the moment of those links, fixed together, by the rate w_J of an orientation,
//                      D = w~ J - (J w)~ + J (w - w_J)~
//
// Forces and moments: N, N m; a force of a freedom is N along a slide and N m about a turn. Gravity: an acceleration of
// the ground (motion.hpp). Not handled: rows that close loops, which add their wrench to the loads; springs and drivers
// of freedoms, which add to r and to the diagonal.
#pragma once
#include "kernels/math/spatial.hpp"
#include "kernels/tree/elimination.hpp"
#include "kernels/tree/motion.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The wrench that moves a link as if it were alone, about its origin, link frame.
template <class Real>
MYRIAD_HD Screw<Real> wrench_of(const LinkMass<Real>& body, const LinkMotion<Real>& by) {
    const Vec<3, Real> w = by.angular_velocity, d = by.angular_acceleration, a = by.acceleration;
    return {add_cross(w, body.inertia * w, add_cross(body.first, a, body.inertia * d)),
            add_cross(w, cross(w, body.first), add_cross(d, body.first, body.mass * a))};
}
// The same where w and w' are along z.
template <class Real>
MYRIAD_HD Screw<Real> wrench_about_z(const LinkMass<Real>& body, const LinkMotion<Real>& by) {
    const Real w = by.angular_velocity[2], d = by.angular_acceleration[2];
    const Vec<3, Real>&a = by.acceleration, &h = body.first;
    const Symmetric3<Real>& j = body.inertia;
    const Vec<3, Real> moment = add_cross(h, a, Vec<3, Real>{j.xz * d, j.yz * d, j.zz * d}), force = body.mass * a;
    return {{fma(-w, j.yz * w, moment[0]), fma(w, j.xz * w, moment[1]), moment[2]},
            {fma(-w, w * h[0], fma(-d, h[1], force[0])), fma(-w, w * h[1], fma(d, h[0], force[1])), force[2]}};
}

// A wrench about the link's origin in its own axes becomes that about the parent's origin in the parent's axes;
// `at_joint` is the one about the link's origin in joint axes, whose components along the slides are their forces.
template <class Real, class T, class P>
MYRIAD_HD Screw<Real> to_joint(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                               const Screw<Real>& wrench) {
    const TreeTurning turning = links.topology.link(l).turning;
    return {to_joint(turning, places.turn[l], wrench.angular), to_joint(turning, places.turn[l], wrench.linear)};
}
template <class Real, class T, class P>
MYRIAD_HD Screw<Real> to_parent(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                const Screw<Real>& at_joint) {
    return {links.to_parent(l, add_cross(places.arm[l], at_joint.linear, at_joint.angular)),
            links.to_parent(l, at_joint.linear)};
}

// The wrenches that move the links less the loads on them, which `wrenches` holds when it is called; `loaded`: there
// are any.
template <class Real, class T, class P>
MYRIAD_NOINLINE void take_motions(const TreeLinks<Real, T, P>& links, const LinkMotion<Real>* motions, bool loaded,
                                  Screw<Real>* wrenches) {
    MYRIAD_UNROLL_PLAN for (int l = 0; l < links.topology.links(); ++l) {
        const TreeLink& link = links.topology.link(l);
        const bool is_about_z = link.parent < 0 && link.turning == TreeTurning::about_z;
        const Screw<Real> moving =
            is_about_z ? wrench_about_z(links.mass(l), motions[l]) : wrench_of(links.mass(l), motions[l]);
        wrenches[l] =
            loaded ? Screw<Real>{moving.angular - wrenches[l].angular, moving.linear - wrenches[l].linear} : moving;
    }
}

// r, and in `wrenches`, which holds those of `take_motions` when it is called, what the parent does to each link
// through its joint: about the joint point, link frame, loads and weight taken in.
template <class Real, class T, class P>
MYRIAD_NOINLINE void inverse_dynamics(const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                      Screw<Real>* wrenches, TreeRates<Real, T>& forces) {
    const T tree = links.topology;
    const Real zero(0.0);
    forces.fit(tree);
    MYRIAD_UNROLL_PLAN for (int l = tree.links() - 1; l >= 0; --l) {
        const TreeLink& link = tree.link(l);
        const int freedom = link.freedom + link.slides;
        const Screw<Real> wrench = wrenches[l];
        if (link.turning == TreeTurning::about_z) forces[freedom] = wrench.angular[2] + zero;
        if (link.turning == TreeTurning::any)
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) forces[freedom + k] = wrench.angular[k] + zero;
        if (link.slides == 0 && link.parent < 0) continue;
        const Screw<Real> at_joint = to_joint(l, links, places, wrench);
        each_slide(
            link, [&](int i) MYRIAD_INLINE { forces[link.freedom + i] = at_joint.linear[link.first_axis + i] + zero; });
        if (link.parent >= 0) wrenches[link.parent] = wrenches[link.parent] + to_parent(l, links, places, at_joint);
    }
}

// A mass about the origin of a link's frame, in its axes, as one about the parent's origin in the parent's axes. About
// a point from which the origin stands at r: h' = h + m r, J' = J + (r . h + r . h') I - (r h'^T + h r^T).
template <class Real, class T, class P>
MYRIAD_HD LinkMass<Real> to_parent(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                   const LinkMass<Real>& mass) {
    const TreeTurning turning = links.topology.link(l).turning;
    const LinkTurn<Real>& turn = places.turn[l];
    Symmetric3<Real> j = mass.inertia;
    if (turning == TreeTurning::about_z) {
        const Real c = turn[0], s = turn[1], cc = c * c, ss = s * s, cs = c * s, twice = Real(2.0) * (cs * j.xy);
        j = {fma(cc, j.xx, fma(ss, j.yy, -twice)),   fma(ss, j.xx, fma(cc, j.yy, twice)), j.zz,
             fma(cs, j.xx - j.yy, (cc - ss) * j.xy), fma(c, j.xz, -(s * j.yz)),           fma(s, j.xz, c * j.yz)};
    } else if (turning == TreeTurning::any) {
        j = turned(matrix_of(rotation_of(turn)), j);
    }
    const Vec<3, Real> h = to_joint(turning, turn, mass.first), r = places.arm[l], moved = fma(mass.mass, r, h);
    const Real both = dot(r, h) + dot(r, moved);
    j.xx = j.xx + (both - fma(r[0], moved[0], h[0] * r[0])), j.yy = j.yy + (both - fma(r[1], moved[1], h[1] * r[1]));
    j.zz = j.zz + (both - fma(r[2], moved[2], h[2] * r[2]));
    j.xy = j.xy - fma(r[0], moved[1], h[0] * r[1]), j.xz = j.xz - fma(r[0], moved[2], h[0] * r[2]);
    j.yz = j.yz - fma(r[1], moved[2], h[1] * r[2]);
    return {mass.mass, links.to_parent(l, moved), links.to_parent(l, j)};
}

template <class Real>
MYRIAD_HD void add(const LinkMass<Real>& more, LinkMass<Real>& sum) {
    Symmetric3<Real>& j = sum.inertia;
    const Symmetric3<Real>& i = more.inertia;
    sum.mass = sum.mass + more.mass, sum.first = sum.first + more.first;
    j.xx = j.xx + i.xx, j.yy = j.yy + i.yy, j.zz = j.zz + i.zz;
    j.xy = j.xy + i.xy, j.xz = j.xz + i.xz, j.yz = j.yz + i.yz;
}

// Row `row` of the matrix from the turn of link l inward, those beyond the diagonal left out: `wrench` as above.
template <class Real, class T>
MYRIAD_HD void store_turns(const TreeLink& link, int row, const Screw<Real>& wrench,
                           SymmetricTreeMatrix<Real, T>& matrix) {
    const int freedom = link.freedom + link.slides;
    const Real zero(0.0);
    if (link.turning == TreeTurning::about_z) matrix.at(row, freedom) = wrench.angular[2] + zero;
    if (link.turning == TreeTurning::any) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            if (freedom + k <= row) matrix.at(row, freedom + k) = wrench.angular[k] + zero;
        }
}
template <class Real, class T>
MYRIAD_HD void store_slides(const TreeLink& link, int row, const Screw<Real>& at_joint,
                            SymmetricTreeMatrix<Real, T>& matrix) {
    MYRIAD_UNROLL_PLAN for (int i = 0; i < link.slides && link.freedom + i <= row; ++i)
        matrix.at(row, link.freedom + i) = at_joint.linear[link.first_axis + i] + Real(0.0);
}

// The wrench about the link's origin that gives a mass a unit of angular acceleration about an axis of its frame, at
// rest.
template <class Real>
MYRIAD_HD Screw<Real> turning_wrench(const LinkMass<Real>& body, int axis) {
    const Symmetric3<Real>& j = body.inertia;
    const Vec<3, Real>& h = body.first;
    const Real zero(0.0);
    if (axis == 0) return {{j.xx, j.xy, j.xz}, {zero, -h[2], h[1]}};
    if (axis == 1) return {{j.xy, j.yy, j.yz}, {h[2], zero, -h[0]}};
    return {{j.xz, j.yz, j.zz}, {-h[1], h[0], zero}};
}

// Row `row` of the matrix, a freedom of link l, from the wrench that moves it, about the link's origin in joint axes.
template <class Real, class T, class P>
MYRIAD_HD void store_row(int l, int row, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                         Screw<Real> at_joint, SymmetricTreeMatrix<Real, T>& matrix) {
    const T tree = links.topology;
    store_slides(tree.link(l), row, at_joint, matrix);
    MYRIAD_UNROLL_PLAN for (int child = l, p = tree.link(l).parent; p >= 0; child = p, p = tree.link(p).parent) {
        const Screw<Real> wrench = to_parent(child, links, places, at_joint);
        store_turns(tree.link(p), row, wrench, matrix);
        // Nobody reads what follows.
        if (tree.link(p).slides == 0 && tree.link(p).parent < 0) break;
        at_joint = to_joint(p, links, places, wrench);
        store_slides(tree.link(p), row, at_joint, matrix);
    }
}

// M, lower triangle, and in `composites` the mass of each link and of all that hangs on it, fixed together. A composite
// is forgotten once its row and its parent have it.
template <class Real, class T, class P>
MYRIAD_NOINLINE void mass_matrix(const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                 LinkMass<Real>* composites, SymmetricTreeMatrix<Real, T>& matrix) {
    const T tree = links.topology;
    const Real zero(0.0);
    matrix.topology = tree;
    MYRIAD_UNROLL_PLAN for (int l = tree.links() - 1; l >= 0; --l) {
        const TreeLink& link = tree.link(l);
        if (link.last_child < 0) composites[l] = links.mass(l);
        const LinkMass<Real>& body = composites[l];
        const int turn = link.freedom + link.slides;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < link.slides; ++k) {
            Vec<3, Real> axis{zero, zero, zero};
            axis[link.first_axis + k] = Real(1.0);
            store_row(l, link.freedom + k, links, places,
                      {cross(to_joint(link.turning, places.turn[l], body.first), axis), body.mass * axis}, matrix);
        }
        const bool goes_on = link.slides > 0 || link.parent >= 0;
        if (link.turning == TreeTurning::about_z) {
            matrix.at(turn, turn) = body.inertia.zz + zero;
            if (goes_on) store_row(l, turn, links, places, to_joint(l, links, places, turning_wrench(body, 2)), matrix);
        } else if (link.turning == TreeTurning::any) {
            const Mat3<Real> inertia = matrix_of(body.inertia);
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k <= i; ++k) {
                matrix.at(turn + i, turn + k) = inertia.e[i][k] + zero;
            }
            if (goes_on)
                MYRIAD_UNROLL_PLAN for (int k = 0; k < 3; ++k)
                    store_row(l, turn + k, links, places, to_joint(l, links, places, turning_wrench(body, k)), matrix);
        }
        if (link.parent < 0) continue;
        if (tree.link(link.parent).last_child == l) composites[link.parent] = links.mass(link.parent);
        add(to_parent(l, links, places, body), composites[link.parent]);
    }
}

// Adds c times a block of rows and columns of a link's orientation to a matrix whose upper triangle stands (`mirror`).
template <class Real, class T>
MYRIAD_HD void add_block_of_orientation(const TreeLink& link, Real c, const Mat3<Real>& block,
                                        TreeMatrix<Real, T>& matrix) {
    const int freedom = link.freedom + link.slides;
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) {
        Real& entry = j <= i ? matrix.lower[matrix.topology.entry(freedom + i, freedom + j)]
                             : matrix.upper[matrix.topology.entry(freedom + j, freedom + i)];
        entry = fma(c, block.e[i][j], entry);
    }
}

// Adds c_v D of every orientation to a matrix whose upper triangle stands (`mirror`).
template <class Real, class T>
MYRIAD_NOINLINE void add_gyroscopic_blocks(const TreeRates<Real, T>& v, const LinkMass<Real>* composites,
                                           const LinkMotion<Real>* motions, Real c_v, TreeMatrix<Real, T>& matrix) {
    const T tree = matrix.topology;
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        if (link.turning != TreeTurning::any) continue;
        const int freedom = link.freedom + link.slides;
        const Vec<3, Real> w = motions[l].angular_velocity;
        const Symmetric3<Real>& inertia = composites[l].inertia;
        Mat3<Real> block = gyroscopic_damping(inertia, w);
        if (link.parent >= 0) block = fma(Real(1.0), matrix_of(inertia) * skew(w - v.turning(freedom)), block);
        add_block_of_orientation(link, c_v, block, matrix);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
