// The start of a run with contacts: assembled, without penetration, with velocities that its closed contacts admit, and
// with accelerations and contact forces.
//
//   penetration    the least motion by which nothing is in another, joints kept: position_projection.hpp
//   velocities     an impact where a closed contact approaches, which counts as any other, and again until none does
//   accelerations  M a + B^T lambda = f + W l,  B a = -bias,  u + dt (W^T a + W'^T v) by the laws, dt a small part of
//                  the step: it tells a slip of now from one that begins. W' is a central difference along v
//   impulses       where forces would end a slip of now within dt:  v+ = v + M^-1 (h f + W L),  u+ + eps u by the laws;
//                  then dt for h, from that L, which leaves what does not vanish with h. Accelerations follow
//
// Sources: nonsmooth eq. 25, which leaves the contact forces out: a resting mass would chatter (facts F); Genot,
// Brogliato 1999. Not handled: penetrations that no small motion resolves, starts without forces after these impulses.
#pragma once
#include "kernels/contact/tally.hpp"
#include "kernels/integrators/contact/impact.hpp"
#include "kernels/integrators/contact/position_projection.hpp"
#include "kernels/integrators/contact/step_record.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct ContactStart {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Equations = ContactEquations<System>;
    using Topology = typename Equations::Topology;
    using Closed = ClosedContacts<Real, Topology>;
    using Loads = ContactLoads<Real, Topology>;
    // Shares of a step.
    static constexpr double first_moment = 0x1p-20, first_difference = 0x1p-6;
    // Multiples of the velocity that forces without contact make within the moment. A slip of now exceeds the first.
    // What contact makes of a slip that it ends within a step exceeds the second where friction all but gives way.
    static constexpr double least_slip = 16.0, largest_gain = 1024.0;
    // Of an approach, in tolerances of the contacts' solver and in shares of the one before: more is another impact.
    static constexpr double least_approach = 100.0;
    static constexpr int most_impacts = 12;

    const System& system;
    const Schedule& schedule;
    const ContactSettings settings;
    Equations& equations;  // at the time of the state
    typename Equations::Places places;
    ContactEffort<Real> effort;
    Real noise;  // of velocities, m/s
    DryForces<Real, Topology> dry;
    Real moment_share = Real(first_moment);  // of a step, over which the laws hold for velocities
    Real work_J = Real(0.0);                 // of drivers, in impacts and by impulses
    Real still = Real(0.0);  // m/s; below, a velocity is what the solver has left of an impulse's problem

    MYRIAD_HD ContactStart(const Schedule& schedule_given, Equations& equations_given)
        : system(equations_given.system),
          schedule(schedule_given),
          settings(ContactSettings::of(schedule_given)),
          equations(equations_given),
          effort(ContactEffort<Real>::none()),
          noise(contact_noise(equations_given, schedule_given, Real(schedule_given.step_s))) {}

    MYRIAD_HD void find(const typename System::Configuration& q) { equations.find(q, places); }
    // A gap that is NaN counts as penetration.
    MYRIAD_HD Mask penetrates() const {
        Mask some = !true_mask<Real>();
        MYRIAD_EACH(c, places.topology, contacts) {
            const Mask deep = !(Real(-settings.gap_tolerance_m) <= places.gap(c));
            some = some | (equations.is_unilateral(c) & deep);
        }
        return some;
    }
    // Lanes where a closed contact approaches, or where one that is held moves.
    MYRIAD_HD Mask inadmissible(const Closed& masks, const typename System::Velocity& v) const {
        Mask some = !true_mask<Real>();
        MYRIAD_EACH(c, places.topology, contacts) {
            const Real u = places.velocity_beyond_noise(c * Topology::directions, v);
            const Mask approaches = u < Real(0.0), separates = Real(0.0) < u, held = equations.is_held(c);
            some = some | (masks.closed[c] & (approaches | (held & separates)));
        }
        return some;
    }
    // Lanes where a contact that can open is closed.
    MYRIAD_HD Mask touches(const Closed& masks) const {
        Mask some = !true_mask<Real>();
        MYRIAD_EACH(c, places.topology, contacts) some = some | (masks.closed[c] & equations.is_unilateral(c));
        return some;
    }

    // Impacts until nothing approaches any more: a contact that leaves before an impact may approach after it. The last
    // one has no restitution. Returns the reason, if there is one now.
    template <class Memory>
    MYRIAD_NOINLINE Real strike(const Closed& masks, Mask struck, Motion<System>& motion, Memory& memory, Real reason) {
        const Real least = Real(-least_approach * settings.prox_tolerance) * slowest(masks, motion.v);
        Mask lanes = struck;
        MYRIAD_ROLL for (int i = 0; i < most_impacts && any(lanes); ++i) {
            Impact<System> impact{system, places, masks, settings, effort, noise};
            impact.follows = i > 0, impact.rebounds = i + 1 < most_impacts;
            impact.resolve(equations, lanes, motion, memory.impulse, memory.of_joints());
            memory.impact_loss_J = memory.impact_loss_J + impact.loss_J;
            memory.wear_work_J = memory.wear_work_J + impact.wear_J;
            work_J = work_J + impact.work_J;
            reason = reason_unless(impact.solved | !lanes, Reason::impact_did_not_converge, reason);
            reason = reason_unless(!impact.singular, Reason::matrix_singular, reason);
            lanes = lanes & (reason <= Real(0.0)) & (slowest(masks, motion.v) < -least);
        }
        return reason;
    }

    // Moves the lanes in `lanes` out of penetration, and no contact into one. Returns how far, as assembly measures it.
    // The caller asks afterwards for contacts that are still in penetration.
    MYRIAD_HD Real leave_penetration(Mask lanes, typename System::Configuration& q) {
        Closed all;
        all.topology = contact_topology(system);
        MYRIAD_EACH(c, all.topology, contacts) all.closed[c] = equations.closes(c, true_mask<Real>());
        return project_positions(equations, places, all, settings, effort, lanes, true, constant<Real>(1e-13, 1e-6), q)
            .distance;
    }

    // Accelerations, multipliers and contact forces of the lanes in `touching`. Dry friction that follows reactions
    // has those without friction first, then those with it.
    template <class Memory>
    MYRIAD_HD Mask find_forces(const Closed& masks, Mask touching, Real time_s, const Motion<System>& motion,
                               Memory& memory) {
        memory.of_joints().forces_follow(touching);
        find_dry_forces(equations, time_s, motion, memory, dry);
        Mask solved = solve_forces(masks, touching, motion, memory.acceleration, memory.multipliers, memory.force);
        if constexpr (Topology::most_set_frictions > 0)
            if (contact_topology(system).friction_follows_reactions()) {
                find_dry_forces(equations, time_s, motion, memory, dry);
                solved = solve_forces(masks, touching, motion, memory.acceleration, memory.multipliers, memory.force);
            }
        return solved;
    }

    // The same, with the largest dry forces in `dry`.
    MYRIAD_NOINLINE Mask solve_forces(const Closed& masks, Mask touching, const Motion<System>& motion,
                                      typename System::Velocity& acceleration, MultipliersOf<System>& multipliers,
                                      Loads& force) {
        const Real moment = Real(schedule.step_s) * moment_share;
        Loads given;
        begin_accelerations(motion, moment, touching, given);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] = given[i] + velocity_at(i, motion.v);
        ContactLoadProblem<System> problem{system, places, masks, settings, effort, moment_share * noise};
        problem.dry = &dry;
        const Mask solved = problem.solve(equations, touching, moment, given, nullptr, force);
        take_accelerations(touching, acceleration, multipliers);
        return solved;
    }

    // Lanes in which these accelerations end a slip of now within the moment, or within a step by `largest_gain`.
    MYRIAD_NOINLINE Mask forces_are_impulses(const Closed& masks, Mask touching, const Motion<System>& motion,
                                             const typename System::Velocity& acceleration) {
        if (!any(touching)) return touching;
        const auto& topology = contact_topology(system);
        const Real moment = Real(schedule.step_s) * Real(first_moment), zero(0.0);
        Loads turning;
        begin_accelerations(motion, moment, touching, turning);
        equations.solve();
        Real free = zero;  // the largest change without contact within the moment, m/s
        MYRIAD_EACH(c, topology, contacts) {
            MYRIAD_UNROLL_PLAN for (int k = 0; k <= topology.contact(c).tangents; ++k) {
                const int row = c * Topology::directions + k;
                const Real change = absolute(fma(moment, equations.along(places, row), turning[row]));
                free = select(masks.closed[c], maximum(change, free), free);
            }
        }
        const Real least = Real(least_slip) * free, most = Real(largest_gain) * free;
        Mask some = !true_mask<Real>();
        MYRIAD_EACH(c, topology, contacts) {
            Real slip = zero, change = zero, along = zero;  // squares and a product
            MYRIAD_UNROLL_PLAN for (int k = 1; k <= topology.contact(c).tangents; ++k) {
                const int row = c * Topology::directions + k;
                const Real u = velocity_at(row, motion.v),
                           gain = fma(moment, places.velocity(row, acceleration), turning[row]);
                slip = fma(u, u, slip), change = fma(gain, gain, change), along = fma(u, gain, along);
            }
            const Mask slides = masks.closed[c] & (least * least < slip), ends = along < Real(-0.5) * slip,
                       grows = (most * most < change) & (along < Real(-first_moment) * slip);
            some = some | (slides & (ends | grows));
        }
        return some & touching;
    }
    // Takes motion.v of `lanes` from `before` to v+, with the accelerations that follow without contact. Joints' dry
    // friction gives no impulse. Returns the lanes that are solved.
    template <class Memory>
    MYRIAD_NOINLINE Mask give_impulses(const Closed& masks, Mask lanes, const typename System::Velocity& before,
                                       Motion<System>& motion, Memory& memory) {
        const auto& topology = contact_topology(system);
        Loads given, impulse;
        given.fit(topology), impulse.fit(topology), impulse.clear();
        MultipliersOf<System> none;
        fit_to(system, none);
        typename System::Velocity mean;
        fit_to(system, mean);
        Mask ended = !true_mask<Real>();
        Real first(0.0), work(0.0);
        const double rest = least_slip * settings.prox_tolerance;
        MYRIAD_ROLL for (int pass = 0; pass < 2; ++pass) {
            const double share = pass == 0 ? 1.0 : first_moment;
            const Real h = Real(schedule.step_s) * Real(share);
            const Mask singular = equations.of_velocities(motion.q, before, h, lanes, none);
            equations.find_here(motion.q, places);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] = places.velocity(i, before);
            MYRIAD_EACH(c, topology, contacts) MYRIAD_UNROLL for (int k = 0; k < Topology::directions; ++k) {
                    Real& u = given[c * Topology::directions + k];
                    still = select(masks.closed[c], maximum(Real(rest) * absolute(u), still), still);
                    u = fma(restitution_along(equations, c, k), u, u);
                }
            ContactLoadProblem<System> problem{system, places, masks, settings, effort, Real(share) * noise};
            const Mask solved = problem.solve(equations, lanes, Real(1.0), given, nullptr, impulse);
            // A force that is large but finite does not give the impulse of the step within the moment.
            const Real largest = largest_normal(equations, impulse);
            const Mask remains = Real(0.875) * first <= largest, taken = lanes & solved & remains & !singular;
            if (pass == 0) first = largest, ended = solved & !singular;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
                motion.v[i] = select(taken, before[i] + equations.rate(i), motion.v[i]);
                mean[i] = Real(0.5) * (before[i] + motion.v[i]);
            }
            if constexpr (has_topology<System>)
                if (has_drivers(topology))
                    work = select(taken, equations.work_of_drivers(motion.q, mean, h, impulse, places), work);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < impulse.size(); ++i) memory.impulse[i] =
                select(taken, impulse[i], memory.impulse[i]);
            memory.of_joints().take(taken, equations);
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < impulse.size(); ++i) memory.force[i] =
            select(lanes, Real(0.0), memory.force[i]);
        const Real worn = friction_work(places, memory.impulse, mean).worn,
                   energy = equations.kinetic_energy_here(motion.q, before) + work,
                   lost = energy - equations.kinetic_energy_here(motion.q, motion.v);
        memory.wear_work_J = select(lanes, worn, memory.wear_work_J);
        memory.impact_loss_J = select(lanes, lost, memory.impact_loss_J);
        work_J = select(lanes, work, work_J);
        equations.of_accelerations(motion.q, motion.v, lanes);
        equations.solve();
        take_accelerations(lanes, memory.acceleration, memory.multipliers);
        return ended;
    }

  private:
    // The least normal velocity of the contacts that are closed; one that is held moves neither way.
    MYRIAD_HD Real slowest(const Closed& masks, const typename System::Velocity& v) const {
        Real slowest(0.0);
        MYRIAD_EACH(c, places.topology, contacts) {
            const Real normal = places.velocity(c * Topology::directions, v),
                       u = equations.unless_held(c, normal, -absolute(normal));
            slowest = select(masks.closed[c], minimum(u, slowest), slowest);
        }
        return slowest;
    }
    MYRIAD_HD Real velocity_at(int row, const typename System::Velocity& v) const {
        const Real u = places.velocity_beyond_noise(row, v);
        return select(absolute(u) < still, Real(0.0), u);
    }
    MYRIAD_HD void take_accelerations(Mask lanes, typename System::Velocity& acceleration,
                                      MultipliersOf<System>& multipliers) const {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) acceleration[i] =
            select(lanes, equations.rate(i), acceleration[i]);
        MYRIAD_EACH(r, contact_topology(system), rows)
            multipliers[r] = select(lanes, equations.multiplier(r), multipliers[r]);
    }
    // The equations of accelerations at the state, whose solution is not there yet.
    MYRIAD_HD void begin_accelerations(const Motion<System>& motion, Real moment, Mask lanes, Loads& turning) {
        turning.fit(contact_topology(system));
        add_turning(motion, moment, turning);
        equations.of_accelerations(motion.q, motion.v, lanes);
        equations.find_here(motion.q, places);
    }
    // moment W'^T v
    MYRIAD_HD void add_turning(const Motion<System>& motion, Real moment, Loads& given) {
        const Real reach = Real(schedule.step_s) * Real(first_difference), share = moment / (reach + reach);
        typename System::Configuration q;
        typename System::Velocity way;
        fit_to(system, q), fit_to(system, way);
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const Real along = side == 0 ? -reach : reach;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) way[i] = along * motion.v[i];
            retract_to(system, motion.q, way, q);
            find(q);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
                const Real u = share * places.velocity(i, motion.v);
                given[i] = side == 0 ? -u : given[i] + u;
            }
        }
    }
};

// The state in which a run with contacts begins. The certificate's records start anew.
template <bool impacts_apart, class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Real initialize_with_contacts(const System& system, const Schedule& schedule, Motion<System>& motion,
                                        Memory& memory) {
    ContactEquations<System> equations(system);
    Assembled<Real> assembled = equations.assemble(motion.q, motion.v, memory.acceleration, memory.multipliers);
    memory.tally().start();
    memory.force.clear(), memory.impulse.clear();
    memory.of_joints().clear();
    Real work_J(0.0);
    if (memory.force.size() > 0) {
        ContactStart<System> start(schedule, equations);
        Real& reason = assembled.reason;
        start.find(motion.q);
        const MaskOf<Real> apart = start.penetrates() & (reason <= Real(0.0));
        if (schedule.project_penetration != 0.0 && any(apart)) {
            // The second assembly gives the velocities of the joints.
            Motion<System> moved;
            typename System::Velocity acceleration;
            MultipliersOf<System> multipliers;
            fit_to(system, moved.q), fit_to(system, moved.v), fit_to(system, acceleration);
            fit_to(system, multipliers);
            visit_fields([](Real& from, Real& to) { to = from; }, motion, moved);
            const Real way = start.leave_penetration(apart, moved.q);
            const Assembled<Real> again = start.equations.assemble_again(moved.q, moved.v, acceleration, multipliers);
            const auto take = [&](Real& from, Real& to) { to = select(apart, from, to); };
            visit_fields(take, moved, motion);
            visit_fields(take, acceleration, memory.acceleration), visit_fields(take, multipliers, memory.multipliers);
            assembled.correction = select(apart, assembled.correction + way, assembled.correction);
            reason = select(apart, again.reason, reason);
            start.find(motion.q);
        }
        reason = reason_unless(!start.penetrates(), Reason::start_penetrates, reason);
        const auto masks = ContactStart<System>::Closed::of(equations, start.places, start.settings);
        memory.record().keep_closed(masks);
        const MaskOf<Real> is_right = reason <= Real(0.0), touching = masks.any_closed() & is_right,
                           acting = masks.any_acts() & is_right;
        memory.first_contact_s = select(touching & start.touches(masks), Real(0.0), memory.first_contact_s);
        if (any(acting)) {
            typename System::Velocity before;
            fit_to(system, before), copy_rates(system, motion.v, before);
            MaskOf<Real> struck = start.inadmissible(masks, motion.v) & touching;
            if (any(struck)) {
                reason = start.strike(masks, struck, motion, memory, reason);
            }
            MaskOf<Real> solved = start.find_forces(masks, acting, Real(0.0), motion, memory);
            const MaskOf<Real> pushed = start.forces_are_impulses(masks, touching, motion, memory.acceleration);
            if (any(pushed)) {
                const MaskOf<Real> passed = start.give_impulses(masks, pushed, before, motion, memory);
                const MaskOf<Real> again = start.find_forces(masks, pushed, Real(0.0), motion, memory);
                const MaskOf<Real> ended =
                    passed & again & !start.forces_are_impulses(masks, pushed, motion, memory.acceleration);
                reason = reason_unless(ended | !pushed, Reason::start_without_forces, reason);
                solved = solved | pushed;
            }
            struck = struck | pushed;
            memory.count_impact(struck, largest_normal(equations, memory.impulse), schedule.impact_threshold_N_s);
            reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
            const FrictionWork<Real> power = friction_work(start.places, memory.force, motion.v);
            memory.friction_power_W = power.lost, memory.wear_power_W = power.worn;
            work_J = start.work_J;
        }
    }
    memory.record().template begin<impacts_apart>(equations, memory.forces_are_old(), motion, memory.force, assembled);
    memory.record().add_work(equations, work_J);
    copy_rates(system, memory.acceleration, memory.algorithmic);
    memory.compare_from(memory.record().balance(equations.energy(motion.q, motion.v)));
    return assembled.reason;
}

// After a change of parameters: accelerations and forces of the contacts that are closed, by the laws for the
// velocities a step later, which an index-3 method meets itself. Velocities stay; the next step stops a contact that
// approaches. The energy counts from here.
template <bool impacts_apart, class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Real renew_with_contacts(const System& system, const Schedule& schedule, Real time_s, Motion<System>& motion,
                                   Memory& memory) {
    ContactEquations<System> equations(system);
    typename System::Velocity former;
    fit_to(system, former), copy_rates(system, memory.acceleration, former);
    Real reason = memory.record().renew(equations, schedule, time_s, motion);
    memory.force.clear();
    typename ContactEquations<System>::Places places;
    if (memory.force.size() > 0) {
        ContactStart<System> here(schedule, equations);
        here.moment_share = Real(1.0);
        here.find(motion.q);
        const auto masks = ContactStart<System>::Closed::of(equations, here.places, here.settings);
        memory.record().keep_closed(masks);
        const MaskOf<Real> acting = masks.any_acts() & (reason <= Real(0.0));
        if (any(acting)) {
            const MaskOf<Real> solved = here.find_forces(masks, acting, time_s, motion, memory);
            reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
        }
        const FrictionWork<Real> power = friction_work(here.places, memory.force, motion.v);
        memory.friction_power_W = power.lost, memory.wear_power_W = power.worn;
    }
    memory.record().template renew_power<impacts_apart>(equations, true_mask<Real>(), memory.forces_are_old(), motion,
                                                        memory.force, places);
    carry_over(system, former, memory);
    memory.compare_from(memory.record().balance(equations.energy(motion.q, motion.v)));
    return reason;
}

}  // namespace myriad::inline MYRIAD_VARIANT
