// The static equilibrium of a mechanism in joint coordinates that it settles in from a given pose.
//
//   at rest      M a + B^T lambda = f(q, 0),  B a = 0         a: what the forces would do
//   correction   [M + tau^2 K  B^T; B  0] (z, x) = (-r, -phi / tau^2),   dq = tau^2 z,   r = -f + B^T lambda
//   taken        where it is along the forces, M a . z > 0, cut to a third of a radian and to a length that doubles;
//                tau^2 grows tenfold where it is whole, and falls to a tenth where it is not taken
//
// K: the derivative of r with the configuration, multipliers held (exact_matrix.hpp with c_a = 1, c_v = 0, c_q =
// tau^2). Small tau^2 follow the forces as a motion without inertia would, so that stable equilibria are found; large
// ones are Newton's method with c_a = 0. Rows are met after every correction (projection.hpp). Functions of time have
// their values at time 0. Units: s, and those of the freedoms. Source: pseudo-transient continuation (Kelley, Keyes
// 1998, SIAM J. Numer. Anal. 35, 508). Not handled: which of several equilibria a person would mean.
#pragma once
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_corrections_to_equilibrium = 300;
constexpr double longest_correction_to_equilibrium = 0.3;  // m over length_scale, at first; rad

template <class System>
MYRIAD_HD void still_functions(const System& system, typename System::Scratch& scratch) {
    using Real = typename System::Real;
    system.functions_at(Real(0.0), scratch.functions);
    MYRIAD_EACH(i, system.topology, functions)
        scratch.functions[i].rate = scratch.functions[i].acceleration = Real(0.0);
}

// Moves q of the lanes in `lanes`, whose rows are met, to an equilibrium. Returns the lanes that have one; the others
// keep their q.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE MaskOf<Real> find_equilibrium(const System& system, typename System::Scratch& scratch,
                                              MaskOf<Real> lanes, typename System::Configuration& q) {
    using Mask = MaskOf<Real>;
    const auto& topology = system.topology;
    const auto equations = system.equations();
    const Real zero(0.0), one(1.0);
    typename System::Velocity still, force, increment, rates;
    typename System::MultiplierVector multipliers;
    typename System::Configuration given = q, trial = q;
    system.set_still(still), system.set_still(force), system.set_still(increment), multipliers.fit(topology);
    // Below the first the correction is Newton's last one, below the second its sign says nothing.
    const Real settled = constant<Real>(1e-11, 1e-5), is_near = constant<Real>(1e-6, 1e-3);
    Real longest(longest_correction_to_equilibrium), square_time = zero;  // tau^2; 0 before the first correction
    Mask going = lanes, found = !true_mask<Real>();
    for (int iteration = 0; iteration < most_corrections_to_equilibrium && any(going); ++iteration) {
        still_functions(system, scratch);
        MYRIAD_EACH(r, topology, rows) multipliers[r] = zero;
        equations.evaluate(q, still, still, multipliers.e, {zero, zero, one, Level::acceleration, true, true}, scratch);
        scratch.system.factor();
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
        MYRIAD_EACH(r, topology, rows) multipliers[r] = scratch.row_solution[r];
        Correction<Real> of_rest{zero, !true_mask<Real>()};
        system.measure(q, still, scratch.solution, one, of_rest);
        // With this time the forces alone lead a tenth of a radian.
        const Real natural = minimum(Real(0.1) / sqrt(of_rest.square), Real(1e6));
        square_time = select(square_time == zero, natural, square_time);

        const JointLinearization<Real> by{zero, square_time, one / square_time, Level::position, true, false};
        still_functions(system, scratch);
        equations.evaluate(q, still, still, multipliers.e, by, scratch);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) force[i] = scratch.solution[i];
        ExactMatrix<Real, typename System::Topology, typename System::Parameters> matrix(equations);
        matrix.solve(q, still, still, still, multipliers.e, by, scratch);
        Correction<Real> correction{zero, !true_mask<Real>()};
        system.measure(q, still, scratch.solution, square_time, correction);
        Real along(0.0), turn(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
            along = fma(force[i], scratch.solution[i], along);
            increment[i] = square_time * scratch.solution[i];
            if (topology.is_turn(i)) turn = maximum(absolute(increment[i]), turn);
        }
        const Real length = sqrt(correction.square), widest(longest_correction_to_equilibrium);
        const Real share = minimum(one, minimum(longest / length, widest / turn));
        const Mask is_whole = one <= share,
                   is_last = (length <= maximum(settled, correction.round_off)) & (natural <= square_time);
        const Mask taken = going & ((zero < along) | (length <= is_near));
        trial = q;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) increment[i] =
            select(taken, share * increment[i], zero);
        system.retract(q, increment, trial);
        system.set_still(rates);
        const RowsMet<Real> met = meet_rows(system, scratch, taken, zero, trial, rates);
        const Mask moves = taken & met.outcome.converged;
        keep(moves, trial, q);
        const Real longer = select(is_whole, minimum(Real(10.0) * square_time, Real(1e12)), square_time);
        square_time = select(moves, longer, Real(0.1) * square_time);
        longest = select(moves & (!is_whole), longest + longest, longest);
        found = found | (moves & is_last);
        going = going & (!(moves & is_last)) & is_finite(of_rest.square) & (Real(1e-14) <= square_time);
    }
    keep(!found, given, q);
    return found;
}

// Replaces an assembled state by one at rest in an equilibrium near it; prescribed coordinates and rows that move in
// time have their rates at time 0.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void start_at_equilibrium(const System& system, typename System::Scratch& scratch,
                                          typename System::Configuration& q, typename System::Velocity& v,
                                          Assembled<Real>& assembled) {
    const MaskOf<Real> found = find_equilibrium(system, scratch, assembled.reason <= Real(0.0), q);
    assembled.reason = reason_unless(found, Reason::no_equilibrium, assembled.reason);
    system.set_still(v);
    system.prescribe_at(Real(0.0), q, v);
    if (system.topology.constraint_rows() > 0) meet_rows(system, scratch, found, Real(0.0), q, v);
}

}  // namespace myriad::inline MYRIAD_VARIANT
