// Euler angles as a chart for implicit methods, r-epsilon in the rA paper, with a constant frame offset per body.
//
//   R = A(phi, theta, psi) Q,  A = Rz(phi) Rx(theta) Rz(psi)                                   rA paper sect. 2.3
//   w_A = G (phi', theta', psi')                                                               in the frame of A
//       | sin theta sin psi   cos psi  0 |               | sin psi / sin theta     cos psi / sin theta    0 |
//   G = | sin theta cos psi  -sin psi  0 |        G^-1 = | cos psi                -sin psi                0 |
//       | cos theta           0        1 |               | -sin psi cot theta     -cos psi cot theta      1 |
//
// and w = Q^T w_A in the body frame. The chart is singular where sin theta = 0, at R = A = 1 above all; Q, which
// `start` chooses once and nothing changes later, puts a body's initial orientation at phi = theta = pi/2, psi = 0, as
// far from it as can be: the last axis along world x, so that a body may turn about world x or z all the way. Angles in
// rad. Not handled: a change of the offset during a run; `regular` ends the instance instead.
#pragma once
#include "kernels/math/fields.hpp"
#include "kernels/orientation/implicit_chart.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct EulerZxzChart {
    using Real = R;
    static constexpr const char* name = "euler_zxz";
    static constexpr const char* summary = "Euler angles, R = Rz Rx Rz: the classical formulation, for comparison";
    static constexpr int coordinate_count = 7, rate_count = 3;
    struct Coordinates {
        using Real = R;
        Vec<3, Real> angles;
        Rotation<Real> offset;  // Q
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit_fields(visit, self.angles...);
            visit_fields(visit, self.offset...);
        }
    };
    using Rates = Vec<3, Real>;
    using Correction = MatrixCorrection<Real>;
    // Below this |sin theta| the rates of the angles have lost nine digits, in single precision all but one.
    static MYRIAD_HD Real smallest_sine() { return constant<Real>(1e-9, 1e-6); }

    // One set of angles with what the maps need: three sincos, of half sums.
    struct Point {
        Rotation<Real> rotation;  // A
        Real sin_theta, cos_theta, sin_psi, cos_psi;

        static MYRIAD_HD Point at(const Vec<3, Real>& angles) {
            const Real half(0.5), two(2.0);
            const SineCosine<Real> t = sincos(half * angles[1]), sum = sincos(half * (angles[0] + angles[2])),
                                   difference = sincos(half * (angles[0] - angles[2]));
            return {{t.cosine * sum.cosine, t.sine * difference.cosine, t.sine * difference.sine, t.cosine * sum.sine},
                    two * (t.sine * t.cosine),
                    (t.cosine - t.sine) * (t.cosine + t.sine),
                    fma(sum.sine, difference.cosine, -(sum.cosine * difference.sine)),
                    fma(sum.cosine, difference.cosine, sum.sine * difference.sine)};
        }
        MYRIAD_HD Vec<3, Real> angular_velocity(const Rates& v) const {
            const Real along = sin_theta * v[0];
            return {fma(sin_psi, along, cos_psi * v[1]), fma(cos_psi, along, -(sin_psi * v[1])),
                    fma(cos_theta, v[0], v[2])};
        }
        MYRIAD_HD Rates rates(const Vec<3, Real>& w) const {
            const Real phi_rate = fma(sin_psi, w[0], cos_psi * w[1]) / sin_theta;
            return {phi_rate, fma(cos_psi, w[0], -(sin_psi * w[1])), fma(-cos_theta, phi_rate, w[2])};
        }
        MYRIAD_HD Mat3<Real> inverse_map() const {
            const Real one(1.0), zero(0.0), s = sin_psi / sin_theta, c = cos_psi / sin_theta;
            return {{{s, c, zero}, {cos_psi, -sin_psi, zero}, {-(cos_theta * s), -(cos_theta * c), one}}};
        }
        MYRIAD_HD AngleMap<Real> along(const Rates& v, const Rates& a) const {
            const Real zero(0.0), one(1.0), square = v[1] * v[1];
            const Vec<3, Real> h{zero, sin_theta, cos_theta}, h_by_theta{zero, cos_theta, -sin_theta};
            return AngleMap<Real>::along(sin_psi, cos_psi, h, v[1] * h_by_theta, fma(a[1], h_by_theta, -square * h),
                                         {one, zero, zero}, v[2], a[2]);
        }
    };

    static MYRIAD_HD Coordinates retract(const Coordinates& q, const Rates& u) { return {q.angles + u, q.offset}; }
    static MYRIAD_HD Rotation<Real> rotation(const Coordinates& q) { return Point::at(q.angles).rotation * q.offset; }
    static MYRIAD_HD Vec<3, Real> angular_velocity(const Coordinates& q, const Rates& v) {
        return inverse(q.offset).act(Point::at(q.angles).angular_velocity(v));
    }
    static MYRIAD_HD OrientationMotion<Real> motion(const Coordinates& q, const Rates& v, const Rates& a) {
        const Point point = Point::at(q.angles);
        const Rotation<Real> to_body = inverse(q.offset);
        return {point.rotation * q.offset, to_body.act(point.angular_velocity(v)),
                to_body.act(point.along(v, a).angular_acceleration(v, a))};
    }
    static MYRIAD_HD Rates acceleration(const Coordinates& q, const Rates& v,
                                        const Vec<3, Real>& angular_acceleration) {
        const Point point = Point::at(q.angles);
        return point.rates(q.offset.act(angular_acceleration) - point.along(v, Rates{}).g_rate * v);
    }
    static MYRIAD_HD void start(const Rotation<Real>& rotation, const Vec<3, Real>& angular_velocity, Coordinates& q,
                                Rates& v) {
        const Real quarter = constant<Real>(1.5707963267948966, 1.57079637);
        q.angles = {quarter, quarter, Real(0.0)};
        const Point point = Point::at(q.angles);
        q.offset = renormalized(inverse(point.rotation) * rotation);
        v = point.rates(q.offset.act(angular_velocity));
    }
    static MYRIAD_HD Coordinates settle(const Coordinates& q) { return q; }
    static MYRIAD_HD Real reach(const Rates&) { return Real(0.0); }
    static MYRIAD_HD MaskOf<Real> regular(const Coordinates& q) {
        return smallest_sine() <= absolute(Point::at(q.angles).sin_theta);
    }
    static MYRIAD_HD Correction correction(const Coordinates& q, const Rates& v, const Rates& a, const Rates&, Real c_a,
                                           Real c_v, Real c_q, bool) {
        const Point point = Point::at(q.angles);
        const Correction in_a = point.along(v, a).correction(point.inverse_map(), v, a, c_a, c_v, c_q);
        const Mat3<Real> offset = matrix_of(q.offset), to_body = transpose(offset);
        return {to_body * in_a.acceleration * offset, to_body * in_a.velocity * offset, in_a.coordinates * offset};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
