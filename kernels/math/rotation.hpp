// Rotations as unit quaternions (w, x, y, z), body to world, and the maps between them and rotation vectors in the body
// frame. With v = u/2, C = cos|v|, S = sin|v|/|v|:
//
//   exp(u)       = (C, S v)                                                         livens eq. 40
//   T_exp(u) w   = w - S^2 v x w + B v x (v x w),    B = (1 - S C)/|v|^2            lgim appendix A.1
//   T_exp^-1 w   = w + v x w + G v x (v x w),        G = (1 - C/S)/|v|^2            lgim eq. 25
//
// T_exp belongs to the body frame: omega_body = T_exp(u) u_dot along R0 exp(u(t)). C, S, B and G are even, so near zero
// they are minimax polynomials in |v|^2: no branch and no loss of digits (lgim sect. 3.5). exp and tangent_inverse, the
// maps of the integration step, have nothing but those polynomials: |u| <= largest_step_rotation_rad, beyond which a
// step is refused. The `_any` functions go over to closed forms there. Errors: see the functions; tests/mathematics.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr double largest_step_rotation_rad = 1.5;

template <class Real>
struct Rotation {
    Real w, x, y, z;

    // Composition: first `b`, then `a`, both body to world.
    friend MYRIAD_HD Rotation operator*(Rotation a, Rotation b) {
        return {fma(a.w, b.w, -fma(a.x, b.x, fma(a.y, b.y, a.z * b.z))),
                fma(a.w, b.x, fma(a.x, b.w, fma(a.y, b.z, -(a.z * b.y)))),
                fma(a.w, b.y, fma(a.y, b.w, fma(a.z, b.x, -(a.x * b.z)))),
                fma(a.w, b.z, fma(a.z, b.w, fma(a.x, b.y, -(a.y * b.x))))};
    }
    friend MYRIAD_HD Rotation select(MaskOf<Real> mask, Rotation a, Rotation b) {
        return {select(mask, a.w, b.w), select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
    }
    friend MYRIAD_HD Rotation inverse(Rotation q) { return {q.w, -q.x, -q.y, -q.z}; }

    // World coordinates of a body vector.
    MYRIAD_HD Vec<3, Real> act(Vec<3, Real> body) const {
        const Vec<3, Real> axis{x, y, z}, twice = Real(2.0) * cross(axis, body);
        return fma(w, twice, body + cross(axis, twice));
    }
    // The world's third axis in body coordinates: the direction of "up".
    MYRIAD_HD Vec<3, Real> up() const {
        return {Real(2.0) * fma(x, z, -(w * y)), Real(2.0) * fma(y, z, w * x),
                fma(Real(-2.0), fma(x, x, y * y), Real(1.0))};
    }
};

// C, S, G and B as polynomials in the square of |v|, for |v| <= 0.75. Largest errors: C 3e-17, S 2e-18 (relative),
// G |v|^2 1.4e-16, B |v|^2 2e-19; in single precision 2e-8, 3e-9, 3e-9, 3e-9.
template <class Real>
MYRIAD_HD Real cosine_near_zero(Real square) {
    if constexpr (is_single<Real>)
        return polynomial(square, 1.0, -0.499999195, 0.041657988, -0.00136225496);
    else
        return polynomial(square, 1.0, -0.499999999999997, 0.041666666666563094, -0.0013888888876973894,
                          2.480158099908401e-05, -2.7555633279075004e-07, 2.0654726571762446e-09);
}
template <class Real>
MYRIAD_HD Real sinc_near_zero(Real square) {
    if constexpr (is_single<Real>)
        return polynomial(square, 1.0, -0.166666582, 0.0083323922, -0.000195478293);
    else
        return polynomial(square, 1.0, -0.16666666666666646, 0.008333333333326323, -0.00019841269833235375,
                          2.755731498847394e-06, -2.505097868137584e-08, 1.591064749034337e-10);
}
template <class Real>
MYRIAD_HD Real tangent_inverse_coefficient_near_zero(Real square) {
    if constexpr (is_single<Real>)
        return polynomial(square, 0.333333164, 0.0222251564, 0.00210078177, 0.000243804199);
    else
        return polynomial(square, 0.33333333333330817, 0.02222222222366292, 0.0021164020882333714,
                          0.00021164047759266594, 2.1376413668650068e-05, 2.16859019731062e-06, 2.1199476580398124e-07,
                          2.8826853255567416e-08);
}
template <class Real>
MYRIAD_HD Real tangent_coefficient_near_zero(Real square) {
    if constexpr (is_single<Real>)
        return polynomial(square, 0.666666508, -0.133330464, 0.0126826223, -0.000671376649);
    else
        return polynomial(square, 0.6666666666666666, -0.1333333333333314, 0.012698412698377765, -0.000705467371830509,
                          2.565335752723264e-05, -6.577743439832414e-07, 1.2522452108481193e-08,
                          -1.7840629511741094e-10);
}

// exp(2 half) and T_exp(2 half)^-1 w for |half| <= 0.75: the hot path. An integrator that forms h/2 times its weighted
// sum saves the halving. exp: 14 fma and 4 products; the inverse tangent operator: 21 fma and 4 products, of which the
// square of `half` (2 and 1) is shared when both are called.
template <class Real>
MYRIAD_HD Rotation<Real> exp_of_twice(Vec<3, Real> half) {
    const Real square = dot(half, half), sinc = sinc_near_zero(square);
    return {cosine_near_zero(square), sinc * half[0], sinc * half[1], sinc * half[2]};
}
template <class Real>
MYRIAD_HD Vec<3, Real> tangent_inverse_of_twice(Vec<3, Real> half, Vec<3, Real> w) {
    const Real g = tangent_inverse_coefficient_near_zero(dot(half, half));
    return add_cross(half, fma(g, cross(half, w), w), w);
}

// T_exp(2 half)^T w for |half| <= 0.75.
template <class Real>
MYRIAD_HD Vec<3, Real> tangent_transposed_of_twice(Vec<3, Real> half, Vec<3, Real> w) {
    const Real square = dot(half, half), sinc = sinc_near_zero(square);
    const Vec<3, Real> first = cross(half, w), curl = tangent_coefficient_near_zero(square) * first;
    return fma(sinc * sinc, first, add_cross(half, curl, w));
}

// exp and the inverse tangent of u = 2 half: the rotation within 1 epsilon, the vector within 2 epsilon |w|.
template <class Real>
MYRIAD_HD Rotation<Real> exp(Vec<3, Real> u) {
    return exp_of_twice(Real(0.5) * u);
}
template <class Real>
MYRIAD_HD Vec<3, Real> tangent_inverse(Vec<3, Real> u, Vec<3, Real> w) {
    return tangent_inverse_of_twice(Real(0.5) * u, w);
}

// The numbers that the maps of one rotation vector share, for any length up to 2 largest_angle (NaN beyond). Within the
// range of the step they have the bits of the polynomials.
template <class Real>
struct HalfRotation {
    Vec<3, Real> half;
    Real square, cosine, sinc;
    MaskOf<Real> near_zero;

    static MYRIAD_HD HalfRotation of(Vec<3, Real> u) {
        const Vec<3, Real> half = Real(0.5) * u;
        const Real square = dot(half, half), length = sqrt(square);
        const MaskOf<Real> near_zero = square <= Real(0.25 * largest_step_rotation_rad * largest_step_rotation_rad);
        const SineCosine<Real> far = sincos(length);
        return {half, square, select(near_zero, cosine_near_zero(square), far.cosine),
                select(near_zero, sinc_near_zero(square), far.sine / select(near_zero, Real(1.0), length)), near_zero};
    }
    // B and G of the file's head. G is singular where u has the length 2 pi.
    MYRIAD_HD Real tangent_coefficient() const {
        return select(near_zero, tangent_coefficient_near_zero(square), fma(-sinc, cosine, Real(1.0)) / square);
    }
    MYRIAD_HD Real tangent_inverse_coefficient() const {
        return select(near_zero, tangent_inverse_coefficient_near_zero(square), (Real(1.0) - cosine / sinc) / square);
    }
};

// exp(u) for any |u|: the rotation within 3 epsilon up to 2 pi.
template <class Real>
MYRIAD_HD Rotation<Real> exp_any(Vec<3, Real> u) {
    const auto r = HalfRotation<Real>::of(u);
    return {r.cosine, r.sinc * r.half[0], r.sinc * r.half[1], r.sinc * r.half[2]};
}

// T_exp(u) w for any |u|: within 3 epsilon |w| up to 2 pi.
template <class Real>
MYRIAD_HD Vec<3, Real> tangent(Vec<3, Real> u, Vec<3, Real> w) {
    const auto r = HalfRotation<Real>::of(u);
    const Vec<3, Real> first = cross(r.half, w);
    const Vec<3, Real> curl = r.tangent_coefficient() * first;
    return fma(-(r.sinc * r.sinc), first, add_cross(r.half, curl, w));
}

// d I + s v~ + c v v^T
template <class Real>
MYRIAD_HD Mat3<Real> diagonal_skew_dyad(Real d, Real s, Real c, Vec<3, Real> v) {
    const Vec<3, Real> t = s * v, b = c * v;
    return {{{fma(b[0], v[0], d), fma(b[0], v[1], -t[2]), fma(b[0], v[2], t[1])},
             {fma(b[1], v[0], t[2]), fma(b[1], v[1], d), fma(b[1], v[2], -t[0])},
             {fma(b[2], v[0], -t[1]), fma(b[2], v[1], t[0]), fma(b[2], v[2], d)}}};
}

// T_exp(u)^-1 for |u| below 2 pi, where the operator is singular: v x (v x w) = (v v^T - |v|^2 I) w. The error of a
// product with w is within 3 epsilon k |T_exp^-1| |w|, with the condition number k = |T_exp| |T_exp^-1|, where
// |T_exp| = 1 and |T_exp^-1| = |v|/|sin|v||, v = u/2.
template <class Real>
MYRIAD_HD Mat3<Real> tangent_inverse_matrix(Vec<3, Real> u) {
    const auto r = HalfRotation<Real>::of(u);
    const Real g = r.tangent_inverse_coefficient();
    return diagonal_skew_dyad(fma(-g, r.square, Real(1.0)), Real(1.0), g, r.half);
}
// The matrix of T_exp(u)^-1 for |u| <= largest_step_rotation_rad.
template <class Real>
MYRIAD_HD Mat3<Real> tangent_inverse_matrix_near_zero(Vec<3, Real> u) {
    const Vec<3, Real> half = Real(0.5) * u;
    const Real square = dot(half, half), g = tangent_inverse_coefficient_near_zero(square);
    return diagonal_skew_dyad(fma(-g, square, Real(1.0)), Real(1.0), g, half);
}

// The rotation vector of length 0 to pi, within 2 epsilon of its length: q and -q, the same rotation, give the same
// vector, except that at w = 0 (half a turn) the axis is the one q names. The length of q does not matter.
template <class Real>
MYRIAD_HD Vec<3, Real> log(Rotation<Real> q) {
    const Vec<3, Real> axis{q.x, q.y, q.z};
    const Real one(1.0), sine = sqrt(dot(axis, axis));
    const MaskOf<Real> none = sine == Real(0.0);
    const Real half_angle = atan2(sine, magnitude(q.w));
    const Real ratio = select(none, one / magnitude(q.w), half_angle / select(none, one, sine));
    return select(q.w < Real(0.0), Real(-2.0) * ratio, Real(2.0) * ratio) * axis;
}

// The rotation matrix, body to world: its columns are the body axes in world coordinates.
template <class Real>
MYRIAD_HD Mat3<Real> matrix_of(Rotation<Real> q) {
    const Real one(1.0), two(2.0), minus_two(-2.0);
    return {{{fma(minus_two, fma(q.y, q.y, q.z * q.z), one), two * fma(q.x, q.y, -(q.w * q.z)),
              two * fma(q.x, q.z, q.w * q.y)},
             {two * fma(q.x, q.y, q.w * q.z), fma(minus_two, fma(q.x, q.x, q.z * q.z), one),
              two * fma(q.y, q.z, -(q.w * q.x))},
             {two * fma(q.x, q.z, -(q.w * q.y)), two * fma(q.y, q.z, q.w * q.x),
              fma(minus_two, fma(q.x, q.x, q.y * q.y), one)}}};
}

// The rotation of an orthogonal matrix with determinant 1, with w >= 0. The four squares 4 w^2 ... 4 z^2 add up to 4,
// so the largest, from which the others are divided, is at least one: no angle loses digits.
template <class Real>
MYRIAD_HD Rotation<Real> rotation_of(const Mat3<Real>& matrix) {
    const auto& m = matrix.e;
    const Real one(1.0);
    const Real ww = one + m[0][0] + m[1][1] + m[2][2], xx = one + m[0][0] - m[1][1] - m[2][2],
               yy = one - m[0][0] + m[1][1] - m[2][2], zz = one - m[0][0] - m[1][1] + m[2][2];
    const Real wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    const Real xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
    const Rotation<Real> by_w{ww, wx, wy, wz}, by_x{wx, xx, xy, xz}, by_y{wy, xy, yy, yz}, by_z{wz, xz, yz, zz};
    const MaskOf<Real> x_over_w = ww < xx, z_over_y = yy < zz;
    const Real first = select(x_over_w, xx, ww), second = select(z_over_y, zz, yy);
    const MaskOf<Real> take_second = first < second;
    const Rotation<Real> four = select(take_second, select(z_over_y, by_z, by_y), select(x_over_w, by_x, by_w));
    const Real size = Real(0.5) / sqrt(select(take_second, second, first));
    const Real scale = select(four.w < Real(0.0), -size, size);
    return {scale * four.w, scale * four.x, scale * four.y, scale * four.z};
}

// The angle between two vectors, 0 to pi, with full accuracy near 0 and pi, where an arc cosine has none.
template <class Real>
MYRIAD_HD Real angle_between(Vec<3, Real> a, Vec<3, Real> b) {
    const Vec<3, Real> normal = cross(a, b);
    return atan2(sqrt(dot(normal, normal)), dot(a, b));
}

// One Newton step towards unit length; a product of unit quaternions is off by a few ulp only.
template <class Real>
MYRIAD_HD Rotation<Real> renormalized(Rotation<Real> q) {
    const Real n = fma(Real(-0.5), fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, q.z * q.z))), Real(1.5));
    return {n * q.w, n * q.x, n * q.y, n * q.z};
}

}  // namespace myriad::inline MYRIAD_VARIANT
