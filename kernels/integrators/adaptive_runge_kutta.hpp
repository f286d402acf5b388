// Explicit Runge-Kutta-Munthe-Kaas methods with an embedded pair; each instance controls its own step.
//
//   error  = sqrt( mean_i (e_i / (absolute_tolerance + relative_tolerance * magnitude_i))^2 )
//   factor = 0.9 error^(-1/p), at most 2;  accepted if error <= 1;  next or repeated step: factor h
//
// e: difference of the two results in local coordinates and velocities; p: order; magnitude: the larger size of a
// position or velocity component before and after, 1 rad for a rotation. Stages as in runge_kutta.hpp; the control is
// Hairer, Norsett, Wanner I, sect. II.4, with the constants of the code behind the lgim paper (its sect. 3.2.1). A
// trial step that is not finite, or turns a body further than the exponential's series allows, is repeated with a
// tenth. No step is above largest_step_s. Steps are clipped to the rows and the end. After a row the method goes on
// with the unclipped step. Constraint rows of a tree are met after the error is known, and a step that cannot be
// brought onto them is repeated with a tenth; the last stage of a pair whose last stage is the next step's first is
// then made anew. Not handled: stiffness.
#pragma once
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/math/elementary.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// How all of them begin.
struct AdaptiveRungeKuttaStart {
    template <class System>
    struct Memory : ExplicitMemory<System> {
        using Real = typename System::Real;
        Real step_s;                            // the step to try next, s, before clipping
        typename System::Velocity first_stage;  // the acceleration at the present state

        template <class Topology>
        MYRIAD_HD void fit(Topology topology) {
            if constexpr (has_topology<System>) ExplicitMemory<System>::fit(topology), first_stage.fit(topology);
        }
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            ExplicitMemory<System>::fields(visit, self...);
            visit(self.step_s...);
            visit_fields(visit, self.first_stage...);
        }
    };

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule& schedule, Motion<System>& motion,
                                     Memory<System>& memory) {
        memory.step_s = Real(schedule.initial_step_s);
        const Real refused = initialize_explicit(system, motion, memory);
        if constexpr (has_topology<System>)
            copy_rates(system, memory.acceleration, memory.first_stage);
        else
            memory.first_stage = system.acceleration(motion.q, motion.v);
        return refused;
    }
    // The step to try next stays: the error control answers a jump.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        const Real refused = renew_explicit(system, schedule, motion, memory);
        if constexpr (has_topology<System>)
            copy_rates(system, memory.acceleration, memory.first_stage);
        else
            memory.first_stage = system.acceleration(motion.q, motion.v);
        return refused;
    }
};

template <class Table>
struct AdaptiveRungeKutta : AdaptiveRungeKuttaStart {
    using Start = AdaptiveRungeKuttaStart;
    static constexpr const char* name = Table::name;
    static constexpr const char* summary = Table::summary;
    static constexpr MethodOrders orders = {Table::order, Table::order};
    static constexpr MethodTraits traits{.adaptive = true};
    static constexpr double safety = 0.9, greatest_increase = 2.0, reduction_after_failure = 0.1;
    // A step that ends closer to a row than this share of itself ends on it, so that no sliver is left to step over.
    static constexpr double sliver = 1e-9;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& memory,
                                           MaskOf<Real>) {
        const Real end_s(schedule.end_s), row_s = progress.rows * Real(schedule.observe_s);
        const MaskOf<Real> row_first = (Real(0.0) < row_s) & (row_s < end_s);
        const Real proposed = before.step_s;
        Real target_s = select(row_first, row_s, end_s);
        if constexpr (drivers_may_jump<System>)
            if (system.topology.corners() > 0) {
                const Real stop_s = system.corner.stop_s;
                target_s = select(fma(Real(sliver), proposed, stop_s) < target_s, stop_s, target_s);
            }
        const MaskOf<Real> clipped = target_s - progress.time_s <= proposed * Real(1.0 + sliver);
        const Real h = select(clipped, target_s - progress.time_s, proposed);
        const Real end_of_step_s = select(clipped, target_s, progress.time_s + h);

        typename System::Velocity rate[Table::stages];
        copy_rates(system, before.first_stage, rate[0]);
        Real power(0.0);
        if constexpr (has_topology<System>) power = Real(Table::b(0)) * before.power;
        const auto [reach, error_squared] =
            takes_short_stages<Table, System>(schedule)
                ? short_trial(system, schedule, begin, h, rate, end)
                : full_trial(system, schedule, begin, progress.time_s, end_of_step_s, h, rate, end, power);
        MaskOf<Real> sound = is_finite(error_squared) & (reach <= Real(largest_reach));
        Attempt<Real> attempt;
        attempt.time_s = end_of_step_s;
        ExplicitMemory<System> there;
        if constexpr (has_topology<System>) {
            typename System::Scratch scratch;
            there.fit(system.topology);
            if (has_rows(system)) {
                const MaskOf<Real> meets_rows = end_on_rows(system, attempt.time_s, scratch, end, there);
                sound = sound & (meets_rows | (Real(0.0) <= scratch.weak_place));
                copy_rates(system, there.acceleration, rate[Table::stages - 1]);
            } else {
                system.acceleration(end.q, end.v, attempt.time_s, scratch, there.acceleration, there.multipliers);
            }
            there.template follow<false>(system, before, attempt.time_s, h, end, scratch, Real(0.0), true);
            there.work = fma(h, power, before.work);
            attempt.weak_place = scratch.weak_place;
        }

        Real factor = minimum(Real(safety) * pow(error_squared, -0.5 / Table::order), Real(greatest_increase));
        factor = select(sound, factor, Real(reduction_after_failure));
        attempt.accepted = sound & (error_squared <= Real(1.0));
        const Real next = minimum(factor * h, Real(schedule.largest_step_s));
        memory.step_s = select(attempt.accepted & clipped, maximum(next, proposed), next);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) memory.first_stage[i] =
            select(attempt.accepted, rate[Table::stages - 1][i], before.first_stage[i]);
        attempt.finished = clipped & (target_s == end_s);
        attempt.row_due = clipped & (target_s == row_s);
        if constexpr (has_topology<System>)
            visit_fields([&](Real& is, const Real& was, Real& now) { now = select(attempt.accepted, is, was); }, there,
                         static_cast<const ExplicitMemory<System>&>(before),
                         static_cast<ExplicitMemory<System>&>(memory));
        // A step that does not move the clock would move the state for ever.
        const MaskOf<Real> stands_still = !(progress.time_s < attempt.time_s);
        const MaskOf<Real> too_small =
            stands_still | ((!attempt.accepted) & !(Real(schedule.smallest_step_s) <= memory.step_s));
        attempt.reason = select(too_small, Real(static_cast<double>(Reason::step_below_smallest)), Real(0.0));
        refuse_singular_end(end, attempt);
        return attempt;
    }

  private:
    template <class Real>
    struct Trial {
        Real reach, error_squared;
    };

    // One step of size h from the acceleration at its start, rate[0], to end_s, and its error.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Trial<Real> full_trial(const System& system, const Schedule& schedule, const Motion<System>& begin,
                                            Real time_s, Real end_s, Real h,
                                            typename System::Velocity (&rate)[Table::stages], Motion<System>& end,
                                            Real& power) {
        if constexpr (short_stages_of<Table, System>() == ShortStages::always) {
            return {};
        } else {
            typename System::Velocity group[Table::stages];
            const Real stage_reach = runge_kutta_stages<Table>(system, begin, time_s, h, group, rate, power);
            const Real reach = maximum(runge_kutta_end<Table>(system, begin, h, group, rate, end), stage_reach);
            prescribe_at(system, end_s, end.q, end.v);
            typename System::Velocity of_group, of_rate;
            set_zero(system, of_group), set_zero(system, of_rate);
            MYRIAD_UNROLL for (int j = 0; j < Table::stages; ++j) {
                if (Table::e(j) == 0.0) continue;
                const Real he = Real(Table::e(j)) * h;
                add_scaled(system, he, group[j], of_group), add_scaled(system, he, rate[j], of_rate);
            }
            return {reach, squared_error(system, schedule, begin, end, of_group, of_rate)};
        }
    }
    // The same by short stages.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Trial<Real> short_trial(const System& system, const Schedule& schedule,
                                             const Motion<System>& begin, Real h,
                                             typename System::Velocity (&rate)[Table::stages], Motion<System>& end) {
        if constexpr (short_stages_of<Table, System>() == ShortStages::never) {
            return {};
        } else {
            using Step = ShortStep<Table, System>;
            typename Step::Sum group[Table::stages];
            const Real stage_reach = Step::stages(system, begin, h, group, rate);
            const Real reach = maximum(Step::end_at(begin, h, group, rate, end), stage_reach);
            typename System::Velocity of_group, of_rate;
            Step::errors(begin, h, group, rate, of_group, of_rate);
            return {reach, squared_error(system, schedule, begin, end, of_group, of_rate)};
        }
    }

    // The mean square of the weighted difference between the two results.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real squared_error(const System& system, const Schedule& schedule, const Motion<System>& begin,
                                        const Motion<System>& end, const typename System::Velocity& group_error,
                                        const typename System::Velocity& rate_error) {
        const Real absolute_tolerance(schedule.absolute_tolerance), relative(schedule.relative_tolerance);
        const typename System::Velocity reach = system.magnitude(begin.q, end.q);
        const int rates = rate_count(system);
        Real sum(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) {
            const Real speed = maximum(absolute(begin.v[i]), absolute(end.v[i]));
            const Real of_group = group_error[i] / fma(relative, reach[i], absolute_tolerance);
            const Real of_rate = rate_error[i] / fma(relative, speed, absolute_tolerance);
            sum = fma(of_group, of_group, fma(of_rate, of_rate, sum));
        }
        return sum / Real(2.0 * rates);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
