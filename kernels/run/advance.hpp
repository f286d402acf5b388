// load -> step until done or failed -> observe -> store: the only thing a backend runs. begin() makes the records;
// renew() brings them up to date where parameters have changed between two launches.
//
// A lane stops at its last good state, with a status and a reason, when its next state is not finite or its integrator
// gives up; its neighbours neither see nor feel it. The loop ends when the last lane has stopped. The end of a launch
// has no influence on the bits: an instance carries all it needs from launch to launch in its record.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/run/attempt.hpp"
#include "kernels/run/certificate.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class S, class Plan>
struct Run : RunCertificate<Integrator, S, Plan> {
    using Record = RunCertificate<Integrator, S, Plan>;
    using Record::instance, Record::quantities, Record::plan, Record::launch, Record::slots, Record::parameters;
    using System = S;
    using typename Record::Carried;
    using typename Record::Mask;
    using typename Record::Number;
    using typename Record::Real;

    MYRIAD_HD Run(const Plan& plan_given, const Launch<Number>& launch_given, long long group)
        : Record(plan_given, launch_given, group) {
        step_needs_ = needs_of_quantities(true), within_needs_ = needs_of_quantities(true, true);
    }

    // First launch: parameters -> system and initial state -> record, initial state channels, first row.
    MYRIAD_HD void begin() {
        load_parameters();
        const Prepared<System> prepared = prepare();
        const System& system = prepared.system;
        Progress<Real>& progress = instance.progress;
        progress = {Real(0.0), Real(0.0), Real(0.0), Real(0.0), Real(0.0), prepared.reason, prepared.warnings};
        if constexpr (has_topology<System>)
            system.start(instance.motion.q, instance.motion.v);
        else
            System::start(parameters, instance.motion.q, instance.motion.v);
        // The rates on a chart are not finite at its singularity, so its regularity is checked first.
        progress.reason =
            reason_unless(system.regular(instance.motion.q), Reason::chart_at_its_singularity, progress.reason);
        const Real refused = Integrator::initialize(system, launch.schedule, instance.motion, instance.memory);
        progress.reason = select(progress.reason <= Real(0.0), refused, progress.reason);
        progress.reason = reason_unless(all_finite(instance.motion), Reason::start_not_finite, progress.reason);
        progress.status = select(progress.reason <= Real(0.0), code(Status::running), status_at_start(progress.reason));
        if constexpr (has_tree<System>)
            progress.warnings = progress.warnings + warnings_of_start(system, instance.motion.q, running());
        instance.certificate.initial = invariants(system);
        add_energies(system, instance.certificate.initial);
        instance.certificate.drift = {};
        for (int i = 0; i < certificate_count; ++i)
            if (!drifts(i)) instance.certificate.initial[i] = Real(0.0);
        if constexpr (has_topology<System>) {
            Mask apart = progress.status == code(Status::assembly_failed);
            if constexpr (has_tree<System>) apart = apart | (progress.status == code(Status::singular_matrix));
            if (any(apart))
                instance.certificate.initial[System::worst_row_entry] =
                    select(apart, system.worst_row(progress.reason, instance.motion), Real(0.0));
        }
        const Mask has_row = 0.0 < launch.schedule.rows ? running() : !true_mask<Real>();
        const auto channel = channels(system, needs_of_both(needs_of_quantities(false), needs_of_row(has_row)));
        quantities.begin(plan, channel, launch);
        store_state(system, launch.initial_states);
        store_row(channel, has_row);
        if constexpr (has_topology<System>) store_certificate();
        if constexpr (departs<Integrator, System>) {
            certify(system, true_mask<Real>());
            store_results(system, channel, true_mask<Real>());
            Integrator::depart(system, launch.schedule, instance.motion, instance.memory);
            store_record();
        } else {
            if constexpr (has_topology<System>)
                certify_where_due(system, due_at_end());
            else
                certify(system, under_way());
            store(system, channel);
        }
    }

    // Later launches: record -> at most `attempts` trial steps -> record.
    MYRIAD_HD void advance() {
        load();
        load_parameters();
        if constexpr (is_of_shape<System>) {
            const auto copy = parameters;  // which no call is given, so that it can lie in registers
            advance_with(System{topology(), &copy});
        } else {
            advance_with(prepare().system);
        }
    }

    // Between two launches: an instance that runs, and whose varied parameters are others than launch.former, gets the
    // memory that its state has under them. Time, counters, sums and the largest drift stay. The reference of the drift
    // is the present state: a jump of the energy is the work of whoever set the parameter, and no error. Before the
    // first step nothing but the new values counts. Compiled for one instance at a time, as begin() is.
    MYRIAD_HD void renew() {
        static_assert(Slots<Real>::width == 1);
        load();
        const Mask goes_on = running(), has_changed = differs_from_former();
        if (!any(goes_on & has_changed)) return;
        load_parameters();
        const Prepared<System> prepared = prepare();
        const System& system = prepared.system;
        Progress<Real>& progress = instance.progress;
        Real reason = prepared.reason;
        if (any(reason <= Real(0.0)))
            reason = Integrator::renew(system, launch.schedule, progress.time_s, instance.motion, instance.memory);
        reason = reason_unless(all_finite(instance.motion), Reason::state_not_finite, reason);
        reason = reason_unless(all_finite(instance.memory), Reason::state_not_finite, reason);
        if (any(Real(0.0) < reason)) {
            load();  // it ends in its last good state
            progress.reason = reason, progress.status = status_without_memory(reason);
            store_record();
            return;
        }
        progress.warnings = maximum(prepared.warnings, progress.warnings);
        quantities.forget_rates(plan);
        auto now = invariants(system);
        add_energies(system, now);
        for (int i = 0; i < certificate_count; ++i) {
            if (!drifts(i)) continue;
            if constexpr (has_topology<System>)
                slots.store(launch.records, record_fields<Carried>(plan), certificate_field() + i, now[i]);
            else
                instance.certificate.initial[i] = now[i];
        }
        if (any(progress.steps <= Real(0.0))) certify_anew(system);
        store_record();
        store_state(system, launch.final_states, under_way());
    }

    // What advance() does, as straight code for a tracer: one trial step with what is looked at before and behind it;
    // and the end of a launch. Not handled: jumps in the middle of a step, which impacts alone make.
    MYRIAD_HD void trace_step() {
        load(), load_parameters();
        const System system = prepare().system;
        Left left;
        prepare(left);
        certify_where_due(system, due_before_step());
        const Taken taken = any_step(system);
        if (step_needs_ >= 0) MYRIAD_WHEN(taken.moved) {
                System side = system;
                look_before_jump(side, taken);
                count_quantities(channels(side, step_needs_), taken);
            }
        if constexpr (keeps_left_limit) MYRIAD_WHEN(taken.jumps) {
                Taken jump = taken;
                left.pass_jump(instance, jump);
                count_quantities(channels(system, step_needs_), jump);
            }
        if constexpr (Plan::looks_at_rows)
            if (launch.trajectory)
                MYRIAD_WHEN(taken.row_due) store_row(channels(system, needs_of_rows()), taken.row_due);
        store_record();
    }
    MYRIAD_HD void trace_end() {
        load(), load_parameters();
        const System system = prepare().system;
        certify_where_due(system, due_at_end());
        store_record();
        store_state(system, launch.final_states, under_way());
        store_end_values(channels(system, needs_of_quantities(false)), under_way());
    }

  private:
    using Taken = TakenStep<Real>;
    static constexpr bool keeps_left_limit =
        Plan::looks_before_jumps && (meets_impacts<Integrator> || drivers_may_jump<System>);
    using Left = typename Either<keeps_left_limit, LeftLimit<System, typename Integrator::template Memory<System>>,
                                 NoLeftLimit>::Type;
    // Adaptive methods may turn bodies far in a step.
    static constexpr bool looks_within =
        has_course_of_step<System> && has_view<System> && is_adaptive<Integrator> && Plan::looks_at_steps;
    // Parts of the visits of a plan's entries.
    template <class Channels>
    struct StoreEntry {
        const Run& run;
        const Channels& channels;
        const Mask due;
        template <int needs>
        MYRIAD_HD void at(int entry) const {
            run.slots.store_in_row(due, run.launch.trajectory, static_cast<long long>(run.launch.schedule.rows),
                                   run.plan.observed(), entry, run.instance.progress.rows,
                                   value_of<Real, needs>(channels, run.plan.observed_channel(entry)));
        }
    };
    template <class Channels>
    struct StoreQuantity {
        const Run& run;
        const Channels& channels;
        const Mask seen;
        template <int needs>
        MYRIAD_HD void at(int i) const {
            run.store_where(
                seen, run.launch.quantities, run.plan.quantities(), i,
                run.quantities.template value<needs>(run.plan, i, channels, run.launch, run.instance.progress.time_s));
        }
    };
    using Record::add_energies, Record::certificate_count, Record::certificate_field, Record::certify,
        Record::certify_anew, Record::certify_where_due;
    using Record::code, Record::differs_from_former, Record::drifts, Record::due_at_end, Record::due_before_step;
    using Record::invariants, Record::judge_loops, Record::load, Record::load_parameters, Record::name_place;
    using Record::running, Record::store_certificate, Record::store_record, Record::store_where, Record::topology;
    using Record::under_way;
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
            MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i) left.is_asked |=
                Reductions::looks_before_jumps(plan.reduction(i), plan.between(i), plan.windowed(i) != 0);
        }
    }
    // The channels of the present state. A system that looks at a state once is told what its channels need; -1: none
    // is asked for.
    MYRIAD_HD auto channels(const System& system, [[maybe_unused]] int needs) const {
        if constexpr (has_view<System>)
            return SeenChannels<System, Plan::most_needs>(system, instance.motion, instance.memory, needs);
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
    MYRIAD_HD int needs_of_row([[maybe_unused]] Mask due) const {
        if constexpr (has_view<System> && Plan::looks_at_rows)
            if (launch.trajectory && any(due)) return needs_of_rows();
        return -1;
    }
    MYRIAD_HD int needs_of_rows() const {
        int needs = 0;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.observed(); ++i) needs |=
            System::View::needs_of(topology(), plan.observed_channel(i));
        return needs;
    }
    static MYRIAD_HD int needs_of_both(int a, int b) { return a < 0 ? b : b < 0 ? a : a | b; }
    MYRIAD_HD int needs_of_state(const Taken& taken, bool is_last) const {
        int needs = -1;
        if constexpr (Plan::looks_at_steps)
            if (any(taken.moved)) needs = step_needs_;
        if constexpr (Plan::looks_at_end)
            if (is_last) needs = needs_of_both(needs, needs_of_quantities(false));
        return needs_of_both(needs, needs_of_row(rows_due(taken)));
    }
    MYRIAD_HD Taken step(const System& system) {
        Progress<Real>& progress = instance.progress;
        Motion<System> end;
        typename Integrator::template Memory<System> memory;
        if constexpr (has_topology<System>) fit_part(end, topology()), fit_part(memory, topology());
        const Mask active = running();
        if constexpr (keeps_left_limit)
            if (left_->is_asked) left_->clear();
        const Attempt<Real> attempt = attempt_of<Integrator>(system, launch.schedule, progress, instance.motion, end,
                                                             instance.memory, memory, active, *left_);
        Real reason = attempt.reason;
        reason = reason_unless((!attempt.accepted) | all_finite(end), Reason::state_not_finite, reason);
        reason = reason_unless((!attempt.accepted) | system.regular(end.q), Reason::chart_at_its_singularity, reason);
        if constexpr (has_tree<System>) {
            if (may_have_watched_angles<typename System::Topology>())
                system.count_watched(instance.motion.q, instance.motion.v, end.v, attempt.time_s - progress.time_s,
                                     end.q);
            if (may_have_spare_rows<typename System::Topology>()) judge_loops(system, attempt, end, active, reason);
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
    MYRIAD_HD static Mask rows_due(const Taken& taken) {
        if constexpr (keeps_left_limit) return taken.row_due & taken.ends;
        return taken.row_due;
    }
    MYRIAD_HD bool is_before_jump() const {
        if constexpr (keeps_left_limit) return left_->is_asked && any(left_->pending());
        return false;
    }

    MYRIAD_HD void advance_with(const System& system) {
        Left left;
        prepare(left);
        if constexpr (has_topology<System>) {
            // One copy of the code that looks at a state, which is large, serves all states and what is asked of them.
            constexpr bool looks_on_the_way = Plan::looks_at_steps || Plan::looks_at_rows;
            Taken taken = Taken::nothing();
            for (long long attempt = 0;;) {
                const bool jumps = is_before_jump();
                const bool goes_on = jumps || (attempt < launch.attempts && any(running()));
                if (!jumps) certify_where_due(system, goes_on ? due_before_step() : due_at_end());
                if constexpr (looks_on_the_way && has_view<System>) {
                    const int needs = needs_of_state(taken, !goes_on);
                    if (needs >= 0 || !goes_on) look(taken, needs, !goes_on);
                } else if constexpr (looks_on_the_way) {
                    count(channels(system, -1), taken);
                }
                if (!goes_on) break;
                MYRIAD_READ_ANEW;
                if (jumps) {
                    if constexpr (keeps_left_limit) left_->go_behind_jump(instance, taken);
                } else {
                    ++attempt;
                    taken = any_step(system);
                }
                MYRIAD_READ_ANEW;
            }
            store_record();
            store_state(system, launch.final_states, under_way());
            if constexpr (!has_view<System> || !looks_on_the_way)
                store_end_values(channels(system, needs_of_quantities(false)), under_way());
        } else {
            const auto channel = channels(system, 0);
            for (long long attempt = 0; attempt < launch.attempts && any(running()); ++attempt) {
                certify(system, under_way());
                Taken taken = step(system);
                while (is_before_jump()) {
                    count(channel, taken);
                    if constexpr (keeps_left_limit) left_->go_behind_jump(instance, taken);
                }
                count(channel, taken);
            }
            certify(system, under_way());
            store(system, channel);
        }
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
    MYRIAD_OF_VIEW void look_within(const System& system, Course& course, Taken& taken) {
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
                const SeenChannels<System, Plan::most_needs> channel(system, motion, memory, within_needs_);
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
            system.corner.last_side_s = select(taken.jumps, left_->side_s, system.corner.last_side_s);
    }
    // Looks at a state for all that is asked of it. Its work space is not there in steps of which nothing is asked.
    MYRIAD_OF_VIEW void look(Taken taken, int needs, bool is_last) {
        System system{topology(), &parameters};
        look_before_jump(system, taken);
        const auto channel = channels(system, needs);
        count(channel, taken);
        if (is_last) store_end_values(channel, under_way());
    }
    template <class Channels>
    MYRIAD_HD void count(const Channels& channel, const Taken& taken) {
        if constexpr (Plan::looks_at_steps) MYRIAD_WHEN(taken.moved) count_quantities(channel, taken);
        store_row(channel, rows_due(taken));
    }
    template <class Channels>
    MYRIAD_HD void count_quantities(const Channels& channel, const Taken& taken) {
        Mask is_straight = !true_mask<Real>();
        if constexpr (keeps_left_limit) is_straight = left_->is_straight & taken.jumps;
        quantities.update(plan, channel, launch,
                          {taken.moved, taken.ends, taken.jumps, is_straight, taken.before_s, taken.within_s,
                           taken.now_s, false, taken.is_jump});
    }

    // Writes the next row of the trajectory for the lanes in `due`.
    template <class Channels>
    MYRIAD_HD void store_row(const Channels& channel, Mask due) {
        if (!Plan::looks_at_rows || !launch.trajectory) return;
        MYRIAD_WHEN(due) {
            plan.each_observed(StoreEntry<Channels>{*this, channel, due});
            instance.progress.rows = select(due, instance.progress.rows + Real(1.0), instance.progress.rows);
        }
    }

    MYRIAD_HD void store_state(const System& system, Number* states, Mask seen = true_mask<Real>()) const {
        const int count = bodies_of<System>(plan) * body_channels;
        if constexpr (has_tree<System>) {
            system.each_body(instance.motion, [&](int body, const BodyState<Real>& state) MYRIAD_INLINE {
                MYRIAD_UNROLL for (int i = 0; i < body_channels; ++i)
                    store_where(seen, states, count, body * body_channels + i, state.channel(i) + Real(0.0));
            });
        } else {
            const auto channel = channels(system, 0);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i)
                store_where(seen, states, count, i, channel.template channel<-1>(i));
        }
    }
    template <class Channels>
    MYRIAD_HD void store(const System& system, const Channels& channel) {
        store_record();
        store_results(system, channel, under_way());
    }

    template <class Channels>
    MYRIAD_HD void store_results(const System& system, [[maybe_unused]] const Channels& channel, Mask seen) const {
        store_state(system, launch.final_states, seen);
        store_end_values(channel, seen);
    }
    template <class Channels>
    MYRIAD_HD void store_end_values([[maybe_unused]] const Channels& channel, Mask seen) const {
        if constexpr (Plan::looks_at_end)
            plan.each_quantity(StoreQuantity<Channels>{*this, channel, seen});
        else
            plan.each_quantity(StoreQuantity<UnseenChannels<Real>>{*this, UnseenChannels<Real>{}, seen});
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
