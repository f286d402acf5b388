// Rotations as unit quaternions (w, x, y, z), body to world, and the maps between them and rotation vectors in the body
// frame.
//
//   exp(u)             = (cos(|u|/2), sin(|u|/2)/|u| u)                          livens eq. 40
//   T_exp(u)^-1 w      = w + u x w / 2 + g(|u|^2) u x (u x w)                    lgim eq. 25
//   g(y)               = (1 - sqrt(y)/2 cot(sqrt(y)/2)) / y
//
// All coefficients are even power series: no branch at zero and no loss of digits there (lgim sect. 3.5). Valid for
// |u| <= 1.5 rad, the largest rotation of one step; beyond it a step is refused, not approximated.
#pragma once
#include "kernels/small_matrix.hpp"

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

template <class Real>
MYRIAD_HD Rotation<Real> exp(Vec<3, Real> u) {
    const Real y = Real(0.25) * dot(u, u);
    const Real cosine = polynomial(y, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                                   -1.0 / 87178291200.0);
    const Real sinc = polynomial(y, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                                 1.0 / 6227020800.0, -1.0 / 1307674368000.0);
    const Real k = Real(0.5) * sinc;
    return {cosine, k * u[0], k * u[1], k * u[2]};
}

template <class Real>
MYRIAD_HD Vec<3, Real> tangent_inverse(Vec<3, Real> u, Vec<3, Real> w) {
    const Real g =
        polynomial(dot(u, u), 1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160, 691.0 / 1307674368000.0,
                   1.0 / 74724249600.0, 3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0);
    const Vec<3, Real> uw = cross(u, w);
    return fma(g, cross(u, uw), fma(Real(0.5), uw, w));
}

// One Newton step towards unit length; a product of unit quaternions is off by a few ulp only.
template <class Real>
MYRIAD_HD Rotation<Real> renormalized(Rotation<Real> q) {
    const Real n = fma(Real(-0.5), fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, q.z * q.z))), Real(1.5));
    return {n * q.w, n * q.x, n * q.y, n * q.z};
}

}  // namespace myriad::inline MYRIAD_VARIANT
