// How a system holds an orientation: on the group itself, or on a chart. A system is written once, for the rotation and
// the angular velocity in the body frame; its chart turns its own coordinates and rates into these and back.
//
//   RotationGroup   q in S3, velocity w:             q(u) = q exp(u),  u' = T_exp(u)^-1 w     lgim eqs. 24, 25
//
// A chart offers its name, a summary of one line and, for its coordinates q and velocity v:
//   retract(q, u)            the configuration reached from q by the local coordinates u
//   local_rate(q, u, v)      u' at retract(q, u);  velocity_is_local_rate: at u = 0 it is v
//   rotation(q)              body to world;  angular_velocity(q, v) in the body frame, rad/s
//   acceleration(q, v, w')   v' from the angular acceleration w' in the body frame
//   start(rotation, w)       coordinates and velocity of an initial state
//   settle(q)                q without the drift of round-off; called after each step
//   reach(u)                 how far u turns a body, as |u / 2|^2: beyond largest_reach (runge_kutta.hpp) the series in
//                            retract fails; 0 on a chart whose retract has no such limit
//   regular(q)               false where the chart is too close to a singularity of its own
// and for implicit methods what implicit_chart.hpp says. The charts of papers/ are for comparison.
#pragma once
#include "kernels/math/rotation.hpp"
#include "kernels/orientation/implicit_chart.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct RotationGroup {
    using Real = R;
    static constexpr const char* name = "rotation";
    static constexpr const char* summary = "the rotation group itself: a Lie group method, free of singular angles";
    static constexpr int coordinate_count = 4, rate_count = 3;
    static constexpr bool velocity_is_local_rate = true;
    using Coordinates = Rotation<Real>;
    using Rates = Vec<3, Real>;
    using Correction = MatrixCorrection<Real>;

    static MYRIAD_HD Coordinates retract(const Coordinates& q, const Vec<3, Real>& u) { return q * exp(u); }
    static MYRIAD_HD Vec<3, Real> local_rate(const Coordinates&, const Vec<3, Real>& u, const Rates& v) {
        return tangent_inverse(u, v);
    }
    static MYRIAD_HD Rotation<Real> rotation(const Coordinates& q) { return q; }
    static MYRIAD_HD Vec<3, Real> angular_velocity(const Coordinates&, const Rates& v) { return v; }
    static MYRIAD_HD Rates acceleration(const Coordinates&, const Rates&, const Vec<3, Real>& angular_acceleration) {
        return angular_acceleration;
    }
    static MYRIAD_HD void start(const Rotation<Real>& rotation, const Vec<3, Real>& angular_velocity, Coordinates& q,
                                Rates& v) {
        q = rotation, v = angular_velocity;
    }
    static MYRIAD_HD Coordinates settle(const Coordinates& q) { return renormalized(q); }
    static MYRIAD_HD Real reach(const Vec<3, Real>& u) {
        const Vec<3, Real> half = Real(0.5) * u;
        return dot(half, half);
    }
    static MYRIAD_HD MaskOf<Real> regular(const Coordinates&) { return true_mask<Real>(); }

    static MYRIAD_HD OrientationMotion<Real> motion(const Coordinates& q, const Rates& v, const Rates& a) {
        return {q, v, a};
    }
    // A rotation z of the body is T_exp(u) x; without the tangent operator the iteration takes T_exp for the identity.
    static MYRIAD_HD Correction correction(const Coordinates&, const Rates&, const Rates&, const Rates& u, Real c_a,
                                           Real c_v, Real, bool tangent_operator) {
        if (!tangent_operator) return {diagonal(c_a), diagonal(c_v), diagonal(Real(1.0))};
        const Mat3<Real> inverse_tangent = tangent_inverse_matrix_near_zero(u), none{};
        return {fma(c_a, inverse_tangent, none), fma(c_v, inverse_tangent, none), inverse_tangent};
    }
};

template <class Chart>
constexpr bool is_rotation_group = false;
template <class Real>
constexpr bool is_rotation_group<RotationGroup<Real>> = true;

}  // namespace myriad::inline MYRIAD_VARIANT
