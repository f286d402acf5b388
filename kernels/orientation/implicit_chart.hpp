// The interface of a chart (orientation.hpp; for comparison those of papers/) to implicit methods, for one body.
//
// The equations of motion are written once, for the rotation R (body to world), the angular velocity w and the angular
// acceleration w' in the body frame. Coordinates q, rates v = q' and a = v' of the chart turn into these by `motion`. A
// method's unknown x changes its step by  da = c_a x,  dv = c_v x,  du = c_q x  (q = retract(q0, u)); instead of x the
// Newton correction solves for z, with
//
//   R -> R exp(c_q z),   dw = velocity z,   dw' = acceleration z,   x = rates(z)
//
// so that one set of Jacobians, in body frames, serves every chart. With w = G(q) v, and because a
// rotation d of the body goes with dw = d' + w x d,
//
//   z = G x,   velocity     = c_v I + c_q (G' G^-1 + w~)
//              acceleration = c_a I + [c_v (2 G' + w~ G) + c_q (G'' + w'~ G + w~ G')] G^-1
//
// Beside the members that orientation.hpp names, a chart offers coordinate_count (the Reals of Coordinates),
// rate_count, Rates = Vec<rate_count>, motion(q, v, a) and correction(q, v, a, u, c_a, c_v, c_q, tangent_operator).
// Position analysis takes c_a = c_v = 0, c_q = 1. c_q is never zero. Sources: lgim eqs. 12 to 14, 32; rA paper
// sects. 3.1 to 3.3.
#pragma once
#include "kernels/math/rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The body's motion: rad, rad/s, rad/s^2; the two vectors in the body frame.
template <class Real>
struct OrientationMotion {
    Rotation<Real> rotation;
    Vec<3, Real> angular_velocity, angular_acceleration;
};

// The correction of a chart with three rates: x = coordinates z.
template <class Real>
struct MatrixCorrection {
    Mat3<Real> acceleration, velocity, coordinates;
    MYRIAD_HD Vec<3, Real> rates(Vec<3, Real> z) const { return coordinates * z; }
};

// Three angles about the axes first, second and third of the turned body, w = G v, along given v and a: with S the turn
// into the axes after the third angle c, h(b) the first axis and k the second one before that turn, e the third axis,
//
//   G = S [h k e],   S' = -c' e~ S,   so   G' = S ([h' 0 0] - c' e~ [h k e]),
//   G'' = S ([h'' 0 0] - 2 c' e~ [h' 0 0] + (c'^2 e~ e~ - c'' e~) [h k e])
template <class Real>
struct AngleMap {
    Mat3<Real> g, g_rate, g_second_rate;

    static MYRIAD_HD AngleMap along(Real sin_c, Real cos_c, Vec<3, Real> h, Vec<3, Real> h_rate,
                                    Vec<3, Real> h_second_rate, Vec<3, Real> k, Real rate, Real acceleration) {
        const Real zero(0.0), square = rate * rate;
        const auto turned = [&](Vec<3, Real> y) -> Vec<3, Real> {
            return {fma(cos_c, y[0], sin_c * y[1]), fma(cos_c, y[1], -(sin_c * y[0])), y[2]};
        };
        const auto first_rate = [&](Vec<3, Real> y, Vec<3, Real> y_rate) {
            return turned({fma(rate, y[1], y_rate[0]), fma(-rate, y[0], y_rate[1]), y_rate[2]});
        };
        const auto second_rate = [&](Vec<3, Real> y, Vec<3, Real> y_rate, Vec<3, Real> y_second_rate) {
            const Real twice = Real(2.0) * rate;
            return turned({fma(twice, y_rate[1], fma(acceleration, y[1], fma(-square, y[0], y_second_rate[0]))),
                           fma(-twice, y_rate[0], fma(-acceleration, y[0], fma(-square, y[1], y_second_rate[1]))),
                           y_second_rate[2]});
        };
        const Vec<3, Real> none{zero, zero, zero}, e{zero, zero, Real(1.0)};
        return {of_columns(turned(h), turned(k), e), of_columns(first_rate(h, h_rate), first_rate(k, none), none),
                of_columns(second_rate(h, h_rate, h_second_rate), second_rate(k, none, none), none)};
    }
    MYRIAD_HD Vec<3, Real> angular_acceleration(Vec<3, Real> v, Vec<3, Real> a) const { return g * a + g_rate * v; }

    MYRIAD_HD MatrixCorrection<Real> correction(const Mat3<Real>& g_inverse, Vec<3, Real> v, Vec<3, Real> a, Real c_a,
                                                Real c_v, Real c_q) const {
        const Mat3<Real> w = skew(g * v), w_rate = skew(angular_acceleration(v, a));
        const Mat3<Real> turning = fma(Real(1.0), g_rate, w * g);  // G' + w~ G
        const Mat3<Real> of_velocity = fma(Real(1.0), g_rate, turning);
        const Mat3<Real> of_angles = fma(Real(1.0), w_rate * g, fma(Real(1.0), w * g_rate, g_second_rate));
        return {fma(c_v, of_velocity * g_inverse, fma(c_q, of_angles * g_inverse, diagonal(c_a))),
                fma(c_q, turning * g_inverse, diagonal(c_v)), g_inverse};
    }

    static MYRIAD_HD Mat3<Real> of_columns(Vec<3, Real> a, Vec<3, Real> b, Vec<3, Real> c) {
        return {{{a[0], b[0], c[0]}, {a[1], b[1], c[1]}, {a[2], b[2], c[2]}}};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
