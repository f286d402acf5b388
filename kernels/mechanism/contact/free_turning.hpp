// The turning of a body that no joint holds, over a step of Moreau's midpoint rule.
//
//   J d = I - h w_m x G,   d = w1 - w0,   w_m = w0 + d/2,   I: of all other moments
//   G = (J - c) w^,   w^ = w0 - h/2 J^-1 (w0 x J w0),   c = trace J / 3
//
// The rule as published takes w0 x J w0, which gives a spinning body energy in every step. This term is at right angles
// to w_m and does no work, whatever else acts. It is linear in d and of order 2 where nothing else acts. c changes it
// by its error alone, and makes that small. Body axes, SI units. Not handled: bodies on joints, for which the published
// rule stands.
#pragma once
#include "kernels/mechanism/bodies.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// `impulse`: I - h w0 x J w0, becomes the right-hand side of d; `matrix`: J, becomes that of d. Both stay where the
// body turns like a sphere, which has no such moment.
template <class Real>
MYRIAD_HD void turn_freely(Real h, const Symmetric3<Real>& inertia, const Vec<3, Real>& w, Vec<3, Real>& impulse,
                           Mat3<Real>& matrix) {
    const Real zero(0.0);
    const MaskOf<Real> is_even = (inertia.xx == inertia.yy) & (inertia.yy == inertia.zz) & (inertia.xy == zero) &
                                 (inertia.xz == zero) & (inertia.yz == zero);
    if (!any(!is_even)) return;
    const Real half_h = Real(0.5) * h, mean = Real(1.0 / 3.0) * (inertia.xx + inertia.yy + inertia.zz);
    const Vec<3, Real> predicted = -half_h * (inverse(inertia) * cross(w, inertia * w));
    const auto of_rest = [&](const Vec<3, Real>& rate) MYRIAD_INLINE { return inertia * rate - mean * rate; };
    const Vec<3, Real> turning = fma(h, cross(of_rest(predicted), w), impulse);
    Mat3<Real> turned = matrix;
    add_skew(turned, -half_h, of_rest(w + predicted));
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
        impulse[i] = select(is_even, impulse[i], turning[i]);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) matrix.e[i][k] = select(is_even, matrix.e[i][k], turned.e[i][k]);
    }
}

// Whether an element is a row that holds its bodies.
MYRIAD_HD bool holds(const Element& element) {
    return !element.has_law && !element.is_sensor &&
           (element.row[0] >= 0 || element.row[1] >= 0 || element.row[2] >= 0);
}

}  // namespace myriad::inline MYRIAD_VARIANT
