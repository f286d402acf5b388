// Drivers whose rates jump, because their functions of time have a corner: max, min, abs, if, a point of a table.
//
//   [M_ff B_f^T; B_f 0] (dv_f, L) = (-M_fp dv_p, -(B v + phi_t))     p: driven coordinates, f: all others; v, phi_t
//                                                                    with the rates of drivers behind the corner
//   work  p . (v_p^- + v_p^+)/2 + L . (phi_t^- + phi_t^+)/2,   p = M_p dv + B_p^T L
//
// The jump is placed at the end of its step, where an adaptive method ends the step at the corner itself. Until then
// functions keep the branches from before it. At the end drivers are put where their functions are, rows are met, and
// the change of the energy counts as work of drivers; then comes the impulse. Friction of joints, springs and dampers
// have no part in it. A corner is where branches stop giving the same function, by a fixed number of halvings. With
// contact: kernels/integrators/contact/driver_jump.hpp. SI units. Not handled: more corners in one step than
// most_corners_of_step are one jump.
#pragma once
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_corners_of_step = 8;

// The functions of drivers on both sides of a time.
template <class System>
struct SidesOfDrivers {
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    const System& system;
    Taylor<Real> before[System::Topology::most_functions], after[System::Topology::most_functions];

    MYRIAD_HD void look(Real before_s, Real side_s, Real after_s) {
        system.body_form().functions_by_side(before_s, side_s, before);
        system.body_form().functions_by_side(after_s, moment_after(after_s), after);
    }
    // Lanes in which the answer is yes for some driver.
    template <class Ask>
    MYRIAD_HD Mask any_driver(const Ask& ask) const {
        Mask some = !true_mask<Real>();
        MYRIAD_EACH(i, system.topology, prescribed) {
            const int function = system.topology.prescribed_coordinate(i).function;
            some = some | ask(before[function], after[function]);
        }
        MYRIAD_EACH(e, system.topology, elements) {
            const Element& element = system.topology.element(e);
            if (element.has_law || element.function < 0) continue;
            some = some | ask(before[element.function], after[element.function]);
        }
        return some;
    }
    MYRIAD_HD Mask differ() const {
        const auto differs = [](Real a, Real b) { return (!(a == b)) & ((a == a) | (b == b)); };
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) {
            return differs(f.value, g.value) | differs(f.rate, g.rate) | differs(f.acceleration, g.acceleration);
        });
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
    // By more than the rounded constants of a file.
    MYRIAD_HD Mask values_jump() const {
        const Real length = minimum(Real(1.0), system.parameter(length_scale_parameter));
        return any_driver([&](const Taylor<Real>& f, const Taylor<Real>& g) {
            const Real size = length + (absolute(f.value) + absolute(g.value));
            return constant<Real>(least_jump_of_value, 1e-4) * size < absolute(g.value - f.value);
        });
    }
};

// The latest time at which a step may end.
template <class Memory, class Progress, class Real = typename Progress::Real>
MYRIAD_HD Real latest_end(const Schedule& schedule, const Progress& progress, const Memory& memory) {
    if constexpr (requires { memory.step_s; }) {
        return minimum(Real(schedule.end_s), fma(Real(1.0 + 1e-9), memory.step_s, progress.time_s));
    } else {
        const MaskOf<Real> whole = progress.steps < Real(schedule.full_steps);
        return select(whole, (progress.steps + Real(1.0)) * Real(schedule.step_s), Real(schedule.end_s));
    }
}

// The first jump of a driver's rate behind begin_s, up to end_s; all jumps of values.
template <class System, class Real = typename System::Real>
MYRIAD_APART DriverJump<Real> first_jump(const System system, MaskOf<Real> lanes, Real begin_s, Real end_s) {
    using Mask = MaskOf<Real>;
    constexpr int halvings = sizeof(NumberOf<Real>) == 8 ? 54 : 26;
    const Mask none = !true_mask<Real>();
    SidesOfDrivers<System> sides{system, {}, {}};
    DriverJump<Real> found{none, none, end_s, end_s};
    Mask searching = lanes;
    Real from_s = begin_s, side_s = moment_after(begin_s);
    for (int corner = 0;; ++corner) {
        sides.look(end_s, side_s, end_s);
        searching = searching & sides.differ();
        if (!any(searching)) return found;
        if (corner == most_corners_of_step) break;
        Real low = from_s, high = end_s;
        for (int i = 0; i < halvings; ++i) {
            const Real middle = fma(Real(0.5), high - low, low);
            sides.look(middle, side_s, middle);
            const Mask is_beyond = sides.differ();
            high = select(is_beyond, middle, high), low = select(is_beyond, low, middle);
        }
        sides.look(low, side_s, high);
        const Mask jumps = searching & sides.rates_jump(end_s - begin_s, end_s), is_first = jumps & !found.jumps;
        found.before_s = select(is_first, moment_after(low), found.before_s);
        found.time_s = select(is_first, high, found.time_s);
        found.jumps = found.jumps | jumps, found.breaks = found.breaks | (searching & sides.values_jump());
        from_s = select(searching, high, from_s), side_s = select(searching, moment_after(high), side_s);
    }
    const Mask is_first = searching & !found.jumps;
    found.before_s = select(is_first, side_s, found.before_s), found.time_s = select(is_first, from_s, found.time_s);
    found.jumps = found.jumps | searching;
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
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Real take_jump(const System& system, const System& before, MaskOf<Real> lanes, Real time_s,
                               Motion<System>& motion, Memory& memory, Real& weak_place) {
    const auto& topology = system.topology;
    typename System::Scratch scratch;
    ImpulseOfDrivers<System> impulse{system, before, {}, {}};
    Real reason = impulse.move(lanes, time_s, scratch, motion, memory.work);
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
