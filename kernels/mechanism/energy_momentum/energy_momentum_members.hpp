// The members of the energy-momentum family on mechanisms: how a free body turns in one step.
//
//   unknown of a step: W = Omega + h b / 2 (body frame), b an angular acceleration; r = q* o q+ = (r0, rv)
//   convective   r = (1, g)/sqrt(1 + |g|^2),  g = h W / 2;      Omega+ = Omega + h b
//                R+ J Omega+ - R J Omega = h torque
//   midpoint     rv = h W / 2,  W = 2 G(q_half) (q+ - q)/h: QuaternionMember below
//
// The moment of momentum about the centre is R P/2, or R J Omega of the convective member, which is that of Simo and
// Wong (Int. J. Numer. Meth. Eng. 31, 1991) on Cayley's map: T changes by the work of the torque alone. With the
// unknown in place of q+ nothing is divided by h, and q+ has unit length. Not handled: |h W| of 2 and more.
#pragma once
#include "kernels/mechanism/energy_momentum/discrete_rotation.hpp"
#include "kernels/mechanism/equations.hpp"
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The spin that a member keeps of a body beside q and Omega.
template <class Real>
struct KeptSpin {
    Real along;             // V0 = q . v, 1/s
    Rotation<Real> moment;  // (P0, P), kg m^2/s
};

// One step's rotation and its dependence on the unknown.
template <class Real>
struct Turn {
    Rotation<Real> r;
    Vec<3, Real> rate;      // W, rad/s
    Vec<3, Real> moving;    // w: the angular velocity that J multiplies, rad/s; for the convective member Omega+
    Mat3<Real> unknown_by;  // b changes by unknown_by z where q+ turns by (h^2/2) z
    MYRIAD_HD Vec<3, Real> axis() const { return {r.x, r.y, r.z}; }
};

// The equations' left side, kg m^2 / s^2, and its derivative by z.
template <class Real>
struct Inertial {
    Vec<3, Real> residual;
    Mat3<Real> matrix;
};

template <class Real>
MYRIAD_HD Vec<3, Real> vector_part_of(const Rotation<Real>& q) {
    return {q.x, q.y, q.z};
}

struct ConvectiveMember {
    static constexpr const char* name = "energy_momentum_convective";
    static constexpr const char* summary =
        "implicit, index-3 constraints; keeps energy and all momenta, however long the run";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    static constexpr bool keeps_rate = false, keeps_moment = false, inverts_inertia = false;
    static constexpr bool has_relative_quaternions = false;
    template <class Real>
    using DiscreteRotation = MeanRotation<Real>;

    template <class Real>
    static MYRIAD_HD Turn<Real> turn(const Vec<3, Real>& omega, const Vec<3, Real>& b, Real h, const KeptSpin<Real>&) {
        const Real one(1.0), half_h = Real(0.5) * h;
        const Vec<3, Real> rate = fma(half_h, b, omega), g = half_h * rate;
        const Real r0 = one / sqrt(one + dot(g, g));
        return {{r0, r0 * g[0], r0 * g[1], r0 * g[2]}, rate, fma(h, b, omega), diagonal_skew_dyad(one, one, one, g)};
    }
    template <class Real>
    static MYRIAD_HD Inertial<Real> inertial(const Turn<Real>& turn, const Symmetric3<Real>& inertia,
                                             const Vec<3, Real>& omega, Real h, const KeptSpin<Real>&) {
        const Vec<3, Real> moment = inertia * turn.moving;
        Inertial<Real> made{(Real(1.0) / h) * (moment - inverse(turn.r).act(inertia * omega)),
                            matrix_of(inertia) * turn.unknown_by};
        add_skew(made.matrix, Real(-0.5) * h, moment);
        return made;
    }
    template <class Real>
    static MYRIAD_HD void finish(const Turn<Real>& turn, const Symmetric3<Real>&, Vec<3, Real>& omega,
                                 KeptSpin<Real>&) {
        omega = turn.moving;
    }
};

// The common part of the two rules on Livens' principle; `Rule` says which w they use. With p+ = 2 DvT - p and
// DvT = 2 G(q_half)^T J w, the balance (p+ - p)/h - DqT = generalized forces, times G(q_half)/2 (livens eq. 104), is
//   ((1 + r0)(J w - P/2) + P0 rv/2 + rv x (J w + P/2))/h = torque in the mid body frame
//   livens_midpoint (MPL)    w = W,   Omega+ = J^-1 P+ / 2
//   energy_momentum (EML)    w = (Omega + Omega+)/2,  Omega = 2 G(q) v,  v+ = 2 (q+ - q)/h - v   livens eqs. 86-88
// Rate and momentum are kept in body axes: q* o v = (V0, Omega/2), q* o p = (P0, P); consistent are V0 = P0 = 0 and P =
// 2 J Omega.
template <class Rule>
struct QuaternionMember {
    static constexpr bool keeps_moment = true;
    template <class Real>
    using DiscreteRotation = MidpointRotation<Real>;

    template <class Real>
    static MYRIAD_HD Turn<Real> turn(const Vec<3, Real>& omega, const Vec<3, Real>& b, Real h,
                                     const KeptSpin<Real>& kept) {
        const Real one(1.0), half_h = Real(0.5) * h;
        const Vec<3, Real> rate = fma(half_h, b, omega), axis = half_h * rate;
        // An iterate beyond the largest rotation of a step stays a number; as a result it is refused.
        const Real square = fma(-axis[0], axis[0], fma(-axis[1], axis[1], fma(-axis[2], axis[2], one)));
        const Real r0 = sqrt(maximum(square, Real(0.0625)));
        const Rotation<Real> r{r0, axis[0], axis[1], axis[2]};
        return {r, rate, Rule::moving(r, rate, omega, kept), fma(one, skew(axis), diagonal(r0))};
    }
    template <class Real>
    static MYRIAD_HD Inertial<Real> inertial(const Turn<Real>& turn, const Symmetric3<Real>& inertia,
                                             const Vec<3, Real>& omega, Real h, const KeptSpin<Real>& kept) {
        const Real half(0.5), r0 = turn.r.w, one_and_r0 = Real(1.0) + r0;
        const Vec<3, Real> axis = turn.axis(), half_moment = half * vector_part_of(kept.moment);
        const Vec<3, Real> y = inertia * turn.moving, sum = y + half_moment, difference = y - half_moment;
        // d rv / d theta
        const Mat3<Real> axis_by = fma(half, turn.unknown_by, zero_matrix<Real>());
        const Mat3<Real> y_by = matrix_of(inertia) * Rule::moving_by(turn, axis_by, omega, h, kept);
        Inertial<Real> made;
        made.residual =
            (Real(1.0) / h) * fma(one_and_r0, difference, add_cross(axis, sum, (half * kept.moment.w) * axis));
        Mat3<Real> moment_by = diagonal(half * kept.moment.w);
        add_skew(moment_by, Real(-1.0), sum);
        const Mat3<Real> all =
            fma(Real(-0.5), MidpointRotation<Real>::outer(difference, axis),
                fma(Real(1.0), fma(Real(1.0), skew(axis), diagonal(one_and_r0)) * y_by, moment_by * axis_by));
        made.matrix = fma(half * h, all, zero_matrix<Real>());
        return made;
    }
    // (P0, P) at the end: r* o (4 k o (0, J w) - (P0, P)), k = (1 + r)/2.
    template <class Real>
    static MYRIAD_HD Rotation<Real> moment_at_end(const Turn<Real>& turn, const Symmetric3<Real>& inertia,
                                                  const Rotation<Real>& before) {
        const Real two(2.0);
        const Vec<3, Real> y = inertia * turn.moving;
        const Rotation<Real> four_k{two + two * turn.r.w, two * turn.r.x, two * turn.r.y, two * turn.r.z};
        const Rotation<Real> sum = four_k * Rotation<Real>{Real(0.0), y[0], y[1], y[2]};
        return inverse(turn.r) * Rotation<Real>{sum.w - before.w, sum.x - before.x, sum.y - before.y, sum.z - before.z};
    }
};

struct LivensMidpointRule : QuaternionMember<LivensMidpointRule> {
    static constexpr const char* name = "livens_midpoint";
    static constexpr const char* summary =
        "implicit, index-3 constraints; midpoint rule on Livens' principle: energy stays near, free spin "
        "exact";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    static constexpr bool keeps_rate = false, inverts_inertia = true, has_relative_quaternions = false;

    template <class Real>
    static MYRIAD_HD Vec<3, Real> moving(const Rotation<Real>&, const Vec<3, Real>& rate, const Vec<3, Real>&,
                                         const KeptSpin<Real>&) {
        return rate;
    }
    template <class Real>
    static MYRIAD_HD Mat3<Real> moving_by(const Turn<Real>&, const Mat3<Real>& axis_by, const Vec<3, Real>&, Real h,
                                          const KeptSpin<Real>&) {
        return fma(Real(2.0) / h, axis_by, zero_matrix<Real>());
    }
    template <class Real>
    static MYRIAD_HD void finish(const Turn<Real>& turn, const Symmetric3<Real>& inertia, Vec<3, Real>& omega,
                                 KeptSpin<Real>& kept) {
        kept.moment = moment_at_end(turn, inertia, kept.moment);
        omega = inverse(inertia) * (Real(0.5) * vector_part_of(kept.moment));
    }
};

struct LivensEnergyMomentum : QuaternionMember<LivensEnergyMomentum> {
    static constexpr const char* name = "energy_momentum";
    static constexpr const char* summary =
        "implicit, index-3 constraints; keeps Livens' generalized energy; weakly unstable in long runs";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true, .parasitic_mode = true};
    static constexpr bool keeps_rate = true, inverts_inertia = false, has_relative_quaternions = true;

    // (Omega + Omega+)/2 = W + (1 - r0) V + V0 rv + rv x V, with V = Omega/2 and 1 - r0 = |rv|^2/(1 + r0).
    template <class Real>
    static MYRIAD_HD Vec<3, Real> moving(const Rotation<Real>& r, const Vec<3, Real>& rate, const Vec<3, Real>& omega,
                                         const KeptSpin<Real>& kept) {
        const Vec<3, Real> axis = vector_part_of(r), v = Real(0.5) * omega;
        const Real less = dot(axis, axis) / (Real(1.0) + r.w);
        return add_cross(axis, v, fma(kept.along, axis, fma(less, v, rate)));
    }
    template <class Real>
    static MYRIAD_HD Mat3<Real> moving_by(const Turn<Real>& turn, const Mat3<Real>& axis_by, const Vec<3, Real>& omega,
                                          Real h, const KeptSpin<Real>& kept) {
        const Vec<3, Real> v = Real(0.5) * omega;
        Mat3<Real> by_axis = diagonal(Real(2.0) / h + kept.along);
        add_skew(by_axis, Real(-1.0), v);
        return fma(Real(0.5), MidpointRotation<Real>::outer(v, turn.axis()), by_axis * axis_by);
    }
    template <class Real>
    static MYRIAD_HD void finish(const Turn<Real>& turn, const Symmetric3<Real>& inertia, Vec<3, Real>& omega,
                                 KeptSpin<Real>& kept) {
        const Vec<3, Real> axis = turn.axis();
        // 2 (1 - r0)/h - r0 V0 - rv . V
        kept.along =
            dot(axis, turn.rate) / (Real(1.0) + turn.r.w) - fma(turn.r.w, kept.along, Real(0.5) * dot(axis, omega));
        kept.moment = moment_at_end(turn, inertia, kept.moment);
        omega = Real(2.0) * turn.moving - omega;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
