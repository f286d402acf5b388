// The common part of systems whose configuration is a vector: coordinates add up, and rates are velocities.
//
// `planar_body` gives the state channels of a body that moves in the x-y plane and turns about z. Not handled:
// orientations in space.
#pragma once
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/system/parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class R>
struct VectorCoordinates {
    using Real = R;
    using Configuration = Vec<N, Real>;
    using Velocity = Vec<N, Real>;
    static constexpr int freedoms = N;
    static constexpr bool has_orientation = false;

    static MYRIAD_HD Configuration retract(const Configuration& q, const Velocity& u) { return q + u; }
    static MYRIAD_HD Velocity local_rate(const Configuration&, const Velocity&, const Velocity& v) { return v; }
    static MYRIAD_HD Configuration settle(const Configuration& q) { return q; }
    static MYRIAD_HD Real reach(const Velocity&) { return Real(0.0); }
    static MYRIAD_HD Velocity magnitude(const Configuration&, const Configuration&) {
        Velocity one;
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) one[i] = Real(1.0);
        return one;
    }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration&) { return true_mask<Real>(); }
};

// Reason::parameter_not_finite where one of them is not.
template <int N, class Real>
MYRIAD_HD Real finite_reason(const Vec<N, Real>& parameters) {
    Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
    MYRIAD_UNROLL_PLAN for (int i = 0; i < N; ++i) sum = finite_term(parameters[i], sum);
    return reason_unless(sum <= Real(0.0), Reason::parameter_not_finite, Real(0.0));
}

template <class Real>
MYRIAD_HD BodyState<Real> planar_body(Real x, Real y, Real angle, Real rate_x, Real rate_y, Real turning) {
    const Real zero(0.0);
    return {{x, y, zero}, exp_any(Vec<3, Real>{zero, zero, angle}), {rate_x, rate_y, zero}, {zero, zero, turning}};
}

}  // namespace myriad::inline MYRIAD_VARIANT
