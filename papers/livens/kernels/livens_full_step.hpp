// One step of Livens' energy-momentum method with all equations as they stand (kernels/integrators/livens_step.hpp):
// unknowns (q+, v+, p+, mu). It is what the reduction is measured against: livens eqs. 72, 86.
#pragma once
#include "kernels/integrators/livens_step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

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
        const Real half(0.5), one(1.0), dt = this->h, half_step = half * dt;
        const Vector &q_old = this->q, &v_old = this->before.rate, &p_old = this->before.momentum;
        const auto t = this->terms(this->v_end);
        const auto stiffness = fma(half, this->view.constraint_hessian(this->mu),
                                   dt * fma(-one, t.kinetic.coordinate_by_q, t.potential.by_end));
        constexpr int size = 3 * n + m, of_v = n, of_p = 2 * n;
        SquareMatrix<size, Real> matrix{};
        Vec<size, Real> right;
        const Vector drift = this->q_end - q_old - half_step * (v_old + this->v_end);
        const Vector balance = this->p_end - p_old - dt * t.force + transposed_times(t.b_half, this->mu);
        const Vector fibre = half * (p_old + this->p_end) - t.kinetic.by_rate;
        MYRIAD_UNROLL for (int i = 0; i < n; ++i) {
            matrix.e[i][i] = one, matrix.e[i][of_v + i] = -half_step;
            matrix.e[of_v + i][of_p + i] = one, matrix.e[of_p + i][of_p + i] = half;
            MYRIAD_UNROLL for (int j = 0; j < n; ++j) {
                matrix.e[of_v + i][j] = stiffness.e[i][j];
                matrix.e[of_v + i][of_v + j] = -dt * t.kinetic.coordinate_by_v.e[i][j];
                matrix.e[of_p + i][j] = -t.kinetic.rate_by_q.e[i][j];
                matrix.e[of_p + i][of_v + j] = -t.kinetic.rate_by_v.e[i][j];
            }
            right[i] = -drift[i], right[of_v + i] = -balance[i], right[of_p + i] = -fibre[i];
        }
        const auto x = this->solve(going, t, of_v, matrix, right);
        this->v_end = select(going, this->v_end + this->part(x, of_v), this->v_end);
        this->p_end = select(going, this->p_end + this->part(x, of_p), this->p_end);
        return this->size_of(this->part(x, 0));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
