// Timestepping with contact, friction and impact: one skeleton for every system, whose members differ in the step
// between impacts. Mechanisms are on the rotation group.
//
//   1. contacts closed at the beginning take part in the step, laws on velocity level, joints on position level (lgim
//      eq. 39 with W l). The laws hold for velocities that the joints admit: the rest B v + phi_t, of order h^2, is
//      taken off by the same matrix, or contacts that joints make dependent would have no solution
//   2. a member's step gives q_{i+1}, v^-_{i+1}                                        nonsmooth fig. 4
//   3. where a gap newly closed, an impact of all contacts closed at the end: impact.hpp; or, where a schedule asks for
//      it, strikes at the poses at which contacts touch: strikes.hpp
//
// The start: start.hpp. Accelerations are not renewed after an impact at the end of a step, as in nonsmooth sect. 2.3.
// A mechanism that touches nothing does what Implicit<GeneralizedAlpha> does. Not handled: other charts, modified
// Newton, the tangent operator in Newton's matrix; variable steps, contact that is lost within a step.
#pragma once
#include "kernels/contact/certificate.hpp"
#include "kernels/contact/channels.hpp"
#include "kernels/integrators/contact/driver_jump.hpp"
#include "kernels/integrators/contact/start.hpp"
#include "kernels/integrators/contact/strikes.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The state of a run with contacts beside q and v.
template <class System>
struct ContactMemory : StepRecord<System>, ContactTally<typename System::Real>, JointImpulses<System> {
    using Real = typename System::Real;
    using Topology = ContactTopologyOf<System>;
    using Record = StepRecord<System>;
    using Tally = ContactTally<Real>;
    using Reactions = JointImpulses<System>;
    typename System::Velocity algorithmic;  // A
    ContactLoads<Real, Topology> force;     // of the contacts at the end of the step, N
    ContactLoads<Real, Topology> impulse;   // of the impacts in the step, N s

    MYRIAD_HD void fit(Topology topology) {
        Record::fit(topology), algorithmic.fit(topology);
        force.fit(topology), impulse.fit(topology), Reactions::fit(topology);
    }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        Record::fields(visit, self...);
        Tally::fields(visit, self...);
        visit_fields(visit, self.algorithmic...), visit_fields(visit, self.force...);
        visit_fields(visit, self.impulse...), Reactions::fields(visit, self...);
    }
    MYRIAD_HD Record& record() { return *this; }
    MYRIAD_HD const Record& record() const { return *this; }
    MYRIAD_HD Tally& tally() { return *this; }
    MYRIAD_HD const Tally& tally() const { return *this; }
    MYRIAD_HD Reactions& of_joints() { return *this; }
    // Lanes in which the forces are from before an impact, or a jump of drivers.
    MYRIAD_HD MaskOf<Real> forces_are_old() const {
        if constexpr (has_topology<System>) {
            return Reactions::forces_are_old();
        } else {
            MaskOf<Real> some = !true_mask<Real>();
            MYRIAD_UNROLL_PLAN for (int i = 0; i < impulse.size(); ++i) some = some | !(impulse[i] == Real(0.0));
            return some;
        }
    }
};

// One step as a member sees it, and the results that the member leaves.
template <class S>
struct ContactStep {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Memory = ContactMemory<System>;
    using Velocity = typename System::Velocity;
    using Equations = ContactEquations<System>;
    using Topology = typename Equations::Topology;
    using Closed = ClosedContacts<Real, Topology>;
    const System& system;
    const Schedule& schedule;
    const ContactSettings settings;
    const Real time_s, h;  // s; time_s is the end
    const Motion<System>& begin;
    const Memory& before;
    const Mask active;
    Motion<System>& end;  // v^- before an impact
    Memory& after;        // acceleration, algorithmic, multipliers and force are the member's to set
    typename Equations::Places places;
    Closed masks;  // at the beginning
    Vec<3, Real> apart[Equations::has_surfaces && Topology::most_contacts > 0 ? Topology::most_contacts : 1];  // there
    DryForces<Real, Topology> dry;
    Equations equations;
    ContactEffort<Real> effort;
    Mask newton_converged, perturbed, contacts_solved;
    // A member that treats impact and contact as one sets these: the impact, and the lanes where a contact was closed.
    StruckContacts<Real> impact;
    Mask met;
    Real newton_iterations, reach;
    Real driver_work_J;  // of a member whose impacts and forces are one, by impulses over the step
    // The stage at hand: v and the local coordinates without their parts in v', and the factors of v' in both.
    Velocity fixed_velocity, fixed_increment, increment;
    Real by_velocity, by_increment;

    MYRIAD_HD ContactStep(const System& system_given, const Schedule& schedule_given, Real time_given, Real h_given,
                          const Motion<System>& begin_given, const Memory& before_given, Mask active_given,
                          Motion<System>& end_given, Memory& after_given)
        : system(system_given),
          schedule(schedule_given),
          settings(ContactSettings::of(schedule_given)),
          time_s(time_given),
          h(h_given),
          begin(begin_given),
          before(before_given),
          active(active_given),
          end(end_given),
          after(after_given),
          equations(system_given),
          effort(ContactEffort<Real>::none()),
          newton_converged(true_mask<Real>()),
          perturbed(!true_mask<Real>()),
          contacts_solved(true_mask<Real>()),
          met(!true_mask<Real>()),
          newton_iterations(Real(0.0)),
          reach(Real(0.0)),
          driver_work_J(Real(0.0)) {
        const auto& topology = contact_topology(system);
        fit_to(system, increment);
        masks = before.record().template closed_at<Closed>(equations, begin.q, places, settings);
        if constexpr (Equations::has_surfaces)
            MYRIAD_EACH(c, topology, contacts)
                if (equations.is_round(c)) apart[c] = places.of[c].apart;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) after.acceleration[i] = before.acceleration[i];
        MYRIAD_EACH(r, topology, rows) after.multipliers[r] = before.multipliers[r];
        after.of_joints().clear();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < after.force.size(); ++i) {
            after.force[i] = select(masks.acts(i), before.force[i], Real(0.0));
            after.impulse[i] = Real(0.0);
        }
        after.tally() = before.tally();
        find_dry_forces(equations, time_s - h, begin, before, dry);
    }

    MYRIAD_HD bool strikes_within() const { return has_topology<System> && schedule.strikes_within_step != 0.0; }
    // Lanes whose forces of the step before are from before a jump of drivers.
    MYRIAD_HD Mask forces_precede_jump() const {
        if constexpr (drivers_may_jump<System>)
            if (contact_topology(system).corners() > 0) return before.forces_are_old();
        return !true_mask<Real>();
    }
    // Round surfaces that were open at the begin and pass each other until the end.
    MYRIAD_HD Mask any_passes() {
        Mask some = !true_mask<Real>();
        if constexpr (Equations::has_surfaces)
            MYRIAD_EACH(c, places.topology, contacts)
                if (equations.is_round(c))
                    some = some | (equations.passing(c, apart[c], places.of[c].apart).passes & !masks.closed[c]);
        return some;
    }
    MYRIAD_HD void follow() {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
            end.v[i] = fma(by_velocity, after.acceleration[i], fixed_velocity[i]);
            increment[i] = fma(by_increment, after.acceleration[i], fixed_increment[i]);
        }
        retract_to(system, begin.q, increment, end.q);
        equations.prescribe(end.q, end.v);
    }
    // Solves the stage's equations for v', multipliers and contact forces, from those in `after`. `on_acceleration`:
    // the laws hold for W^T a instead of W^T v; only for contacts of constant direction that are held.
    template <bool on_acceleration = false>
    MYRIAD_HD void solve_stage(Real stage_time_s) {
        equations.set_time(stage_time_s);
        equations.prescribe_acceleration(after.acceleration);
        const Mask touching = masks.any_acts();
        // The solver of a single contact is short enough to be traced twice.
        const bool begins_apart = places.topology.contacts() <= 1;
        const NewtonOutcome<Real> outcome = newton<Real>(
            active, settings.most_newton_iterations, newton_tolerance(),
            [&](Mask going, bool) MYRIAD_INLINE { return correct<on_acceleration>(touching, going); }, begins_apart);
        follow();
        newton_converged = newton_converged & outcome.converged, perturbed = perturbed | outcome.perturbed;
        newton_iterations = newton_iterations + outcome.iterations;
        reach = maximum(system.reach(increment), reach);
    }
    // Counts round surfaces that pass each other, of lanes in which the contact was `open(c)`. `from(c)`: what was
    // apart at the last pose that could have seen the contact, `over_s` before that of `places`.
    template <class From, class Open>
    MYRIAD_HD void look_for_jumps(const From& from, Real over_s, const Open& open) {
        if constexpr (Equations::has_surfaces)
            MYRIAD_EACH(c, places.topology, contacts) {
                if (!equations.is_round(c)) continue;
                const Passing<Real> passing = equations.passing(c, from(c), places.of[c].apart);
                const Mask jumped = passing.passes & open(c);
                MYRIAD_WHEN(jumped & active) {
                    after.tally().count_jumped(jumped, passing.rate / over_s);
                    name(jumped, c, after.tally().jumped_bits);
                }
            }
    }
    // With the gaps at the end of the step.
    MYRIAD_HD void look_for_depth() {
        if constexpr (Equations::has_surfaces)
            MYRIAD_EACH(c, places.topology, contacts) {
                if (!equations.has_size(c)) continue;
                const Real depth = -places.gap(c);
                const Mask sunk = Real(sunk_share) * equations.size(c) < depth;
                MYRIAD_WHEN(sunk & active) {
                    Real& deepest = after.tally().sunk_m;
                    deepest = select(sunk, maximum(depth, deepest), deepest);
                    name(sunk, c, after.tally().sunk_bits);
                }
            }
    }
    // Shows the force of a force element in the state at the end, for members that take that of another pose.
    MYRIAD_HD void renew_laws() {
        if constexpr (has_topology<System>) equations.renew_laws(end.q, end.v, after.multipliers);
    }
    // Round-off of positions far from the origin does not fall below any tolerance.
    MYRIAD_HD Real newton_tolerance() const {
        const Real given(settings.newton_tolerance);
        if constexpr (has_topology<System>)
            return maximum(constant<Real>(50.0 * 2.3e-16, 50.0 * 1.2e-7) * system.parameter(extent_parameter), given);
        else
            return given;
    }
    // Puts end.q back on the joints, with the functions of time in the scratch: for members that hold the joints on
    // velocity level, from which they would drift apart.
    MYRIAD_HD void put_on_joints() {
        equations.prescribe(end.q, end.v);
        if (contact_topology(system).constraint_rows() == 0) return;
        Closed none;
        none.topology = contact_topology(system);
        MYRIAD_EACH(c, none.topology, contacts) none.closed[c] = !true_mask<Real>();
        const Projected<Real> projected =
            project_positions(equations, places, none, settings, effort, active, false, newton_tolerance(), end.q);
        newton_converged = newton_converged & projected.outcome.converged;
        newton_iterations = newton_iterations + projected.outcome.iterations;
    }

  private:
    // Adds 2^c to a sum over contacts, once.
    MYRIAD_HD void name(Mask lanes, int c, Real& bits) const {
        Closed named = Closed::of_code(places.topology, bits);
        named.closed[c] = named.closed[c] | lanes;
        bits = named.code();
    }
    template <bool on_acceleration>
    MYRIAD_NOINLINE Correction<Real> correct(Mask touching, Mask going) {
        const auto& topology = contact_topology(system);
        follow();
        Correction<Real> correction;
        correction.perturbed =
            equations.of_step(end.q, end.v, after.acceleration, after.multipliers, by_velocity, by_increment, going);
        const Mask solving = touching & going;
        ContactLoads<Real, Topology> given;
        given.fit(topology);
        Real joints[Topology::most_rows > 0 ? Topology::most_rows : 1];
        MYRIAD_WHEN(solving) {
            equations.find_directions_here(end.q, places,
                                           [&](int c) MYRIAD_INLINE { return is_wanted(masks.closed[c] & solving); });
            MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] =
                places.velocity(i, on_acceleration ? after.acceleration : end.v);
            equations.joint_rates(end.q, end.v, Real(-1.0) / by_velocity, joints);
        }
        ContactLoadProblem<System> problem{system,   places, masks,
                                           settings, effort, contact_noise(equations, schedule, h)};
        problem.dry = &dry;
        const Mask solved =
            problem.solve(equations, solving, on_acceleration ? Real(1.0) : by_velocity, given, joints, after.force);
        contacts_solved = (contacts_solved & (!solving)) | (solving & solved);
        // A lane whose contacts jam gives up at once: each of its corrections would hold the others up.
        const Real unsolved = Real(1.0) / Real(0.0);
        correction.square = select(contacts_solved, equations.square(by_increment), unsolved);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) after.acceleration[i] =
            select(going, after.acceleration[i] + equations.rate(i), after.acceleration[i]);
        MYRIAD_EACH(r, topology, rows)
            after.multipliers[r] = select(going, after.multipliers[r] + equations.multiplier(r), after.multipliers[r]);
        return correction;
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
        return contact_certificate(memory.tally());
    }
    static MYRIAD_HD constexpr bool certificate_drifts(int) { return false; }

    // Of a formula: its channels, then those of contact/channels.hpp.
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
        return initialize_with_contacts<Member::impacts_apart>(system, schedule, motion, memory);
    }
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule& schedule, Real time_s, Motion<System>& motion,
                                Memory<System>& memory) {
        return renew_with_contacts<Member::impacts_apart>(system, schedule, time_s, motion, memory);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        NoLeftLimit none;
        return attempt(system, schedule, progress, begin, end, before, after, active, none);
    }
    template <class System, class Left, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active, Left& left) {
        using Mask = MaskOf<Real>;
        FixedStep<Real> fixed = FixedStep<Real>::of(schedule, progress);
        ContactStep<System> step(system, schedule, fixed.time_s, fixed.h, begin, before, active, end, after);
        Member::step(step);
        settle(system, end.q);
        after.record().template follow<Member::impacts_apart>(step.equations, before, fixed.time_s, fixed.h, begin, end,
                                                              after.force, step.places, step.newton_iterations,
                                                              step.driver_work_J);

        step.equations.find_gaps(end.q, step.places);
        const auto at_end = ContactStep<System>::Closed::of(step.equations, step.places, step.settings);
        const bool within = step.strikes_within();
        if (Member::impacts_apart && !within)
            step.look_for_jumps([&](int c) MYRIAD_INLINE { return step.apart[c]; }, step.h,
                                [&](int c) MYRIAD_INLINE { return !step.masks.closed[c]; });
        after.record().keep_closed(at_end);
        const auto& topology = contact_topology(system);
        Mask newly = !true_mask<Real>(), singular = newly, impact_solved = !newly;
        MYRIAD_EACH(c, topology, contacts) newly = newly | (at_end.closed[c] & (!step.masks.closed[c]));
        const Mask touching = (step.masks.any_acts() | step.met | newly) & active;
        MYRIAD_WHEN(touching)
        step.equations.find_directions(step.places, [&](int c) MYRIAD_INLINE {
            const Mask pressed = !(after.force[c * topology.directions] == Real(0.0));
            return is_wanted((step.masks.closed[c] | at_end.closed[c] | pressed) & active);
        });
        record_forces<Member::impacts_apart>(step, touching);
        if (within) {
            if constexpr (has_topology<System>) {
                const Mask touches = (newly | step.any_passes()) & active;
                MYRIAD_RARELY(touches) {
                    if constexpr (!is_traced<Real>) {
                        Strikes<ContactStep<System>, Member::impacts_apart> strikes(step);
                        strikes.meet(touches, left);
                        impact_solved = strikes.solved, singular = strikes.singular;
                    }
                }
            }
        } else if constexpr (Member::impacts_apart) {
            const Mask struck = newly & active;
            MYRIAD_WHEN(struck) {
                if constexpr (Left::is_kept) left.keep(struck, fixed.time_s, end, after);
                Impact<System> impact{system,        step.places, at_end,
                                      step.settings, step.effort, contact_noise(step.equations, schedule, fixed.h)};
                impact.resolve(step.equations, struck, end, after.impulse, after.of_joints());
                after.impact_loss_J = after.impact_loss_J + impact.loss_J;
                after.wear_work_J = after.wear_work_J + impact.wear_J;
                impact_solved = impact.solved, singular = impact.singular;
                after.record().add_work(step.equations, impact.work_J);
                after.record().template renew_power<true>(step.equations, struck, after.forces_are_old(), end,
                                                          after.force, step.places);
                step.impact = {struck, largest_normal(step.equations, after.impulse)};
            }
        }
        if constexpr (Left::is_kept && !Member::impacts_apart)
            if (left.is_asked && !within) MYRIAD_WHEN(step.impact.struck & active) keep_middle(step, left);
        step.look_for_depth();
        record_contact(step, newly | step.met);
        after.add(step.effort, step.newton_iterations);
        const Real error_J = after.compare_energy(after.record().balance(step.equations.energy_here(end.q, end.v)));

        if constexpr (has_topology<System>) fixed.attempt.weak_place = step.equations.scratch.weak_place;
        Real& reason = fixed.attempt.reason;
        reason = reason_unless(step.reach <= Real(largest_reach), Reason::rotation_beyond_series, reason);
        Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) sum = finite_term(after.acceleration[i], sum);
        reason = reason_unless(sum <= Real(0.0), Reason::state_not_finite, reason);
        reason = reason_unless(impact_solved, Reason::impact_did_not_converge, reason);
        reason = reason_unless(step.contacts_solved, Reason::prox_did_not_converge, reason);
        reason = reason_unless(step.newton_converged | (!step.perturbed), Reason::matrix_singular, reason);
        reason = reason_unless(!singular, Reason::matrix_singular, reason);
        reason = reason_unless(step.newton_converged, Reason::newton_did_not_converge, reason);
        // What the step keeps beside the motion, whose numbers the run looks at.
        MYRIAD_EACH(r, topology, rows) sum = finite_term(after.multipliers[r], sum);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < after.force.size(); ++i) sum = finite_term(after.force[i], sum);
        reason = reason_unless(finite_term(error_J, sum) <= Real(0.0), Reason::state_not_finite, reason);
        return fixed.attempt;
    }

    // Takes the end of a step across a jump of drivers' rates, where an impact has been met already.
    template <class System, class Left, class Real = typename System::Real>
    requires drivers_may_jump<System>
    static MYRIAD_HD Real take_jump(const System& system, const System& before, const Schedule& schedule,
                                    MaskOf<Real> lanes, Motion<System>& end, Memory<System>& memory, Left& left) {
        return take_jump_with_contacts<Member::impacts_apart>(system, before, schedule, lanes, end, memory, left);
    }

  private:
    // The middle of a step whose impact and forces are one.
    template <class Step, class Left>
    static MYRIAD_HD void keep_middle(Step& step, Left& left) {
        using Real = typename Step::Real;
        const Real half_h = Real(0.5) * step.h;
        Motion<typename Step::System> middle = step.end;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(step.system); ++i) step.increment[i] =
            half_h * step.begin.v[i];
        retract_to(step.system, step.begin.q, step.increment, middle.q);
        copy_rates(step.system, step.begin.v, middle.v);
        prescribe_at(step.system, step.time_s - half_h, middle.q, middle.v);
        settle(step.system, middle.q);
        left.keep_middle(step.impact.struck & step.active, step.time_s - half_h, middle, step.before);
    }
    // Forces between impacts, with the contacts and v^- of the end. `touching`: lanes that have one.
    template <bool impacts_apart, class Step>
    static MYRIAD_HD void record_forces(Step& step, typename Step::Mask touching) {
        using Real = typename Step::Real;
        auto& after = step.after;
        if (after.force.size() == 0) return;
        const auto& topology = contact_topology(step.system);
        MYRIAD_EACH(c, topology, contacts) {
            const Real larger = maximum(absolute(after.force[c * topology.directions]), after.largest_force_N);
            after.largest_force_N = select(step.impact.struck, after.largest_force_N, larger);
        }
        FrictionWork<Real> power{Real(0.0), Real(0.0)};
        MYRIAD_WHEN(touching) power = friction_work(step.places, after.force, step.end.v);
        after.friction_power_W = power.lost, after.wear_power_W = power.worn;
        if constexpr (impacts_apart) {
            using Work = FrictionWork<Real>;
            const auto& before = step.before;
            typename Step::Mask renewed = !true_mask<Real>();
            if (!step.strikes_within())
                MYRIAD_EACH(c, topology, contacts)
                    renewed =
                        renewed | (step.masks.closed[c] & !(before.impulse[c * topology.directions] == Real(0.0)));
            renewed = renewed | step.forces_precede_jump();
            after.friction_loss_J =
                after.friction_loss_J + Work::over(step.h, renewed, before.friction_power_W, power.lost);
            after.wear_work_J = after.wear_work_J + Work::over(step.h, renewed, before.wear_power_W, power.worn);
        }
    }
    // `closed`: lanes where an open contact has closed.
    template <class Step>
    static MYRIAD_HD void record_contact(Step& step, typename Step::Mask closed) {
        using Real = typename Step::Real;
        auto& after = step.after;
        MYRIAD_EACH(c, contact_topology(step.system), contacts)
            after.penetration_m =
                step.equations.if_unilateral(c, maximum(-step.places.gap(c), after.penetration_m), after.penetration_m);
        after.count_impact(step.impact.struck, step.impact.largest_N_s, step.schedule.impact_threshold_N_s);
        const typename Step::Mask first = closed & (after.first_contact_s < Real(0.0));
        after.first_contact_s = select(first, step.time_s, after.first_contact_s);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
