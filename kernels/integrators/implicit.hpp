// Implicit index-3 integration on (R^3 x SO(3))^n or a chart, with a fixed step; its members differ in coefficients.
//
//   q+ = q o (h v + h^2 ((1/2 - beta) A + beta A+)),   v+ = v + h ((1 - gamma) A + gamma A+)    lgim alg. 4, 5
//   (1 - alpha_m) A+ + alpha_m A = (1 - alpha_f) v'+ + alpha_f v'                               lgim sect. 3.3
//   M v'+ = f+ - B^T lambda+,   phi(q+, t+) = 0                                                 lgim eq. 39
//
//   generalized_alpha   alpha_m = (2 r - 1)/(r + 1), alpha_f = r/(r + 1), gamma = 1/2 + alpha_f - alpha_m,
//                       beta = (gamma + 1/2)^2 / 4 for the spectral radius r; A_0 = v'_0 (rows: implicit_start.hpp)
//   implicit_euler      q+ = q o h v+, v+ = v + h v'+                                             rA paper eqs. 32, 33
//
// Newton's unknowns are v'+ and lambda+ (kernels/math/newton.hpp); modified Newton keeps its factors over steps (lgim
// sect. 3.4) and renews them where three more corrections by them would not do. In joint coordinates a lane that the
// simplified matrix of a step leaves without a solution begins the step again by the exact one. Not handled: variable
// steps.
#pragma once
#include "kernels/integrators/implicit_start.hpp"
#include "kernels/integrators/implicit_step.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/mechanism/renewal.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Newmark's weights of the old and the new algorithmic acceleration, and how the new one depends on v'+.
template <class Real>
struct ImplicitWeights {
    Real position_old, position_new;           // 1/2 - beta, beta
    Real velocity_old, velocity_new;           // 1 - gamma, gamma
    Real rate_new, rate_old, algorithmic_old;  // A+ = rate_new v'+ + rate_old v' + algorithmic_old A

    // Where rows hold positions, an error e of theirs that alternates from step to step is damped the least. It makes
    // accelerations a with (velocity_old - velocity_new - 2 (position_old - position_new)) h^2 A = 4 e and (rate_new -
    // rate_old) a = (1 + algorithmic_old) A, and the next step begins with a correction of 2 c_q a. A fortieth of e /
    // (2 c_q a) is what an iteration may leave of its first correction, or reactions start to swing.
    MYRIAD_HD Real damped_share() const {
        const Real two(2.0), damping = (velocity_old - velocity_new) - two * (position_old - position_new);
        const Real correction = (Real(8.0) * (position_new * rate_new)) * (Real(1.0) + algorithmic_old);
        return absolute(Real(0.025) * (damping * (rate_new - rate_old)) / correction);
    }
};

struct GeneralizedAlpha {
    static constexpr const char* name = "generalized_alpha";
    static constexpr const char* summary =
        "implicit, index-3 constraints; Lie group or classical by the chart; damps by its spectral radius";
    static constexpr MethodOrders orders = {2, 2};
    static constexpr MethodTraits traits{.implicit = true, .spectral_radius = true};
    template <class Real>
    static MYRIAD_HD ImplicitWeights<Real> weights(const Schedule& schedule) {
        const Real one(1.0), half(0.5), r(schedule.spectral_radius), inverse = one / (r + one);
        const Real alpha_m = (r + r - one) * inverse, alpha_f = r * inverse, gamma = half + (alpha_f - alpha_m);
        const Real root = gamma + half, beta = Real(0.25) * (root * root), scale = one / (one - alpha_m);
        return {half - beta, beta, one - gamma, gamma, (one - alpha_f) * scale, alpha_f * scale, -(alpha_m * scale)};
    }
    // With alpha_m - alpha_f = (r - 1)/(r + 1) =: s, beta = (1 - s)^2 / 4 and C = -1/12 - s^2 / 4.
    static constexpr bool starts_with_rates = true;
    template <class Real>
    static MYRIAD_HD StartShift<Real> start(const Schedule& schedule) {
        const Real one(1.0), r(schedule.spectral_radius), s = (r - one) / (r + one), twelfth = one / Real(12.0);
        const Real c = fma(Real(-0.25) * s, s, -twelfth);
        return {Real(0.0), c, twelfth, s / c};
    }
};

struct ImplicitEuler {
    static constexpr const char* name = "implicit_euler";
    static constexpr const char* summary = "implicit, index-3 constraints; Lie group or classical by the chart";
    static constexpr MethodOrders orders = {1, 1};
    static constexpr MethodTraits traits{.implicit = true};
    template <class Real>
    static MYRIAD_HD ImplicitWeights<Real> weights(const Schedule&) {
        const Real zero(0.0), one(1.0);
        return {zero, one, zero, one, one, zero, zero};
    }
    static constexpr bool starts_with_rates = false;
    template <class Real>
    static MYRIAD_HD StartShift<Real> start(const Schedule&) {
        const Real zero(0.0);
        return {Real(-0.5), zero, zero, zero};
    }
};

// The state in which an implicit run begins: a mechanism is assembled; accelerations and multipliers are known.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real initialize_implicit(const System& system, Motion<System>& motion, ImplicitMemory<System>& memory) {
    const Real zero(0.0);
    if constexpr (has_topology<System>) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        for (auto& past : memory.past) copy_rates(system, memory.acceleration, past);
        memory.contraction = Real(1.0);
        copy_rates(system, memory.acceleration, memory.algorithmic);
        return assembled.reason;
    } else {
        memory.acceleration = system.acceleration(motion.q, motion.v);
        memory.algorithmic = memory.acceleration;
        return zero;
    }
}

// After new accelerations of a state, `former` being those that it had: A keeps its distance from v', which is h v'' to
// first order, so that a parameter set at every step costs no order. So do the accelerations of steps before, from
// which the next is guessed.
template <class System, class Memory>
MYRIAD_HD void carry_over(const System& system, const typename System::Velocity& former, Memory& memory) {
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
        memory.algorithmic[i] = memory.acceleration[i] + (memory.algorithmic[i] - former[i]);
        if constexpr (requires { memory.past; })
            for (auto& past : memory.past) past[i] = past[i] + (memory.acceleration[i] - former[i]);
    }
}

template <class System, class Real = typename System::Real>
MYRIAD_HD Real renew_implicit(const System& system, const Schedule& schedule, Motion<System>& motion,
                              ImplicitMemory<System>& memory) {
    typename System::Velocity former;
    fit_to(system, former), copy_rates(system, memory.acceleration, former);
    Real reason(0.0);
    if constexpr (has_topology<System>) {
        typename System::Scratch scratch;
        reason = renew_mechanism(system, schedule, scratch, motion, memory);
        memory.contraction = Real(1.0);
    } else {
        memory.acceleration = system.acceleration(motion.q, motion.v);
    }
    carry_over(system, former, memory);
    return reason;
}

// Time, end and due rows of a step of fixed length.
template <class Real>
struct FixedStep {
    Real h, time_s;
    Attempt<Real> attempt;
    static MYRIAD_HD FixedStep of(const Schedule& schedule, const Progress<Real>& progress) {
        const MaskOf<Real> whole = progress.steps < Real(schedule.full_steps);
        const Real steps = progress.steps + Real(1.0);
        FixedStep step;
        step.h = select(whole, Real(schedule.step_s), Real(schedule.last_step_s));
        step.time_s = select(whole, steps * Real(schedule.step_s), Real(schedule.end_s));
        step.attempt = {true_mask<Real>(), Real(schedule.total_steps) <= steps,
                        steps == (progress.rows * Real(schedule.observe_steps)), step.time_s, Real(0.0)};
        return step;
    }
};

// Every so many steps of an instance its contraction is measured, at the same ones in all instances: one that waits for
// its neighbours does not wait at other steps, too.
constexpr double steps_per_contraction = 32.0;

template <class Member>
struct Implicit : Member {
    template <class System>
    using Memory = ImplicitMemory<System>;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        return initialize_implicit(system, motion, memory);
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        return renew_implicit(system, schedule, motion, memory);
    }
    // The matrix of a tree without joints knows how reactions turn.
    template <class Topology>
    static MYRIAD_HD bool passes_lost_rank(const Schedule& schedule, const Topology& topology) {
        return schedule.exact_matrix != 0.0 || topology.joints() == 0;
    }
    // Moves from the given state, which observers see as the start, to the one from which the first step begins.
    template <class System, class Real = typename System::Real>
    requires has_topology<System>
    static MYRIAD_HD void depart(const System& system, const Schedule& schedule, Motion<System>& motion,
                                 Memory<System>& memory) {
        if (schedule.published_start != 0.0 || system.topology.constraint_rows() == 0) return;
        const Real h = FixedStep<Real>::of(schedule, Progress<Real>{}).h;
        shift_start<Member::starts_with_rates>(system, Member::template start<Real>(schedule), h, motion.q,
                                               memory.acceleration, motion.v, memory.algorithmic);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        using Mask = MaskOf<Real>;
        FixedStep<Real> step = FixedStep<Real>::of(schedule, progress);
        const Real h = step.h, one(1.0), square_h = h * h;
        const ImplicitWeights<Real> weights = Member::template weights<Real>(schedule);
        const StepCoefficients<Real> by{one, h * (weights.velocity_new * weights.rate_new),
                                        square_h * (weights.position_new * weights.rate_new),
                                        schedule.tangent_operator != 0.0, schedule.exact_matrix != 0.0};
        const int rates = rate_count(system);
        ImplicitStep<System> implicit(system, step.time_s, h, before, after, Real(schedule.newton_tolerance),
                                      weights.damped_share());

        if constexpr (has_topology<System>) {
            const Real period(steps_per_contraction);
            implicit.rule.measures = progress.steps == period * nearest_integer(progress.steps / period);
        }

        // v+ and the step's local coordinates without their parts in v'+; the guess is v'+ = v', lambda+ = lambda.
        typename System::Velocity fixed_velocity, fixed_increment, increment;
        fit_to(system, increment);
        const auto take_fixed = [&]() MYRIAD_INLINE {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
                const Real known =
                    fma(weights.rate_old, before.acceleration[i], weights.algorithmic_old * before.algorithmic[i]);
                const Real old = before.algorithmic[i];
                fixed_velocity[i] = fma(h, fma(weights.velocity_old, old, weights.velocity_new * known), begin.v[i]);
                fixed_increment[i] =
                    fma(square_h, fma(weights.position_old, old, weights.position_new * known), h * begin.v[i]);
            }
        };
        if (!reads_state_anew) take_fixed();
        implicit.begin(by);
        const auto follow = [&]() MYRIAD_INLINE {  // end.v, end.q
            if (reads_state_anew) {
                MYRIAD_READ_ANEW;
                take_fixed();
            }
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
                end.v[i] = fma(by.velocity, after.acceleration[i], fixed_velocity[i]);
                increment[i] = fma(by.position, after.acceleration[i], fixed_increment[i]);
            }
            retract_to(system, begin.q, increment, end.q);
            implicit.prescribe(end);
        };
        const auto solve = [&](Mask lanes, StoppingRule<Real>& rule,
                               const StepCoefficients<Real>& matrix) MYRIAD_INLINE {
            return newton<Real>(lanes, static_cast<int>(schedule.most_newton_iterations), rule,
                                [&](Mask going, bool first) MYRIAD_INLINE {
                                    follow();
                                    return implicit.correct(end, increment, matrix, going, first);
                                });
        };
        NewtonOutcome<Real> outcome = solve(active, implicit.rule, by);
        if constexpr (ImplicitStep<System>::begins_again)
            if (!by.exact_matrix) {
                const Mask failed = active & !outcome.converged;
                MYRIAD_RARELY(failed) {
                    StepCoefficients<Real> exact = by;
                    exact.exact_matrix = true;
                    StoppingRule<Real> rule = implicit.begin_again(failed);
                    outcome.go_on(failed, solve(failed, rule, exact));
                    follow();
                    implicit.end_again(end, failed);
                }
            }
        follow();
        settle(system, end.q);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) after.algorithmic[i] =
            fma(weights.rate_new, after.acceleration[i],
                fma(weights.rate_old, before.acceleration[i], weights.algorithmic_old * before.algorithmic[i]));
        if constexpr (has_topology<System>) step.attempt.weak_place = implicit.scratch.weak_place;
        implicit.finish(end, outcome.iterations);

        Real& reason = step.attempt.reason;
        reason = reason_unless(system.reach(increment) <= Real(largest_reach), Reason::rotation_beyond_series, reason);
        Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) sum = finite_term(after.acceleration[i], sum);
        const Mask finite = sum <= Real(0.0);
        reason = reason_unless(outcome.converged | finite, Reason::state_not_finite, reason);
        reason = reason_unless(outcome.converged | (!outcome.perturbed), Reason::matrix_singular, reason);
        reason = reason_unless(outcome.converged, Reason::newton_did_not_converge, reason);
        return step.attempt;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
