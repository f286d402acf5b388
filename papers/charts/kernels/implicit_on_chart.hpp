// The implicit methods of kernels/integrators/implicit.hpp on a chart, by the iteration matrices of the papers.
//
//   unknowns  z of each body and lambda: a rotation z of the body goes with x = rates(z) of v'+, dw = velocity z,
//             dw' = acceleration z (kernels/orientation/implicit_chart.hpp); no change of R by u where
//             `tangent_operator` is false and the chart is the group
//   matrix    dense, the derivative along these; kept over steps by modified Newton                  lgim sect. 3.4
//
// Modified Newton makes it anew where three more corrections by it would not do (kernels/math/newton.hpp), and takes no
// bodies without inertia about an axis. The guess is
// v'+ = v', lambda+ = lambda. Not handled: variable steps; the exchange of pivots.
#pragma once
#include "papers/charts/kernels/charted_mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Factors of the modified Newton method, kept from step to step; of length 0 for full Newton.
template <class R, class T>
struct KeptFactors {
    using Real = R;
    T topology;
    Real step_s;       // s: the step they were made for; 0 before the first
    Real contraction;  // theta of corrections by them (kernels/math/newton.hpp)
    Real e[T::most_kept_entries];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD void forget() {
        step_s = contraction = Real(0.0);
        for (int i = 0; i < topology.kept_slots(); ++i) e[i] = Real(0.0);
    }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        if (first.topology.kept_slots() == 0) return;
        visit(first.step_s, self.step_s...), visit(first.contraction, self.contraction...);
        visit_first(visit, first.topology.kept_slots(), first.e, self.e...);
    }
};

template <class System>
struct ChartMemory : MechanismMemory<System> {
    typename System::Velocity algorithmic;  // A
    KeptFactors<typename System::Real, typename System::Topology> factors;

    MYRIAD_HD void fit(typename System::Topology topology) {
        MechanismMemory<System>::fit(topology), algorithmic.fit(topology), factors.fit(topology);
    }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        MechanismMemory<System>::fields(visit, self...);
        visit_fields(visit, self.algorithmic...);
        visit_fields(visit, self.factors...);
    }
};

template <class Member>
struct ImplicitOnChart : Member {
    template <class System>
    using Memory = ChartMemory<System>;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            system.assemble(scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        memory.factors.forget();
        copy_rates(system, memory.acceleration, memory.algorithmic);
        return assembled.reason;
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        typename System::Velocity former;
        copy_rates(system, memory.acceleration, former);
        typename System::Scratch scratch;
        const Real reason = system.renew(schedule, scratch, motion, memory);
        memory.factors.forget();
        carry_over(system, former, memory);
        return reason;
    }
    template <class Topology>
    static MYRIAD_HD bool passes_lost_rank(const Schedule&, const Topology&) {
        return true;
    }
    template <class System, class Real = typename System::Real>
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
                                        schedule.tangent_operator != 0.0};
        const auto& topology = system.topology;
        const int rates = rate_count(system);
        typename System::Scratch scratch;
        system.functions_at(step.time_s, scratch.functions);

        // v+ and the step's local coordinates without their parts in v'+.
        typename System::Velocity fixed_velocity, fixed_increment, increment;
        increment.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
            const Real old = before.algorithmic[i],
                       known = fma(weights.rate_old, before.acceleration[i], weights.algorithmic_old * old);
            fixed_velocity[i] = fma(h, fma(weights.velocity_old, old, weights.velocity_new * known), begin.v[i]);
            fixed_increment[i] =
                fma(square_h, fma(weights.position_old, old, weights.position_new * known), h * begin.v[i]);
            after.acceleration[i] = before.acceleration[i];
        }
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = before.multipliers[r];
        const bool is_modified = topology.kept_slots() > 0;
        StoppingRule<Real> rule{Real(schedule.newton_tolerance), is_modified, weights.damped_share()};
        Mask renew = true_mask<Real>();
        if (is_modified) {
            for (int i = 0; i < topology.kept_slots(); ++i) after.factors.e[i] = before.factors.e[i];
            renew = !(before.factors.step_s == h);
            rule.contraction = select(renew, one, before.factors.contraction);
            after.factors.step_s = h;
        }
        const auto follow = [&]() MYRIAD_INLINE {  // end.v, end.q
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
                end.v[i] = fma(by.velocity, after.acceleration[i], fixed_velocity[i]);
                increment[i] = fma(by.position, after.acceleration[i], fixed_increment[i]);
            }
            system.retract(begin.q, increment, end.q);
        };
        const NewtonOutcome<Real> outcome = newton<Real>(
            active, static_cast<int>(schedule.most_newton_iterations), rule, [&](Mask going, bool first) MYRIAD_INLINE {
                follow();
                if (!first) renew = rule.falls_slowly;
                return correct(system, end, increment, by, renew & going, going, scratch, after);
            });
        follow();
        system.settle(end.q);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) after.algorithmic[i] =
            fma(weights.rate_new, after.acceleration[i],
                fma(weights.rate_old, before.acceleration[i], weights.algorithmic_old * before.algorithmic[i]));
        if (is_modified) after.factors.contraction = rule.contraction_after_step();
        after.follow(system, before, step.time_s, h, end, scratch, outcome.iterations, false);

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

  private:
    // Lanes in `going` get accelerations and multipliers corrected; by modified Newton those in `renew` by new factors.
    template <class System, class Real = typename System::Real>
    static MYRIAD_NOINLINE Correction<Real> correct(const System& system, const Motion<System>& end,
                                                    const typename System::Velocity& u,
                                                    const StepCoefficients<Real>& by, MaskOf<Real> renew,
                                                    MaskOf<Real> going, typename System::Scratch& scratch,
                                                    Memory<System>& after) {
        using Chart = typename System::Chart;
        const auto& topology = system.topology;
        const bool is_modified = topology.kept_slots() > 0;
        const auto equations = system.tree().equations();
        typename System::TreeState seen;
        system.to_tree(end.q, end.v, after.acceleration, seen);
        const JointLinearization<Real> linearization{by.velocity,     by.position, Real(1.0) / by.position,
                                                     Level::position, true,        false};
        equations.evaluate(seen.motion.q, seen.motion.v, seen.acceleration, after.multipliers.e, linearization,
                           scratch);
        typename Chart::Correction corrections[System::Topology::most_bodies];
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) corrections[b] =
            Chart::correction(end.q.orientation[b], end.v.turning(b), after.acceleration.turning(b), u.turning(b),
                              by.acceleration, by.velocity, by.position, by.tangent_operator);
        const ChartSlopes<System> slopes{system, seen.motion.q, corrections, by.velocity, by.position};
        Correction<Real> correction{Real(0.0), !true_mask<Real>()};
        ChartMatrix<System> matrix(equations);
        const auto make = [&]() MYRIAD_INLINE {
            matrix.fill(seen.motion.q, seen.motion.v, seen.acceleration, after.multipliers.e, linearization, scratch,
                        slopes);
            if (!is_modified) matrix.add_rows(scratch);
            correction.perturbed = matrix.factor();
        };
        if (is_modified) {
            MYRIAD_WHEN(renew) {
                make();
                for (int i = 0; i < topology.kept_slots(); ++i)
                    after.factors.e[i] = select(renew, matrix.entries[i], after.factors.e[i]);
            }
            for (int i = 0; i < topology.kept_slots(); ++i) matrix.entries[i] = after.factors.e[i];
            correction.perturbed = correction.perturbed & renew;
        } else {
            make();
        }
        matrix.solve_by_factors(scratch);
        system.tree().measure(seen.motion.q, seen.acceleration, scratch.solution, by.position, correction);
        correction.by_older_matrix = is_modified ? !renew : !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int at = b * System::Velocity::per_body;
            const Vec<3, Real> x = system.translation(scratch.solution, b);
            const typename Chart::Rates turning = corrections[b].rates(system.rotation(scratch.solution, b));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                Real& old = after.acceleration[at + i];
                old = select(going, old + x[i], old);
            }
            MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) {
                Real& old = after.acceleration[at + 3 + i];
                old = select(going, old + turning[i], old);
            }
        }
        MYRIAD_EACH(r, topology, rows)
            after.multipliers[r] = select(going, after.multipliers[r] + scratch.row_solution[r], after.multipliers[r]);
        return correction;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
