// The certificate of a run: the numbers that tell how far a result can be trusted, and where an instance failed.
//
//   drift   max |x - x_0|, or max (x - x_0) of an entry that rises, or max x      over the states that are looked at
//
// What a formula system keeps is looked at in every state. The certificate of a mechanism and the energies of a formula
// system cost more: they are asked for in the first 16 states, in one of 16 behind these, and in the last one. Adaptive
// methods take few and long steps, and each state of a mechanism counts. Not handled: maxima between states.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/run/record.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator>
constexpr bool is_adaptive = false;
template <class Integrator>
requires requires { Integrator::traits; }
constexpr bool is_adaptive<Integrator> = Integrator::traits.adaptive;

template <class Integrator, class S, class Plan>
struct RunCertificate : RunRecord<Integrator, S, Plan> {
    using Record = RunRecord<Integrator, S, Plan>;
    using Record::RunRecord;
    using System = S;
    using typename Record::Carried;
    using typename Record::Mask;
    using typename Record::Real;

  protected:
    using Record::certificate_count, Record::certificate_field, Record::instance, Record::launch, Record::plan;
    using Record::running, Record::slots, Record::topology, Record::under_way;

    // Numbers before the energies of a formula system.
    static constexpr int own_count = CertificateSize<Integrator, S>::own;
    MYRIAD_HD Vec<certificate_count, Real> invariants(const System& system) const {
        Vec<certificate_count, Real> all{};
        Vec<System::invariant_count, Real> kept;
        if constexpr (has_topology<System>)
            kept = system.invariants(instance.motion, instance.memory);
        else
            kept = system.invariants(instance.motion.q, instance.motion.v);
        MYRIAD_UNROLL for (int i = 0; i < System::invariant_count; ++i) all[i] = kept[i];
        if constexpr (System::invariant_count < own_count) {
            const auto own = Integrator::certificate(system, instance.motion, instance.memory);
            MYRIAD_UNROLL for (int i = System::invariant_count; i < own_count; ++i) all[i] =
                own[i - System::invariant_count];
        }
        return all;
    }
    // T, V, -V in the last places.
    MYRIAD_HD void add_energies(const System& system, Vec<certificate_count, Real>& all) const {
        if constexpr (tells_energies<System>) {
            const auto& [q, v] = instance.motion;
            const Real kinetic = system.kinetic_energy(q, v);
            Real sum;
            if constexpr (System::invariant_count == 0)
                sum = system.energy(q, v);
            else
                sum = system.invariants(q, v)[0];
            all[own_count] = kinetic, all[own_count + 1] = sum - kinetic, all[own_count + 2] = kinetic - sum;
        }
    }
    // Whether entry i counts as its change from the initial value, or as it is.
    static MYRIAD_HD constexpr bool drifts(int i) {
        if (i >= own_count) return i > own_count;
        if constexpr (System::invariant_count < own_count)
            if (i >= System::invariant_count) return Integrator::certificate_drifts(i - System::invariant_count);
        if constexpr (requires { System::drifts(0); }) return System::drifts(i);
        return true;
    }
    // Of an entry that drifts: whether it counts only where it is above its initial value.
    static MYRIAD_HD constexpr bool rises(int i) {
        if constexpr (requires { System::rises(0); }) return System::rises(i);
        return i > own_count;
    }

    // It looks at the state before each step and at the last one of a launch, so it sees every state. It does so beside
    // a method's first stage, which needs the same products.
    MYRIAD_HD void certify(const System& system, Mask due) {
        if constexpr (tells_energies<System>) {
            const Mask before = due_before_step(), last = due_at_end(), looked_at = due & (before | last);
            MYRIAD_WHEN(looked_at) {
                Vec<certificate_count, Real> now{};
                add_energies(system, now);
                MYRIAD_UNROLL for (int i = own_count; i < certificate_count; ++i) keep_drift(looked_at, i, now[i]);
            }
        }
        const auto now = invariants(system);
        if constexpr (has_topology<System>) {
            const int rows = record_fields<Carried>(plan), first = certificate_field();
            MYRIAD_UNROLL for (int i = 0; i < certificate_count; ++i) {
                // An entry that does not drift has no initial value: its place may hold where an instance failed.
                const Real initial = drifts(i) ? slots.load(launch.records, rows, first + i) : Real(0.0),
                           largest = slots.load(launch.records, rows, first + certificate_count + i);
                slots.store(launch.records, rows, first + certificate_count + i,
                            larger_drift(due, i, now[i], initial, largest));
            }
        } else {
            MYRIAD_UNROLL for (int i = 0; i < own_count; ++i) keep_drift(due, i, now[i]);
        }
    }
    // As begin() does, without what was seen of the start before.
    MYRIAD_HD void certify_anew(const System& system) {
        if constexpr (has_topology<System>)
            MYRIAD_UNROLL for (int i = 0; i < certificate_count; ++i) slots.store(
                launch.records, record_fields<Carried>(plan), certificate_field() + certificate_count + i, Real(0.0));
        else
            instance.certificate.drift = {};
        if constexpr (!has_topology<System> || departs<Integrator, System>) certify(system, true_mask<Real>());
    }
    MYRIAD_HD void keep_drift(Mask due, int i, Real now) {
        Real& largest = instance.certificate.drift[i];
        largest = larger_drift(due, i, now, instance.certificate.initial[i], largest);
    }
    static MYRIAD_HD Real larger_drift(Mask due, int i, Real now, Real initial, Real largest) {
        const Real change = now - initial, drift = rises(i) ? change : absolute(change);
        return select((!due) | (drift <= largest), largest, drift);  // NaN is a drift too
    }
    MYRIAD_HD void name_place(Mask failed, Real place) {
        const int rows = record_fields<Carried>(plan), field = certificate_field() + System::worst_row_entry;
        slots.store(launch.records, rows, field, select(failed, place, slots.load(launch.records, rows, field)));
    }
    MYRIAD_HD void certify_where_due(const System& system, Mask due) { MYRIAD_WHEN(due) certify(system, due); }
    MYRIAD_HD Mask due_at_end() const {
        const Mask seen = under_way(), has_ended = !running();
        return seen & has_ended;
    }
    MYRIAD_HD Mask due_before_step() const {
        const Mask goes_on = running(), seen = under_way();
        if constexpr (is_adaptive<Integrator> && has_topology<System>) return goes_on & seen;
        const Real period(static_cast<double>(steps_per_certificate)), share(1.0 / steps_per_certificate),
            steps = instance.progress.steps;
        const Mask is_due = (steps < period) | (steps == period * nearest_integer(share * steps));
        return goes_on & is_due & seen;
    }

    // A step whose loops are no longer held by the rows that stand for them ends the instance. So does one that failed
    // where they nearly are not.
    MYRIAD_HD void judge_loops(const System& system, const Attempt<Real>& attempt, const Motion<System>& end,
                               Mask active, Real& reason) {
        if (topology().spare_rows() == 0) return;
        const auto is = [&](Reason one) { return reason == Real(static_cast<double>(one)); };
        const Mask no_newton = is(Reason::newton_did_not_converge), no_rows = is(Reason::projection_did_not_converge),
                   singular = is(Reason::matrix_singular), too_small = is(Reason::step_below_smallest),
                   infinite = is(Reason::state_not_finite), sound = reason <= Real(0.0);
        const Mask failed = active & (no_newton | no_rows | singular | too_small | infinite),
                   taken = active & attempt.accepted & sound;
        MYRIAD_WHEN(failed | taken) {
            const auto verdict =
                system.judge_loops(instance.motion.q, instance.progress.time_s, end.q, attempt.time_s,
                                   passes_lost_rank<Integrator>(launch.schedule, topology()), taken, failed);
            reason = select(verdict.lost, Real(static_cast<double>(Reason::rows_lose_rank)), reason);
            reason = select(verdict.broken, Real(static_cast<double>(Reason::spare_row_not_met)), reason);
            const Mask has_place = verdict.lost | verdict.broken;
            MYRIAD_WHEN(has_place) name_place(has_place, verdict.place);
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
