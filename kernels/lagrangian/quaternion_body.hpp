// The rotation of one rigid body in unit quaternions q (body to world, w x y z) and their rates: a LagrangianSystem.
//
//   w = 2 G(q) v, T = w . J w / 2     angular velocity in the body frame: bilinear in q and v    livens eqs. 43, 45
//   p = dT/dv = 2 G(q)^T J w          in the body frame q* o p = (0, 2 J w)
//   V = m g X . R(q)^T e3             livens eq. 115
//   g = (q . q - 1)/2                 livens eq. 30
//
// with G(q) b = Vec(q* o b). The mass 4 G^T J G is singular along q. R(q) is the quadratic polynomial, so V is
// quadratic and its gradient at q_half is a discrete one. Not handled: other potentials, loads.
#pragma once
#include "kernels/lagrangian/lagrangian_system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
MYRIAD_HD Vec<4, Real> components(const Rotation<Real>& q) {
    return {q.w, q.x, q.y, q.z};
}
template <class Real>
MYRIAD_HD Rotation<Real> quaternion(const Vec<4, Real>& q) {
    return {q[0], q[1], q[2], q[3]};
}
template <class Real>
MYRIAD_HD Vec<3, Real> vector_part(const Rotation<Real>& q) {
    return {q.x, q.y, q.z};
}
template <class Real>
MYRIAD_HD Rotation<Real> pure(const Vec<3, Real>& v) {
    return {Real(0.0), v[0], v[1], v[2]};
}
// s G(q), with G(q) b = Vec(q* o b).
template <class Real>
MYRIAD_HD Matrix<3, 4, Real> body_map(Real s, const Vec<4, Real>& q) {
    const Real w = s * q[0], x = s * q[1], y = s * q[2], z = s * q[3];
    return {{{-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}}};
}

// `weighted`: false where there is no potential.
template <class R, bool weighted>
struct QuaternionBody {
    using Real = R;
    static constexpr int coordinates = 4, constraints = 1, bilinear_invariants = 3;
    static constexpr bool potential_is_quadratic = true, has_weight = weighted;
    using Coordinates = Vec<4, Real>;
    using Square = Matrix<4, 4, Real>;

#if !defined(__CUDACC_RTC__)
    static constexpr const char* certificate_units[] = {"kg m^2/s", "1/s", "1"};
#endif

    Symmetric3<Real> inertia, inverse_inertia;  // J, kg m^2, and J^-1
    Vec<3, Real> weight_moment;                 // m g X, N m, body frame

    MYRIAD_HD Real potential(const Coordinates& q) const {
        if constexpr (!weighted) return Real(0.0);
        return dot(weight_moment, up(quaternion(q)));
    }
    MYRIAD_HD Coordinates potential_gradient(const Coordinates& q) const {
        if constexpr (!weighted) return {};
        return potential_hessian(q) * q;
    }
    MYRIAD_HD Square potential_hessian(const Coordinates&) const {
        if constexpr (!weighted) return {};
        const Real o(0.0), x = Real(2.0) * weight_moment[0], y = Real(2.0) * weight_moment[1],
                           z = Real(2.0) * weight_moment[2];
        return {{{z, y, -x, o}, {y, -z, o, x}, {-x, o, -z, y}, {o, x, y, z}}};
    }
    // R(q)^T e3, of length |q|^2.
    static MYRIAD_HD Vec<3, Real> up(const Rotation<Real>& q) {
        const Real two(2.0);
        return {two * fma(q.x, q.z, -(q.w * q.y)), two * fma(q.y, q.z, q.w * q.x),
                fma(q.w, q.w, fma(q.z, q.z, -fma(q.x, q.x, q.y * q.y)))};
    }

    static MYRIAD_HD Vec<1, Real> constraint(const Coordinates& q) {
        return {Real(0.5) * (dot_product(q, q) - Real(1.0))};
    }
    static MYRIAD_HD Matrix<1, 4, Real> constraint_jacobian(const Coordinates& q) {
        return {{{q[0], q[1], q[2], q[3]}}};
    }
    static MYRIAD_HD Square constraint_hessian(const Vec<1, Real>& multiplier) { return unit_times<4>(multiplier[0]); }

    static MYRIAD_HD Vec<3, Real> invariant(const Coordinates& q, const Coordinates& v) {
        return invariant_by_rate(q) * v;
    }
    static MYRIAD_HD Matrix<3, 4, Real> invariant_by_rate(const Coordinates& q) { return body_map(Real(2.0), q); }
    static MYRIAD_HD Matrix<3, 4, Real> invariant_by_coordinate(const Coordinates& v) {
        return body_map(Real(-2.0), v);
    }
    // y . w = 2 (q o (0, y)) . v = q . H v
    static MYRIAD_HD Square pairing(const Vec<3, Real>& y) {
        const Real o(0.0), a = Real(2.0) * y[0], b = Real(2.0) * y[1], c = Real(2.0) * y[2];
        return {{{o, a, b, c}, {-a, o, -c, b}, {-b, c, o, -a}, {-c, -b, a, o}}};
    }
    MYRIAD_HD Vec<3, Real> inertia_times(const Vec<3, Real>& w) const { return inertia * w; }
    MYRIAD_HD Matrix<3, 4, Real> inertia_times(Matrix<3, 4, Real> w) const {
        MYRIAD_UNROLL for (int j = 0; j < 4; ++j) {
            const Vec<3, Real> column = inertia * Vec<3, Real>{w.e[0][j], w.e[1][j], w.e[2][j]};
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) w.e[i][j] = column[i];
        }
        return w;
    }

    MYRIAD_HD Real kinetic_energy(const Coordinates& q, const Coordinates& v) const {
        const Vec<3, Real> w = invariant(q, v);
        return Real(0.5) * dot(w, inertia * w);
    }
    MYRIAD_HD Coordinates momentum(const Coordinates& q, const Coordinates& v) const {
        return transposed_times(invariant_by_rate(q), inertia * invariant(q, v));
    }
    // w = J^-1 G(q) p / 2
    MYRIAD_HD Coordinates rate_of(const Coordinates& q, const Coordinates& p, const Coordinates&) const {
        return rate(q, inverse_inertia * (body_map(Real(0.5), q) * p));
    }
    // v = G(q)^T w / 2
    static MYRIAD_HD Coordinates rate(const Coordinates& q, const Vec<3, Real>& w) {
        return transposed_times(body_map(Real(0.5), q), w);
    }
    // A guess of q+ by the angular velocity at mid-step.
    MYRIAD_HD Coordinates guess(const Coordinates& q, const Coordinates& v, Real h) const {
        const Vec<3, Real> half_turn =
            (Real(0.5) * h) * velocity_after(Real(0.5) * h, invariant(q, v), up(quaternion(q)));
        return components(quaternion(q) * exp_of_twice(half_turn));
    }
    // w + dt w', with the upward direction in the body frame.
    MYRIAD_HD Vec<3, Real> velocity_after(Real dt, const Vec<3, Real>& w, const Vec<3, Real>& upward) const {
        Vec<3, Real> torque = cross(inertia * w, w);
        if constexpr (weighted) torque = torque + cross(upward, weight_moment);
        return fma(dt, inverse_inertia * torque, w);
    }
    static MYRIAD_HD Real correction_square(const Coordinates& dq) { return Real(4.0) * dot_product(dq, dq); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
