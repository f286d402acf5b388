// load -> step until done or failed -> observe -> store: the only thing a backend runs. begin() makes the records;
// renew() brings them up to date where parameters have changed between two launches.
//
// A lane stops at its last good state, with a status and a reason, when its next state is not finite or its integrator
// gives up; its neighbours neither see nor feel it. The loop ends when the last lane has stopped. The end of a launch
// has no influence on the bits: an instance carries all it needs from launch to launch in its record.
#pragma once
#include "kernels/run/step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class S, class Plan>
struct Run : RunStep<Integrator, S, Plan> {
    using Record = RunStep<Integrator, S, Plan>;
    using Record::instance, Record::quantities, Record::plan, Record::launch, Record::slots, Record::parameters;
    using Record::RunStep;
    using System = S;
    using typename Record::Carried;
    using typename Record::Mask;
    using typename Record::Number;
    using typename Record::Real;

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
        if constexpr (has_topology<System>)
            progress.warnings = progress.warnings + system.warnings_of_start(instance.motion.q, running());
        instance.certificate.initial = invariants(system);
        add_energies(system, instance.certificate.initial);
        instance.certificate.drift = {};
        for (int i = 0; i < certificate_count; ++i)
            if (!drifts(i)) instance.certificate.initial[i] = Real(0.0);
        if constexpr (has_topology<System>) {
            Mask apart = progress.status == code(Status::assembly_failed);
            apart = apart | (progress.status == code(Status::singular_matrix));
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
        advance_with(prepare().system);
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

  private:
    using Record::add_energies, Record::certificate_count, Record::certificate_field, Record::certify;
    using Record::any_step, Record::certify_anew, Record::certify_where_due, Record::channels, Record::code;
    using Record::count_quantities, Record::differs_from_former, Record::drifts, Record::due_at_end;
    using Record::due_before_step, Record::invariants, Record::keeps_left_limit, Record::left_, Record::load;
    using Record::load_parameters, Record::look_before_jump, Record::needs_of_quantities, Record::needs_of_rows;
    using Record::prepare, Record::running, Record::step, Record::step_needs_, Record::store_certificate,
        Record::store_end_values;
    using Record::store_record, Record::store_row, Record::store_state, Record::topology, Record::under_way;
    using typename Record::Left;
    using typename Record::Taken;

    MYRIAD_HD int needs_of_row([[maybe_unused]] Mask due) const {
        if constexpr (has_view<System> && Plan::looks_at_rows)
            if (launch.trajectory && any(due)) return needs_of_rows();
        return -1;
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
    // Looks at a state for all that is asked of it. Its work space is not there in steps of which nothing is asked.
    MYRIAD_NOINLINE void look(Taken taken, int needs, bool is_last) {
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
    MYRIAD_HD void store(const System& system, const Channels& channel) {
        store_record();
        store_results(system, channel, under_way());
    }
    template <class Channels>
    MYRIAD_HD void store_results(const System& system, [[maybe_unused]] const Channels& channel, Mask seen) const {
        store_state(system, launch.final_states, seen);
        store_end_values(channel, seen);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
