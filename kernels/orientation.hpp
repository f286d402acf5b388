// How a system holds an orientation: on the group itself, or on a chart. A system is written once, for the rotation and
// the angular velocity in the body frame; its chart turns its own coordinates and rates into these and back.
//
//   RotationGroup   q in S3, velocity w:             q(u) = q exp(u),  u' = T_exp(u)^-1 w     lgim eqs. 24, 25
//   CardanChart     q = rho, velocity rho':          q(u) = rho + u,   u' = rho'
//                   rho'' = G^-1 (w' - G' rho')      classical formulation 2, Rxyz            lgim eqs. 12, 13
//   CardanBodyRateChart  q = rho, velocity w:        q(u) = rho + u,   u' = G(rho + u)^-1 w
//                   w' itself                        classical formulation 1                  lgim eqs. 1, 2, 11
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
// and for implicit methods what implicit_chart.hpp says; these alone may also use euler_parameters.hpp and
// euler_zxz.hpp, and explicit ones alone CardanBodyRateChart.
#pragma once
#include "kernels/chart.hpp"
#include "kernels/implicit_chart.hpp"
#include "kernels/rotation.hpp"

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

// The part of a Cardan chart that does not depend on which velocity goes with the angles.
template <class R>
struct CardanCoordinates {
    using Real = R;
    static constexpr int coordinate_count = 3, rate_count = 3;
    using Coordinates = Vec<3, Real>;
    using Rates = Vec<3, Real>;
    using Point = CardanXyz<Real>;
    // Below this |cos b| the rates of the angles have lost nine digits, in single precision all but one.
    static MYRIAD_HD Real smallest_cosine() { return constant<Real>(1e-9, 1e-6); }

    static MYRIAD_HD Coordinates retract(const Coordinates& q, const Vec<3, Real>& u) { return q + u; }
    static MYRIAD_HD Rotation<Real> rotation(const Coordinates& q) { return Point::at(q).rotation; }
    static MYRIAD_HD Coordinates settle(const Coordinates& q) { return q; }
    static MYRIAD_HD Real reach(const Vec<3, Real>&) { return Real(0.0); }
    static MYRIAD_HD MaskOf<Real> regular(const Coordinates& q) {
        return smallest_cosine() <= absolute(Point::at(q).cos_b);
    }
};

template <class R>
struct CardanChart : CardanCoordinates<R> {
    using Real = R;
    static constexpr const char* name = "cardan_xyz";
    static constexpr const char* summary = "Cardan angles, R = Rx Ry Rz: the classical formulation (2), for comparison";
    static constexpr bool velocity_is_local_rate = true;
    using typename CardanCoordinates<R>::Coordinates;
    using typename CardanCoordinates<R>::Rates;
    using typename CardanCoordinates<R>::Point;
    using Correction = MatrixCorrection<Real>;

    static MYRIAD_HD Vec<3, Real> local_rate(const Coordinates&, const Vec<3, Real>&, const Rates& v) { return v; }
    static MYRIAD_HD Vec<3, Real> angular_velocity(const Coordinates& q, const Rates& v) {
        return Point::at(q).angular_velocity(v);
    }
    static MYRIAD_HD Rates acceleration(const Coordinates& q, const Rates& v,
                                        const Vec<3, Real>& angular_acceleration) {
        const Point point = Point::at(q);
        return point.rates(angular_acceleration - point.angular_velocity_rate(v));
    }
    static MYRIAD_HD void start(const Rotation<Real>& rotation, const Vec<3, Real>& angular_velocity, Coordinates& q,
                                Rates& v) {
        q = cardan_angles(rotation);
        v = Point::at(q).rates(angular_velocity);
    }

    static MYRIAD_HD OrientationMotion<Real> motion(const Coordinates& q, const Rates& v, const Rates& a) {
        const Point point = Point::at(q);
        return {point.rotation, point.angular_velocity(v), point.angular_velocity(a) + point.angular_velocity_rate(v)};
    }
    static MYRIAD_HD Correction correction(const Coordinates& q, const Rates& v, const Rates& a, const Rates&, Real c_a,
                                           Real c_v, Real c_q, bool) {
        const Point point = Point::at(q);
        const Real zero(0.0), one(1.0), square = v[1] * v[1];
        const Vec<3, Real> h{point.cos_b, zero, point.sin_b}, h_by_b{-point.sin_b, zero, point.cos_b};
        const AngleMap<Real> map = AngleMap<Real>::along(point.sin_c, point.cos_c, h, v[1] * h_by_b,
                                                         fma(a[1], h_by_b, -square * h), {zero, one, zero}, v[2], a[2]);
        return map.correction(point.inverse_map(), v, a, c_a, c_v, c_q);
    }
};

template <class R>
struct CardanBodyRateChart : CardanCoordinates<R> {
    using Real = R;
    static constexpr const char* name = "cardan_xyz_body_rate";
    static constexpr const char* summary =
        "Cardan angles beside the angular velocity: the classical formulation (1), for comparison";
    static constexpr bool velocity_is_local_rate = false;
    using typename CardanCoordinates<R>::Coordinates;
    using typename CardanCoordinates<R>::Rates;
    using typename CardanCoordinates<R>::Point;
    struct Correction {};  // none: no implicit method runs on it

    static MYRIAD_HD Vec<3, Real> local_rate(const Coordinates& q, const Vec<3, Real>& u, const Rates& v) {
        return Point::at(q + u).rates(v);
    }
    static MYRIAD_HD Vec<3, Real> angular_velocity(const Coordinates&, const Rates& v) { return v; }
    static MYRIAD_HD Rates acceleration(const Coordinates&, const Rates&, const Vec<3, Real>& angular_acceleration) {
        return angular_acceleration;
    }
    static MYRIAD_HD void start(const Rotation<Real>& rotation, const Vec<3, Real>& angular_velocity, Coordinates& q,
                                Rates& v) {
        q = cardan_angles(rotation), v = angular_velocity;
    }
    static MYRIAD_HD OrientationMotion<Real> motion(const Coordinates& q, const Rates& v, const Rates& a) {
        return {Point::at(q).rotation, v, a};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
