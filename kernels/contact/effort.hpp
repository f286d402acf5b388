// What a step's contact problems cost, what friction takes, and which contacts were struck.
//
// Settings are those of the schedule. Friction's power goes with forces, its work with impulses, both in
// integrators/contact/impact.hpp. Not handled: records of single contacts.
#pragma once
#include "kernels/contact/prox.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Settings of the solution of a step's equations, from the schedule.
struct ContactSettings {
    double newton_tolerance, prox_tolerance, gap_tolerance_m;
    int most_newton_iterations, most_prox_iterations;
    static MYRIAD_HD ContactSettings of(const Schedule& schedule) {
        return {schedule.newton_tolerance, schedule.prox_tolerance, schedule.gap_tolerance_m,
                static_cast<int>(schedule.most_newton_iterations), static_cast<int>(schedule.most_prox_iterations)};
    }
};

// The effort of one step's contact problems, and the largest residual that they were left with.
template <class Real>
struct ContactEffort {
    Real problems, iterations, most_iterations, residual;  // contact problems; the solver's
    static MYRIAD_HD ContactEffort none() { return {Real(0.0), Real(0.0), Real(0.0), Real(0.0)}; }
    MYRIAD_HD void add(MaskOf<Real> counted, const ProxOutcome<Real>& outcome) {  // lanes that had a problem
        problems = select(counted, problems + Real(1.0), problems);
        iterations = select(counted, iterations + outcome.iterations, iterations);
        most_iterations = select(counted, maximum(outcome.iterations, most_iterations), most_iterations);
        residual = select(counted, maximum(outcome.residual, residual), residual);
    }
};

// The power, W, that friction takes from a motion with velocities v; work, J, where the rows are impulses. `lost`: the
// loss; `worn`: the sum of the sizes over all contacts.
template <class Real>
struct FrictionWork {
    Real lost, worn;

    // The work over a step, J, by the trapezoidal rule. After an impact the powers of the beginning would cost the
    // first order; the end alone counts there.
    static MYRIAD_HD Real over(Real h, MaskOf<Real> after_impact, Real begin_W, Real end_W) {
        return (Real(0.5) * h) * (select(after_impact, end_W, begin_W) + end_W);
    }
};

// Rules without a separate impact, such as Moreau's: finds the impact in a step by comparing its impulses with those
// that the forces of the step before would have had.
//
// A contact is struck if it takes an impulse after a step without one, but for round-off, and if it came: at its
// velocity before, it was open a step ago, or it moves through more than the tolerance of gaps where it is in
// penetration. So neither a closed contact that separates is struck nor one that rests, however its force hovers. The
// impulse of the impact is the part that exceeds the force that the contact had.
template <class R>
struct StruckContacts {
    using Real = R;
    static constexpr double no_load = 1e-12;  // share of the impulse
    MaskOf<Real> struck = !true_mask<Real>();
    Real largest_N_s = Real(0.0);  // the largest normal impulse, where something is struck

    // A unilateral contact that is closed in `lanes`; `velocity` is that before, with gap and direction of the rule.
    MYRIAD_HD void look_at(MaskOf<Real> lanes, Real gap_m, Real velocity, Real h, Real gap_tolerance_m,
                           Real impulse_before, Real impulse) {
        const Real zero(0.0), unloaded = Real(no_load) * impulse;
        const MaskOf<Real> taken = (impulse_before <= unloaded) & (zero < impulse),
                           came = gap_tolerance_m < fma(-h, velocity, maximum(gap_m, zero));
        struck = struck | (lanes & taken & came);
        largest_N_s = select(lanes, maximum(impulse - impulse_before, largest_N_s), largest_N_s);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
