// A sphere that passes another within one step: the way from one pose to the next, taken as straight, leads into it and
// beyond the closest approach, after which no contact would be struck.
//
//   d(s) = d + s w,  |d| > r,  0 < -d . w < w . w,  the smallest |d(s)| < (1 - e) r   0 <= s <= 1: share of the step
//   into it at s_1, nearest at s_2 = -d . w / w . w:   s_2 - s_1 = sqrt((d . w)^2 - w . w (d . d - r^2)) / w . w
//
// d: from one centre to the other, m; r: sum of the radii, m. Poses that lie closer together than s_2 - s_1 see the
// contact while it closes. e: straight ways of a sphere that slides over another lead below the surface by w . w / 8 r.
// They are no passes, so less deep ones do not count. Not handled: ways that bend within a step.
#pragma once
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The least depth of a pass, as a share of the sum of the radii. One random hit in 10,000 is less deep.
inline constexpr double shallow_pass = 1e-4;

template <class Real>
struct Passing {
    MaskOf<Real> passes;
    Real rate, nearest;  // 1 / (s_2 - s_1); s_2
};

template <class Real>
MYRIAD_HD Passing<Real> passing(const Vec<3, Real>& from, const Vec<3, Real>& to, Real radius) {
    const Vec<3, Real> way = to - from;
    const Real square = dot(way, way), along = -dot(from, way), outside = dot(from, from) - radius * radius;
    const Real root = fma(along, along, -(square * outside)), zero(0.0),
               shallow = Real((2.0 - shallow_pass) * shallow_pass) * (radius * radius);
    const MaskOf<Real> is_open = zero < outside, approaches = zero < along, goes_beyond = along < square,
                       goes_into = square * shallow < root, passes = is_open & approaches & goes_beyond & goes_into;
    return {passes, square / sqrt(root), along / square};
}

// The point of the segment from 0 to `axis` that is nearest to the way.
template <class Real>
MYRIAD_HD Vec<3, Real> nearest_to_way(const Vec<3, Real>& axis, const Vec<3, Real>& from, const Vec<3, Real>& to) {
    const Real zero(0.0), one(1.0);
    const auto share = [&](Real part, Real whole) {
        const Real x = select(zero < whole, part / whole, zero);
        return select(x <= zero, zero, select(one <= x, one, x));
    };
    const Vec<3, Real> way = to - from;
    const Real ways = dot(way, way), axes = dot(axis, axis), both = dot(way, axis), way_from = dot(way, from),
               axis_from = dot(axis, from);
    const Real on_way = share(both * axis_from - axes * way_from, ways * axes - both * both);
    return share(fma(both, on_way, axis_from), axes) * axis;
}

}  // namespace myriad::inline MYRIAD_VARIANT
