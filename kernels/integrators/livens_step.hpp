// One step of Livens' energy-momentum method or of the midpoint rule in coordinates, for Newton's loop.
//
//   q+ - q = h v_half,   p+ - p = h (D_q T - D V) - B^T mu,   (p + p+)/2 = D_v T,   g(q+) = 0        livens eq. 72
//
// with v_half = (v + v+)/2, mu = h lambda, B at q_half and D of lagrangian/discrete_derivatives.hpp. Unknowns:
//   LivensReducedStep   (q+, mu):  v+ = 2 (q+ - q)/h - v,  p+ = 2 D_v T - p                    livens eqs. 101 to 103
// and a load at q_half and the middle of the step beside -D V, whose work is load . (q+ - q). The midpoint rule's rates
// follow from its momenta where they can (rate_of). Matrices are analytic and dense.
#pragma once
#include "kernels/integrators/momentum_certificate.hpp"
#include "kernels/lagrangian/discrete_derivatives.hpp"
#include "kernels/math/newton.hpp"
#include "kernels/math/small_solve.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Rates and momenta in coordinates.
template <class System>
struct LivensMemory {
    using Real = typename System::Real;
    CoordinatesOf<System> rate, momentum;
    Real work;  // work of the loads since the start, J; kept only where there are loads
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.rate...);
        visit_fields(visit, self.momentum...);
        if constexpr (has_load<typename System::Lagrangian>) visit(self.work...);
    }
    MYRIAD_HD void start(const System& system, const Motion<System>& motion) {
        rate = rates_of(motion), work = Real(0.0);
        momentum = system.lagrangian().momentum(coordinates_of(motion), rate);
    }
    MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
        auto certificate = momentum_certificate(system, motion, rate, momentum);
        if constexpr (has_load<typename System::Lagrangian>) certificate[0] = certificate[0] - work;
        return certificate;
    }
};

// The common part of both forms. `midpoint`: the midpoint rule instead of discrete derivatives.
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
    Real h, middle_s;  // s: step, and its middle, the time of loads
    Vector q, q_end, v_end, p_end;
    Vec<m, Real> mu;

    // The terms of both forms for the rates v at the end.
    struct Terms {
        KineticDerivatives<n, Real> kinetic;
        DiscreteGradient<n, Real> potential;  // D V less the load
        Vector force;
        Matrix<m, n, Real> b_half, b_end;
    };

    MYRIAD_HD LivensStep(const System& system_given, Real step, const Motion<System>& motion, const Memory& memory)
        : system(system_given),
          view(system_given.lagrangian()),
          begin(motion),
          before(memory),
          h(step),
          middle_s(0.0),
          q(coordinates_of(motion)),
          mu{} {
        q_end = view.guess(q, before.rate, h);
        v_end = rate_at(q_end);
        p_end = before.momentum;
    }
    MYRIAD_HD Vector rate_at(const Vector& end) const { return fma(Real(2.0) / h, end - q, -before.rate); }
    MYRIAD_HD Vector middle() const { return Real(0.5) * (q + q_end); }
    MYRIAD_HD void finish(Motion<System>& end, Memory& after) const {
        after.momentum = p_end;
        after.rate = midpoint ? view.rate_of(q_end, p_end, v_end) : v_end;
        if constexpr (has_load<View>) after.work = before.work + dot_product(view.load(middle(), middle_s), q_end - q);
        set_end(system, begin, h, q_end, after.rate, end);
    }

    MYRIAD_HD Terms terms(const Vector& v) const {
        Terms made{kinetic_derivatives(view, q, before.rate, q_end, v, midpoint),
                   potential_gradient(view, q, q_end, midpoint),
                   {},
                   view.constraint_jacobian(middle()),
                   view.constraint_jacobian(q_end)};
        if constexpr (has_load<View>) {
            made.potential.value = made.potential.value - view.load(middle(), middle_s);
            made.potential.by_end = fma(Real(-0.5), view.load_by_coordinate(middle(), middle_s), made.potential.by_end);
        }
        made.force = made.kinetic.by_coordinate - made.potential.value;
        return made;
    }
    // Completes the equations by the constraints, whose forces act on the n ones from `balance` on; solves them and
    // corrects q+ and mu, the first and the last unknowns.
    template <int size>
    MYRIAD_HD Vec<size, Real> solve(Mask going, const Terms& t, int balance, SquareMatrix<size, Real>& matrix,
                                    Vec<size, Real>& right) {
        constexpr int of_mu = size - m;
        const auto gap = view.constraint(q_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) {
            MYRIAD_UNROLL for (int i = 0; i < n; ++i) matrix.e[balance + i][of_mu + c] = t.b_half.e[c][i],
                                                                                    matrix.e[of_mu + c][i] =
                                                                                        t.b_end.e[c][i];
            right[of_mu + c] = -gap[c];
        }
        const Vec<size, Real> x = solve_with_exchange(matrix, right);
        q_end = select(going, q_end + part(x, 0), q_end);
        MYRIAD_UNROLL for (int c = 0; c < m; ++c) mu[c] = select(going, mu[c] + x[of_mu + c], mu[c]);
        return x;
    }
    template <int size>
    static MYRIAD_HD Vector part(const Vec<size, Real>& x, int first) {
        Vector y;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) y[i] = x[first + i];
        return y;
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
        const auto t = this->terms(this->rate_at(this->q_end));
        const Vector p = two * (t.kinetic.by_rate - this->before.momentum);
        const Vector residual = p + transposed_times(t.b_half, this->mu) - dt * t.force;
        // d/dq+ + (2/dt) d/dv+ of 2 D_v T - dt (D_q T - D V)
        auto block = fma(four / dt, t.kinetic.rate_by_v, two * t.kinetic.rate_by_q);
        block = fma(-dt, fma(per_step, t.kinetic.coordinate_by_v, t.kinetic.coordinate_by_q), block);
        block = fma(dt, t.potential.by_end, fma(half, this->view.constraint_hessian(this->mu), block));
        SquareMatrix<n + m, Real> matrix{};
        Vec<n + m, Real> right;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) {
            MYRIAD_UNROLL for (int j = 0; j < n; ++j) matrix.e[i][j] = block.e[i][j];
            right[i] = -residual[i];
        }
        return this->size_of(this->part(this->solve(going, t, 0, matrix, right), 0));
    }
    MYRIAD_HD void finish(Motion<System>& end, typename Base::Memory& after) {
        this->v_end = this->rate_at(this->q_end);
        const auto t = kinetic_derivatives(this->view, this->q, this->before.rate, this->q_end, this->v_end, midpoint);
        this->p_end = fma(Real(2.0), t.by_rate, -this->before.momentum);
        Base::finish(end, after);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
