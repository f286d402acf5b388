// One step of Livens' energy-momentum method or of the midpoint rule in coordinates, for Newton's loop.
//
//   q+ - q = h v_half,   p+ - p = h (D_q T - D V) - B^T mu,   (p + p+)/2 = D_v T,   g(q+) = 0        livens eq. 72
//
// with v_half = (v + v+)/2, mu = h lambda, B at q_half and D of lagrangian/discrete_derivatives.hpp. Unknowns:
//   LivensReducedStep   (q+, mu):  v+ = 2 (q+ - q)/h - v,  p+ = 2 D_v T - p                    livens eqs. 101 to 103
//   LivensFullStep      (q+, v+, p+, mu), all equations as they stand: what the reduction saves
// The midpoint rule's rates follow from its momenta where they can (rate_of). Matrices are analytic and dense. Not
// handled: loads.
#pragma once
#include "kernels/integrators/momentum_certificate.hpp"
#include "kernels/lagrangian/discrete_derivatives.hpp"
#include "kernels/newton.hpp"
#include "kernels/small_solve.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Rates and momenta in coordinates.
template <class System>
struct LivensMemory {
    using Real = typename System::Real;
    CoordinatesOf<System> rate, momentum;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.rate...);
        visit_fields(visit, self.momentum...);
    }
    MYRIAD_HD void start(const System& system, const Motion<System>& motion) {
        rate = rates_of(motion);
        momentum = system.lagrangian().momentum(coordinates_of(motion), rate);
    }
    MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
        return momentum_certificate(system, motion, rate, momentum);
    }
};

// What both forms share. `midpoint`: the midpoint rule instead of discrete derivatives.
template <class System, bool midpoint>
struct LivensStep {
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using View = typename System::Lagrangian;
    using Memory = LivensMemory<System>;
    static_assert(LagrangianSystem<View>);
    static constexpr int n = View::coordinates, m = View::constraints;
    using Vector = Vec<n, Real>;

    const System& system;
    const View view;
    const Motion<System>& begin;
    const Memory& before;
    Real h;
    Vector q, q_end, v_end, p_end;
    Vec<m, Real> mu;

    MYRIAD_HD LivensStep(const System& system_given, Real step, const Motion<System>& motion, const Memory& memory)
        : system(system_given),
          view(system_given.lagrangian()),
          begin(motion),
          before(memory),
          h(step),
          q(coordinates_of(motion)),
          mu{} {
        q_end = view.guess(q, before.rate, h);
        v_end = rate_at(q_end);
        p_end = before.momentum;
    }
    MYRIAD_HD Vector rate_at(const Vector& end) const { return fma(Real(2.0) / h, end - q, -before.rate); }
    MYRIAD_HD void finish(Motion<System>& end, Memory& after) const {
        after.momentum = p_end;
        after.rate = midpoint ? view.rate_of(q_end, p_end, v_end) : v_end;
        set_end(system, begin, h, q_end, after.rate, end);
    }
    MYRIAD_HD Correction<Real> size_of(const Vector& dq) const {
        return {view.correction_square(dq), !true_mask<Real>()};
    }
};

template <class S, bool midpoint>
struct LivensReducedStep : LivensStep<S, midpoint> {
    using Base = LivensStep<S, midpoint>;
    using System = S;
    using Base::Base;
    using Base::m;
    using Base::n;
    using typename Base::Mask;
    using typename Base::Real;
    using typename Base::Vector;

    MYRIAD_HD Correction<Real> correct(Mask going) {
        const Real half(0.5), two(2.0), four(4.0), per_step = two / this->h, dt = this->h;
        const Vector v = this->rate_at(this->q_end);
        const auto t = kinetic_derivatives(this->view, this->q, this->before.rate, this->q_end, v, midpoint);
        const auto potential = potential_gradient(this->view, this->q, this->q_end, midpoint);
        const Vector force = t.by_coordinate - potential.value, p = two * (t.by_rate - this->before.momentum);
        const auto b_half = this->view.constraint_jacobian(half * (this->q + this->q_end));
        const auto b_end = this->view.constraint_jacobian(this->q_end);
        const Vector residual = p + transposed_times(b_half, this->mu) - dt * force;
        // d/dq+ + (2/dt) d/dv+ of 2 D_v T - dt (D_q T - D V)
        auto matrix = fma(four / dt, t.rate_by_v, two * t.rate_by_q);
        matrix = fma(-dt, fma(per_step, t.coordinate_by_v, t.coordinate_by_q), matrix);
        matrix = fma(dt, potential.by_end, fma(half, this->view.constraint_hessian(this->mu), matrix));
        SquareMatrix<n + m, Real> saddle{};
        Vec<n + m, Real> right;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) {
            MYRIAD_UNROLL for (int j = 0; j < n; ++j) saddle.e[i][j] = matrix.e[i][j];
            MYRIAD_UNROLL for (int c = 0; c < m; ++c) saddle.e[i][n + c] = b_half.e[c][i],
                                                                      saddle.e[n + c][i] = b_end.e[c][i];
            right[i] = -residual[i];
        }
        const auto gap = this->view.constraint(this->q_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) right[n + c] = -gap[c];
        const auto x = solve_with_exchange(saddle, right);
        Vector dq;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) dq[i] = x[i];
        this->q_end = select(going, this->q_end + dq, this->q_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) this->mu[c] = select(going, this->mu[c] + x[n + c], this->mu[c]);
        return this->size_of(dq);
    }
    MYRIAD_HD void finish(Motion<System>& end, typename Base::Memory& after) {
        this->v_end = this->rate_at(this->q_end);
        const auto t = kinetic_derivatives(this->view, this->q, this->before.rate, this->q_end, this->v_end, midpoint);
        this->p_end = fma(Real(2.0), t.by_rate, -this->before.momentum);
        Base::finish(end, after);
    }
};

template <class S, bool midpoint>
struct LivensFullStep : LivensStep<S, midpoint> {
    using Base = LivensStep<S, midpoint>;
    using System = S;
    using Base::Base;
    using Base::m;
    using Base::n;
    using typename Base::Mask;
    using typename Base::Real;
    using typename Base::Vector;

    MYRIAD_HD Correction<Real> correct(Mask going) {
        const Real half(0.5), dt = this->h, half_step = half * dt;
        const Vector &q_old = this->q, &v_old = this->before.rate, &p_old = this->before.momentum;
        const auto t = kinetic_derivatives(this->view, q_old, v_old, this->q_end, this->v_end, midpoint);
        const auto potential = potential_gradient(this->view, q_old, this->q_end, midpoint);
        const auto b_half = this->view.constraint_jacobian(half * (q_old + this->q_end));
        const auto b_end = this->view.constraint_jacobian(this->q_end);
        const auto stiffness = fma(half, this->view.constraint_hessian(this->mu),
                                   dt * fma(Real(-1.0), t.coordinate_by_q, potential.by_end));
        constexpr int size = 3 * n + m, of_v = n, of_p = 2 * n, of_mu = 3 * n;
        SquareMatrix<size, Real> matrix{};
        Vec<size, Real> right;
        const Vector drift = this->q_end - q_old - half_step * (v_old + this->v_end);
        const Vector balance =
            this->p_end - p_old - dt * (t.by_coordinate - potential.value) + transposed_times(b_half, this->mu);
        const Vector fibre = half * (p_old + this->p_end) - t.by_rate;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) {
            matrix.e[i][i] = Real(1.0), matrix.e[i][of_v + i] = -half_step;
            matrix.e[of_v + i][of_p + i] = Real(1.0), matrix.e[of_p + i][of_p + i] = half;
            MYRIAD_UNROLL for (int j = 0; j < n; ++j) {
                matrix.e[of_v + i][j] = stiffness.e[i][j];
                matrix.e[of_v + i][of_v + j] = -dt * t.coordinate_by_v.e[i][j];
                matrix.e[of_p + i][j] = -t.rate_by_q.e[i][j];
                matrix.e[of_p + i][of_v + j] = -t.rate_by_v.e[i][j];
            }
            MYRIAD_UNROLL for (int c = 0; c < m; ++c) matrix.e[of_v + i][of_mu + c] = b_half.e[c][i],
                                                                                 matrix.e[of_mu + c][i] = b_end.e[c][i];
            right[i] = -drift[i], right[of_v + i] = -balance[i], right[of_p + i] = -fibre[i];
        }
        const auto gap = this->view.constraint(this->q_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) right[of_mu + c] = -gap[c];
        const auto x = solve_with_exchange(matrix, right);
        Vector dq, dv, dp;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) dq[i] = x[i], dv[i] = x[of_v + i], dp[i] = x[of_p + i];
        this->q_end = select(going, this->q_end + dq, this->q_end);
        this->v_end = select(going, this->v_end + dv, this->v_end);
        this->p_end = select(going, this->p_end + dp, this->p_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) this->mu[c] = select(going, this->mu[c] + x[of_mu + c], this->mu[c]);
        return this->size_of(dq);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
