// Puts a mechanism together: a state that satisfies its constraints, found from the one its file gives.
//
//   positions      [M B^T; B 0] (dz, mu) = -(M Z, phi)             Newton, from start_pose.hpp; Z: the change so far
//   velocities     [M B^T; B 0] (dv, mu) = -(0, B v + phi_t)       from start_motion.hpp, again until the rows are met
//
// Pinned bodies and given velocities stay; given velocities that contradict each other all change. An instance that
// misses removed, redundant rows is refused, and so is one whose joints cannot start where they are to:
// host/mechanism/assembly/start_values.hpp has moved the bodies before, or says which row stays open. Not handled: a
// second way to put the mechanism together (the nearest one is taken).
#pragma once
#include "kernels/contact/equations.hpp"
#include "kernels/mechanism/element_sums.hpp"
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/start_motion.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A mechanism is together when no constraint row is beyond this, in m over length_scale and in rad.
template <class Real>
MYRIAD_HD Real assembled_tolerance() {
    return constant<Real>(1e-9, 1e-4);
}
constexpr int most_assembly_iterations = 50;
// Corrections of velocities. One meets the rows but for what light bodies beside heavy ones leave open.
constexpr int most_rate_corrections = 8;

// The largest |phi| (level position) or |phi'| of all constraint rows, watched ones included; NaN counts as largest.
template <class System, class Real = typename System::Real>
MYRIAD_HD Residual<Real> largest_residual(const System& system, const typename System::Places& work,
                                          const Taylor<Real>* functions, const Real* turned, Level level,
                                          bool only_active) {
    const auto equations = system.equations(functions);
    return largest_residual_of<Real>(system.topology, work.bodies, level, only_active,
                                     [&](const Element& element)
                                         MYRIAD_INLINE { return equations.rows(element, work.bodies, turned); });
}

// The number of the row, from 1, that bodies miss although it was removed as redundant; 0: none. The rows that are kept
// are met to Newton's tolerance, and the others as well as long as they follow from these.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real missed_row_of(const System& system, const typename System::Configuration& q, Real time_s) {
    typename System::Places work;
    Taylor<Real> functions[System::Topology::most_functions];
    system.functions_at(time_s, functions);
    system.place(q, work.bodies);
    const auto all = largest_residual(system, work, functions, q.turned, Level::position, false),
               kept = largest_residual(system, work, functions, q.turned, Level::position, true);
    return select(fma(Real(100.0), kept.largest, largest_missed_row<Real>()) < all.largest, all.row, Real(0.0));
}

template <class System, class Real = typename System::Real>
MYRIAD_HD MaskOf<Real> is_together(const System& system, const Residual<Real>& position) {
    return position.largest <=
           assembled_tolerance<Real>() * maximum(Real(1.0), system.parameter(length_scale_parameter));
}

template <class System, class Real = typename System::Real>
MYRIAD_HD Real open_start_row(const System& system) {
    const int parameter = system.topology.open_start_row();
    return parameter == 0 ? Real(0.0) : system.parameter(parameter);
}
// How far start values of joints have changed given poses (which: 1) and given velocities (2) before.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real changed_before(const System& system, int which) {
    const int parameter = system.topology.open_start_row();
    return parameter == 0 ? Real(0.0) : system.parameter(parameter + which);
}

// The row in which an assembly that ended in q, v failed. For a loop that does not close it is the row that the given
// state is farthest from, because Newton's last pose is an accident; else the worst of positions or velocities.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real worst_row_of(const System& system, Real reason, const typename System::Configuration& q,
                                  const typename System::Velocity& v) {
    typename System::Places work;
    Taylor<Real> functions[System::Topology::most_functions];
    system.functions_at(Real(0.0), functions);
    system.place(q, v, work.bodies);
    const auto position = largest_residual(system, work, functions, q.turned, Level::position, false),
               velocity = largest_residual(system, work, functions, q.turned, Level::velocity, false);
    typename System::Configuration given;
    typename System::Velocity given_velocity;
    given.fit(system.topology), given_velocity.fit(system.topology);
    system.start(given, given_velocity);
    system.place(given, work.bodies);
    const auto before = largest_residual(system, work, functions, given.turned, Level::position, false);
    const Real open = open_start_row(system);
    const Real worst = select(reason == Real(static_cast<double>(Reason::loop_does_not_close)), before.row,
                              select(is_together(system, position), velocity.row, position.row));
    return select(open == Real(0.0), worst, open);
}

// One solve with [M B^T; B 0] for the bodies in scratch.work: corrections of positions or velocities, which are short
// in the norm of the masses. A call, so that a kernel has the elimination once and not once for each level.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_NOINLINE Correction<Real> solve_saddle_point(const System& system, Level level, bool pinned,
                                                    const typename System::Configuration& q, Scratch& scratch) {
    system.equations(scratch.functions).evaluate(scratch.work, level, pinned, q.turned, scratch.matrix);
    const MaskOf<Real> perturbed = system.topology.template factor<Real>(scratch.matrix);
    system.solve(scratch.work, scratch.matrix);
    return {system.square_of(scratch.work), perturbed};
}

// What a rate that is met may leave open is relative to this: the largest speed in `work`, m/s, and the length scale.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real speed_of(const System& system, const typename System::Places& work) {
    const Real length = maximum(Real(1.0), system.parameter(length_scale_parameter));
    Real speed = length;
    MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
        speed = maximum(absolute(work.bodies.of[b].velocity[i]), speed);
        speed = maximum(length * absolute(work.bodies.of[b].angular_velocity[i]), speed);
    }
    return speed;
}
template <class System, class Real>
MYRIAD_HD MaskOf<Real> rates_are_met(const System& system, const typename System::Places& work,
                                     const Taylor<Real>* functions, const Real* turned, Real tolerance,
                                     bool only_active) {
    const Real rate = largest_residual(system, work, functions, turned, Level::velocity, only_active).largest;
    return rate <= tolerance * speed_of(system, work);
}

// Changes the velocities in scratch.work of some lanes by the least that meets the active rows. `holds`: given ones
// stay. work.moved and work.turned are left with the changes.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_NOINLINE void meet_rates(const System& system, Scratch& scratch, const typename System::Configuration& q,
                                MaskOf<Real> lanes, bool holds) {
    const auto& topology = system.topology;
    auto& work = scratch.work;
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) work.moved[b] = work.turned[b] = Vec<3, Real>{};
    MaskOf<Real> going = lanes;
    Real before(0.0);
    for (int i = 0; i < most_rate_corrections; ++i) {
        // Round-off may leave more than this; then it falls no further.
        const Real met = constant<Real>(1e-16, 1e-7) * speed_of(system, work);
        const Real rate = largest_residual(system, work, scratch.functions, q.turned, Level::velocity, true).largest;
        going = going & (!(rate <= met));
        if (i > 0) going = going & (rate < Real(0.25) * before);
        before = rate;
        if (!any(going)) return;
        solve_saddle_point(system, Level::velocity, holds, q, scratch);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int held = holds ? topology.pinned(b) : 0;
            const Real zero(0.0);
            Place<Real>& body = work.bodies.of[b];
            const Vec<3, Real> x = system.solved_translation(work, b), z = system.solved_rotation(work, b);
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                const Real faster = held & holds_velocity ? zero : select(going, x[k], zero),
                           turning = held & holds_angular_velocity ? zero : select(going, z[k], zero);
                work.moved[b][k] = work.moved[b][k] + faster, work.turned[b][k] = work.turned[b][k] + turning;
                body.velocity[k] = body.velocity[k] + faster;
                body.angular_velocity[k] = body.angular_velocity[k] + turning;
            }
        }
    }
}

// The velocities of a start or of a motion that goes on: those in scratch.work become ones that meet all rows. Adds the
// change of given ones to `assembled`.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_NOINLINE void assemble_velocities(const System& system, Scratch& scratch,
                                         const typename System::Configuration& q, bool is_start,
                                         Assembled<Real>& assembled) {
    const auto& topology = system.topology;
    auto& work = scratch.work;
    const Real tolerance = assembled_tolerance<Real>();
    GivenMotion<Real, System::Topology::most_bodies> given, walked;
    bool holds = false;
    const bool has_motion = is_start && topology.moves_at_start(), together = has_motion && topology.starts_together();
    if (has_motion) {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            given.velocity[b] = work.bodies.of[b].velocity;
            given.angular_velocity[b] = work.bodies.of[b].angular_velocity;
            holds = holds || (topology.pinned(b) & (holds_velocity | holds_angular_velocity)) != 0;
        }
        find_start_motion(system, scratch.functions, q.turned, given, false, work);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            walked.velocity[b] = work.bodies.of[b].velocity;
            walked.angular_velocity[b] = work.bodies.of[b].angular_velocity;
        }
    }
    if (together) {
        find_start_motion(system, scratch.functions, q.turned, given, true, work);
        StartTogether<System>(system, scratch.functions, q.turned, work).meet(given);
    }
    meet_rates(system, scratch, q, true_mask<Real>(), holds);
    if (holds || together) {
        MaskOf<Real> contradict = !rates_are_met(system, work, scratch.functions, q.turned, tolerance, false);
        if (together) {
            const Real change = system.parameter(length_scale_parameter) * change_of_given_motion(system, given, work);
            contradict = contradict | !(change <= tolerance * speed_of(system, work));
        }
        if (any(contradict)) {
            MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
                Place<Real>& body = work.bodies.of[b];
                body.velocity = select(contradict, walked.velocity[b], body.velocity);
                body.angular_velocity = select(contradict, walked.angular_velocity[b], body.angular_velocity);
            }
            meet_rates(system, scratch, q, contradict, false);
        }
    }
    if (has_motion) {
        const Real before = changed_before(system, 2), change = change_of_given_motion(system, given, work);
        assembled.velocity_correction = sqrt(fma(before, before, change * change));
    }
    const Real rate = largest_residual(system, work, scratch.functions, q.turned, Level::velocity, false).largest;
    const MaskOf<Real> is_met = rate <= tolerance * speed_of(system, work), says_nothing = !is_finite(rate);
    assembled.reason = reason_unless(is_met | says_nothing, Reason::constraints_inconsistent, assembled.reason);
}

// Takes the raw state in q, v to a consistent one, at time_s. At the start of a run bodies that the file pins stay.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Assembled<Real> assemble_bodies(const System& system, Real time_s, bool is_start,
                                                typename System::Scratch& scratch, typename System::Configuration& q,
                                                typename System::Velocity& v) {
    using Chart = typename System::Chart;
    const auto& topology = system.topology;
    auto& work = scratch.work;
    const Real one(1.0), zero(0.0);
    const int bodies = topology.bodies();
    Rotation<Real> orientation[System::Topology::most_bodies];
    system.functions_at(time_s, scratch.functions);
    system.place(q, v, work.bodies);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
        orientation[b] = Chart::rotation(q.orientation[b]);
        work.moved[b] = work.turned[b] = Vec<3, Real>{};
    }
    const Real inverse_length = one / system.parameter(length_scale_parameter);
    const auto square_moved = [&] {
        Real square(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            const Vec<3, Real> moved = inverse_length * work.moved[b];
            square = square + (dot(moved, moved) + dot(work.turned[b], work.turned[b]));
        }
        return square;
    };
    Assembled<Real> assembled{zero, zero};
    if (is_start) {
        StartPose<System>(system, scratch.functions, work, orientation).find();
        const Real before = changed_before(system, 1);
        assembled.correction = fma(before, before, square_moved());
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) work.moved[b] = work.turned[b] = Vec<3, Real>{};
    }
    // The velocities that the file gives move with the bodies: in body frames where they turn.
    newton<Real>(
        true_mask<Real>(), most_assembly_iterations, constant<Real>(1e-13, 1e-6), [&](MaskOf<Real> going, bool) {
            const Correction<Real> correction = solve_saddle_point(system, Level::position, is_start, q, scratch);
            MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
                const Vec<3, Real> x = system.solved_translation(work, b);
                // A Newton correction beyond the series of the exponential is no good direction anyway; it is cut.
                const Vec<3, Real> z = system.solved_rotation(work, b);
                const Real length = sqrt(dot(z, z));
                const Vec<3, Real> cut = select(length <= one, one, one / length) * z;
                work.moved[b] = select(going, work.moved[b] + x, work.moved[b]);
                work.turned[b] = select(going, work.turned[b] + cut, work.turned[b]);
                work.bodies.of[b].position = select(going, work.bodies.of[b].position + x, work.bodies.of[b].position);
                orientation[b] = select(going, renormalized(orientation[b] * exp(cut)), orientation[b]);
                work.bodies.of[b].matrix = matrix_of(orientation[b]);
            }
            return correction;
        });
    if (is_start)
        assembled.reason =
            reason_unless(open_start_row(system) == zero, Reason::constraints_inconsistent, assembled.reason);
    assembled.correction = sqrt(assembled.correction + square_moved());
    const auto within = [&](bool only_active) {
        const auto residual = largest_residual(system, work, scratch.functions, q.turned, Level::position, only_active);
        return is_together(system, residual);
    };
    assembled.reason = reason_unless(within(true), Reason::loop_does_not_close, assembled.reason);
    assembled.reason = reason_unless(within(false), Reason::constraints_inconsistent, assembled.reason);

    assemble_velocities(system, scratch, q, is_start, assembled);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
        typename Chart::Rates rates;
        q.position[b] = work.bodies.of[b].position;
        Chart::start(orientation[b], work.bodies.of[b].angular_velocity, q.orientation[b], rates);
        v.set(b, work.bodies.of[b].velocity, rates);
    }
    system.count_turns(q);
    return assembled;
}

}  // namespace myriad::inline MYRIAD_VARIANT
