// The maps of a step of explicit methods that cost least, for a chart that has them. Rates K are summed with half the
// step: v = origin(q) + h/2 sum K.
//
//   RotationGroup  v = u/2, half of the local coordinates;  origin 0
//                  stage  q_i = q (C, S v),  K_i = w + v x w + v x (v x w) / 3       end  q+ = q exp(2 v)
//                  C = 1 - a/2 + a^2/24 - a^3/720,  S = 1 - a/6 + a^2/120,  a = |v|^2
//
// K is T_exp^-1 w without its commutators beyond the second: the third has the coefficient 0, and the fourth, -1/720,
// adds a term of the order of h^6 to a step (Munthe-Kaas 1999; the series in lgim eq. 25). The exponential of a stage
// may err by a^3 v for the same reason: at 1.5 rad, where a step is refused, by 2e-5. Up to order 4 this vanishes
// beside the error of a step; at order 5 it would be of its size. The end of a step has the exponential itself, so that
// a steady rotation is met exactly; there the length of q, off by the round-off of one product, is brought back along
// the way. Another chart: unit_quaternions.hpp. Not handled: orders above `greatest_order`.
#pragma once
#include "kernels/orientation/orientation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A chart without such maps.
template <class Chart>
struct ShortMaps {
    static constexpr int greatest_order = 0, sum_count = 0;
};

template <class R>
struct ShortMaps<RotationGroup<R>> {
    using Real = R;
    static constexpr int greatest_order = 4, sum_count = 3;
    static constexpr bool has_origin = false;
    using Sum = Vec<3, Real>;

    static MYRIAD_HD Sum rate_at_start(const Rotation<Real>&, const Vec<3, Real>& w) { return w; }
    static MYRIAD_HD Rotation<Real> stage(const Rotation<Real>& q, const Sum& half) {
        const Real square = dot(half, half), sinc = polynomial(square, 1.0, -1.0 / 6, 1.0 / 120);
        return q * Rotation<Real>{polynomial(square, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720), sinc * half[0],
                                  sinc * half[1], sinc * half[2]};
    }
    static MYRIAD_HD Sum rate(const Rotation<Real>&, const Sum& half, const Vec<3, Real>& w) {
        return add_cross(half, fma(Real(1.0 / 3), cross(half, w), w), w);
    }
    static MYRIAD_HD Rotation<Real> end(const Rotation<Real>& q, const Sum& half) {
        const Real n = fma(Real(-0.5), square_of(q), Real(1.5)), square = dot(half, half);
        const Real sinc = n * sinc_near_zero(square);
        return q * Rotation<Real>{n * cosine_near_zero(square), sinc * half[0], sinc * half[1], sinc * half[2]};
    }
    static MYRIAD_HD Real reach(const Sum& half) { return dot(half, half); }
    // A small difference of two sums at q as a rotation, rad.
    static MYRIAD_HD Vec<3, Real> moved(const Rotation<Real>&, const Sum& half) { return Real(2.0) * half; }

    static MYRIAD_HD Real square_of(const Rotation<Real>& q) {
        return fma(q.w, q.w, q.x * q.x) + fma(q.y, q.y, q.z * q.z);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
