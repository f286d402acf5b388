// Unit quaternions as numbers, for explicit methods: the coordinates of the rotation group, beside the angular
// velocity, and a classical method on them.
//
//   q' = q w / 2    (quaternion product, w = (0, w) in the body frame);   after each step q / |q|
//
// Stages are taken as they are, off the unit sphere by h^2 |w|^2 / 16; the equations of motion see 1 - 2 (x^2 + y^2)
// and the like, a smooth continuation, so that the method keeps its order. In the terms of short_maps.hpp
//
//   v in R4,   origin q,   q_i = v,   K_i = q_i w,   q+ = v / |v|
//
// A difference d of two quaternions near q is the rotation 2 vec(conjugate(q) d) in the body frame: what an error is
// measured by. No map has a limit to the rotation of a step; a steady one is not met exactly. Not handled: implicit
// methods (for comparison: papers/rA/kernels/euler_parameters.hpp).
#pragma once
#include "kernels/orientation/short_maps.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct UnitQuaternions : RotationGroup<R> {
    static constexpr const char* name = "euler_parameters";
    static constexpr const char* summary =
        "unit quaternions beside the angular velocity: the cheapest steps of explicit methods";
};

template <class R>
struct ShortMaps<UnitQuaternions<R>> {
    using Real = R;
    static constexpr int greatest_order = 99, sum_count = 4;
    static constexpr bool has_origin = true;
    using Sum = Vec<4, Real>;

    static MYRIAD_HD Sum origin(const Rotation<Real>& q) { return {q.w, q.x, q.y, q.z}; }
    static MYRIAD_HD Sum rate_at_start(const Rotation<Real>& q, const Vec<3, Real>& w) {
        return {-fma(q.x, w[0], fma(q.y, w[1], q.z * w[2])), fma(q.w, w[0], fma(q.y, w[2], -(q.z * w[1]))),
                fma(q.w, w[1], fma(q.z, w[0], -(q.x * w[2]))), fma(q.w, w[2], fma(q.x, w[1], -(q.y * w[0])))};
    }
    static MYRIAD_HD Rotation<Real> stage(const Rotation<Real>&, const Sum& sum) {
        return {sum[0], sum[1], sum[2], sum[3]};
    }
    static MYRIAD_HD Sum rate(const Rotation<Real>& q_of_stage, const Sum&, const Vec<3, Real>& w) {
        return rate_at_start(q_of_stage, w);
    }
    static MYRIAD_HD Rotation<Real> end(const Rotation<Real>&, const Sum& sum) {
        const Real square = fma(sum[0], sum[0], sum[1] * sum[1]) + fma(sum[2], sum[2], sum[3] * sum[3]);
        const Real n = reciprocal_root_near_one(square);
        return {n * sum[0], n * sum[1], n * sum[2], n * sum[3]};
    }
    static MYRIAD_HD Real reach(const Sum&) { return Real(0.0); }
    static MYRIAD_HD Vec<3, Real> moved(const Rotation<Real>& q, const Sum& difference) {
        const Rotation<Real> r = inverse(q) * stage(q, difference);
        return {Real(2.0) * r.x, Real(2.0) * r.y, Real(2.0) * r.z};
    }

  private:
    // 1/sqrt(x) within 2 epsilon. Near 1, where steps of some digits end, its series has a third of the latency; what
    // it leaves out is 35/128 (x - 1)^4.
    static MYRIAD_HD Real reciprocal_root_near_one(Real x) {
        const Real past_one = x - Real(1.0);
        Real root = polynomial(past_one, 1.0, -1.0 / 2, 3.0 / 8, -5.0 / 16);
        const MaskOf<Real> is_near = absolute(past_one) <= constant<Real>(1e-4, 1e-2);
        if (any(!is_near)) root = select(is_near, root, Real(1.0) / sqrt(x));
        return root;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
