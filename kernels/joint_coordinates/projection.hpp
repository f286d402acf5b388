// Brings a state in joint coordinates onto its rows by the least change in the norm of the masses, and its couplings.
//
//   positions    [M B^T; B 0] (z, mu) = (0, -phi),   q <- q o exp(z), again until z is round-off
//   velocities   [M B^T; B 0] (w, mu) = (0, -phi'),  v <- v + w
//
// M and B are made anew at every q, so what a lane gets does not depend on how long its neighbours go on. Prescribed
// coordinates have their values already and keep them. Units: those of the freedoms; s. Source: Eich 1993. Not
// handled: a second way to meet the rows.
#pragma once
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/math/newton.hpp"
#include "kernels/mechanism/assembly.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Corrections of positions. After a step one or two do.
constexpr int most_projections = 20;

template <class Real>
struct RowsMet {
    NewtonOutcome<Real> outcome;  // of positions
    Real weak_place;              // the first weak pivot, as SaddlePoint::factor says; -1: none
    Real distance;                // of the change: m over length_scale, rad
};

// Coordinates that keep what they are given, in bits: 1 the position, 2 the rate. Here none does.
struct NoneIsHeld {
    MYRIAD_HD int operator()(int) const { return 0; }
};

// Takes the held freedoms from the unknowns. A row that then moves nothing is left as it is.
template <class System, class Held>
MYRIAD_HD void hold_in_projection(const System& system, const Held& held, int bit, typename System::Scratch& scratch) {
    using Real = typename System::Real;
    const auto& topology = system.topology;
    bool any_held = false;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
        if (!(held(i) & bit)) continue;
        scratch.system.hold(i);
        any_held = true;
    }
    if (!any_held) return;
    MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) {
        Real size(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) size =
            maximum(absolute(scratch.system.gradient_of(r)[i]), size);
        const MaskOf<Real> moves = Real(0.0) < size;
        scratch.system.scale[r] = select(moves, scratch.system.scale[r], Real(0.0));
        scratch.system.compliance[r] = select(moves, scratch.system.compliance[r], Real(1.0));
    }
}

// Moves the lanes in `lanes` to the rows at `time_s`. `scratch` is left with the functions of time, and with the
// factors of masses and rows at the q that comes out.
template <class System, class Held = NoneIsHeld, class Real = typename System::Real>
MYRIAD_NOINLINE RowsMet<Real> meet_rows(const System& system, typename System::Scratch& scratch, MaskOf<Real> lanes,
                                        Real time_s, typename System::Configuration& q, typename System::Velocity& v,
                                        const Held& held = {}) {
    const auto& topology = system.topology;
    const Real zero(0.0), one(1.0);
    system.functions_at(time_s, scratch.functions);
    typename System::Velocity still, increment, moved;
    typename System::MultiplierVector none;
    system.set_still(still), system.set_still(increment), system.set_still(moved), none.fit(topology);
    MYRIAD_UNROLL_PLAN for (int r = 0; r < topology.rows(); ++r) none[r] = zero;
    RowsMet<Real> met;
    met.weak_place = Real(-1.0);
    const auto solve = [&](MaskOf<Real> going, Level level, const typename System::Velocity& rates) {
        system.equations().evaluate(q, rates, still, none.e, {zero, zero, one, level, false, true}, scratch);
        hold_in_projection(system, held, level == Level::position ? 1 : 2, scratch);
        const Real weak = scratch.system.factor();
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
        met.weak_place = select(going & (met.weak_place < zero), weak, met.weak_place);
        return zero <= weak;
    };
    met.outcome = newton<Real>(lanes, most_projections, constant<Real>(1e-13, 1e-6), [&](MaskOf<Real> going, bool) {
        Correction<Real> correction{zero, solve(going, Level::position, still)};
        system.measure(q, still, scratch.solution, one, correction);
        // A correction beyond the series of the exponential is no good direction anyway; it is cut.
        const Real square = Real(4.0) * system.reach(scratch.solution);
        const Real share = select(square <= one, one, one / sqrt(square));
        MYRIAD_UNROLL_PLAN for (int i = 0; i < increment.size(); ++i) {
            increment[i] = select(going, share * scratch.solution[i], zero);
            moved[i] = moved[i] + increment[i];
        }
        system.retract(q, increment, q);
        correction.by_older_matrix = !true_mask<Real>();
        // Round-off of large coordinates does not fall below any tolerance.
        const MaskOf<Real> is_round_off = correction.square <= correction.round_off * correction.round_off;
        correction.square = select(is_round_off, zero, correction.square);
        return correction;
    });
    system.settle(q);
    Correction<Real> total;
    system.measure(q, still, moved, one, total);
    met.distance = sqrt(total.square);
    solve(lanes, Level::velocity, v);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < v.size(); ++i) v[i] = select(lanes, v[i] + scratch.solution[i], v[i]);
    scratch.weak_place = met.weak_place;
    return met;
}

// Couplings among the largest residuals. `rows`: how many rows are counted before them.
template <class System, class Real = typename System::Real>
MYRIAD_HD void add_coupling_residuals(const System& system, const typename System::Configuration& q,
                                      const typename System::Velocity& v, Level level, int rows,
                                      Residual<Real>& worst) {
    const auto equations = system.equations();
    MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.couplings(); ++i) {
        const CoordinateCoupling& coupling = system.topology.coupling(i);
        worst.keep(absolute(level == Level::position ? equations.coupling_value(coupling, q)
                                                     : equations.coupling_rate(coupling, v)),
                   rows + i + 1);
    }
}

// The largest residual of the rows and couplings; the joints of the tree have none. `seen`: frames of the links and
// functions of time.
template <class System, class Seen, class Real = typename System::Real>
MYRIAD_HD Real joint_residual(const System& system, const typename System::Configuration& q,
                              const typename System::Velocity& v, const Seen& seen, Level level) {
    const auto equations = system.equations();
    Residual<Real> worst = largest_residual_of<Real>(
        system.topology, seen.frames, level, false, [&](const Element& element) MYRIAD_INLINE {
            return equations.rows(element, seen.frames, seen.functions, q.turned);
        });
    add_coupling_residuals(system, q, v, level, 0, worst);
    return worst.largest;
}

// Coordinates to which the file gives a start value.
template <class Topology>
struct HeldAtStart {
    const Topology& topology;
    MYRIAD_HD int operator()(int freedom) const { return topology.held_at_start(freedom); }
};

// Takes a state that the bodies' assembly has put together to one that its couplings hold in, too. Coordinates to which
// the file gives start values keep them.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void couple(const System& system, typename System::Scratch& scratch, typename System::Configuration& q,
                            typename System::Velocity& v, Assembled<Real>& assembled) {
    const auto& topology = system.topology;
    const auto links = system.equations().links();
    const HeldAtStart<typename System::Topology> held{topology};
    const RowsMet<Real> met = meet_rows(system, scratch, true_mask<Real>(), Real(0.0), q, v, held);
    assembled.correction = sqrt(fma(met.distance, met.distance, assembled.correction * assembled.correction));
    place_links(links, q, scratch.places);
    pose_links(links, scratch.places, scratch.frames.of);
    rate_links(links, scratch.places, v, scratch.frames.of);
    const Real one(1.0), length = maximum(one, system.parameter(length_scale_parameter));
    const Real position = joint_residual(system, q, v, scratch, Level::position),
               rate = joint_residual(system, q, v, scratch, Level::velocity);
    Real speed(0.0), size(1.0);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) speed =
        maximum((topology.is_turn(i) ? length : one) * absolute(v[i]), speed);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.couplings(); ++i) size =
        maximum(absolute(coordinate(q, topology.coupling(i).freedom[1])), size);
    const Real tolerance = assembled_tolerance<Real>();
    assembled.reason = reason_unless(position <= tolerance * maximum(length, size), Reason::constraints_inconsistent,
                                     assembled.reason);
    assembled.reason =
        reason_unless(rate <= tolerance * maximum(length, speed), Reason::constraints_inconsistent, assembled.reason);
}

}  // namespace myriad::inline MYRIAD_VARIANT
