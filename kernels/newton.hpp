// The one Newton loop: corrections until every lane has converged or given up.
//
// A lane has converged when the correction just applied is no longer than the tolerance (rA paper eq. 46: with the
// unknowns' scale, Theta h^2). Written so that NaN has not converged. A finished lane is frozen: `iterate` gets the
// mask of the lanes to be corrected and leaves the others as they are, so neighbours have no influence. A lane whose
// correction is not finite gives up at once and does not hold the others.
#pragma once
#include "kernels/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// What one correction tells the loop.
template <class Real>
struct Correction {
    Real square;             // of its length, in the scale of the tolerance
    MaskOf<Real> perturbed;  // a pivot of the linear solve was lost to cancellation
};

template <class Real>
struct NewtonOutcome {
    MaskOf<Real> converged, perturbed;  // perturbed: in the last correction
    Real iterations;                    // linear solves
};

// `iterate(going, first)` corrects the lanes in `going` and returns a Correction.
template <class Real, class Iterate>
MYRIAD_HD NewtonOutcome<Real> newton(MaskOf<Real> active, int most_iterations, Real tolerance, Iterate&& iterate) {
    const Real one(1.0), square = tolerance * tolerance;
    MaskOf<Real> going = active;
    NewtonOutcome<Real> outcome{!true_mask<Real>(), !true_mask<Real>(), Real(0.0)};
    for (int iteration = 0; iteration < most_iterations && any(going); ++iteration) {
        const Correction<Real> correction = iterate(going, iteration == 0);
        outcome.iterations = select(going, outcome.iterations + one, outcome.iterations);
        outcome.perturbed = (outcome.perturbed & (!going)) | (going & correction.perturbed);
        const MaskOf<Real> done = going & (correction.square <= square);
        outcome.converged = outcome.converged | done;
        going = going & (!done) & is_finite(correction.square);
    }
    return outcome;
}

}  // namespace myriad::inline MYRIAD_VARIANT
