// The static equilibrium of a mechanism in joint coordinates that it settles in from a given pose.
//
//   at rest      M a + B^T lambda = f(q, 0),  B a = 0         a: what the forces would do
//   correction   [M + tau^2 K  B^T; B  0] (z, x) = (-r, -phi / tau^2),   dq = tau^2 z
//   taken        where M + tau^2 K is positive along what the rows leave free, or z is next to nothing; cut to a third
//                of a radian and to a length that doubles; tau^2 grows fourfold, or is halved if it is not taken
//   at a saddle  K is not positive: all freedoms are moved a little, and the search goes on; a start at one stays
//
// K: the derivative of r with q, multipliers held (exact_matrix.hpp with c_a = 1, c_v = 0, c_q = tau^2). A positive
// matrix leads downhill, away from saddles; large tau^2 are Newton's method. Rows are met after each (projection.hpp).
// Functions of time: at time 0. Units: s, and those of the freedoms. Source: pseudo-transient continuation (Kelley,
// Keyes 1998, SIAM J. Numer. Anal. 35, 508). Not handled: which of several stable equilibria a person would mean;
// dampers and gyroscopic forces, which may hold where the stiffness does not.
#pragma once
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_corrections_to_equilibrium = 1000;
constexpr double longest_correction_to_equilibrium = 0.3;  // m over length_scale, at first; rad
constexpr double move_from_saddle = 0.01;                  // m over length_scale, rad
constexpr double most_saddles = 3.0;                       // that a search leaves
constexpr double longest_square_time = 1e12;               // s^2

template <class System>
MYRIAD_HD void still_functions(const System& system, typename System::Scratch& scratch) {
    using Real = typename System::Real;
    system.functions_at(Real(0.0), scratch.functions);
    MYRIAD_EACH(i, system.topology, functions)
        scratch.functions[i].rate = scratch.functions[i].acceleration = Real(0.0);
}

// The multipliers at rest, and the length of the accelerations.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real load_at_rest(const System& system, typename System::Scratch& scratch,
                            const typename System::Configuration& q, const typename System::Velocity& still,
                            typename System::MultiplierVector& multipliers) {
    const Real zero(0.0), one(1.0);
    still_functions(system, scratch);
    MYRIAD_EACH(r, system.topology, rows) multipliers[r] = zero;
    system.equations().evaluate(q, still, still, multipliers.e, {zero, zero, one, Level::acceleration, true, true},
                                scratch);
    scratch.system.factor();
    scratch.system.solve(scratch.solution.e, scratch.row_solution);
    MYRIAD_EACH(r, system.topology, rows) multipliers[r] = scratch.row_solution[r];
    Correction<Real> of_rest{zero, !true_mask<Real>()};
    system.measure(q, still, scratch.solution, one, of_rest);
    return sqrt(of_rest.square);
}

// The correction z, in the scratch. Returns the lanes whose matrix is positive along what the rows leave free.
template <class System, class Real = typename System::Real>
MYRIAD_HD MaskOf<Real> correct_at_rest(const System& system, typename System::Scratch& scratch,
                                       const typename System::Configuration& q, const typename System::Velocity& still,
                                       const typename System::MultiplierVector& multipliers, Real square_time,
                                       typename System::Velocity& force) {
    const auto equations = system.equations();
    const JointLinearization<Real> by{Real(0.0), square_time, Real(1.0) / square_time, Level::position, true, false};
    still_functions(system, scratch);
    equations.evaluate(q, still, still, multipliers.e, by, scratch);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.freedoms(); ++i) force[i] = scratch.solution[i];
    ExactMatrix<Real, typename System::Topology, typename System::Parameters> matrix(equations);
    return matrix.solve_at_rest(q, still, multipliers.e, by, scratch);
}

// A small move of all freedoms, another one at each iteration; prescribed ones stay.
template <class System>
MYRIAD_HD void move_off(const System& system, int iteration, typename System::Velocity& move) {
    using Real = typename System::Real;
    const auto& topology = system.topology;
    const Real length = system.parameter(length_scale_parameter);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
        // Shares between -1 and 1 without an order that a mechanism may have, too.
        const Real share(move_from_saddle * (((37 * i + 101 * iteration + 11) % 97) - 48.5) / 48.5);
        move[i] = topology.is_turn(i) ? share : share * length;
    }
    MYRIAD_EACH(i, topology, prescribed) move[topology.prescribed_coordinate(i).freedom] = Real(0.0);
}

// Moves q of the lanes in `lanes`, whose rows are met, to an equilibrium. Returns the lanes that have one; the others
// keep their q. A saddle is one where nothing else is found, or where q was one.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE MaskOf<Real> find_equilibrium(const System& system, typename System::Scratch& scratch,
                                              MaskOf<Real> lanes, typename System::Configuration& q) {
    using Mask = MaskOf<Real>;
    const auto& topology = system.topology;
    const Real zero(0.0), one(1.0), widest(longest_correction_to_equilibrium);
    typename System::Velocity still, force, increment, move, rates;
    typename System::MultiplierVector multipliers;
    typename System::Configuration given = q, trial = q, saddle = q;
    system.set_still(still), system.set_still(force), system.set_still(increment), system.set_still(move);
    multipliers.fit(topology);
    // Below the first the correction is Newton's last one, below the second it is Newton's whatever the matrix.
    const Real settled = constant<Real>(1e-11, 1e-5), is_near = constant<Real>(1e-6, 1e-3);
    Real longest = widest, square_time = zero, saddles = zero;  // square_time: tau^2; 0 before the first correction
    Mask going = lanes, found = !true_mask<Real>(), at_saddle = !true_mask<Real>();
    for (int iteration = 0; iteration < most_corrections_to_equilibrium && any(going); ++iteration) {
        const Real acceleration = load_at_rest(system, scratch, q, still, multipliers);
        // With this time the forces alone lead a tenth of a radian.
        const Real natural = minimum(Real(0.1) / acceleration, Real(1e6));
        square_time = select(square_time == zero, natural, square_time);
        const Mask positive = correct_at_rest(system, scratch, q, still, multipliers, square_time, force);
        Correction<Real> correction{zero, !true_mask<Real>()};
        system.measure(q, still, scratch.solution, square_time, correction);
        Real along(0.0), turn(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
            along = fma(force[i], scratch.solution[i], along);
            increment[i] = square_time * scratch.solution[i];
            if (topology.is_turn(i)) turn = fma(increment[i], increment[i], turn);
        }
        const Real length = sqrt(correction.square);
        const Real share = minimum(one, minimum(longest / length, widest / sqrt(turn)));
        const Mask is_whole = one <= share,
                   rests = (length <= maximum(settled, correction.round_off)) & (natural <= square_time);
        const Mask leaves = going & rests & (!positive);
        const Mask taken = going & (!leaves) & ((positive & (zero < along)) | (length <= is_near));
        keep(leaves, q, saddle);
        at_saddle = at_saddle | leaves,
        saddles = saddles + select(leaves, Real(iteration == 0 ? most_saddles : 1.0), zero);
        move_off(system, iteration, move);
        trial = q;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) increment[i] =
            select(taken, share * increment[i], select(leaves, move[i], zero));
        system.retract(q, increment, trial);
        system.set_still(rates);
        const RowsMet<Real> met = meet_rows(system, scratch, taken | leaves, zero, trial, rates);
        const Mask moves = (taken | leaves) & met.outcome.converged;
        keep(moves, trial, q);
        const Real longer = select(is_whole, minimum(Real(4.0) * square_time, Real(longest_square_time)), square_time);
        square_time = select(moves, select(leaves, zero, longer), Real(0.5) * square_time);
        longest = select(leaves, widest, select(moves & (!is_whole), longest + longest, longest));
        found = found | (moves & rests & positive);
        going = going & (!found) & is_finite(acceleration) & (saddles < Real(most_saddles)) &
                ((leaves & moves) | ((!leaves) & (Real(1e-14) <= square_time)));
    }
    keep(at_saddle & (!found), saddle, q);
    found = found | at_saddle;
    keep(!found, given, q);
    return found;
}

// The lanes in which the stiffness does not hold the mechanism where it rests, at q.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE MaskOf<Real> rests_unstably(const System& system, const typename System::Configuration& q) {
    typename System::Scratch scratch;
    typename System::Velocity still, force;
    typename System::MultiplierVector multipliers;
    system.set_still(still), system.set_still(force), multipliers.fit(system.topology);
    load_at_rest(system, scratch, q, still, multipliers);
    return !correct_at_rest(system, scratch, q, still, multipliers, Real(longest_square_time), force);
}

// Replaces an assembled state by one at rest in an equilibrium near it; prescribed coordinates and rows that move in
// time have their rates at time 0. Counts how far it changes velocities that the file gives to the bodies, `placed`,
// and joints.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void start_at_equilibrium(const System& system, typename System::Scratch& scratch,
                                          const typename System::BodyForm::Places& placed,
                                          typename System::Configuration& q, typename System::Velocity& v,
                                          Assembled<Real>& assembled) {
    const typename System::Velocity given = v;
    const MaskOf<Real> found = find_equilibrium(system, scratch, assembled.reason <= Real(0.0), q);
    assembled.reason = reason_unless(found, Reason::no_equilibrium, assembled.reason);
    system.set_still(v);
    system.prescribe_at(Real(0.0), q, v);
    if (system.topology.constraint_rows() > 0) meet_rows(system, scratch, found, Real(0.0), q, v);
    pose_at(system, scratch, q, v);
    const Real change = change_of_given_rates(system, scratch, given, v, placed),
               before = assembled.velocity_correction;
    assembled.velocity_correction = select(found, sqrt(fma(change, change, before * before)), before);
}

// Bits of Warning of a start at q, in `lanes`.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real warnings_at_equilibrium(const System& system, const typename System::Configuration& q,
                                       [[maybe_unused]] MaskOf<Real> lanes) {
    if constexpr (has_exact_matrix)
        if (system.topology.starts_at_equilibrium())
            return select(lanes & rests_unstably(system, q), Real(static_cast<double>(Warning::equilibrium_unstable)),
                          Real(0.0));
    return Real(0.0);
}

}  // namespace myriad::inline MYRIAD_VARIANT
