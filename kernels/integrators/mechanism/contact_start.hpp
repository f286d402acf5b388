// The start of a run of a mechanism with contacts: assembled, without penetration, with velocities that its closed
// contacts admit, and with accelerations and contact forces.
//
//   penetration    the least motion by which nothing is in another, joints kept: position_projection.hpp
//   velocities     an impact where a closed contact approaches, which counts as any other
//   accelerations  M a + B^T lambda = f + W l,  B a = -bias,  u + dt (W^T a + W'^T v) by the laws, dt a small part
//                  of the step: it decides only between a slip of now and one that begins. W' is a central difference
//                  along v
//
// Source: ../timestepping.hpp for systems that are formulas; facts F on nonsmooth eq. 25. Not handled: penetrations
// that no small motion resolves (refused).
#pragma once
#include "kernels/integrators/mechanism/impact.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/mechanism/contact/position_projection.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct MechanismContactStart {
    using System = S;
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Mask = MaskOf<Real>;
    using Closed = ClosedContacts<Real, Topology>;
    using Loads = ContactLoads<Real, Topology>;
    using Equations = ContactEquations<System>;
    // Shares of a step.
    static constexpr double first_moment = 0x1p-20, first_difference = 0x1p-6;

    const System& system;
    const Schedule& schedule;
    const ContactSettings settings;
    Equations& equations;  // scratch holds the functions of time
    typename Equations::Places places;
    ContactEffort<Real> effort;
    Real noise;                          // of velocities, m/s
    double moment_share = first_moment;  // of a step, over which the laws hold for velocities

    MYRIAD_HD MechanismContactStart(const Schedule& schedule_given, Equations& equations_given)
        : system(equations_given.system),
          schedule(schedule_given),
          settings(ContactSettings::of(schedule_given)),
          equations(equations_given),
          effort(ContactEffort<Real>::none()),
          noise(contact_noise(system, schedule_given, Real(schedule_given.step_s))) {}

    MYRIAD_HD void find(const typename System::Configuration& q) { equations.find(q, places); }
    // A gap that is NaN counts as penetration.
    MYRIAD_HD Mask penetrates() const {
        Mask some = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int c = 0; c < system.topology.contacts(); ++c) some =
            some | !(Real(-settings.gap_tolerance_m) <= places.of[c].gap);
        return some;
    }
    // Lanes where a closed contact approaches.
    MYRIAD_HD Mask inadmissible(const Closed& masks, const typename System::Velocity& v) const {
        Mask some = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int c = 0; c < system.topology.contacts(); ++c) some =
            some | (masks.closed[c] & (places.velocity_beyond_noise(c * contact_directions, v) < Real(0.0)));
        return some;
    }

    // Moves the lanes in `lanes` out of penetration, and no contact into one. Returns how far, as assembly measures it.
    // The caller asks afterwards for contacts that are still in penetration.
    MYRIAD_HD Real leave_penetration(Mask lanes, typename System::Configuration& q) {
        Closed all;
        all.topology = system.topology;
        MYRIAD_UNROLL_PLAN for (int c = 0; c < system.topology.contacts(); ++c) all.closed[c] = true_mask<Real>();
        return project_positions(equations, places, all, settings, effort, lanes, true, constant<Real>(1e-13, 1e-6), q)
            .distance;
    }

    // Accelerations, multipliers and contact forces of the lanes in `touching`.
    MYRIAD_NOINLINE Mask find_forces(const Closed& masks, Mask touching, const Motion<System>& motion,
                                     typename System::Velocity& acceleration,
                                     typename System::MultiplierVector& multipliers, Loads& force) {
        const Topology& topology = system.topology;
        const Real moment = Real(schedule.step_s) * Real(moment_share);
        Loads given;
        given.fit(topology);
        add_turning(motion, moment, given);
        equations.of_accelerations(motion.q, motion.v, touching);
        equations.find_here(motion.q, places);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] =
            given[i] + places.velocity_beyond_noise(i, motion.v);
        ContactLoadProblem<System> problem{system, places, masks, settings, effort, Real(moment_share) * noise};
        problem.joints_rub = true;
        const Mask solved = problem.solve(equations, touching, moment, given, nullptr, force);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) acceleration[i] =
            select(touching, equations.rate(i), acceleration[i]);
        MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) multipliers[r] =
            select(touching, equations.multiplier(r), multipliers[r]);
        return solved;
    }

  private:
    // moment W'^T v
    MYRIAD_HD void add_turning(const Motion<System>& motion, Real moment, Loads& given) {
        const Real reach = Real(schedule.step_s) * Real(first_difference), share = moment / (reach + reach);
        typename System::Configuration q;
        typename System::Velocity way;
        q.fit(system.topology), way.fit(system.topology);
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const Real along = side == 0 ? -reach : reach;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) way[i] = along * motion.v[i];
            system.retract(motion.q, way, q);
            find(q);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) {
                const Real u = share * places.velocity(i, motion.v);
                given[i] = side == 0 ? -u : given[i] + u;
            }
        }
    }
};

// The state in which a run with contacts begins. The certificate's records start anew.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Real initialize_with_contacts(const System& system, const Schedule& schedule, Motion<System>& motion,
                                        Memory& memory) {
    ContactEquations<System> equations(system);
    auto& scratch = equations.scratch;
    Assembled<Real> assembled = assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
    memory.tally().start();
    memory.force.clear(), memory.impulse.clear();
    memory.of_joints().clear();
    if (memory.force.size() > 0) {
        MechanismContactStart<System> start(schedule, equations);
        Real& reason = assembled.reason;
        start.find(motion.q);
        const MaskOf<Real> apart = start.penetrates() & (reason <= Real(0.0));
        if (schedule.project_penetration != 0.0 && any(apart)) {
            // The second assembly gives the velocities of the joints.
            Motion<System> moved;
            typename System::Velocity acceleration;
            typename System::MultiplierVector multipliers;
            moved.q.fit(system.topology), moved.v.fit(system.topology), acceleration.fit(system.topology);
            multipliers.fit(system.topology);
            visit_fields([](Real& from, Real& to) { to = from; }, motion, moved);
            const Real way = start.leave_penetration(apart, moved.q);
            const Assembled<Real> again = start.equations.assemble_again(moved.q, moved.v, acceleration, multipliers);
            keep(apart, moved, motion);
            keep(apart, acceleration, memory.acceleration), keep(apart, multipliers, memory.multipliers);
            assembled.correction = select(apart, assembled.correction + way, assembled.correction);
            reason = select(apart, again.reason, reason);
            start.find(motion.q);
        }
        reason = reason_unless(!start.penetrates(), Reason::start_penetrates, reason);
        const auto masks = ClosedContacts<Real, typename System::Topology>::of(start.places, start.settings);
        const MaskOf<Real> is_right = reason <= Real(0.0), touching = masks.any_closed() & is_right,
                           acting = masks.any_acts() & is_right;
        memory.first_contact_s = select(touching, Real(0.0), memory.first_contact_s);
        if (any(acting)) {
            const MaskOf<Real> struck = start.inadmissible(masks, motion.v) & touching;
            if (any(struck)) {
                MechanismImpact<System> impact{system, start.places, masks, start.settings, start.effort, start.noise};
                impact.resolve(start.equations, struck, motion, memory.impulse, memory.of_joints());
                memory.impact_loss_J = impact.loss_J, memory.wear_work_J = impact.wear_J;
                memory.count_impact(struck, memory.impulse.largest_normal(), schedule.impact_threshold_N_s);
                reason = reason_unless(impact.solved, Reason::prox_did_not_converge, reason);
                reason = reason_unless(!impact.singular, Reason::matrix_singular, reason);
            }
            const MaskOf<Real> solved =
                start.find_forces(masks, acting, motion, memory.acceleration, memory.multipliers, memory.force);
            reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
            const FrictionWork<Real> power = friction_work(start.places, memory.force, motion.v);
            memory.friction_power_W = power.lost, memory.wear_power_W = power.worn;
        }
    }
    memory.begin(system, motion, scratch, assembled.correction);
    copy_rates(system, memory.acceleration, memory.algorithmic);
    typename ContactEquations<System>::Places places;
    memory.power = equations.with_contacts(memory.power, motion.q, memory.force, places);
    memory.initial_energy_J = equations.energy(motion.q, motion.v) + memory.impact_loss_J;
    return assembled.reason;
}

// After a change of parameters: accelerations and forces of the contacts that are closed, by the laws for the
// velocities a step later, which an index-3 method meets itself. Velocities stay; the next step stops a contact that
// approaches. The energy counts from here.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Real renew_with_contacts(const System& system, const Schedule& schedule, Motion<System>& motion,
                                   Memory& memory) {
    ContactEquations<System> equations(system);
    typename System::Velocity former;
    fit_to(system, former), copy_rates(system, memory.acceleration, former);
    Real reason = renew_mechanism(system, schedule, equations.scratch, motion, memory);
    memory.force.clear();
    typename ContactEquations<System>::Places places;
    if (memory.force.size() > 0) {
        MechanismContactStart<System> here(schedule, equations);
        here.moment_share = 1.0;
        here.find(motion.q);
        const auto masks = ClosedContacts<Real, typename System::Topology>::of(here.places, here.settings);
        const MaskOf<Real> acting = masks.any_acts() & (reason <= Real(0.0));
        if (any(acting)) {
            const MaskOf<Real> solved =
                here.find_forces(masks, acting, motion, memory.acceleration, memory.multipliers, memory.force);
            reason = reason_unless(solved, Reason::prox_did_not_converge, reason);
        }
        const FrictionWork<Real> power = friction_work(here.places, memory.force, motion.v);
        memory.friction_power_W = power.lost, memory.wear_power_W = power.worn;
        const Real of_system =
            system.power(motion.q, motion.v, memory.acceleration, memory.multipliers, equations.scratch);
        memory.power = equations.with_contacts(of_system, motion.q, memory.force, places);
    }
    carry_over(system, former, memory);
    memory.compare_from(equations.energy(motion.q, motion.v) - memory.work);
    return reason;
}

}  // namespace myriad::inline MYRIAD_VARIANT
