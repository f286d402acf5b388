// Cardan (Tait-Bryan, 123-Euler) angles as a chart of the rotations, Rxyz in the lgim paper, sect. 4:
//
//   R = Rx(a) Ry(b) Rz(c), body to world;  rho = (a, b, c) in rad
//   omega_body = G(rho) rho_dot
//       | cos b cos c   sin c  0 |                     | cos c / cos b         -sin c / cos b        0 |
//   G = | -cos b sin c  cos c  0 |              G^-1 = | sin c                  cos c                0 |
//       | sin b         0      1 |                     | -cos c tan b           sin c tan b          1 |
//
// The chart is singular where cos b = 0 (a and c turn about one axis): G^-1 then divides by zero, and near it loses a
// factor 1/|cos b| of its digits. Nothing is hidden: `cos_b` says how near an instance is, and its integrator decides.
// The angles themselves stay exact there as a rotation; only their split into a and c is arbitrary.
#pragma once
#include "kernels/math/rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// One point of the chart with all that its maps need: three sincos, of the half angles. The rotation is within 6
// epsilon of R (Frobenius norm), the maps within 2 epsilon |rho_dot|, rates within 2 epsilon |omega| / |cos b|.
template <class Real>
struct CardanXyz {
    Rotation<Real> rotation;
    Real sin_b, cos_b, sin_c, cos_c;

    static MYRIAD_HD CardanXyz at(Vec<3, Real> rho) {
        const Real half(0.5), two(2.0);
        const SineCosine<Real> a = sincos(half * rho[0]), b = sincos(half * rho[1]), c = sincos(half * rho[2]);
        const Real cb_cc = b.cosine * c.cosine, sb_sc = b.sine * c.sine, cb_sc = b.cosine * c.sine,
                   sb_cc = b.sine * c.cosine;
        return {{fma(a.cosine, cb_cc, -(a.sine * sb_sc)), fma(a.sine, cb_cc, a.cosine * sb_sc),
                 fma(a.cosine, sb_cc, -(a.sine * cb_sc)), fma(a.cosine, cb_sc, a.sine * sb_cc)},
                two * (b.sine * b.cosine),
                (b.cosine - b.sine) * (b.cosine + b.sine),
                two * (c.sine * c.cosine),
                (c.cosine - c.sine) * (c.cosine + c.sine)};
    }

    // omega_body = G rho_dot
    MYRIAD_HD Vec<3, Real> angular_velocity(Vec<3, Real> rho_dot) const {
        const Real along = cos_b * rho_dot[0];
        return {fma(cos_c, along, sin_c * rho_dot[1]), fma(cos_c, rho_dot[1], -(sin_c * along)),
                fma(sin_b, rho_dot[0], rho_dot[2])};
    }
    // rho_dot = G^-1 omega_body; not finite at the singular angle.
    MYRIAD_HD Vec<3, Real> rates(Vec<3, Real> omega) const {
        const Real a_dot = fma(cos_c, omega[0], -(sin_c * omega[1])) / cos_b;
        return {a_dot, fma(sin_c, omega[0], cos_c * omega[1]), fma(-sin_b, a_dot, omega[2])};
    }
    // G^-1
    MYRIAD_HD Mat3<Real> inverse_map() const {
        const Real one(1.0), zero(0.0), c = cos_c / cos_b, s = sin_c / cos_b;
        return {{{c, -s, zero}, {sin_c, cos_c, zero}, {-(sin_b * c), sin_b * s, one}}};
    }
    // G_dot rho_dot: omega_dot where rho_ddot is zero.
    MYRIAD_HD Vec<3, Real> angular_velocity_rate(Vec<3, Real> rho_dot) const {
        const Real a_b = rho_dot[0] * rho_dot[1], a_c = cos_b * (rho_dot[0] * rho_dot[2]);
        const Real b_c = rho_dot[1] * rho_dot[2], tilt = sin_b * a_b;
        return {fma(-cos_c, tilt, fma(-sin_c, a_c, cos_c * b_c)), fma(sin_c, tilt, fma(-cos_c, a_c, -(sin_c * b_c))),
                cos_b * a_b};
    }
};

// The angles of a rotation: b in [-pi/2, pi/2], a and c in [-pi, pi]; everywhere within 10 epsilon of R (Frobenius
// norm). With s, d = half the sum and half the difference of a and c,
//   (w + y, x + z) = (cos b/2 + sin b/2) (cos s, sin s),   (w - y, x - z) = (cos b/2 - sin b/2) (cos d, sin d),
// so no digit is lost near the singular angle; at it the undefined one of the two is zero.
template <class Real>
MYRIAD_HD Vec<3, Real> cardan_angles(Rotation<Real> q) {
    const Real two(2.0), pi = constant<Real>(3.141592653589793, 3.14159274), zero(0.0);
    const Real sum_cosine = q.w + q.y, sum_sine = q.x + q.z, difference_cosine = q.w - q.y, difference_sine = q.x - q.z;
    const Real half_sum = atan2(sum_sine, sum_cosine), half_difference = atan2(difference_sine, difference_cosine);
    const Real sum_size = fma(sum_cosine, sum_cosine, sum_sine * sum_sine);
    const Real difference_size = fma(difference_cosine, difference_cosine, difference_sine * difference_sine);
    const Real b = atan2(two * fma(q.w, q.y, q.x * q.z), sqrt(sum_size * difference_size));
    Vec<3, Real> rho{half_sum + half_difference, b, half_sum - half_difference};
    MYRIAD_UNROLL for (int i = 0; i < 3; i += 2) rho[i] =
        rho[i] - select(pi < rho[i], two * pi, select(rho[i] < -pi, -(two * pi), zero));
    return rho;
}

}  // namespace myriad::inline MYRIAD_VARIANT
