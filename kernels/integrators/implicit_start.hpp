// The beginning of an implicit index-3 method on a mechanism with constraint rows: beside the given state, where the
// method's own motion runs, so that multipliers have the method's order from the first step on. A step keeps phi = 0,
// so the local error of q makes its v differ from the exact one along the rows.
//
//   generalized_alpha   v_0 + h^2 P x,   A_0 = v'_0 + ((alpha_m - alpha_f)/C) h (P x - b/12),   x = C v''_0 + b/12
//   implicit_euler      v_0 - (h/2) P v'_0                               C = 1/6 - beta - (alpha_m - alpha_f)/2
//   P = M^-1 B^T (B M^-1 B^T)^-1 B,   v''_0 = (v'(q_0 o (d v_0 + d^2/2 v'_0), v_0 + d v'_0, d) - v'_0) / d,   d = h/64
//
// in the chart's rates; b = w_0 x w'_0 on the group, else 0. Along the rows A_0 is v'_0 + (alpha_m - alpha_f) h v''_0;
// across them it need not be, and v''_0 of stiff springs would throw the bodies about. Source: Arnold, Bruels, Cardona
// 2015 (Numer. Math. 129, 149). Not handled: rows that lose rank at the start, which keeps the given state.
#pragma once
#include "kernels/integrators/prescribed_motion.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/rates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// d over h. The error of the difference is then a hundredth of the method's own, and its round-off, which grows as the
// inverse, 64 times that of an acceleration.
constexpr double start_difference_share = 0.015625;

// x = velocity v'_0 + h velocity_rate v''_0 + h cross b, v_0 + h P x, A_0 = v'_0 + algorithmic (P x - h cross b).
template <class Real>
struct StartShift {
    Real velocity, velocity_rate, cross, algorithmic;
};

// v and A of the first step, of length h, from v_0 in `v` and v'_0 in `a` and `algorithmic`. `with_rates`: the method
// needs v''_0.
template <bool with_rates, class System, class Real = typename System::Real>
MYRIAD_NOINLINE void shift_start(const System& system, const StartShift<Real>& by, Real h,
                                 const typename System::Configuration& q, const typename System::Velocity& a,
                                 typename System::Velocity& v, typename System::Velocity& algorithmic) {
    const int rates = rate_count(system);
    typename System::Scratch scratch;
    typename System::Velocity x, across;  // across: h cross b
    fit_to(system, x), set_zero(system, across);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) x[i] = by.velocity * a[i];
    if constexpr (with_rates) {
        const Real d = Real(start_difference_share) * h, per_step = (h / d) * by.velocity_rate;
        typename System::Configuration ahead;
        typename System::Velocity increment, velocity;
        typename System::MultiplierVector multipliers;
        fit_to(system, ahead), fit_to(system, increment), fit_to(system, velocity), fit_to(system, multipliers);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
            increment[i] = d * fma(Real(0.5) * d, a[i], v[i]);
            velocity[i] = fma(d, a[i], v[i]);
        }
        system.retract(q, increment, ahead);
        prescribe_at(system, d, ahead, velocity);
        typename System::Velocity& a_ahead = increment;
        system.acceleration(ahead, velocity, d, scratch, a_ahead, multipliers);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) x[i] = fma(per_step, a_ahead[i] - a[i], x[i]);
    }
    system.add_turning_product(h * by.cross, v, a, across, x);
    const MaskOf<Real> has_rank = system.project_on_rows(scratch, q, x);
    Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) sum = finite_term(x[i], sum);
    const MaskOf<Real> sound = has_rank & (sum <= Real(0.0));
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
        v[i] = select(sound, fma(h, x[i], v[i]), v[i]);
        algorithmic[i] = select(sound, fma(by.algorithmic, x[i] - across[i], algorithmic[i]), algorithmic[i]);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
