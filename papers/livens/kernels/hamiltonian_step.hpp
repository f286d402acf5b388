// One step of the energy-momentum method and of the midpoint rule in Hamilton's form on a regularised mass.
//
//   H = pi . K pi / 2 + V,  pi = (G(q) p / 2, q . p),  K = diag(J^-1, 1/(2 tr J))
//   q+ - q = h (dpi/dp at q_half)^T K pi_half,   p+ - p = -h ((dpi/dq at p_half)^T K pi_half + D V) - q_half mu
//   pi_half = (pi(q,p) + pi(q+,p+))/2, by the midpoint rule pi(q_half, p_half);   g(q+) = 0
//
// H is p . M^-1 p / 2 + V of the mass 4 G^T J G + 2 tr(J) q q^T where |q| = 1 and leaves out the factor |q|^-4
// elsewhere: the inverse that assumes unit length. Unknowns (q+, p+, mu), 9; hamiltonian_incremental.hpp
// solves the equations of the first method in 3. Source: livens app. D, after its reference
// [7]; facts F on MPH: with the exact inverse the midpoint rule is the one of Livens. Not handled: loads.
#pragma once
#include "kernels/integrators/momentum_certificate.hpp"
#include "kernels/lagrangian/quaternion_body.hpp"
#include "kernels/math/newton.hpp"
#include "kernels/math/small_solve.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The angular velocity is J^-1 G(q) p / 2.
template <class System>
struct HamiltonianMemory {
    using Real = typename System::Real;
    Vec<4, Real> momentum;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.momentum...);
    }
    MYRIAD_HD void start(const System& system, const Motion<System>& motion) {
        momentum = system.lagrangian().momentum(coordinates_of(motion), rates_of(motion));
    }
    // The regularised H takes the place of the generalized energy; v = dH/dp has no other parasitic part than q . v.
    MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
        const auto body = system.lagrangian();
        const Vec<4, Real> q = coordinates_of(motion);
        const Real radial = dot_product(q, momentum),
                   rate = radial / (Real(2.0) * (body.inertia.xx + body.inertia.yy + body.inertia.zz));
        MomentumCertificate<System> certificate{fma(Real(0.5) * radial, rate, system.invariants(motion.q, motion.v)[0]),
                                                Real(0.0), absolute(rate), absolute(body.constraint(q)[0])};
        set_momentum_map(motion, inverse(quaternion(q)) * quaternion(momentum), certificate);
        return certificate;
    }
};

template <class S, bool midpoint>
struct HamiltonianStep {
    using System = S;
    using Real = typename S::Real;
    using Vector = Vec<4, Real>;
    using Square = Matrix<4, 4, Real>;
    using Memory = HamiltonianMemory<S>;
    using Rotor = typename S::Rotor;

    const System& system;
    const Rotor body;
    const Motion<System>& begin;
    const Memory& before;
    Real h, radial_inverse;  // 1/(2 tr J)
    Vector q, q_end, p_end;
    Real mu;

    MYRIAD_HD HamiltonianStep(const System& system_given, Real step, const Motion<System>& motion, const Memory& memory)
        : system(system_given),
          body(system_given.lagrangian()),
          begin(motion),
          before(memory),
          h(step),
          q(coordinates_of(motion)),
          mu(0.0) {
        radial_inverse = Real(0.5) / (body.inertia.xx + body.inertia.yy + body.inertia.zz);
        q_end = body.guess(q, Rotor::rate(q, System::turning(motion.v)), h);
        // The momentum in the axes of the body, which turns.
        p_end = components(quaternion(q_end) * (inverse(quaternion(q)) * quaternion(before.momentum)));
    }

    // dpi/dp at q, and dpi/dq at p.
    static MYRIAD_HD Square by_momentum(const Vector& q) { return with_row(body_map(Real(0.5), q), q); }
    static MYRIAD_HD Square by_coordinate(const Vector& p) { return with_row(body_map(Real(-0.5), p), p); }
    static MYRIAD_HD Square with_row(const Matrix<3, 4, Real>& map, const Vector& row) {
        Square m;
        MYRIAD_UNROLL for (int j = 0; j < 4; ++j) {
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) m.e[i][j] = map.e[i][j];
            m.e[3][j] = row[j];
        }
        return m;
    }
    MYRIAD_HD Vector metric(const Vector& pi) const {
        const Vec<3, Real> w = body.inverse_inertia * Vec<3, Real>{pi[0], pi[1], pi[2]};
        return {w[0], w[1], w[2], radial_inverse * pi[3]};
    }
    MYRIAD_HD Square metric(Square m) const {
        MYRIAD_UNROLL for (int j = 0; j < 4; ++j) {
            const Vector column = metric(Vector{m.e[0][j], m.e[1][j], m.e[2][j], m.e[3][j]});
            MYRIAD_UNROLL for (int i = 0; i < 4; ++i) m.e[i][j] = column[i];
        }
        return m;
    }
    // z . pi = q . H p: of the first three as in QuaternionBody, a quarter of it; the last is z3 I.
    static MYRIAD_HD Square pairing(const Vector& z) {
        return fma(Real(0.25), Rotor::pairing({z[0], z[1], z[2]}), unit_times<4>(z[3]));
    }

    MYRIAD_HD Correction<Real> correct(MaskOf<Real> going) {
        const Real half(0.5), one(1.0);
        const Vector &p = before.momentum, q_half = half * (q + q_end), p_half = half * (p + p_end);
        const Square by_p = by_momentum(q_half), by_q = by_coordinate(p_half);
        Vector pi;
        Square pi_by_q, pi_by_p;
        if constexpr (midpoint) {
            pi = by_p * p_half, pi_by_q = half * by_q, pi_by_p = half * by_p;
        } else {
            pi_by_q = half * by_coordinate(p_end), pi_by_p = half * by_momentum(q_end);
            pi = pi_by_p * p_end + half * (by_momentum(q) * p);
        }
        const Vector z = metric(pi);
        const Square z_by_q = metric(pi_by_q), z_by_p = metric(pi_by_p), h_z = pairing(z);
        const Vector velocity = transposed_times(by_p, z),
                     force = transposed_times(by_q, z) + body.potential_gradient(q_half);
        const Square velocity_by_q = fma(half, transpose(h_z), transposed_times(by_p, z_by_q)),
                     velocity_by_p = transposed_times(by_p, z_by_p),
                     force_by_q = fma(half, body.potential_hessian(q_half), transposed_times(by_q, z_by_q)),
                     force_by_p = fma(half, h_z, transposed_times(by_q, z_by_p));
        SquareMatrix<9, Real> matrix{};
        Vec<9, Real> right;
        MYRIAD_UNROLL for (int i = 0; i < 4; ++i) {
            MYRIAD_UNROLL for (int j = 0; j < 4; ++j) {
                matrix.e[i][j] = -h * velocity_by_q.e[i][j], matrix.e[i][4 + j] = -h * velocity_by_p.e[i][j];
                matrix.e[4 + i][j] = h * force_by_q.e[i][j], matrix.e[4 + i][4 + j] = h * force_by_p.e[i][j];
            }
            matrix.e[i][i] = matrix.e[i][i] + one, matrix.e[4 + i][4 + i] = matrix.e[4 + i][4 + i] + one;
            matrix.e[4 + i][i] = fma(half, mu, matrix.e[4 + i][i]);
            matrix.e[4 + i][8] = q_half[i], matrix.e[8][i] = q_end[i];
            right[i] = fma(h, velocity[i], q[i] - q_end[i]);
            right[4 + i] = fma(-mu, q_half[i], fma(-h, force[i], p[i] - p_end[i]));
        }
        right[8] = -body.constraint(q_end)[0];
        const Vec<9, Real> x = solve_with_exchange(matrix, right);
        const Vector dq{x[0], x[1], x[2], x[3]}, dp{x[4], x[5], x[6], x[7]};
        q_end = select(going, q_end + dq, q_end), p_end = select(going, p_end + dp, p_end);
        mu = select(going, mu + x[8], mu);
        return {Rotor::correction_square(dq), !true_mask<Real>()};
    }
    MYRIAD_HD void finish(Motion<System>& end, Memory& after) const {
        after.momentum = p_end;
        set_end(system, begin, h, q_end, body.rate_of(q_end, p_end, p_end), end);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
