// Cardan angles as charts (kernels/orientation/orientation.hpp), by the velocity that goes with them:
//
//   CardanChart     q = rho, velocity rho':          q(u) = rho + u,   u' = rho'
//                   rho'' = G^-1 (w' - G' rho')      classical formulation 2, Rxyz            lgim eqs. 12, 13
//   CardanBodyRateChart  q = rho, velocity w:        q(u) = rho + u,   u' = G(rho + u)^-1 w
//                   w' itself                        classical formulation 1                  lgim eqs. 1, 2, 11
//
// Not handled: the singularity at cos b = 0, where an instance stops; implicit methods on CardanBodyRateChart.
#pragma once
#include "kernels/orientation/chart.hpp"
#include "kernels/orientation/orientation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

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
