// Motions and forces of rigid bodies as screws about one fixed point, the world's origin, in world axes: for chains in
// minimal coordinates.
//
//   motion V = (w, v)     v: velocity of the body's point at the origin, m/s;  field u(r) = v + w x r
//   force  F = (t, f)     t: moment about the origin, N m;  V . F: power
//
// Source: Featherstone, Rigid Body Dynamics Algorithms, ch. 2.
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

}  // namespace myriad::inline MYRIAD_VARIANT
