// Rigid bodies as screws about one fixed point, the world's origin, in world axes: for chains in minimal coordinates.
//
//   motion V = (w, v)     v: velocity of the body's point at the origin, m/s;  field u(r) = v + w x r
//   force  F = (t, f)     t: moment about the origin, N m;  V . F: power
//   V x S                 rate of a screw S that moves with the body;  V x* F: that of a force that moves with it
//   I V = (h x v + (tr E) w - E w,  m v - h x w)      m: mass, h: sum m r, E: sum m r r^T, of bodies fixed together
//
// When a body is displaced by a screw e(t), its acceleration changes, beside being displaced too, by e'' - V x e', and
// the force I A + V x* I V that moves it by I e'' + C e'. For a particle the change is of its acceleration by 2 W x u,
// W the rotation in e', hence with U = sum m u r^T and the momentum p = sum m u, sums over bodies again,
//
//   C e' = (2 ((tr U) W - U W),  2 W x p)
//
// Sources: Featherstone, Rigid Body Dynamics Algorithms, ch. 2, for the screws; the displacement is derived here.
#pragma once
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A motion (angular, linear) or a force (moment, force).
template <class Real>
struct Screw {
    Vec<3, Real> angular, linear;
    friend MYRIAD_HD Screw operator+(const Screw& a, const Screw& b) {
        return {a.angular + b.angular, a.linear + b.linear};
    }
    friend MYRIAD_HD Screw operator*(Real s, const Screw& a) { return {s * a.angular, s * a.linear}; }
    friend MYRIAD_HD Screw fma(Real s, const Screw& a, const Screw& b) {
        return {fma(s, a.angular, b.angular), fma(s, a.linear, b.linear)};
    }
    friend MYRIAD_HD Real dot(const Screw& a, const Screw& b) {
        return dot(a.angular, b.angular) + dot(a.linear, b.linear);
    }
};

template <class Real>
MYRIAD_HD Screw<Real> cross_motion(const Screw<Real>& v, const Screw<Real>& s) {
    return {cross(v.angular, s.angular), add_cross(v.angular, s.linear, cross(v.linear, s.angular))};
}
template <class Real>
MYRIAD_HD Screw<Real> cross_force(const Screw<Real>& v, const Screw<Real>& f) {
    return {add_cross(v.angular, f.angular, cross(v.linear, f.linear)), cross(v.angular, f.linear)};
}

// The mass of a body, or of several that are fixed together.
template <class Real>
struct BodyMass {
    Real mass;                // kg
    Vec<3, Real> first;       // h, kg m
    Symmetric3<Real> second;  // E, kg m^2

    // I V
    MYRIAD_HD Screw<Real> operator*(const Screw<Real>& v) const {
        const Real sum = second.xx + second.yy + second.zz;
        return {add_cross(first, v.linear, fma(sum, v.angular, -(second * v.angular))),
                add_cross(v.angular, first, mass * v.linear)};
    }
    // I A + V x* I V
    MYRIAD_HD Screw<Real> force(const Screw<Real>& v, const Screw<Real>& a) const {
        return *this * a + cross_force(v, *this * v);
    }
    MYRIAD_HD void add(const BodyMass& other) {
        mass = mass + other.mass, first = first + other.first;
        second = {second.xx + other.second.xx, second.yy + other.second.yy, second.zz + other.second.zz,
                  second.xy + other.second.xy, second.xz + other.second.xz, second.yz + other.second.yz};
    }
};

// The motion of a mass's points: the operator C.
template <class Real>
struct MassFlow {
    Vec<3, Real> momentum;  // p, kg m/s
    Mat3<Real> moment;      // U, kg m^2/s
    Real trace;             // of U

    static MYRIAD_HD MassFlow of(const BodyMass<Real>& body, const Screw<Real>& v) {
        MassFlow flow{add_cross(v.angular, body.first, body.mass * v.linear), skew(v.angular) * matrix_of(body.second),
                      Real(0.0)};
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            MYRIAD_UNROLL for (int j = 0; j < 3; ++j) flow.moment.e[i][j] =
                fma(v.linear[i], body.first[j], flow.moment.e[i][j]);
            flow.trace = flow.trace + flow.moment.e[i][i];
        }
        return flow;
    }
    // C e' for the rotation W of e'.
    MYRIAD_HD Screw<Real> operator*(const Vec<3, Real>& w) const {
        const Vec<3, Real> twice = Real(2.0) * w;
        return {fma(trace, twice, -(moment * twice)), cross(twice, momentum)};
    }
    // The g with g . W = s . C e' for a motion s
    MYRIAD_HD Vec<3, Real> transposed_times(const Screw<Real>& s) const {
        const Vec<3, Real> twice = Real(2.0) * s.angular;
        return add_cross(momentum, Real(2.0) * s.linear, fma(trace, twice, -(transpose(moment) * twice)));
    }
    MYRIAD_HD void add(const MassFlow& other) {
        momentum = momentum + other.momentum, trace = trace + other.trace;
        moment = fma(Real(1.0), other.moment, moment);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
