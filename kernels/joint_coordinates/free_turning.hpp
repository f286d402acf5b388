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
#include "kernels/math/control.hpp"
#include "kernels/mechanism/bodies.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// `impulse_at(i)`: I - h w0 x J w0, becomes the right-hand side of d; `entry_at(i, k)`: J, becomes the matrix of d.
// Both stay where the body turns like a sphere, which has no such moment.
template <class Real, class ImpulseAt, class EntryAt>
MYRIAD_HD void turn_freely(Real h, const Symmetric3<Real>& inertia, const Vec<3, Real>& w, const ImpulseAt& impulse_at,
                           const EntryAt& entry_at) {
    const Real zero(0.0);
    const MaskOf<Real> is_even = (inertia.xx == inertia.yy) & (inertia.yy == inertia.zz) & (inertia.xy == zero) &
                                 (inertia.xz == zero) & (inertia.yz == zero);
    if (!is_wanted(!is_even)) return;
    const Real half_h = Real(0.5) * h, mean = Real(1.0 / 3.0) * (inertia.xx + inertia.yy + inertia.zz);
    const Vec<3, Real> predicted = -half_h * (inverse(inertia) * cross(w, inertia * w));
    const auto of_rest = [&](const Vec<3, Real>& rate) MYRIAD_INLINE { return inertia * rate - mean * rate; };
    Vec<3, Real> impulse;
    Mat3<Real> turned;
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
        impulse[i] = impulse_at(i);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) turned.e[i][k] = entry_at(i, k);
    }
    const Vec<3, Real> turning = fma(h, cross(of_rest(predicted), w), impulse);
    add_skew(turned, -half_h, of_rest(w + predicted));
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
        impulse_at(i) = select(is_even, impulse[i], turning[i]);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) entry_at(i, k) = select(is_even, entry_at(i, k), turned.e[i][k]);
    }
}

// Whether constraint rows hold a link.
template <class Topology>
MYRIAD_HD bool is_held_by_rows(const Topology& topology, int link) {
    bool is_held = false;
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        const bool has_rows = element.row[0] >= 0 || element.row[1] >= 0 || element.row[2] >= 0;
        is_held |=
            !element.has_law && !element.is_sensor && has_rows && (element.body[0] == link || element.body[1] == link);
    }
    return is_held;
}

}  // namespace myriad::inline MYRIAD_VARIANT
