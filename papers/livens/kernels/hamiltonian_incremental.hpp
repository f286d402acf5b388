// Hamilton's energy-momentum method (hamiltonian_step.hpp) in three unknowns, an incremental rotation.
//
// Where q . p = 0, as at the start, it stays so: then p = 2 G(q)^T J w at both ends, and q+ - q = h (dpi/dp)^T K
// pi_half reads r - 1 = (h/4) (1 + r) o (0, w_half), w_half = (w + w+)/2, for r = q* o q+ = (r0, x): Cayley's map on
// quaternions,
//
//   c = x/(1 + r0),   w+ = (8/h) c - w,
//   J w+ - A^T J w - h n+ × W = 0,   A = R(r),  W = A^T R(q* o q_half) m g X,  n+: upward, body frame at the end
//
// So it is the convective method by half the angle: it keeps T + V and the momenta without a parasitic mode, and a
// quarter of the convective method's error in the angle, by the same three unknowns and no further state. Source:
// livens app. D; the equivalence is our own. Not handled: loads.
#pragma once
#include "kernels/integrators/incremental_rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct HamiltonianIncrementalStep : ConvectiveIncrementalStep<System> {
    using Base = ConvectiveIncrementalStep<System>;
    using Real = typename System::Real;
    using Vector = Vec<3, Real>;
    using Base::Base;
    using typename Base::Memory;

    // h^2/4 n+ and W, the weight's moment turned back by half the increment, of length |q_half|^2.
    MYRIAD_HD Vector upward() const { return inverse(this->r).act((Real(0.25) * (this->h * this->h)) * this->up); }
    MYRIAD_HD Vector turned_weight() const {
        const Vector x = vector_part(this->r), weight = this->body.weight_moment;
        const Real s0 = Real(0.5) * (Real(1.0) + this->r.w);
        return fma(fma(s0, s0, Real(-0.25) * dot(x, x)), weight,
                   fma(Real(0.5) * dot(x, weight), x, -s0 * cross(x, weight)));
    }
    MYRIAD_HD Correction<Real> correct(MaskOf<Real> going) {
        const Real half(0.5), one(1.0), two(2.0), r0 = this->r.w;
        const Vector x = vector_part(this->r), c = (one / (one + r0)) * x,
                     carried = inverse(this->r).act(this->momentum);
        RotationEquation<Real> equation;
        equation.residual = this->body.inertia * fma(two, c, -this->old_part) - carried;
        // 2 dc/dtheta = (1 - c . c)/2 I + c~ + c c^T
        equation.matrix =
            fma(one, matrix_of(this->body.inertia) * diagonal_skew_dyad(fma(-half, dot(c, c), half), one, one, c),
                skew(-carried));
        if constexpr (System::Rotor::has_weight) {
            const Vector n = upward(), arm = turned_weight(), weight = this->body.weight_moment,
                         x_weight = cross(x, weight), half_x = half * x;
            const Mat3<Real> arm_by_turn =
                fma(one, product(half * dot(x, weight), (half * (one + r0)) * weight, half * r0, half_x),
                    fma(one, dyad(half_x, half * fma(r0, weight, -x_weight)),
                        dyad(Real(0.25) * (x_weight - fma(two, r0, one) * weight), x)));
            equation.residual = equation.residual - cross(n, arm);
            // W~ n~ - n~ dW/dtheta, W~ n~ = n W^T - (W . n) I
            equation.matrix = add_cross_columns(-n, arm_by_turn, fma(one, dyad(n, arm), equation.matrix));
            const Real along = dot(arm, n);
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) equation.matrix.e[i][i] = equation.matrix.e[i][i] - along;
        }
        return this->apply(equation, going);
    }
    MYRIAD_HD void finish(Motion<System>& end, Memory&) {
        this->r = renormalized(this->r);
        Vector change = inverse(this->r).act(this->momentum) - this->momentum;
        if constexpr (System::Rotor::has_weight) change = change + cross(upward(), turned_weight());
        IncrementalStep<System>::finish(fma(Real(4.0) / this->h, this->body.inverse_inertia * change, this->w), end);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
