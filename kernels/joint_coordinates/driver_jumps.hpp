// Drivers whose rates jump, because their functions of time have a corner: max, min, abs, if, a point of a table.
//
//   [M_ff B_f^T; B_f 0] (dv_f, L) = (-M_fp dv_p, -(B v + phi_t))     p: driven coordinates, f: all others; v, phi_t
//                                                                    with the rates of drivers behind the corner
//   work  p . (v_p^- + v_p^+)/2 + L . (phi_t^- + phi_t^+)/2,   p = M_p dv + B_p^T L
//
// The jump is placed at the end of its step, where an adaptive method ends the step at the corner itself. A jump of an
// acceleration alone counts there, and at the end of a fixed step without contact. Until then functions keep the
// branches from before it. At the end drivers are put where their functions are, rows are met, and the change of the
// energy counts as work of drivers; then comes the impulse. Friction of joints, springs and dampers have no part in it.
// Corners: kernels/mechanism/corners.hpp; a jump of a value and a corner without branches end an instance. With
// contact: kernels/integrators/contact/driver_jump.hpp. SI units. Not handled: more corners in one fixed step than
// most_corners_of_step are one jump.
#pragma once
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/mechanism/corners.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_corners_of_step = 8;

// The functions of drivers on both sides of a time, and their corners (corners.hpp).
template <class System>
struct SidesOfDrivers {
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    const System& system;
    Taylor<Real> before[System::Topology::most_functions], after[System::Topology::most_functions];

    // Before at time_s with the branches of a moment after side_s, and at after_s with its own.
    MYRIAD_HD void look(Real time_s, Real side_s, Real after_s) {
        system.body_form().functions_by_side(time_s, moment_after(side_s), before);
        system.body_form().functions_by_side(after_s, moment_after(after_s), after);
    }
    // Calls `use` with the function of each driver.
    template <class Use>
    MYRIAD_HD void each_driver(const Use& use) const {
        MYRIAD_EACH(i, system.topology, prescribed) use(system.topology.prescribed_coordinate(i).function);
        MYRIAD_EACH(e, system.topology, elements) {
            const Element& element = system.topology.element(e);
            if (!element.has_law && 0 <= element.function) use(element.function);
        }
    }
    // Lanes in which the answer is yes for some driver.
    template <class Ask>
    MYRIAD_HD Mask any_driver(const Ask& ask) const {
        Mask some = !true_mask<Real>();
        each_driver([&](int function) { some = some | ask(before[function], after[function]); });
        return some;
    }
    MYRIAD_HD MaybeCorner<Real> over(Real from_s, Real to_s, Real side_s) const {
        Bounds<Real> bounds[System::Topology::most_functions];
        system.body_form().functions_over(from_s, to_s, side_s, bounds);
        MaybeCorner<Real> seen{!true_mask<Real>(), !true_mask<Real>()};
        each_driver([&](int function) {
            seen.turns = seen.turns | bounds[function].turns, seen.is_sharp = seen.is_sharp | bounds[function].is_sharp;
        });
        return seen;
    }
    MYRIAD_HD Mask differ(Real time_s, Real side_s) {
        look(time_s, side_s, time_s);
        const Real length = minimum(Real(1.0), system.parameter(length_scale_parameter));
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) { return functions_differ(f, g, length); });
    }
    // By more than round-off; h: the length of the step that ends at end_s. A power of the time until a corner changes
    // by some of its slopes in the moment that passes before the corner is seen.
    MYRIAD_HD Mask rates_jump(Real h, Real end_s) const {
        const Real unseen = Real(moments_unseen) * (moment_after(end_s) - end_s),
                   share = constant<Real>(least_jump_of_rate, 1e-4);
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) {
            const Real accelerations = absolute(f.acceleration) + absolute(g.acceleration);
            const Real size = share * (absolute(f.rate) + absolute(g.rate));
            return fma(fma(share, h, unseen), accelerations, size) < absolute(g.rate - f.rate);
        });
    }
    MYRIAD_HD Mask accelerations_jump(Real h) const {
        const Real share = constant<Real>(least_jump_of_acceleration, 1e-3),
                   of_rates = constant<Real>(least_jump_of_rate, 1e-4) / h;
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) {
            const Real size = of_rates * (absolute(f.rate) + absolute(g.rate));
            return fma(share, absolute(f.acceleration) + absolute(g.acceleration), size) <
                   absolute(g.acceleration - f.acceleration);
        });
    }
    // By more than the rounded constants of a file.
    MYRIAD_HD Mask values_jump(Real end_s) const {
        const Real unseen = Real(moments_unseen) * (moment_after(end_s) - end_s);
        const Real length = minimum(Real(1.0), system.parameter(length_scale_parameter));
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) {
            const Real size = length + (absolute(f.value) + absolute(g.value));
            const Real of_rates = unseen * (absolute(f.rate) + absolute(g.rate));
            return fma(constant<Real>(least_jump_of_value, 1e-4), size, of_rates) < absolute(g.value - f.value);
        });
    }
};

// The latest time at which a step may end.
template <class Memory, class Progress, class Real = typename Progress::Real>
MYRIAD_HD Real latest_end(const Schedule& schedule, const Progress& progress, const Memory& memory) {
    if constexpr (requires { memory.step_s; }) {
        const Real end_s(schedule.end_s), row_s = progress.rows * Real(schedule.observe_s);
        const Real target_s = select((Real(0.0) < row_s) & (row_s < end_s), row_s, end_s);
        return minimum(target_s, fma(Real(1.0 + 1e-9), memory.step_s, progress.time_s));
    } else {
        const MaskOf<Real> whole = progress.steps < Real(schedule.full_steps);
        return select(whole, (progress.steps + Real(1.0)) * Real(schedule.step_s), Real(schedule.end_s));
    }
}

// The first jump of a driver's rate, or acceleration, behind begin_s, up to end_s. What breaks up to there, or in a
// fixed step, breaks the instance at once: it cannot be passed.
template <class System, class Real = typename System::Real>
MYRIAD_APART DriverJump<Real> first_jump(const System system, MaskOf<Real> lanes, Real begin_s, Real end_s,
                                         Bends bends) {
    using Mask = MaskOf<Real>;
    const Mask none = !true_mask<Real>();
    SidesOfDrivers<System> sides{system, {}, {}};
    const Real h = end_s - begin_s;
    DriverJump<Real> found{none, none, end_s, end_s};
    const Real moments = Real(moments_unseen) * (moment_after(end_s) - end_s),
               before_end_s = bends == Bends::within ? infinity<Real>() : moments;
    Mask searching = lanes, is_left = none;  // left: the last corner that is looked for is passed
    Real from_s = begin_s, corners(0.0);
    MYRIAD_REPEAT(searching) {
        const Corner<Real> next = next_corner(sides, searching, from_s, end_s);
        searching = searching & next.is_there;
        MYRIAD_WHEN(searching) {
            sides.look(next.before_s, next.side_s, next.time_s);
            const Mask breaks = searching & (next.is_sharp | sides.values_jump(end_s));
            Mask jumps = sides.rates_jump(h, end_s);
            if (bends != Bends::none) {
                const Mask counts = (end_s - next.time_s <= before_end_s), bent = sides.accelerations_jump(h);
                jumps = jumps | (bent & counts);
            }
            jumps = jumps & searching;
            const Mask is_first = jumps & !found.jumps;
            found.before_s = select(is_first, moment_after(next.side_s), found.before_s);
            found.time_s = select(is_first, next.time_s, found.time_s);
            found.jumps = found.jumps | jumps, found.breaks = found.breaks | breaks;
            from_s = select(searching, next.time_s, from_s);
            searching = searching & !breaks;
            if (bends == Bends::within) searching = searching & !jumps;
            corners = corners + Real(1.0);
            is_left = searching & (Real(most_corners_of_step) <= corners);
            searching = searching & !is_left;
        }
    }
    MYRIAD_WHEN(is_left) {
        const Mask is_first = is_left & !found.jumps;
        found.before_s = select(is_first, moment_after(from_s), found.before_s);
        found.time_s = select(is_first, from_s, found.time_s);
        found.jumps = found.jumps | is_left;
    }
    return found;
}

// `system` has the functions of time behind the jump, `before` those before it.
template <class System>
struct ImpulseOfDrivers {
    using Real = typename System::Real;
    using Velocity = typename System::Velocity;
    using Scratch = typename System::Scratch;
    const System &system, &before;
    Velocity change;                            // dv_p, 0 of other coordinates
    Real of_rows[System::Topology::most_rows];  // (phi_t^- + phi_t^+)/2

    // Puts drivers where their functions are, and the state on its rows; rates stay. Adds the change of the energy to
    // `work_J`. Returns a reason.
    MYRIAD_NOINLINE Real move(MaskOf<Real> lanes, Real time_s, Scratch& scratch, Motion<System>& motion,
                              Real& work_J) const {
        SeenLinks<Real, typename System::Topology> seen;
        seen.look(before, motion.q, motion.v, time_s);
        const Energies<Real> left = joint_energies(before, motion.q, motion.v, seen);
        Motion<System> moved = motion;
        system.prescribe_at(time_s, moved.q, moved.v);
        MaskOf<Real> is_met = true_mask<Real>();
        if (system.topology.constraint_rows() > 0)
            is_met = meet_rows(system, scratch, lanes, time_s, moved.q, moved.v).outcome.converged;
        else
            system.count_turns(moved.q);
        visit_fields([&](Real& to, Real& from) { to = select(lanes, from, to); }, motion.q, moved.q);
        seen.look(system, motion.q, motion.v, time_s);
        const Energies<Real> reached = joint_energies(system, motion.q, motion.v, seen);
        const Real gain = (reached.kinetic - left.kinetic) + (reached.potential - left.potential);
        work_J = select(lanes, work_J + gain, work_J);
        return reason_unless(is_met | !lanes, Reason::projection_did_not_converge, Real(0.0));
    }
    // Leaves in the scratch the equations, factored, their right-hand sides, and the functions of time.
    MYRIAD_NOINLINE void set_up(Real time_s, const typename System::Configuration& q, const Velocity& v,
                                Scratch& scratch) {
        const auto& topology = system.topology;
        const Real zero(0.0), one(1.0), half(0.5);
        Velocity still, moved, load;
        typename System::MultiplierVector none;
        system.set_still(still), system.set_still(change), system.set_still(load), moved = v, none.fit(topology);
        MYRIAD_EACH(r, topology, rows) none[r] = of_rows[r] = zero;
        const auto evaluate = [&](const Velocity& rates, bool with_matrix) {
            system.equations().evaluate(q, rates, still, none.e, {zero, zero, one, Level::velocity, false, with_matrix},
                                        scratch);
        };
        const auto add_partial_rates = [&](const System& side) {
            side.functions_at(time_s, scratch.functions);
            if (topology.rows() > 0) evaluate(still, false);
            MYRIAD_EACH(r, topology, rows) of_rows[r] = fma(-half, scratch.row_solution[r], of_rows[r]);
        };
        add_partial_rates(before), add_partial_rates(system);
        // The functions' rates are for a while what multiplies M_p and B_p: dv_p, then the mean.
        each_driver(scratch, [&](int freedom, Real& rate) {
            moved[freedom] = rate, change[freedom] = rate - v[freedom];
            rate = change[freedom];
        });
        if (topology.prescribed() > 0) {
            evaluate(moved, true);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] = scratch.drivers.of_rates[i];
        }
        each_driver(scratch, [&](int freedom, Real& rate) { rate = fma(half, change[freedom], v[freedom]); });
        evaluate(moved, true);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) scratch.solution[i] = -load[i];
        each_driver(scratch, [&](int freedom, Real& rate) {
            scratch.solution[freedom] = zero;
            rate = moved[freedom];
        });
        scratch.weak_place = scratch.system.factor();
    }
    // Calls `use` with the freedom of each driver of a coordinate and its function's rate.
    template <class Use>
    MYRIAD_HD void each_driver(Scratch& scratch, const Use& use) const {
        MYRIAD_EACH(i, system.topology, prescribed) {
            const PrescribedCoordinate& driven = system.topology.prescribed_coordinate(i);
            use(driven.freedom, scratch.functions[driven.function].rate);
        }
    }
    // J, by the change z of all rates and the impulses x of the rows.
    MYRIAD_HD Real work(const Scratch& scratch, const Velocity& z, const Real* x) const {
        const auto& topology = system.topology;
        Real work(0.0);
        MYRIAD_EACH(r, topology, rows) work = fma(of_rows[r], x[r], work);
        if (topology.prescribed() == 0) return work;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < z.size(); ++i) work = fma(scratch.drivers.of_rates[i], z[i], work);
        MYRIAD_EACH(r, topology, rows) work = fma(scratch.drivers.of_rows[r], x[r], work);
        return work;
    }
};

// What a method without contacts carries along begins anew at the accelerations of the state.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_HD void begin_anew(const System& system, MaskOf<Real> lanes, Memory& memory) {
    const auto renew = [&](typename System::Velocity& carried) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) carried[i] =
            select(lanes, memory.acceleration[i], carried[i]);
    };
    if constexpr (requires { memory.first_stage; }) renew(memory.first_stage);
    if constexpr (requires { memory.algorithmic; }) renew(memory.algorithmic);
    if constexpr (requires { memory.past; })
        for (auto& past : memory.past) renew(past);
    if constexpr (requires { memory.contraction; }) memory.contraction = select(lanes, Real(1.0), memory.contraction);
}

// Takes the end of a step across the jump in `lanes`. Returns a reason.
template <class System, class Memory, class Left, class Real = typename System::Real>
MYRIAD_NOINLINE Real take_jump(const System& system, const System& before, MaskOf<Real> lanes, Real time_s,
                               Motion<System>& motion, Memory& memory, Left& left, Real& weak_place) {
    const auto& topology = system.topology;
    typename System::Scratch scratch;
    ImpulseOfDrivers<System> impulse{system, before, {}, {}};
    Real reason = impulse.move(lanes, time_s, scratch, motion, memory.work);
    if constexpr (Left::is_kept) left.keep(lanes, time_s, motion, memory);
    impulse.set_up(time_s, motion.q, motion.v, scratch);
    MaskOf<Real> lost = Real(0.0) <= scratch.weak_place;
    scratch.system.solve(scratch.solution.e, scratch.row_solution);
    typename System::Velocity z;
    z.fit(topology);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < z.size(); ++i) z[i] = scratch.solution[i] + impulse.change[i];
    memory.work = select(lanes, memory.work + impulse.work(scratch, z, scratch.row_solution), memory.work);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < z.size(); ++i) motion.v[i] = select(lanes, motion.v[i] + z[i], motion.v[i]);
    typename System::Velocity acceleration;
    typename System::MultiplierVector multipliers;
    multipliers.fit(topology);
    lost = lost | system.accelerate(motion.q, motion.v, true, scratch, acceleration, multipliers);
    const Real power = system.template power<false>(motion.q, motion.v, acceleration, multipliers, scratch, true);
    memory.power = select(lanes, power, memory.power);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < z.size(); ++i) memory.acceleration[i] =
        select(lanes, acceleration[i], memory.acceleration[i]);
    MYRIAD_EACH(r, topology, rows) memory.multipliers[r] = select(lanes, multipliers[r], memory.multipliers[r]);
    begin_anew(system, lanes, memory);
    weak_place = select(lanes, scratch.weak_place, weak_place);
    return reason_unless(!(lost & lanes), Reason::matrix_singular, reason);
}

}  // namespace myriad::inline MYRIAD_VARIANT
