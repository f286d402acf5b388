// Timestepping with contact, friction and impact: one skeleton, whose members differ in the step between impacts.
//
//   1. contacts that are closed at the beginning, g(q_i) <= 0, take part in the step: laws on velocity level
//   2. a member's step gives q_{i+1}, v^-_{i+1}                                        nonsmooth fig. 4
//   3. where a contact newly closed, g(q_i) > 0 >= g(q_{i+1}), an impact of all contacts that are closed at the end:
//      v^+ = v^- + M^-1 W L,   u^+ + eps u^-  by the laws with the impulses L          nonsmooth eqs. 46 to 54
//
// Bilateral contacts are always closed and take impulses too, or v^+ would break them. If a closed contact does not
// admit the initial velocity, an impact at the start corrects it, and counts. The first acceleration is that of a step
// so short that only its direction counts, with contact forces (nonsmooth eq. 25 leaves them out, and a resting mass
// would chatter). Accelerations are not renewed after an impact, as in nonsmooth sect. 2.3. Not handled: events inside
// a step, variable steps, contact that is lost within a step.
#pragma once
#include "kernels/contact/certificate.hpp"
#include "kernels/contact/channels.hpp"
#include "kernels/contact/damping_record.hpp"
#include "kernels/contact/penetration.hpp"
#include "kernels/contact/stages.hpp"
#include "kernels/contact/tally.hpp"
#include "kernels/integrators/implicit.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The state of a run with contacts beside q and v: that of the method, and a record for the certificate.
template <class System>
struct ContactMemory : ContactTally<typename System::Real>, DampingRecord<System> {
    using Real = typename System::Real;
    static constexpr int rows = System::contacts * (1 + System::tangents);
    typename System::Velocity acceleration, algorithmic;  // a, A
    Vec<rows, Real> force;                                // of the contacts at the end of the step, N
    Vec<rows, Real> impulse;                              // of the impact at the end of the step, N s; zero without one

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.acceleration...), visit_fields(visit, self.algorithmic...);
        if constexpr (rows > 0) visit_fields(visit, self.force...), visit_fields(visit, self.impulse...);
        ContactTally<Real>::fields(visit, self...), DampingRecord<System>::fields(visit, self...);
    }
};

// One step as a member sees it, and the results that the member leaves.
template <class System>
struct ContactStep {
    using Real = typename System::Real;
    const System& system;
    const Schedule& schedule;
    Real begin_s, h;
    const Motion<System>& begin;
    const ContactMemory<System>& before;
    const ContactStateOf<System>& contact;  // at the beginning
    const ContactMasks<System::contacts, Real>& masks;
    MaskOf<Real> active;
    Motion<System>& end;           // v^- before an impact
    ContactMemory<System>& after;  // acceleration, algorithmic and force are the member's to set
    ContactEffort<Real>& effort;
    MaskOf<Real> newton_converged, contacts_solved;
    Real newton_iterations, reach;  // reach: the largest of the increments of the configuration
    // A member that treats impact and contact as one sets these: the impact, and where a unilateral contact was closed.
    StruckContacts<Real> impact;
    MaskOf<Real> met;

    // The forces of the step before, as a guess for those of the contacts that are closed now.
    MYRIAD_HD Vec<ContactMemory<System>::rows, Real> guessed_force() const {
        Vec<ContactMemory<System>::rows, Real> guess = before.force;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < ContactMemory<System>::rows; ++i) guess[i] =
            select(masks.closed[i / (1 + System::tangents)], guess[i], Real(0.0));
        return guess;
    }
    MYRIAD_HD void note_reach(const typename System::Velocity& increment) {
        reach = maximum(system.reach(increment), reach);
    }
    template <int S>
    MYRIAD_HD void note(const ContactStages<System, S>& stages) {
        newton_converged = newton_converged & stages.newton_outcome.converged;
        contacts_solved = contacts_solved & stages.contacts_solved;
        newton_iterations = newton_iterations + stages.newton_outcome.iterations;
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) note_reach(stages.increment[s]);
    }
};

template <class Member>
struct Timestepping : Member {
    template <class System>
    using Memory = ContactMemory<System>;
    template <class System>
    static constexpr int certificate_count = contact_certificate_count;

    template <class System>
    static MYRIAD_HD auto certificate(const System&, const Motion<System>&, const Memory<System>& memory) {
        return contact_certificate(memory);
    }
    static MYRIAD_HD constexpr bool certificate_drifts(int) { return false; }

    // The channels of the system, then those of contact/channels.hpp
    template <class System>
    static constexpr int channel_count = System::channel_count + contact_channel_count<System>;
    template <class System, class Real = typename System::Real>
    static MYRIAD_NOINLINE Real channel(const System& system, int index, const Motion<System>& motion,
                                        const Memory<System>& memory) {
        if (index < System::channel_count) return system.channel(index, motion.q, motion.v);
        return contact_channel(system, index - System::channel_count, motion, memory);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule& schedule, Motion<System>& motion,
                                     Memory<System>& memory) {
        const Real zero(0.0);
        const ContactSettings settings = ContactSettings::of(schedule);
        visit_fields([](Real& x) { x = Real(0.0); }, memory);
        memory.first_contact_s = Real(-1.0);
        Real reason(0.0);
        ContactEffort<Real> effort = ContactEffort<Real>::none();
        ContactMasks<System::contacts, Real> masks;
        if constexpr (System::contacts > 0) {
            if (schedule.project_penetration != 0.0) leave_penetration(system, settings, motion);
            const ContactStateOf<System> contact = contact_state_of(system, motion.q);
            masks = closed_contacts(system, contact.gap, settings);
            reason = reason_unless(!penetrates(system, contact, settings), Reason::start_penetrates, reason);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
                const MaskOf<Real> unilateral = !(masks.bilateral[k] | system.unused(k));
                memory.first_contact_s = select(unilateral & masks.closed[k], zero, memory.first_contact_s);
            }
            const MaskOf<Real> struck = inadmissible<System>(contact, masks, motion.v);
            if (any(struck)) {
                const typename System::Velocity incoming = motion.v;
                const MaskOf<Real> solved = resolve_impact(system, motion.q, contact, masks, settings, struck, effort,
                                                           motion.v, memory.impulse, memory.impact_loss_J);
                memory.wear_work_J =
                    friction_work<System>(contact, memory.impulse, Real(0.5) * (incoming + motion.v)).worn;
                memory.count_impact(struck, largest_normal<System>(memory.impulse, masks),
                                    schedule.impact_threshold_N_s);
                reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
            }
        }
        memory.initial_energy_J = system.energy(motion.q, motion.v) + memory.impact_loss_J;
        const MaskOf<Real> solved = find_forces(system, schedule, zero, first_moment, masks, motion, memory, effort);
        reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
        memory.algorithmic = memory.acceleration;
        return reason;
    }

    // As renew_with_contacts of integrators/mechanism/contact_start.hpp.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real time_s, Motion<System>& motion,
                                Memory<System>& memory) {
        ContactEffort<Real> effort = ContactEffort<Real>::none();
        ContactMasks<System::contacts, Real> masks;
        if constexpr (System::contacts > 0)
            masks = closed_contacts(system, contact_state_of(system, motion.q).gap, ContactSettings::of(schedule));
        const typename System::Velocity former = memory.acceleration;
        const MaskOf<Real> solved = find_forces(system, schedule, time_s, 1.0, masks, motion, memory, effort);
        memory.algorithmic = memory.acceleration + (memory.algorithmic - former);
        memory.compare_from(memory.with_losses(system.energy(motion.q, motion.v)));
        return reason_unless(solved, Reason::prox_did_not_converge, Real(0.0));
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        using Mask = MaskOf<Real>;
        FixedStep<Real> fixed = FixedStep<Real>::of(schedule, progress);
        const ContactSettings settings = ContactSettings::of(schedule);
        ContactStateOf<System> contact;
        if constexpr (System::contacts > 0) contact = contact_state_of(system, begin.q);
        const ContactMasks<System::contacts, Real> masks = closed_contacts(system, contact.gap, settings);
        ContactEffort<Real> effort = ContactEffort<Real>::none();
        after = before;
        const Mask all = true_mask<Real>(), none = !all;
        ContactStep<System> step{system, schedule, progress.time_s, fixed.h, begin, before,    contact,   masks, active,
                                 end,    after,    effort,          all,     all,   Real(0.0), Real(0.0), {},    none};
        MYRIAD_UNROLL_PLAN for (int i = 0; i < Memory<System>::rows; ++i) after.impulse[i] = Real(0.0);
        Member::step(step);
        after.add_damping(system, begin, end);
        if constexpr (System::contacts > 0) {
            const ContactStateOf<System> last = contact_state_of(system, end.q);
            const ContactMasks<System::contacts, Real> at_end = closed_contacts(system, last.gap, settings);
            Mask newly = none;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) newly =
                newly | (at_end.closed[k] & (!masks.closed[k]));
            record_forces(step, last);
            if constexpr (Member::impacts_apart) {
                const Mask struck = newly & active;
                if (any(struck)) {
                    const typename System::Velocity incoming = end.v;
                    Real loss(0.0);
                    const Mask solved = resolve_impact(system, end.q, last, at_end, settings, struck, effort, end.v,
                                                       after.impulse, loss);
                    after.impact_loss_J = after.impact_loss_J + loss;
                    const FrictionWork<Real> work =
                        friction_work<System>(last, after.impulse, Real(0.5) * (incoming + end.v));
                    after.wear_work_J = after.wear_work_J + work.worn;
                    step.contacts_solved = step.contacts_solved & solved;
                    step.impact = {struck, largest_normal<System>(after.impulse, at_end)};
                }
            }
            record_contact(step, newly | step.met, fixed.time_s, last);
        }
        after.add(effort, step.newton_iterations);
        after.compare_energy(after.with_losses(system.energy(end.q, end.v)));
        Real& reason = fixed.attempt.reason;
        Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) sum = fma(after.acceleration[i], Real(0.0), sum);
        const Mask finite = sum <= Real(0.0);
        reason = reason_unless(step.reach <= Real(largest_reach), Reason::rotation_beyond_series, reason);
        reason = reason_unless(step.newton_converged | finite, Reason::state_not_finite, reason);
        reason = reason_unless(step.contacts_solved, Reason::prox_did_not_converge, reason);
        reason = reason_unless(step.newton_converged, Reason::newton_did_not_converge, reason);
        return fixed.attempt;
    }

  private:
    // Shares of a step.
    static constexpr double first_moment = 0x1p-20, first_difference = 0x1p-6;

    // Accelerations and contact forces in a state; false where the laws were not met.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD MaskOf<Real> find_forces(const System& system, const Schedule& schedule, Real time_s, double share,
                                              const ContactMasks<System::contacts, Real>& masks,
                                              const Motion<System>& motion, Memory<System>& memory,
                                              ContactEffort<Real>& effort) {
        MaskOf<Real> solved = true_mask<Real>();
        SmallFactors<System::freedoms, Real> factors;
        factors.factor(system.mass(motion.q));
        memory.acceleration = factors.solve(system.force(motion.q, motion.v, time_s));
        if constexpr (System::contacts > 0) {
            // Forces that keep the velocities admissible a moment later: u + moment (W^T a + W'^T v) by the laws. At a
            // start the moment only decides between a slip of now and one that begins; W' is a central difference along
            // v.
            const Real moment = Real(schedule.step_s) * Real(share);
            const Real reach = Real(schedule.step_s) * Real(first_difference);
            const ContactStateOf<System> now = contact_state_of(system, motion.q),
                                         past = contact_state_of(system, system.retract(motion.q, -reach * motion.v)),
                                         next = contact_state_of(system, system.retract(motion.q, reach * motion.v));
            const MaskOf<Real> touching = masks.any_closed();
            ContactImpulse<System> contact;
            ContactRows<System> added;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < contact.rows; ++i) {
                const Real turning = next.velocity(i, motion.v) - past.velocity(i, motion.v);
                added[i] = fma(moment / (reach + reach), turning, velocity_beyond_noise(now.direction[i], motion.v));
                contact.impulse[i] = Real(0.0);
            }
            contact.resolve(system, factors, now, now, moment, moment * memory.acceleration, added, masks,
                            ContactSettings::of(schedule), touching, effort);
            solved = contact.solved;
            memory.acceleration = select(touching, (Real(1.0) / moment) * contact.velocity, memory.acceleration);
            memory.force = contact.impulse;
            const FrictionWork<Real> power = friction_work<System>(now, memory.force, motion.v);
            memory.friction_power_W = power.lost, memory.wear_power_W = power.worn;
        }
        return solved;
    }

    // u of a direction, zero where it is no more than the round-off of its sum.
    template <class Velocity>
    static MYRIAD_HD auto velocity_beyond_noise(const Velocity& direction, const Velocity& v) {
        using Real = decltype(direction[0] * v[0]);
        Real size(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < static_cast<int>(sizeof(Velocity) / sizeof(Real)); ++i) size =
            size + absolute(direction[i] * v[i]);
        const Real u = inner(direction, v);
        return select(absolute(u) <= constant<Real>(1e-14, 1e-6) * size, Real(0.0), u);
    }

    // Lanes where a closed contact approaches, or where a bilateral one moves.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD MaskOf<Real> inadmissible(const ContactStateOf<System>& contact,
                                               const ContactMasks<System::contacts, Real>& masks,
                                               const typename System::Velocity& v) {
        MaskOf<Real> some = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
            const Real u = velocity_beyond_noise(contact.direction[k * (1 + System::tangents)], v);
            some = some | (masks.closed[k] & ((u < Real(0.0)) | (masks.bilateral[k] & (Real(0.0) < u))));
        }
        return some;
    }

    template <class System>
    static MYRIAD_HD void record_forces(ContactStep<System>& step, const ContactStateOf<System>& last) {
        using Real = typename System::Real;
        auto& after = step.after;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
            const Real larger = maximum(absolute(after.force[k * (1 + System::tangents)]), after.largest_force_N);
            after.largest_force_N = select(step.impact.struck, after.largest_force_N, larger);
        }
        const FrictionWork<Real> power = friction_work<System>(last, after.force, step.end.v);
        after.friction_power_W = power.lost, after.wear_power_W = power.worn;
        if constexpr (Member::impacts_apart) {
            using Work = FrictionWork<Real>;
            const ContactMemory<System>& before = step.before;
            MaskOf<Real> renewed = !true_mask<Real>();
            MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) renewed =
                renewed | (step.masks.closed[k] & !(before.impulse[k * (1 + System::tangents)] == Real(0.0)));
            after.friction_loss_J =
                after.friction_loss_J + Work::over(step.h, renewed, before.friction_power_W, power.lost);
            after.wear_work_J = after.wear_work_J + Work::over(step.h, renewed, before.wear_power_W, power.worn);
        }
    }
    // The largest normal impulse of the unilateral contacts. A bilateral one acts in both ways, as a joint does.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real largest_normal(const ContactRows<System>& impulse,
                                         const ContactMasks<System::contacts, Real>& masks) {
        Real largest(0.0);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) largest =
            select(masks.bilateral[k], largest, maximum(impulse[k * (1 + System::tangents)], largest));
        return largest;
    }
    // `closed`: lanes where an open contact has closed.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD void record_contact(ContactStep<System>& step, MaskOf<Real> closed, Real time_s,
                                         const ContactStateOf<System>& last) {
        auto& after = step.after;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
            const MaskOf<Real> unilateral = !(step.masks.bilateral[k] | step.system.unused(k));
            after.penetration_m = select(unilateral, maximum(-last.gap[k], after.penetration_m), after.penetration_m);
        }
        after.count_impact(step.impact.struck, step.impact.largest_N_s, step.schedule.impact_threshold_N_s);
        after.first_contact_s = select(closed & (after.first_contact_s < Real(0.0)), time_s, after.first_contact_s);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
