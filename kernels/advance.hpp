// load -> step until done or failed -> observe -> store: the only thing a backend runs.
//
// A lane whose next state is not finite, or whose integrator gives up, stops at its last good state with a status and a
// reason; its neighbours neither see nor feel it. The loop is left when the last lane has stopped. Where a launch ends
// has no influence on the bits: an instance carries all it needs from launch to launch in its record.
#pragma once
#include "kernels/quantities.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// How far the quantities that the exact motion keeps have moved, over all accepted steps.
template <class System>
struct Certificate {
    using Real = typename System::Real;
    Vec<System::invariant_count, Real> initial, drift;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.initial...);
        visit_fields(visit, self.drift...);
    }
};

// All that an instance carries from launch to launch.
template <class Integrator, class S>
struct Instance {
    using System = S;
    using Real = typename S::Real;
    Progress<Real> progress;
    Motion<S> motion;
    typename Integrator::template Memory<S> memory;
    Certificate<S> certificate;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.progress...);
        visit_fields(visit, self.motion...);
        visit_fields(visit, self.memory...);
        visit_fields(visit, self.certificate...);
    }
};

// The slots whose instances one Real holds, and their places in arrays of tiles.
template <class Real>
struct Slots {
    static constexpr int width = Lanes<Real>::width;
    long long slot[width];

    // Group g of a launch. Where slots run out the last one stands in again: it computes and stores the same bits
    // twice.
    template <class Number>
    static MYRIAD_HD Slots of(const Launch<Number>& launch, long long group) {
        Slots slots;
        for (int lane = 0; lane < width; ++lane) {
            long long entry = group * width + lane;
            entry = entry < launch.slots ? entry : launch.slots - 1;
            slots.slot[lane] = launch.order ? static_cast<long long>(launch.order[entry]) : entry;
        }
        return slots;
    }
    // Element `row` of each lane's instance in an array [tile][rows][32].
    MYRIAD_HD long long place(int lane, long long rows, long long row) const {
        return (slot[lane] / tile_instances * rows + row) * tile_instances + slot[lane] % tile_instances;
    }
    template <class Number>
    MYRIAD_HD Real load(const Number* array, long long rows, long long row) const {
        Real x;
        for (int lane = 0; lane < width; ++lane) Lanes<Real>::set(x, lane, array[place(lane, rows, row)]);
        return x;
    }
    template <class Number>
    MYRIAD_HD void store(Number* array, long long rows, long long row, const Real& x) const {
        for (int lane = 0; lane < width; ++lane) array[place(lane, rows, row)] = Lanes<Real>::get(x, lane);
    }
};

// How many Reals the fixed part of a record holds; the sums of the quantities and the varied parameters come on top.
template <class AnyInstance>
MYRIAD_HD int instance_fields() {
    AnyInstance instance;
    int count = 0;
    visit_fields([&](typename AnyInstance::Real&) { ++count; }, instance);
    return count;
}

template <class AnyInstance, class Plan>
MYRIAD_HD int record_fields(const Plan& plan) {
    return plan.varied_fields() + instance_fields<AnyInstance>() + 2 * plan.quantities();
}

template <class Integrator, class S, class Plan>
struct Run {
    using System = S;
    using Real = typename S::Real;
    using Mask = MaskOf<Real>;
    using Number = NumberOf<Real>;
    using Carried = Instance<Integrator, S>;

    const Plan& plan;
    const Launch<Number>& launch;
    const Slots<Real> slots;
    Carried instance;
    Quantities<Real, Plan> quantities;

    MYRIAD_HD Run(const Plan& plan_given, const Launch<Number>& launch_given, long long group)
        : plan(plan_given), launch(launch_given), slots(Slots<Real>::of(launch_given, group)) {}

    // First launch: parameters -> system and initial state -> record, initial state channels, first row.
    MYRIAD_HD void begin() {
        const auto p = parameters();
        const Prepared<System> prepared = System::prepare(p);
        Progress<Real>& progress = instance.progress;
        progress = {Real(0.0), Real(0.0), Real(0.0), Real(0.0), Real(0.0), prepared.reason, prepared.warnings};
        System::start(p, instance.motion.q, instance.motion.v);
        // The rates on a chart are not finite at its singularity: that is asked first.
        const Real at_singularity(static_cast<double>(Reason::chart_at_its_singularity));
        progress.reason =
            reason_unless(System::regular(instance.motion.q), Reason::chart_at_its_singularity, progress.reason);
        progress.reason = reason_unless(all_finite(instance.motion), Reason::start_not_finite, progress.reason);
        const Real refused =
            select(progress.reason == at_singularity, code(Status::chart_singular), code(Status::invalid_parameter));
        progress.status = select(progress.reason <= Real(0.0), code(Status::running), refused);
        Integrator::initialize(prepared.system, launch.schedule, instance.motion, instance.memory);
        instance.certificate.initial = prepared.system.invariants(instance.motion.q, instance.motion.v);
        instance.certificate.drift = {};
        quantities.begin(plan, prepared.system, instance.motion, launch.thresholds);
        store_state(prepared.system, launch.initial_states);
        observe(prepared.system, 0.0 < launch.schedule.rows ? running() : !true_mask<Real>());
        finish(prepared.system);
    }

    // Later launches: record -> at most `attempts` trial steps -> record.
    MYRIAD_HD void advance() {
        load();
        const System system = System::prepare(parameters()).system;
        for (long long attempt = 0; attempt < launch.attempts && any(running()); ++attempt) step(system);
        finish(system);
    }

  private:
    static MYRIAD_HD Real code(Status status) { return Real(static_cast<double>(status)); }
    MYRIAD_HD Mask running() const { return instance.progress.status == code(Status::running); }

    MYRIAD_HD Vec<System::parameter_count, Real> parameters() const {
        Vec<System::parameter_count, Real> p;
        const int rows = record_fields<Carried>(plan);
        MYRIAD_UNROLL for (int i = 0; i < System::parameter_count; ++i) {
            const int field = plan.varied_field(i);
            p[i] =
                field < 0 ? Real(static_cast<double>(launch.parameters[i])) : slots.load(launch.records, rows, field);
        }
        return p;
    }

    // The certificate looks at the state before each step and at the one that a launch leaves, hence at all: beside a
    // method's first stage, which needs the same products.
    MYRIAD_HD void certify(const System& system) {
        const auto invariants = system.invariants(instance.motion.q, instance.motion.v);
        MYRIAD_UNROLL for (int i = 0; i < System::invariant_count; ++i) {
            const Real drift = absolute(invariants[i] - instance.certificate.initial[i]);
            Real& largest = instance.certificate.drift[i];
            largest = select(drift <= largest, largest, drift);  // NaN is a drift too
        }
    }

    MYRIAD_HD void step(const System& system) {
        certify(system);
        Progress<Real>& progress = instance.progress;
        Motion<System> end;
        auto memory = instance.memory;
        const Attempt<Real> attempt =
            Integrator::attempt(system, launch.schedule, progress, instance.motion, end, memory);
        const Mask active = running();
        Real reason = attempt.reason;
        reason = reason_unless((!attempt.accepted) | all_finite(end), Reason::state_not_finite, reason);
        reason = reason_unless((!attempt.accepted) | System::regular(end.q), Reason::chart_at_its_singularity, reason);
        const Mask sound = active & (reason <= Real(0.0)), moved = sound & attempt.accepted;

        keep(moved, end, instance.motion);
        keep(sound, memory, instance.memory);
        const Real before_s = progress.time_s;
        progress.time_s = select(moved, attempt.time_s, progress.time_s);
        progress.steps = select(moved, progress.steps + Real(1.0), progress.steps);
        progress.rejected = select(sound & (!attempt.accepted), progress.rejected + Real(1.0), progress.rejected);
        progress.reason = select(active, reason, progress.reason);
        progress.status = select(active & (!sound), status_of(reason), progress.status);
        progress.status = select(moved & attempt.finished, code(Status::ok), progress.status);
        const Mask used_up = running() & (Real(launch.schedule.most_attempts) <= progress.steps + progress.rejected);
        progress.reason = select(used_up, Real(static_cast<double>(Reason::attempts_used_up)), progress.reason);
        progress.status = select(used_up, code(Status::step_limit), progress.status);

        quantities.update(plan, system, instance.motion, launch.thresholds, moved, before_s, progress.time_s);
        observe(system, moved & attempt.row_due);
    }

    static MYRIAD_HD Real status_of(Real reason) {
        Real status = code(Status::not_finite);
        status = select(reason == Real(static_cast<double>(Reason::rotation_beyond_series)),
                        code(Status::step_rotation_too_large), status);
        status = select(reason == Real(static_cast<double>(Reason::step_below_smallest)), code(Status::step_too_small),
                        status);
        return select(reason == Real(static_cast<double>(Reason::chart_at_its_singularity)),
                      code(Status::chart_singular), status);
    }

    // Writes the next row of the trajectory for the lanes in `due`.
    MYRIAD_HD void observe(const System& system, Mask due) {
        if (!launch.trajectory || !any(due)) return;
        const long long rows = static_cast<long long>(launch.schedule.rows), channels = plan.observed();
        MYRIAD_UNROLL_PLAN for (int entry = 0; entry < plan.observed(); ++entry) {
            const Real value = system.channel(plan.observed_channel(entry), instance.motion.q, instance.motion.v);
            for (int lane = 0; lane < Slots<Real>::width; ++lane) {
                if (!lane_of(due, lane)) continue;
                const long long row = static_cast<long long>(Lanes<Real>::get(instance.progress.rows, lane));
                if (row < rows)
                    launch.trajectory[slots.place(lane, rows * channels, row * channels + entry)] =
                        Lanes<Real>::get(value, lane);
            }
        }
        instance.progress.rows = select(due, instance.progress.rows + Real(1.0), instance.progress.rows);
    }

    MYRIAD_HD void store_state(const System& system, Number* states) const {
        constexpr int channels = System::bodies * body_channels;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < channels; ++i)
            slots.store(states, channels, i, system.channel(i, instance.motion.q, instance.motion.v));
    }

    MYRIAD_HD void load() {
        const int rows = record_fields<Carried>(plan);
        int field = plan.varied_fields();
        visit_fields([&](Real& x) { x = slots.load(launch.records, rows, field++); }, instance);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < 2 * plan.quantities(); ++i) quantities.sums[i] =
            slots.load(launch.records, rows, field++);
    }

    MYRIAD_HD void finish(const System& system) {
        certify(system);
        const int rows = record_fields<Carried>(plan);
        int field = plan.varied_fields();
        visit_fields([&](Real& x) { slots.store(launch.records, rows, field++, x); }, instance);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < 2 * plan.quantities(); ++i)
            slots.store(launch.records, rows, field++, quantities.sums[i]);
        store_state(system, launch.final_states);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < plan.quantities(); ++i)
            slots.store(launch.quantities, plan.quantities(), i,
                        quantities.value(plan, i, system, instance.motion, instance.progress.time_s));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
