// One step of a quaternion body in three unknowns, an incremental rotation: the hot path of energy-momentum methods.
//
// Everything is seen from the body at the start of the step: r = q* o q+ = (r0, x) is the unknown, of unit length by
// construction (r <- r o dr with dr on the sphere, tangent to exp(dtheta) of livens eq. 105), n the upward direction.
// Newton solves for dtheta, along which dr0 = -x . dtheta / 2, dx = D dtheta, D = (r0 I + x~)/2. With a = 1 + r0,
// q* o v = (u0, w/2), q* o p = (P0, P) the balance of momentum, premultiplied by G(q_half) (livens eq. 104), is
//
//   2 a y + 2 x × y - a P + P0 x + x × P + 2 h (m g X) × n_half = 0,   y = J w_half,  n_half: R(q_half)^T e3
//     Livens     w_half = (2/h + u0) x + (1 - r0) w/2 + x × w/2      livens eq. 88; u0, P0: its parasitic mode
//     midpoint   w_half = 2 x / h
//   with q+* o p+ = 2 (1 + r*) o y - r* o q* o p,  q+* o v+ = 2 (1 - r*)/h - r* o q* o v
#pragma once
#include "kernels/integrators/momentum_certificate.hpp"
#include "kernels/lagrangian/quaternion_body.hpp"
#include "kernels/math/newton.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Residual and matrix of Newton's equations.
template <class Real>
struct RotationEquation {
    Vec<3, Real> residual;
    Mat3<Real> matrix;
};

// a b^T
template <class Real>
MYRIAD_HD Mat3<Real> dyad(const Vec<3, Real>& a, const Vec<3, Real>& b) {
    Mat3<Real> m;
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j) m.e[i][j] = a[i] * b[j];
    return m;
}

// d I + s v~
template <class Real>
MYRIAD_HD Mat3<Real> diagonal_skew(Real d, Real s, const Vec<3, Real>& v) {
    const Real x = s * v[0], y = s * v[1], z = s * v[2];
    return {{{d, -z, y}, {z, d, -x}, {-y, x, d}}};
}

// The product of two matrices of the form above: (d I + a~)(e I + b~) = (d e - a . b) I + (d b + e a)~ + b a^T
template <class Real>
MYRIAD_HD Mat3<Real> product(Real d, const Vec<3, Real>& a, Real e, const Vec<3, Real>& b) {
    return fma(Real(1.0), dyad(b, a), diagonal_skew(fma(d, e, -dot(a, b)), Real(1.0), fma(d, b, e * a)));
}
// m + a~ b
template <class Real>
MYRIAD_HD Mat3<Real> add_cross_columns(const Vec<3, Real>& a, const Mat3<Real>& b, Mat3<Real> m) {
    MYRIAD_UNROLL for (int j = 0; j < 3; ++j) {
        const Vec<3, Real> sum = add_cross(a, {b.e[0][j], b.e[1][j], b.e[2][j]}, {m.e[0][j], m.e[1][j], m.e[2][j]});
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) m.e[i][j] = sum[i];
    }
    return m;
}

template <class S>
struct IncrementalStep {
    using System = S;
    using Real = typename S::Real;
    using Vector = Vec<3, Real>;
    using Rotor = typename S::Rotor;

    const System& system;
    const Rotor body;
    const Motion<System>& begin;
    const Real h;
    const Rotation<Real> q;
    const Vector w;
    Vector up{};  // upward direction at the start, body frame; only where there is weight
    Rotation<Real> r;

    // The guess turns by the angular velocity at mid-step, by the Taylor series of tan(angle/4).
    MYRIAD_HD IncrementalStep(const System& system_given, Real step, const Motion<System>& motion)
        : system(system_given),
          body(system_given.lagrangian()),
          begin(motion),
          h(step),
          q(System::orientation(motion.q)),
          w(System::turning(motion.v)) {
        if constexpr (Rotor::has_weight) up = Rotor::up(q);
        const Vector quarter = (Real(0.25) * h) * body.velocity_after(Real(0.5) * h, w, up);
        r = turned(fma(constant<Real>(1.0 / 3.0, 0.333333343), dot(quarter, quarter), Real(1.0)) * quarter);
    }
    // The unit quaternion of a rotation by 4 atan |a|: tangent to exp(4 a), on the sphere for any a.
    static MYRIAD_HD Rotation<Real> turned(const Vector& a) {
        const Real square = dot(a, a), scale = Real(1.0) / (Real(1.0) + square), twice = Real(2.0) * scale;
        return {(Real(1.0) - square) * scale, twice * a[0], twice * a[1], twice * a[2]};
    }
    MYRIAD_HD Correction<Real> apply(const RotationEquation<Real>& equation, MaskOf<Real> going) {
        const Vector turn = -(inverse(equation.matrix) * equation.residual);  // dtheta, rad
        r = select(going, r * turned(Real(0.25) * turn), r);
        return {dot(turn, turn), !true_mask<Real>()};
    }
    MYRIAD_HD void finish(const Vector& w_end, Motion<System>& end) const {
        system.set_end(begin, h, renormalized(q * r), w_end, end);
    }
};

// The balance of momentum and its matrix, by dtheta, for w_half and its derivative W = w_by_turn.
template <class System, class Real = typename System::Real>
MYRIAD_HD RotationEquation<Real> momentum_balance(const IncrementalStep<System>& step, const Rotation<Real>& momentum,
                                                  const Vec<3, Real>& w_half, const Mat3<Real>& w_by_turn) {
    using Vector = Vec<3, Real>;
    const Real one(1.0), two(2.0), half(0.5), a = one + step.r.w, r0 = step.r.w;
    const Vector x = vector_part(step.r), p = vector_part(momentum), y = step.body.inertia * w_half;
    const Vector twice_y_p = fma(two, y, p), half_x = half * x;
    const Real half_r0 = half * r0;  // D = half_r0 I + half_x~
    RotationEquation<Real> equation;
    equation.residual = add_cross(x, twice_y_p, fma(momentum.w, x, a * fma(two, y, -p)));
    // matrix = 2 (a I + x~) J W + (P0 I - (P + 2 y)~) D - (2 y - P) x^T / 2: fma(one, A, B) is the sum A + B
    const Mat3<Real> y_by_turn = matrix_of(step.body.inertia) * w_by_turn;
    equation.matrix = add_cross_columns(
        two * x, y_by_turn,
        fma(two * a, y_by_turn, fma(one, product(momentum.w, -twice_y_p, half_r0, half_x), dyad(fma(half, p, -y), x))));
    if constexpr (System::Rotor::has_weight) {
        // n_half = (s0^2 - s.s) n + 2 s (s.n) - 2 s0 s x n with s0 = a/2, s = x/2; n_by_turn: its derivative by dtheta
        const Vector n = step.up, arm = (two * step.h) * step.body.weight_moment, x_n = cross(x, n);
        const Real along = half * dot(x, n), s0 = half * a;
        const Vector n_half = fma(fma(s0, s0, Real(-0.25) * dot(x, x)), n, fma(along, x, -s0 * x_n));
        const Vector d_n = half * fma(r0, n, -x_n);  // D^T n
        const Mat3<Real> n_by_turn =
            fma(one, product(along, s0 * n, half_r0, half_x),
                fma(one, dyad(half_x, d_n), dyad(Real(0.25) * (x_n - fma(two, r0, one) * n), x)));
        equation.residual = add_cross(arm, n_half, equation.residual);
        equation.matrix = add_cross_columns(arm, n_by_turn, equation.matrix);
    }
    return equation;
}

// q+* o p+
template <class Real>
MYRIAD_HD Rotation<Real> momentum_after(const Rotation<Real>& r, const Rotation<Real>& momentum,
                                        const Vec<3, Real>& y) {
    const Rotation<Real> back = inverse(r), carried = back * momentum;
    const Real two(2.0);
    const Rotation<Real> added = Rotation<Real>{Real(1.0) + back.w, back.x, back.y, back.z} * pure(y);
    return {fma(two, added.w, -carried.w), fma(two, added.x, -carried.x), fma(two, added.y, -carried.y),
            fma(two, added.z, -carried.z)};
}

// The midpoint rule: w+ = J^-1 Vec(q+* o p+)/2.
template <class System>
struct MidpointIncrementalStep : IncrementalStep<System> {
    using Real = typename System::Real;
    using Vector = Vec<3, Real>;
    struct Memory {
        using Real = typename System::Real;
        Rotation<Real> momentum;  // q* o p
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit_fields(visit, self.momentum...);
        }
        MYRIAD_HD void start(const System& system, const Motion<System>& motion) {
            momentum = pure(Real(2.0) * (system.lagrangian().inertia * System::turning(motion.v)));
        }
        MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
            return body_certificate(system, motion, Real(0.0), momentum);
        }
    };
    const Memory& before;
    Real per_step;  // 2/h

    MYRIAD_HD MidpointIncrementalStep(const System& system_given, Real step, const Motion<System>& motion,
                                      const Memory& memory)
        : IncrementalStep<System>(system_given, step, motion), before(memory), per_step(Real(2.0) / step) {}

    MYRIAD_HD Correction<Real> correct(MaskOf<Real> going) {
        const Mat3<Real> by_turn =
            diagonal_skew(Real(0.5) * (per_step * this->r.w), Real(0.5) * per_step, vector_part(this->r));
        return this->apply(momentum_balance(*this, before.momentum, per_step * vector_part(this->r), by_turn), going);
    }
    MYRIAD_HD void finish(Motion<System>& end, Memory& after) const {
        after.momentum =
            momentum_after(this->r, before.momentum, this->body.inertia * (per_step * vector_part(this->r)));
        IncrementalStep<System>::finish(this->body.inverse_inertia * (Real(0.5) * vector_part(after.momentum)), end);
    }
};

// The convective method: w_half = (2/h) c,  c = x/r0,  w+ = 2 w_half - w,  in the body frame at the end, A = R(r):
//   J w+ - A^T J w - h n+ × (m g X + A^T m g X)/2 = 0
// (Cayley's map: Simo, Wong 1991; Lewis, Simo 1994). (A - I) s = h w_half × (A + I) s / 2 for every s, so T + V and the
// momenta that the potential leaves are kept exactly, by q and w alone: no further state, no parasitic mode. Scaled by
// h/4: J c - ..., of the size of the inertia.
template <class System>
struct ConvectiveIncrementalStep : IncrementalStep<System> {
    using Real = typename System::Real;
    using Vector = Vec<3, Real>;
    struct Memory {
        using Real = typename System::Real;
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&&, Self&...) {}
        MYRIAD_HD void start(const System&, const Motion<System>&) {}
        MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
            const Vector along = system.lagrangian().inertia * System::turning(motion.v);
            return body_certificate(system, motion, Real(0.0), pure(Real(2.0) * along));
        }
    };
    Vector momentum;  // h/4 J w
    Vector old_part;  // h/4 w

    MYRIAD_HD ConvectiveIncrementalStep(const System& system_given, Real step, const Motion<System>& motion,
                                        const Memory&)
        : IncrementalStep<System>(system_given, step, motion) {
        old_part = (Real(0.25) * step) * this->w;
        momentum = this->body.inertia * old_part;
    }
    // n × (m g X + A^T m g X), times h^2/8, in the body frame at the end; and A^T m g X
    MYRIAD_HD Vector weight_torque(Vector& direction, Vector& turned) const {
        const Rotation<Real> back = inverse(this->r);
        direction = back.act((Real(0.125) * (this->h * this->h)) * this->up);
        turned = back.act(this->body.weight_moment);
        return cross(direction, turned + this->body.weight_moment);
    }
    MYRIAD_HD Correction<Real> correct(MaskOf<Real> going) {
        const Real half(0.5), one(1.0);
        const Vector c = (one / this->r.w) * vector_part(this->r), carried = inverse(this->r).act(momentum);
        RotationEquation<Real> equation;
        equation.residual = this->body.inertia * (c - old_part) - carried;
        // dc/dtheta = (I + c~ + c c^T)/2
        equation.matrix =
            fma(one, matrix_of(this->body.inertia) * diagonal_skew_dyad(half, half, half, c), skew(-carried));
        if constexpr (System::Rotor::has_weight) {
            Vector n, turned;
            equation.residual = equation.residual - weight_torque(n, turned);
            // (W + w)~ n~ - n~ W~ = n (W + w)^T - W n^T - (w . n) I: n turns by n~, W = A^T w by W~.
            const Vector weight = this->body.weight_moment;
            equation.matrix = fma(one, dyad(n, turned + weight), fma(-one, dyad(turned, n), equation.matrix));
            const Real along = dot(weight, n);
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) equation.matrix.e[i][i] = equation.matrix.e[i][i] - along;
        }
        return this->apply(equation, going);
    }
    // Found from the balance of momentum, whose round-off is that of w; 4 (c - h w/4)/h would have that of c over h. It
    // is added as a change, for J^-1 J w is w with an error that is the same in every step.
    MYRIAD_HD void finish(Motion<System>& end, Memory&) {
        this->r = renormalized(this->r);
        Vector change = inverse(this->r).act(momentum) - momentum;
        if constexpr (System::Rotor::has_weight) {
            Vector n, turned;
            change = change + weight_torque(n, turned);
        }
        IncrementalStep<System>::finish(fma(Real(4.0) / this->h, this->body.inverse_inertia * change, this->w), end);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
