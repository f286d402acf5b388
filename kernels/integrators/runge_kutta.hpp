// Explicit Runge-Kutta-Munthe-Kaas methods with a fixed step, from a table of coefficients.
//
//   u_i = h sum_j a_ij K_j,  v_i = v + h sum_j a_ij A_j,  q_i = retract(q, u_i)
//   A_i = acceleration(q_i, v_i),  K_i = local_rate(q, u_i, v_i)                  lgim algorithm 3, eqs. 24, 25
//   q+  = retract(q, h sum_i b_i K_i),  v+ = v + h sum_i b_i A_i
//
// On a chart or a vector space retract is + and the method is the classical one (lgim algorithm 2). Where a chart has
// short maps, formula systems take these unless the study asks for dexp^-1 in full (short_stages.hpp). A step that
// turns a body by more than the exponential's series allows is refused, not approximated. Where a tree of joints has
// rows, A_i solves them at index 1, and the end of the step is brought onto them at its time, positions first, then
// velocities (kernels/joint_coordinates/projection.hpp), which keeps the order (Hairer, Lubich, Wanner 2006, sect.
// IV.4). Not handled: rows in body coordinates.
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/integrators/prescribed_motion.hpp"
#include "kernels/integrators/runge_kutta_tables.hpp"
#include "kernels/integrators/short_stages.hpp"
#include "kernels/mechanism/renewal.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Bound on |u / 2|^2, which System::reach gives.
constexpr double largest_reach = largest_step_rotation_rad * largest_step_rotation_rad / 4;

// The sum of a_ij over j: the place of a stage in the step, in parts of the step.
template <class Table>
MYRIAD_HD constexpr double node(int stage) {
    double sum = 0.0;
    for (int j = 0; j < stage; ++j) sum += Table::a(stage, j);
    return sum;
}

// v' of a stage. Adds `weight` times its power to `power`, W; formula systems have none.
template <class System, class Real = typename System::Real>
MYRIAD_HD void stage_acceleration(const System& system, const typename System::Configuration& q,
                                  const typename System::Velocity& v, Real time_s, double weight,
                                  typename System::Velocity& rate, Real& power) {
    if constexpr (has_topology<System>) {
        typename System::Scratch scratch;
        typename System::MultiplierVector multipliers;
        multipliers.fit(system.topology);
        system.acceleration(q, v, time_s, scratch, rate, multipliers);
        if (weight != 0.0 && system.has_power())
            power = fma(Real(weight), power_after_acceleration(system, q, v, rate, multipliers, scratch), power);
    } else {
        rate = system.acceleration(q, v);
    }
}

// The stages of one step from time_s, for every lane: fills K_i and A_i, given A_0 = acceleration(q, v), and returns
// the largest reach of any u_i. Adds b_i P_i of these stages to `power`.
template <class Table, class System, class Real = typename System::Real>
MYRIAD_HD Real runge_kutta_stages(const System& system, const Motion<System>& begin, Real time_s, Real h,
                                  typename System::Velocity (&group)[Table::stages],
                                  typename System::Velocity (&rate)[Table::stages], Real& power) {
    Real reach(0.0);
    local_rate_at_start(system, begin.q, begin.v, group[0]);
    typename System::Configuration q;
    typename System::Velocity u, v;
    fit_to(system, q), fit_to(system, u), fit_to(system, v);
    if constexpr (has_topology<System>) q = begin.q;
    MYRIAD_UNROLL for (int stage = 1; stage < Table::stages; ++stage) {
        set_zero(system, u), copy_rates(system, begin.v, v);
        fit_to(system, rate[stage]), fit_to(system, group[stage]);
        MYRIAD_UNROLL for (int j = 0; j < stage; ++j) {
            if (Table::a(stage, j) == 0.0) continue;
            const Real ha = Real(Table::a(stage, j)) * h;
            add_scaled(system, ha, group[j], u), add_scaled(system, ha, rate[j], v);
        }
        reach = maximum(system.reach(u), reach);
        retract_to(system, begin.q, u, q);
        Real stage_time_s = time_s;  // s; formula systems have no use for it
        if constexpr (has_topology<System>) stage_time_s = fma(Real(node<Table>(stage)), h, time_s);
        prescribe_at(system, stage_time_s, q, v);
        stage_acceleration(system, q, v, stage_time_s, Table::b(stage), rate[stage], power);
        local_rate_to(system, begin.q, u, v, group[stage]);
    }
    return reach;
}

// The end of the step by the weights of the table; returns the reach of its u.
template <class Table, class System, class Real = typename System::Real>
MYRIAD_HD Real runge_kutta_end(const System& system, const Motion<System>& begin, Real h,
                               const typename System::Velocity (&group)[Table::stages],
                               const typename System::Velocity (&rate)[Table::stages], Motion<System>& end) {
    typename System::Velocity u;
    set_zero(system, u), copy_rates(system, begin.v, end.v);
    MYRIAD_UNROLL for (int j = 0; j < Table::stages; ++j) {
        if (Table::b(j) == 0.0) continue;
        const Real hb = Real(Table::b(j)) * h;
        add_scaled(system, hb, group[j], u), add_scaled(system, hb, rate[j], end.v);
    }
    if constexpr (has_topology<System>) end.q = begin.q;
    retract_to(system, begin.q, u, end.q);
    settle(system, end.q);
    return system.reach(u);
}

// A finite state in which a pivot is weak has no accelerations that the next step could begin with.
template <class System, class Real = typename System::Real>
MYRIAD_HD void refuse_singular_end(Motion<System>& end, Attempt<Real>& attempt) {
    if constexpr (has_topology<System>) {
        const MaskOf<Real> is_lost = attempt.accepted & (Real(0.0) <= attempt.weak_place) & all_finite(end);
        attempt.reason = reason_unless(!is_lost, Reason::matrix_singular, attempt.reason);
    }
}

template <class System>
MYRIAD_HD bool has_rows(const System& system) {
    if constexpr (has_topology<System>)
        return system.topology.constraint_rows() > 0;
    else
        return false;
}

// Brings the end of a step onto the rows, with its accelerations and multipliers. False where this was not possible.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE MaskOf<Real> end_on_rows(const System& system, Real time_s, typename System::Scratch& scratch,
                                         Motion<System>& end, MechanismMemory<System>& there) {
    const auto met = meet_rows(system, scratch, true_mask<Real>(), time_s, end.q, end.v);
    system.accelerate(end.q, end.v, false, scratch, there.acceleration, there.multipliers);
    return met.outcome.converged;
}

// The state in which an explicit run begins. A tree's coordinates are read off the bodies, which it puts together.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real initialize_explicit(const System& system, Motion<System>& motion, ExplicitMemory<System>& memory) {
    if constexpr (has_topology<System>) {
        typename System::Scratch scratch;
        const Assembled<Real> assembled =
            assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        memory.begin(system, motion, scratch, assembled);
        return assembled.reason;
    } else {
        return Real(0.0);
    }
}

// A formula system has nothing in this part of its memory.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real renew_explicit(const System& system, const Schedule& schedule, Motion<System>& motion,
                              ExplicitMemory<System>& memory) {
    if constexpr (has_topology<System>) {
        typename System::Scratch scratch;
        return renew_mechanism(system, schedule, scratch, motion, memory);
    } else {
        return Real(0.0);
    }
}

// How all of them begin.
struct RungeKuttaStart {
    template <class System>
    using Memory = ExplicitMemory<System>;

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        return initialize_explicit(system, motion, memory);
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        return renew_explicit(system, schedule, motion, memory);
    }
};

template <class Table>
struct RungeKutta : RungeKuttaStart {
    using Start = RungeKuttaStart;
    static constexpr const char* name = Table::name;
    static constexpr const char* summary = Table::summary;
    static constexpr MethodOrders orders = {Table::order, Table::order};
    static constexpr MethodTraits traits{};

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real>) {
        const MaskOf<Real> whole = progress.steps < Real(schedule.full_steps);
        const Real h = select(whole, Real(schedule.step_s), Real(schedule.last_step_s));
        const Real steps = progress.steps + Real(1.0);
        Attempt<Real> attempt;
        attempt.accepted = true_mask<Real>();
        attempt.time_s = select(whole, steps * Real(schedule.step_s), Real(schedule.end_s));
        attempt.finished = Real(schedule.total_steps) <= steps;
        attempt.row_due = steps == (progress.rows * Real(schedule.observe_steps));
        Real reach;
        MaskOf<Real> meets_rows = true_mask<Real>();
        if constexpr (has_topology<System>) {
            typename System::Scratch scratch;
            Real power = Real(Table::b(0)) * before.power;
            if constexpr (is_chain<Table>()) {
                reach = chain(system, begin, progress.time_s, attempt.time_s, h, before, end, after, scratch,
                              meets_rows, power);
            } else {
                typename System::Velocity group[Table::stages], rate[Table::stages];
                copy_rates(system, before.acceleration, rate[0]);
                reach = stages_and_end(system, begin, progress.time_s, h, group, rate, end, power);
                prescribe_at(system, attempt.time_s, end.q, end.v);
                if (has_rows(system)) {
                    meets_rows = end_on_rows(system, attempt.time_s, scratch, end, after);
                } else {
                    system.acceleration(end.q, end.v, attempt.time_s, scratch, after.acceleration, after.multipliers);
                }
            }
            after.template follow<false>(system, before, attempt.time_s, h, end, scratch, Real(0.0), true);
            after.work = fma(h, power, before.work);
            attempt.weak_place = scratch.weak_place;
        } else if (takes_short_stages<Table, System>(schedule)) {
            reach = short_step(system, begin, h, end);
        } else {
            reach = full_step(system, begin, progress.time_s, h, end);
        }
        attempt.reason =
            select(reach <= Real(largest_reach), Real(0.0), Real(static_cast<double>(Reason::rotation_beyond_series)));
        refuse_singular_end(end, attempt);
        if (has_rows(system))
            attempt.reason =
                reason_unless(meets_rows | !all_finite(end), Reason::projection_did_not_converge, attempt.reason);
        return attempt;
    }

  private:
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real short_step(const System& system, const Motion<System>& begin, Real h, Motion<System>& end) {
        if constexpr (short_stages_of<Table, System>() == ShortStages::never) {
            return Real(0.0);
        } else {
            using Step = ShortStep<Table, System>;
            if constexpr (is_chain<Table>()) {
                return Step::chain(system, begin, h, end);
            } else {
                typename Step::Sum group[Table::stages];
                typename System::Velocity rate[Table::stages];
                rate[0] = system.acceleration(begin.q, begin.v);
                const Real reach = Step::stages(system, begin, h, group, rate);
                return maximum(Step::end_at(begin, h, group, rate, end), reach);
            }
        }
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real full_step(const System& system, const Motion<System>& begin, Real time_s, Real h,
                                    Motion<System>& end) {
        if constexpr (short_stages_of<Table, System>() == ShortStages::always) {
            return Real(0.0);
        } else {
            typename System::Velocity group[Table::stages], rate[Table::stages];
            rate[0] = system.acceleration(begin.q, begin.v);
            Real power(0.0);
            return stages_and_end(system, begin, time_s, h, group, rate, end, power);
        }
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real stages_and_end(const System& system, const Motion<System>& begin, Real time_s, Real h,
                                         typename System::Velocity (&group)[Table::stages],
                                         typename System::Velocity (&rate)[Table::stages], Motion<System>& end,
                                         Real& power) {
        const Real stage_reach = runge_kutta_stages<Table>(system, begin, time_s, h, group, rate, power);
        return maximum(runge_kutta_end<Table>(system, begin, h, group, rate, end), stage_reach);
    }

    // The same of a chain, whose sums over the stages grow with them: one copy of the acceleration's code serves all
    // stages and the end, and no array of stages lies in memory. Leaves the accelerations of the end in `after`.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real chain(const System& system, const Motion<System>& begin, Real time_s, Real end_s, Real h,
                                const Memory<System>& before, Motion<System>& end, Memory<System>& after,
                                typename System::Scratch& scratch, MaskOf<Real>& meets_rows, Real& power) {
        Real reach(0.0);
        typename System::Velocity group, u, sum, rate_sum;
        local_rate_at_start(system, begin.q, begin.v, group);
        copy_rates(system, before.acceleration, after.acceleration);
        set_zero(system, sum), copy_rates(system, begin.v, rate_sum);
        end.q = begin.q;
        MYRIAD_ROLL for (int stage = 1; stage <= Table::stages; ++stage) {
            const bool is_end = stage == Table::stages;
            const Real hb = Real(Table::b(stage - 1)) * h;
            add_scaled(system, hb, group, sum), add_scaled(system, hb, after.acceleration, rate_sum);
            if (is_end) {
                copy_rates(system, sum, u), copy_rates(system, rate_sum, end.v);
            } else {
                const Real ha = Real(Table::a(stage, stage - 1)) * h;
                set_zero(system, u), copy_rates(system, begin.v, end.v);
                add_scaled(system, ha, group, u), add_scaled(system, ha, after.acceleration, end.v);
            }
            reach = maximum(system.reach(u), reach);
            retract_to(system, begin.q, u, end.q);
            if (is_end) settle(system, end.q);
            const Real now_s = is_end ? end_s : fma(Real(node<Table>(stage)), h, time_s);
            prescribe_at(system, now_s, end.q, end.v);
            if (is_end && has_rows(system)) {
                meets_rows = end_on_rows(system, end_s, scratch, end, after);
                break;
            }
            system.acceleration(end.q, end.v, now_s, scratch, after.acceleration, after.multipliers);
            if (is_end) break;
            if (system.has_power())
                power =
                    fma(Real(Table::b(stage)),
                        power_after_acceleration(system, end.q, end.v, after.acceleration, after.multipliers, scratch),
                        power);
            local_rate_to(system, begin.q, u, end.v, group);
        }
        return reach;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
