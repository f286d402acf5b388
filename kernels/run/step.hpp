// One trial step of a run, and what is seen of the states that it leads through: quantities, rows, final states.
//
// Quantities of adaptive methods are looked at within steps (within_step.hpp), others at their ends and on both sides
// of jumps (left_limit.hpp). A traced step leaves lanes behind that want what is rare (control.hpp): they keep their
// state, and kernels on numbers take this step of theirs. Not handled: in which order states are looked at, which
// advance.hpp and trace.hpp say.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/run/attempt.hpp"
#include "kernels/run/certificate.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class S, class Plan>
struct RunStep : RunCertificate<Integrator, S, Plan> {
    using Record = RunCertificate<Integrator, S, Plan>;
    using Record::instance, Record::quantities, Record::plan, Record::launch, Record::slots, Record::parameters;
    using System = S;
    using typename Record::Mask;
    using typename Record::Number;
    using typename Record::Real;

    MYRIAD_HD RunStep(const Plan& plan_given, const Launch<Number>& launch_given, long long group)
        : Record(plan_given, launch_given, group) {
        step_needs_ = needs_of_quantities(true), within_needs_ = needs_of_quantities(true, true);
    }

  protected:
    using Taken = TakenStep<Real>;
    static constexpr bool keeps_left_limit =
        Plan::looks_before_jumps && (meets_impacts<Integrator> || drivers_may_jump<System>);
    using Left = typename Either<keeps_left_limit, LeftLimit<System, typename Integrator::template Memory<System>>,
                                 NoLeftLimit>::Type;
    // Adaptive methods may turn bodies far in a step.
    static constexpr bool looks_within =
        has_course_of_step<System> && has_view<System> && is_adaptive<Integrator> && Plan::looks_at_steps;
    using Record::code, Record::judge_loops, Record::name_place, Record::running, Record::store_where;
    using Record::topology, Record::under_way;
    int step_needs_, within_needs_;
    Left* left_ = nullptr;  // of advance(): begin() would pay for it with its stack

    MYRIAD_HD Prepared<System> prepare() const {
        if constexpr (has_topology<System>) {
            const System system{topology(), &parameters};
            return {system, system.reason(), system.warnings()};
        } else {
            return System::prepare(parameters);
        }
    }
    MYRIAD_HD void prepare(Left& left) {
        left_ = &left;
        if constexpr (keeps_left_limit) {
            if constexpr (has_topology<System>) left.fit(topology());
            left.clear();
            bool may_jump = meets_impacts<Integrator>;
            if constexpr (drivers_may_jump<System>) may_jump = may_jump || topology().corners() > 0;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) left.is_asked |=
                may_jump && Reductions::looks_before_jumps(plan.reduction(i), plan.between(i), plan.windowed(i) != 0);
        }
    }
    // The channels of the present state. A system that looks at a state once is told what its channels need; -1: none
    // is asked for.
    MYRIAD_HD auto channels(const System& system, [[maybe_unused]] int needs) const {
        if constexpr (has_view<System>)
            return SeenChannels<System>(system, instance.motion, instance.memory, needs);
        else
            return OwnChannels<Integrator, System>{system, instance};
    }
    // What quantities need at steps, or within them, or at the start and the end; -1: nothing is looked at.
    MYRIAD_HD int needs_of_quantities([[maybe_unused]] bool at_steps, [[maybe_unused]] bool within = false) const {
        int needs = -1;
        if constexpr (has_view<System>) MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) {
                if (at_steps && !Reductions::looks_at_steps(plan.reduction(i), plan.windowed(i) != 0)) continue;
                if (within && plan.between(i) < Between::cubic) continue;
                needs = (needs < 0 ? 0 : needs) |
                        needs_of_quantity<typename System::View>(topology(), plan.quantity_channel(i), plan.between(i),
                                                                 plan.quantity_rate(i));
            }
        return needs;
    }
    MYRIAD_HD int needs_of_rows() const {
        int needs = 0;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.observed(); ++i) needs |=
            System::View::needs_of(topology(), plan.observed_channel(i));
        return needs;
    }
    MYRIAD_HD Taken step(const System& system) {
        Progress<Real>& progress = instance.progress;
        Motion<System> end;
        typename Integrator::template Memory<System> memory;
        if constexpr (has_topology<System>) fit_part(end, topology()), fit_part(memory, topology());
        Mask active = running();
        if constexpr (keeps_left_limit)
            if (left_->is_asked) left_->clear();
        const Attempt<Real> attempt = attempt_of<Integrator>(system, launch.schedule, progress, instance.motion, end,
                                                             instance.memory, memory, active, *left_);
        if constexpr (is_traced<Real>) {
            const Mask behind = active & Control<Mask>::left_behind();
            progress.status = select(behind, Real(status_behind), progress.status), active = active & !behind;
        }
        Real reason = attempt.reason;
        reason = reason_unless((!attempt.accepted) | all_finite(end), Reason::state_not_finite, reason);
        reason = reason_unless((!attempt.accepted) | system.regular(end.q), Reason::chart_at_its_singularity, reason);
        if constexpr (has_topology<System>) {
            system.count_watched(instance.motion.q, instance.motion.v, end.v, attempt.time_s - progress.time_s, end.q);
            judge_loops(system, attempt, end, active, reason);
            const Mask singular = active & (reason == Real(static_cast<double>(Reason::matrix_singular)));
            MYRIAD_WHEN(singular) name_place(singular, Real(-1.0) - attempt.weak_place);
        }
        const Mask sound = active & (reason <= Real(0.0)), moved = sound & attempt.accepted;

        keep(moved, end, instance.motion);
        keep_memory(active, sound, memory, instance.memory);
        const Real before_s = progress.time_s;
        progress.time_s = select(moved, attempt.time_s, progress.time_s);
        progress.steps = select(moved, progress.steps + Real(1.0), progress.steps);
        progress.rejected = select(sound & (!attempt.accepted), progress.rejected + Real(1.0), progress.rejected);
        progress.reason = select(active, reason, progress.reason);
        const Mask fails = active & !sound;
        MYRIAD_WHEN(fails) progress.status = select(fails, status_of(reason), progress.status);
        progress.status = select(moved & attempt.finished, code(Status::ok), progress.status);
        const Mask used_up = running() & (Real(launch.schedule.most_attempts) <= progress.steps + progress.rejected);
        progress.reason = select(used_up, Real(static_cast<double>(Reason::attempts_used_up)), progress.reason);
        progress.status = select(used_up, code(Status::step_limit), progress.status);

        Taken taken = Taken::nothing();
        taken.moved = taken.ends = moved, taken.row_due = moved & attempt.row_due;
        taken.before_s = taken.within_s = before_s, taken.now_s = progress.time_s;
        if constexpr (keeps_left_limit)
            if (left_->is_asked) MYRIAD_WHEN(left_->pending()) left_->go_before_jump(instance, taken);
        return taken;
    }
    MYRIAD_HD Taken any_step(const System& system) {
        if constexpr (looks_within)
            return step_and_look_within(system);
        else
            return step(system);
    }
    MYRIAD_HD Taken step_and_look_within(const System& system) {
        typename System::CourseOfStep course;
        const bool looks = within_needs_ >= 0;
        if (looks) course.begin_at(instance.motion, instance.memory.acceleration, instance.progress.time_s);
        Taken taken = step(system);
        if (looks) look_within(system, course, taken);
        return taken;
    }
    template <class Course>
    MYRIAD_NOINLINE void look_within(const System& system, Course& course, Taken& taken) {
        const Mask none = !true_mask<Real>(), lanes = taken.moved;
        MYRIAD_WHEN(lanes) {
            const Real one(1.0), parts = course.end_at(system, launch.schedule, instance.motion,
                                                       instance.memory.acceleration, taken.now_s);
            Motion<System> motion = course.begin;
            auto memory = instance.memory;
            Real part = one;
            Mask inside = lanes & (part < parts);
            MYRIAD_REPEAT(inside) {
                const Real share = part / parts;
                memory.time_s = fma(share, taken.now_s - taken.before_s, taken.before_s);
                course.state(system, share, motion, memory.acceleration);
                const SeenChannels<System> channel(system, motion, memory, within_needs_);
                quantities.update(
                    plan, channel, launch,
                    {inside, none, none, none, taken.before_s, taken.within_s, memory.time_s, true, false});
                taken.within_s = select(inside, memory.time_s, taken.within_s);
                part = part + one, inside = lanes & (part < parts);
            }
        }
    }
    // Functions of time have the branches from before a jump where the state is the one before it.
    MYRIAD_HD void look_before_jump([[maybe_unused]] System& system, [[maybe_unused]] const Taken& taken) const {
        if constexpr (keeps_left_limit && drivers_may_jump<System>)
            if (left_->is_asked)
                system.corner.last_side_s = select(taken.jumps, left_->side_s, system.corner.last_side_s);
    }
    template <class Channels>
    MYRIAD_HD void count_quantities(const Channels& channel, const Taken& taken) {
        Mask is_straight = !true_mask<Real>();
        if constexpr (keeps_left_limit)
            if (left_->is_asked) is_straight = left_->is_straight & taken.jumps;
        quantities.update(plan, channel, launch,
                          {taken.moved, taken.ends, taken.jumps, is_straight, taken.before_s, taken.within_s,
                           taken.now_s, false, taken.is_jump});
    }
    // Writes the next row of the trajectory for the lanes in `due`.
    template <class Channels>
    MYRIAD_HD void store_row(const Channels& channel, Mask due) {
        if (!Plan::looks_at_rows || !launch.trajectory) return;
        MYRIAD_WHEN(due) {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.observed(); ++i) slots.store_in_row(
                due, launch.trajectory, static_cast<long long>(launch.schedule.rows), plan.observed(), i,
                instance.progress.rows, value_of<Real>(channel, plan.observed_channel(i)));
            instance.progress.rows = select(due, instance.progress.rows + Real(1.0), instance.progress.rows);
        }
    }
    MYRIAD_HD void store_state(const System& system, Number* states, Mask seen = true_mask<Real>()) const {
        const int count = bodies_of<System>(plan) * body_channels;
        if constexpr (has_topology<System>) {
            system.each_body(instance.motion, [&](int body, const BodyState<Real>& state) MYRIAD_INLINE {
                MYRIAD_UNROLL for (int i = 0; i < body_channels; ++i)
                    store_where(seen, states, count, body * body_channels + i, state.channel(i) + Real(0.0));
            });
        } else {
            const auto channel = channels(system, 0);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i) store_where(seen, states, count, i, channel.channel(i));
        }
    }
    template <class Channels>
    MYRIAD_HD void store_end_values([[maybe_unused]] const Channels& channel, Mask seen) const {
        if constexpr (Plan::looks_at_end)
            store_quantities(channel, seen);
        else
            store_quantities(UnseenChannels<Real>{}, seen);
    }

  private:
    template <class Channels>
    MYRIAD_HD void store_quantities(const Channels& channel, Mask seen) const {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i)
            store_where(seen, launch.quantities, plan.quantities(), i,
                        quantities.value(plan, i, channel, launch, instance.progress.time_s));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
