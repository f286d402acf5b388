// Euler parameters p = (w, x, y, z) as a chart for implicit methods: four coordinates, rp in the rA paper, EP in lgim.
//
//   R = R(p/|p|),  w = 2 E(p) p'/|p|,  w' = 2 E(p) p''/|p|        E: body rates, 3x4, E p = 0, E E^T = |p|^2 I
//                                                                 rA paper eq. 39c; lgim eqs. 12 to 14 where |p| = 1
//
// for every p but zero. On the unit sphere this is w = 2 E p' and, E(p') p' being zero, its rate. Off it, where a
// Newton iteration passes, the powers of |p| are chosen so that nothing changes when p, p' and p'' are scaled along p:
// the unknown x = E^T z / 2 + mu p falls apart into the rotation z and the length. E takes the published equations of a
// body onto the three of the rotation. The row along p, with the multiplier of the unit length in it, then only
// determines that multiplier. So there is none: the condition p.p = 1 belongs to the body and gives mu at once,
//
//   2 c_q mu p.p = 1 - p.p,
//
// and holds to round-off when Newton has converged. From z follow, with d = c_q E^T z / 2 orthogonal to p,
//   dw = (c_v |p| - c_q p.p'/|p|) z + c_q w x z / 2,    dw' the same with c_a, p'', w'.
// Where an implicit method ends with p.p' not zero (of the order of its error), the rA paper's eq. 39d has beside it
// 2 (p.p') J w, of the same order: both converge to the same motion. Not handled: explicit methods on this chart.
#pragma once
#include "kernels/orientation/implicit_chart.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct EulerParameterChart {
    using Real = R;
    static constexpr const char* name = "euler_parameters";
    static constexpr const char* summary =
        "unit quaternions, the norm a constraint: the classical formulation, for comparison";
    static constexpr int coordinate_count = 4, rate_count = 4;
    using Coordinates = Vec<4, Real>;
    using Rates = Vec<4, Real>;

    struct Correction {
        Mat3<Real> acceleration, velocity;
        Vec<4, Real> p;
        Real length;  // mu
        MYRIAD_HD Rates rates(Vec<3, Real> z) const { return fma(length, p, half_transposed(p, z)); }
    };

    static MYRIAD_HD Coordinates retract(const Coordinates& q, const Rates& u) { return q + u; }
    static MYRIAD_HD Rotation<Real> rotation(const Coordinates& q) {
        const Vec<4, Real> p = (Real(1.0) / sqrt(dot(q, q))) * q;
        return {p[0], p[1], p[2], p[3]};
    }
    static MYRIAD_HD Vec<3, Real> angular_velocity(const Coordinates& q, const Rates& v) {
        return body_rate(q, v, Real(1.0) / sqrt(dot(q, q)));
    }
    static MYRIAD_HD OrientationMotion<Real> motion(const Coordinates& q, const Rates& v, const Rates& a) {
        const Real reciprocal = Real(1.0) / sqrt(dot(q, q));
        const Vec<4, Real> p = reciprocal * q;
        return {{p[0], p[1], p[2], p[3]}, body_rate(q, v, reciprocal), body_rate(q, a, reciprocal)};
    }
    // The p'' with p.p'' = -p'.p', so that the length stays.
    static MYRIAD_HD Rates acceleration(const Coordinates& q, const Rates& v,
                                        const Vec<3, Real>& angular_acceleration) {
        const Real square = dot(q, q);
        return fma(-dot(v, v) / square, q, half_transposed(q, (Real(1.0) / sqrt(square)) * angular_acceleration));
    }
    static MYRIAD_HD void start(const Rotation<Real>& rotation, const Vec<3, Real>& angular_velocity, Coordinates& q,
                                Rates& v) {
        const Rotation<Real> unit = renormalized(rotation);
        q = {unit.w, unit.x, unit.y, unit.z};
        v = half_transposed(q, angular_velocity);
    }
    static MYRIAD_HD Coordinates settle(const Coordinates& q) { return fma(Real(-0.5), dot(q, q), Real(1.5)) * q; }
    static MYRIAD_HD Real reach(const Rates&) { return Real(0.0); }
    // Newton's way back to the sphere begins to fail where p has lost nearly all its length.
    static MYRIAD_HD MaskOf<Real> regular(const Coordinates& q) { return Real(0.01) <= dot(q, q); }

    static MYRIAD_HD Correction correction(const Coordinates& q, const Rates& v, const Rates& a, const Rates&, Real c_a,
                                           Real c_v, Real c_q, bool) {
        const Real square = dot(q, q), reciprocal = Real(1.0) / sqrt(square), size = square * reciprocal;
        const Real half = Real(0.5) * c_q;
        const auto matrix = [&](Real c, const Rates& rates) {
            const Real along = fma(-(c_q * reciprocal), dot(q, rates), c * size);
            return fma(half, skew(body_rate(q, rates, reciprocal)), diagonal(along));
        };
        return {matrix(c_a, a), matrix(c_v, v), q, (Real(1.0) - square) / (Real(2.0) * (c_q * square))};
    }

  private:
    // 2 E(p) r `reciprocal`
    static MYRIAD_HD Vec<3, Real> body_rate(const Vec<4, Real>& p, const Vec<4, Real>& r, Real reciprocal) {
        const Vec<3, Real> axis{p[1], p[2], p[3]}, rates{r[1], r[2], r[3]};
        return (Real(2.0) * reciprocal) * add_cross(rates, axis, fma(p[0], rates, -r[0] * axis));
    }
    // E(p)^T z / 2
    static MYRIAD_HD Vec<4, Real> half_transposed(const Vec<4, Real>& p, const Vec<3, Real>& z) {
        const Vec<3, Real> axis{p[1], p[2], p[3]}, half = Real(0.5) * z, turned = add_cross(axis, half, p[0] * half);
        return {-dot(axis, half), turned[0], turned[1], turned[2]};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
