// The configuration of a tree of joints, a product of slides (R), angles and orientations (SO(3)), and its rates.
//
//   slide         q + u
//   angle         q + u, kept as a value within half a turn beside its whole turns, an exact integer: the angle is
//                 value + 2 pi turns
//   orientation   R exp(u) from child to parent; the rate is the angular velocity relative to the parent in the child's
//                 axes, and u' = T_exp(u)^-1 v (lgim eqs. 24, 25)
//
// Fields and freedoms: topology.hpp. The functions have the meaning that system.hpp gives them. Units: m, rad. Not
// handled: charts of orientation other than the group itself.
#pragma once
#include "kernels/math/fields.hpp"
#include "kernels/tree/topology.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R, class T>
struct TreeConfiguration {
    using Real = R;
    [[no_unique_address]] T topology;
    Real e[T::most_fields];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD Rotation<Real> rotation(int field) const { return {e[field], e[field + 1], e[field + 2], e[field + 3]}; }
    MYRIAD_HD void set_rotation(int field, const Rotation<Real>& q) {
        e[field] = q.w, e[field + 1] = q.x, e[field + 2] = q.y, e[field + 3] = q.z;
    }
    // The angle whose value stands at `field`, over its whole turns, rad
    MYRIAD_HD Real whole_angle(int field) const { return fma(e[field + 1], full_turn<Real>(), e[field]); }

    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.topology.fields(), first.e, self.e...);
    }
};

// Rates, their derivatives, increments of a step, or generalized forces: one number for each freedom.
template <class R, class T>
struct TreeRates {
    using Real = R;
    [[no_unique_address]] T topology;
    Real e[T::most_freedoms];

    MYRIAD_HD void fit(T given) { topology = given; }
    static MYRIAD_HD int count(T topology) { return topology.freedoms(); }
    MYRIAD_HD int size() const { return count(topology); }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD Vec<3, Real> turning(int freedom) const { return {e[freedom], e[freedom + 1], e[freedom + 2]}; }

    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.size(), first.e, self.e...);
    }
};

// angle + 2 pi turns with the angle brought within half a turn. 2 pi is taken in two parts; the fma rounds what is left
// of the first, exact where a step turns by less than one turn, and the second keeps what the first lacks.
template <class Real>
MYRIAD_HD void take_whole_turns(Real& angle, Real& turns) {
    const Real n = nearest_integer(Real(0.15915494309189535) * angle);
    const Real near = fma(-n, full_turn<Real>(), angle);
    angle = fma(-n, constant<Real>(2.4492935982947064e-16, -1.7484555314695172e-07), near);
    turns = turns + n;
}

template <class Real, class T>
MYRIAD_NOINLINE void retract(const TreeConfiguration<Real, T>& q, const TreeRates<Real, T>& u,
                             TreeConfiguration<Real, T>& end) {
    const T tree = q.topology;
    end.fit(tree);
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        const int field = link.field + link.slides, freedom = link.freedom + link.slides;
        each_slide(link, [&](int i) MYRIAD_INLINE { end[link.field + i] = q[link.field + i] + u[link.freedom + i]; });
        if (link.turning == TreeTurning::about_z) {
            Real angle = q[field] + u[freedom], turns = q[field + 1];
            take_whole_turns(angle, turns);
            end[field] = angle, end[field + 1] = turns;
        } else if (link.turning == TreeTurning::any) {
            end.set_rotation(field, q.rotation(field) * exp(u.turning(freedom)));
        }
    }
}

// u of retract(q, u) = end
template <class Real, class T>
MYRIAD_NOINLINE void increment_to(const TreeConfiguration<Real, T>& q, const TreeConfiguration<Real, T>& end,
                                  TreeRates<Real, T>& u) {
    const T tree = q.topology;
    u.fit(tree);
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        const int field = link.field + link.slides, freedom = link.freedom + link.slides;
        each_slide(link, [&](int i) MYRIAD_INLINE { u[link.freedom + i] = end[link.field + i] - q[link.field + i]; });
        if (link.turning == TreeTurning::about_z) {
            u[freedom] = fma(end[field + 1] - q[field + 1], full_turn<Real>(), end[field] - q[field]);
        } else if (link.turning == TreeTurning::any) {
            const Vec<3, Real> turned = log(inverse(q.rotation(field)) * end.rotation(field));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) u[freedom + i] = turned[i];
        }
    }
}

// u' at retract(q, u)
template <class Real, class T>
MYRIAD_NOINLINE void local_rate(const TreeRates<Real, T>& u, const TreeRates<Real, T>& v, TreeRates<Real, T>& rate) {
    const T tree = u.topology;
    rate.fit(tree);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < tree.freedoms(); ++i) rate[i] = v[i];
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        if (link.turning != TreeTurning::any) continue;
        const int freedom = link.freedom + link.slides;
        const Vec<3, Real> turning = tangent_inverse(u.turning(freedom), v.turning(freedom));
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) rate[freedom + i] = turning[i];
    }
}

// The largest |u / 2|^2 of the orientations; an angle has no series that could fail.
template <class Real, class T>
MYRIAD_NOINLINE Real reach(const TreeRates<Real, T>& u) {
    const T tree = u.topology;
    Real largest(0.0);
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        if (link.turning != TreeTurning::any) continue;
        const Vec<3, Real> half = Real(0.5) * u.turning(link.freedom + link.slides);
        largest = maximum(dot(half, half), largest);
    }
    return largest;
}

template <class Real, class T>
MYRIAD_NOINLINE void settle(TreeConfiguration<Real, T>& q) {
    const T tree = q.topology;
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        if (link.turning != TreeTurning::any) continue;
        const int field = link.field + link.slides;
        q.set_rotation(field, renormalized(q.rotation(field)));
    }
}

// Displacements and angles zero, relative orientations the identity
template <class Real, class T>
MYRIAD_NOINLINE void set_zero(T tree, TreeConfiguration<Real, T>& q) {
    q.fit(tree);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < tree.fields(); ++i) q[i] = Real(0.0);
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        if (link.turning == TreeTurning::any) q[link.field + link.slides] = Real(1.0);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
