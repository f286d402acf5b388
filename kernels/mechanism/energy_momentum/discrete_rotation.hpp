// The rotation of one body over a step of the energy-momentum methods, and the torques of forces at its points.
//
//   q+ = q o r,  r = (r0, rv) of unit length;  R(q) s = q o s o q*, quadratic, not normalised
//   MeanRotation        M = (R + R+)/2,        rho = 2 rv / r0  = 2 g        equations in the body frame of the end
//   MidpointRotation    M = R((q + q+)/2),     rho = 2 rv                    equations in the mid body frame, R_m
//
// Both make discrete work exact: with hw = R+ 2 g, or R+ 4 rv/(1 + r0), it holds that (R+ - R) s = hw x M s; r, R, R+
// and R_m have the axis rv in common, |(q + q+)/2|^2 = (1 + r0)/2 =: k0 and M = k0 R_m for the second. A force f at the
// point s gives the torque M s x f, a torque t itself (mean) or k0 t (midpoint), whose work is R+ rho . t: livens eqs.
// 126, 128. Stiffnesses are derivatives by theta, q+ -> q+ exp(theta). Those of the mean leave out the turning of the
// equations' own frame, which Newton's method does not notice. Not handled: |r| half a turn or more (r0 <= 0).
#pragma once
#include "kernels/mechanism/bodies.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Only with the mean do the points of a joint that is closed at both ends coincide in M s. So only there is the moment
// of momentum of a mechanism exact.
template <class R>
struct MeanRotation {
    using Real = R;
    Mat3<Real> mean, end;  // M, R+
    Vec<3, Real> turn;     // rho: the rotation of the step, rad to third order, in the body frame of either end

    static MYRIAD_HD MeanRotation of(const Mat3<Real>& begin, const Mat3<Real>& end, const Rotation<Real>&,
                                     const Rotation<Real>& r) {
        MeanRotation made{{}, end, (Real(2.0) / r.w) * Vec<3, Real>{r.x, r.y, r.z}};
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) made.mean.e[i][k] =
            Real(0.5) * (begin.e[i][k] + end.e[i][k]);
        return made;
    }
    MYRIAD_HD Vec<3, Real> arm(Vec<3, Real> s) const { return mean * s; }
    // The torque of a world force f at s; then a world torque and a torque in body axes, as the equations take them.
    MYRIAD_HD Vec<3, Real> torque(Vec<3, Real> s, Vec<3, Real> f) const {
        return transposed_times(end, cross(mean * s, f));
    }
    MYRIAD_HD Vec<3, Real> free_torque(Vec<3, Real> t) const { return transposed_times(end, t); }
    MYRIAD_HD Vec<3, Real> body_torque(Vec<3, Real> t) const { return transposed_times(end, mean * t); }
    // torque(s, f) = lever_map(s) f
    MYRIAD_HD Mat3<Real> lever_map(Vec<3, Real> s) const { return transpose(end) * skew(mean * s); }
    MYRIAD_HD void add_torque_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> s, Vec<3, Real> f) const {
        add_lever_stiffness(m, Real(0.5) * scale, transposed_times(end, f), s);
    }
    MYRIAD_HD void add_free_torque_stiffness(Mat3<Real>&, Real, Vec<3, Real>) const {}
    MYRIAD_HD void add_body_torque_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> t) const {
        add_skew(m, Real(-0.5) * scale, t);
    }
    // d(M u)/dtheta
    MYRIAD_HD Mat3<Real> direction_stiffness(Vec<3, Real> u) const { return end * skew(Real(-0.5) * u); }
    // hw, and a world torque whose work is that torque times hw: for a pair of bodies the two cancel in the moment.
    MYRIAD_HD Vec<3, Real> pair_turn() const { return end * turn; }
    MYRIAD_HD Vec<3, Real> pair_torque(Vec<3, Real> t) const { return free_torque(t); }
    MYRIAD_HD void add_pair_stiffness(Mat3<Real>&, Real, Vec<3, Real>) const {}
};

template <class R>
struct MidpointRotation {
    using Real = R;
    Mat3<Real> mean, end;      // M, R+
    Vec<3, Real> turn, ratio;  // rho; rv / (1 + r0)
    Real square;               // k0

    static MYRIAD_HD MidpointRotation of(const Mat3<Real>&, const Mat3<Real>& end, const Rotation<Real>& q,
                                         const Rotation<Real>& r) {
        const Real half(0.5), square = half * (Real(1.0) + r.w);
        const Rotation<Real> middle = q * Rotation<Real>{square, half * r.x, half * r.y, half * r.z};
        const Vec<3, Real> axis{r.x, r.y, r.z};
        return {quadratic(middle), end, Real(2.0) * axis, (half / square) * axis, square};
    }
    // R(q) of a quaternion of any length
    static MYRIAD_HD Mat3<Real> quadratic(const Rotation<Real>& q) {
        const Real two(2.0), ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
        return {{{(ww + xx) - (yy + zz), two * fma(q.x, q.y, -(q.w * q.z)), two * fma(q.x, q.z, q.w * q.y)},
                 {two * fma(q.x, q.y, q.w * q.z), (ww + yy) - (xx + zz), two * fma(q.y, q.z, -(q.w * q.x))},
                 {two * fma(q.x, q.z, -(q.w * q.y)), two * fma(q.y, q.z, q.w * q.x), (ww + zz) - (xx + yy)}}};
    }
    MYRIAD_HD Vec<3, Real> arm(Vec<3, Real> s) const { return mean * s; }
    MYRIAD_HD Vec<3, Real> torque(Vec<3, Real> s, Vec<3, Real> f) const { return cross(s, transposed_times(mean, f)); }
    MYRIAD_HD Vec<3, Real> free_torque(Vec<3, Real> t) const { return transposed_times(mean, t); }
    MYRIAD_HD Vec<3, Real> body_torque(Vec<3, Real> t) const { return square * t; }
    MYRIAD_HD Mat3<Real> lever_map(Vec<3, Real> s) const { return skew(s) * transpose(mean); }
    MYRIAD_HD void add_torque_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> s, Vec<3, Real> f) const {
        m = fma(scale, skew(s) * seen_stiffness(transposed_times(mean, f)), m);
    }
    MYRIAD_HD void add_free_torque_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> t) const {
        m = fma(scale, seen_stiffness(transposed_times(mean, t)), m);
    }
    // k0 changes by -rv . theta / 4.
    MYRIAD_HD void add_body_torque_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> t) const {
        m = fma(Real(-0.125) * scale, outer(t, turn), m);
    }
    MYRIAD_HD Mat3<Real> direction_stiffness(Vec<3, Real> u) const {
        return mean * fma(Real(-0.5), outer(u, ratio), fma(Real(-0.5), skew(u) * one_and_ratio(), zero_matrix<Real>()));
    }
    MYRIAD_HD Vec<3, Real> pair_turn() const { return (Real(1.0) / square) * (end * turn); }
    MYRIAD_HD Vec<3, Real> pair_torque(Vec<3, Real> t) const { return (Real(1.0) / square) * free_torque(t); }
    MYRIAD_HD void add_pair_stiffness(Mat3<Real>& m, Real scale, Vec<3, Real> t) const {
        m = fma(Real(0.5) * scale, skew(pair_torque(t)) * one_and_ratio(), m);
    }
    // The middle quaternion turns by q_half o (-ratio . theta / 4, one_and_ratio() theta / 4).
    MYRIAD_HD Mat3<Real> one_and_ratio() const { return fma(Real(1.0), skew(ratio), diagonal(Real(1.0))); }
    static MYRIAD_HD Mat3<Real> outer(Vec<3, Real> a, Vec<3, Real> b) {
        Mat3<Real> m;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) m.e[i][k] = a[i] * b[k];
        return m;
    }

  private:
    // d(M^T f)/dtheta, by M^T f.
    MYRIAD_HD Mat3<Real> seen_stiffness(Vec<3, Real> seen) const {
        return fma(Real(-0.5), outer(seen, ratio), fma(Real(0.5), skew(seen) * one_and_ratio(), zero_matrix<Real>()));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
