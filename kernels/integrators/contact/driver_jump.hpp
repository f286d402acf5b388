// A jump of drivers' rates in a method with contact: the impulse of kernels/joint_coordinates/driver_jumps.hpp, with
// impulses of all closed contacts.
//
//   M (v^+ - v^-) + B^T L_B = W L + p,   B v^+ + phi_t = 0,   v^+ of drivers known
//   u^+ + eps u^-  by the laws of prox.hpp with L; u^- is before the jump, so a contact that rests does not rebound
//
// Where a contact or a dry friction of a joint acts at the end, accelerations and forces are not renewed, as after an
// impact at the end of a step; elsewhere they begin anew. Dry friction of joints has no impulse. What contacts lose
// counts as a loss of impacts. SI units. Not handled: systems without drivers of coordinates.
#pragma once
#include "kernels/integrators/contact/impact.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// `memory.time_s` is the end of the step. Returns a reason.
template <bool impacts_apart, class System, class Memory, class Left, class Real = typename System::Real>
MYRIAD_NOINLINE Real take_jump_with_contacts(const System& system, const System& before, const Schedule& schedule,
                                             MaskOf<Real> lanes, Motion<System>& motion, Memory& memory, Left& left) {
    using Equations = ContactEquations<System>;
    using Topology = typename Equations::Topology;
    const auto& topology = contact_topology(system);
    const Real half(0.5), one(1.0), time_s = memory.time_s;
    Equations equations(system);
    auto& scratch = equations.scratch;
    typename Equations::JumpImpulse impulse{system, before, {}, {}};
    Real reason = impulse.move(lanes, time_s, scratch, motion, memory.work);
    if constexpr (Left::is_kept) left.keep(lanes, time_s, motion, memory);
    equations.set_time(time_s);
    typename Equations::Places places;
    equations.find_gaps(motion.q, places);
    const ContactSettings settings = ContactSettings::of(schedule);
    const auto masks = ClosedContacts<Real, Topology>::of(equations, places, settings);
    memory.record().keep_closed(masks);
    const MaskOf<Real> touching = masks.any_closed() & lanes;
    MYRIAD_WHEN(touching)
    equations.find_directions(places, [&](int c) MYRIAD_INLINE { return is_wanted(masks.closed[c] & touching); });

    const MaskOf<Real> lost = equations.of_jump(impulse, time_s, motion.q, motion.v, lanes);
    const Real energy_before = equations.kinetic_energy_here(motion.q, motion.v);
    ContactLoads<Real, Topology> given, load;
    given.fit(topology), load.fit(topology), load.clear();
    MYRIAD_UNROLL_PLAN for (int i = 0; i < given.size(); ++i) given[i] = Real(0.0);
    MYRIAD_WHEN(touching)
    MYRIAD_EACH(c, topology, contacts)
        for (int k = 0; k < topology.directions; ++k) {
            const Real u = places.velocity(c * topology.directions + k, motion.v);
            given[c * topology.directions + k] = fma(restitution_along(equations, c, k), u, u);
        }
    ContactEffort<Real> effort = ContactEffort<Real>::none();
    ContactLoadProblem<System> problem{system,   places, masks,
                                       settings, effort, contact_noise(equations, schedule, Real(schedule.step_s))};
    const MaskOf<Real> solved = problem.solve(equations, touching, one, given, nullptr, load);

    typename System::Velocity z, mean;
    fit_to(system, z), fit_to(system, mean);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) {
        z[i] = equations.rate(i);
        mean[i] = fma(half, z[i], motion.v[i]);
        motion.v[i] = select(lanes, motion.v[i] + z[i], motion.v[i]);
    }
    memory.of_joints().take_jump(lanes, equations);
    Real work = impulse.work(scratch, z, scratch.row_solution), worn(0.0);
    MYRIAD_WHEN(touching) {
        // Drivers bear the impulses of contacts, too.
        MYRIAD_EACH(k, topology, prescribed) {
            const int freedom = topology.prescribed_coordinate(k).freedom;
            MYRIAD_UNROLL_PLAN for (int row = 0; row < load.size(); ++row) {
                const Real along = places.gradient_at(row, freedom);
                work = select(touching & masks.acts(row), fma(-(along * load[row]), mean[freedom], work), work);
            }
        }
        worn = friction_work(places, load, mean).worn;
    }
    const Real loss = (energy_before + work) - equations.kinetic_energy_here(motion.q, motion.v);
    memory.work = select(lanes, memory.work + work, memory.work);
    memory.impact_loss_J = select(touching, memory.impact_loss_J + loss, memory.impact_loss_J);
    memory.wear_work_J = select(touching, memory.wear_work_J + worn, memory.wear_work_J);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) memory.impulse[i] =
        select(touching & masks.acts(i), memory.impulse[i] + load[i], memory.impulse[i]);
    const Real largest = largest_normal(equations, load);
    memory.count_impact(touching & (Real(0.0) < largest), largest, schedule.impact_threshold_N_s);
    memory.add(effort, Real(0.0));

    const MaskOf<Real> apart = lanes & !masks.any_acts();
    MYRIAD_WHEN(apart) {
        typename System::Velocity acceleration;
        typename System::MultiplierVector multipliers;
        multipliers.fit(topology);
        const MaskOf<Real> singular =
            system.accelerate(motion.q, motion.v, true, scratch, acceleration, multipliers) & apart;
        reason = reason_unless(!singular, Reason::matrix_singular, reason);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) memory.acceleration[i] =
            select(apart, acceleration[i], memory.acceleration[i]);
        MYRIAD_EACH(r, topology, rows) memory.multipliers[r] = select(apart, multipliers[r], memory.multipliers[r]);
        begin_anew(system, apart, memory);
        memory.of_joints().forces_follow(apart);
    }
    memory.record().template renew_power<impacts_apart>(equations, lanes, memory.forces_are_old(), motion, memory.force,
                                                        places);
    reason = reason_unless(solved | !touching, Reason::prox_did_not_converge, reason);
    return reason_unless(!(lost & lanes), Reason::matrix_singular, reason);
}

}  // namespace myriad::inline MYRIAD_VARIANT
