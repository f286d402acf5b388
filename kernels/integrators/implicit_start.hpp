// Where an implicit index-3 method begins a mechanism with constraint rows: beside the given state, where its own
// motion runs, so that multipliers have the method's order from the first step on. The local error of q makes a v that
// keeps phi = 0 differ from the exact one along the rows:
//
//   generalized_alpha   v_0 + h^2 P (C v''_0 + w_0 x w'_0 / 12),   A_0 = v'_0 + (alpha_m - alpha_f) h v''_0
//   implicit_euler      v_0 - (h/2) P v'_0                          C = 1/6 - beta - (alpha_m - alpha_f)/2
//   P = M^-1 B^T (B M^-1 B^T)^-1 B,   v''_0 = (v'(q_0 o (d v_0 + d^2/2 v'_0), v_0 + d v'_0, d) - v'_0) / d,   d = h/64
//
// in the rates of the chart; the cross product, of body frames, belongs to the group alone. Source: Arnold, Bruels,
// Cardona 2015 (Numer. Math. 129), sect. 4. Not handled: rows that lose rank at the start, which keeps the given state.
#pragma once
#include "kernels/integrators/rates.hpp"
#include "kernels/mechanism/assembly.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// d over h. The error of the difference is then a hundredth of the method's own, and its round-off, which grows as the
// inverse, some 64 of that of an acceleration.
constexpr double start_difference_share = 0.015625;

// By what a method begins beside the given state: v_0 + P (velocity v'_0 h + velocity_rate v''_0 h^2 + cross h^2 w_0 x
// w'_0), A_0 = v'_0 + algorithmic h v''_0. A method that needs no v''_0 says so in its type.
template <class Real>
struct StartShift {
    Real velocity, velocity_rate, cross, algorithmic;
};

// x becomes P x at q. Returns the lanes whose matrix has kept its rank; leaves nothing of use in `scratch`.
template <class System, class Real = typename System::Real>
MYRIAD_ROOM MaskOf<Real> project_on_rows(const System& system, typename System::Scratch& scratch,
                                         const typename System::Configuration& q, typename System::Velocity& x) {
    using Chart = typename System::Chart;
    const auto& topology = system.topology;
    auto& work = scratch.work;
    const Real one(1.0), zero(0.0);
    // Rows that move by themselves are held, so that of B x + phi_t nothing but B x is left.
    system.functions_at(zero, scratch.functions);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.functions(); ++i) scratch.functions[i].rate = zero;
    system.place(q, x, work.bodies);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) work.moved[b] = work.turned[b] = Vec<3, Real>{};
    typename System::MultiplierVector none;
    none.fit(topology);
    MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) none[r] = zero;
    const Linearization<Real> by{one, zero, zero, one, Level::velocity, false, false, false, true};
    system.equations(scratch.functions).evaluate(work, by, none.e, q.turned, scratch.matrix);
    const MaskOf<Real> perturbed = topology.template factor<Real>(scratch.matrix);
    system.solve(work, scratch.matrix);

    // The solution is -P x. What turns the body freely is taken from x: of a chart with a condition of its own on four
    // rates, what changes that condition stays in.
    const typename Chart::Rates still{};
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const Vec<3, Real> free_turning = work.bodies.of[b].angular_velocity + system.solved_rotation(work, b);
        const typename Chart::Rates turning = Chart::acceleration(q.orientation[b], still, free_turning);
        x.set(b, -system.solved_translation(work, b), x.turning(b) - turning);
    }
    return !perturbed;
}

// v and A of the first step, of length h, from the given v_0, v'_0 in `v`, `a`.
template <bool needs_second_rates, class System, class Real = typename System::Real>
MYRIAD_ROOM void shift_start(const System& system, const StartShift<Real>& by, Real h,
                             const typename System::Configuration& q, const typename System::Velocity& a,
                             typename System::Velocity& v, typename System::Velocity& algorithmic) {
    const int rates = rate_count(system);
    const Real zero(0.0);
    typename System::Scratch scratch;
    typename System::Velocity shift, second_rates;
    fit_to(system, shift), set_zero(system, second_rates);
    if constexpr (needs_second_rates) {
        const Real d = Real(start_difference_share) * h, per_second = Real(1.0) / d;
        typename System::Configuration ahead;
        typename System::Velocity& velocity = shift;
        typename System::MultiplierVector multipliers;
        fit_to(system, ahead), fit_to(system, multipliers);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
            second_rates[i] = d * fma(Real(0.5) * d, a[i], v[i]);
            velocity[i] = fma(d, a[i], v[i]);
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.angles(); ++i) ahead.turned[i] = q.turned[i];
        system.retract(q, second_rates, ahead);
        system.acceleration(ahead, velocity, d, scratch, second_rates, multipliers);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) second_rates[i] = per_second * (second_rates[i] - a[i]);
    }
    const Real square_h = h * h, by_velocity = h * by.velocity, by_rate = square_h * by.velocity_rate;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) shift[i] = fma(by_rate, second_rates[i], by_velocity * a[i]);
    if constexpr (is_rotation_group<typename System::Chart>)
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
            const Vec<3, Real> turning = (square_h * by.cross) * cross(v.turning(b), a.turning(b));
            shift.set(b, shift.linear(b), shift.turning(b) + turning);
        }
    const MaskOf<Real> has_rank = project_on_rows(system, scratch, q, shift);
    Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) sum = fma(zero, shift[i], fma(zero, second_rates[i], sum));
    const MaskOf<Real> sound = has_rank & (sum <= zero);
    const Real ahead = h * by.algorithmic;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
        v[i] = select(sound, v[i] + shift[i], v[i]);
        algorithmic[i] = select(sound, fma(ahead, second_rates[i], algorithmic[i]), algorithmic[i]);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
