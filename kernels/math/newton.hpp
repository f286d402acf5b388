// The one Newton loop: corrections until every lane has converged or given up; and the one rule that ends it.
//
// A correction d by a matrix made at the very point leaves an error of second order. It is the last one where it is
// no longer than the tolerance (rA paper eq. 46: with the unknowns' scale, Theta h^2). Corrections by an older
// matrix shrink by a contraction theta each and leave theta/(1 - theta) |d| (Hairer, Wanner, Solving Ordinary
// Differential Equations II, sect. IV.8): this rest must be no longer than the tolerance and make no difference to
// accelerations. NaN has not converged. A finished lane is frozen: `iterate` gets the mask of the lanes to be
// corrected and leaves the others as they are, so neighbours have no influence. A lane whose correction is not
// finite gives up at once.
#pragma once
#include "kernels/math/control.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The outcome of one correction, told to the loop. Lengths are in the scale of the tolerance.
template <class Real>
struct Correction {
    Real square;             // of the correction's length
    MaskOf<Real> perturbed;  // a pivot of the linear solve was lost to cancellation
    MaskOf<Real> by_older_matrix = !true_mask<Real>();
    // Used beside an older matrix: the length that belongs to the largest acceleration, and round-off in the unknowns.
    Real acceleration = Real(0.0), round_off = Real(0.0);
    // The equations bend so much along the correction that it cannot be the last one; only where `may_bend`.
    MaskOf<Real> bends = !true_mask<Real>();
    // Round-off of large coordinates does not fall below any tolerance.
    MYRIAD_HD void leave_out_round_off() { square = select(square <= round_off * round_off, Real(0.0), square); }
};

template <class Real>
struct NewtonOutcome {
    MaskOf<Real> converged, perturbed;  // perturbed: in the last correction
    Real iterations;                    // linear solves

    // Takes over what a second try at some lanes came to.
    MYRIAD_HD void go_on(MaskOf<Real> lanes, const NewtonOutcome& again) {
        converged = converged | again.converged;
        perturbed = (perturbed & !lanes) | again.perturbed;
        iterations = iterations + again.iterations;
    }
};

// The rule that decides whether a correction was the last one.
template <class Real>
struct StoppingRule {
    using Mask = MaskOf<Real>;
    Real tolerance;
    bool keeps_matrix = false;  // true: corrections by an older matrix may come
    // Of a matrix that is kept over steps: the share of the first correction that may be left. The rest comes again in
    // the next step's first correction and must not come enlarged.
    Real share = Real(0.0);
    // theta: that of the step before at first (1: not known), then the ratio of the last two corrections.
    Real contraction = Real(1.0);
    // True: every step has a matrix of its own, made at its first guess, and no correction one of its very point. A
    // correction that is within round-off and has stopped to shrink is then the last.
    bool renews_each_step = false;
    // Used beside such a matrix: there are rows that hold positions. A correction leaves an error of theirs of the size
    // of its length times the distance from the point where the matrix was made. The error alternates from step to
    // step, is hardly damped and costs accelerations some times as much.
    bool has_rows = true;
    // True: corrections may tell that the equations bend. Their lengths say nothing about a contraction, and each has a
    // matrix of its very point.
    bool may_bend = false;
    Mask measures = !true_mask<Real>();                 // the first correction is not the last, so that theta is known
    Mask falls_slowly = !true_mask<Real>();             // three more corrections by the same matrix would not do
    Mask made_anew = !true_mask<Real>();                // the matrix was made in this step
    Mask bent = !true_mask<Real>();                     // the last correction did
    Real first_length = Real(0.0), length = Real(0.0);  // of the step's first and last corrections
    Real acceleration = Real(0.0);                      // the largest of the step
    Real contraction_before = contraction;

    MYRIAD_HD Mask is_met(const Correction<Real>& correction, Mask going, bool first) {
        const Mask met = correction.square <= tolerance * tolerance, older = correction.by_older_matrix;
        if (!keeps_matrix) return may_bend ? met & !correction.bends : met;
        const Real one(1.0), length_before = length, round_off = correction.round_off;
        length = sqrt(correction.square);
        if (first) first_length = length;
        // A step that begins with round-off shows no contraction and ends with it.
        const Mask begins_with_round_off = first_length <= round_off;
        Real ratio = minimum(length / length_before, select(begins_with_round_off, Real(0.25), one));
        if (may_bend) ratio = select(bent, maximum(Real(noise_ratio), ratio), ratio);
        const Mask is_noise =
            renews_each_step && !first ? (length <= round_off) & (Real(noise_ratio) <= ratio) : !true_mask<Real>();
        if (!first) contraction = select(going & (!is_noise), ratio, contraction);
        if (may_bend) {
            bent = correction.bends;
            contraction = select(going & bent, one, contraction);
        }
        acceleration = maximum(correction.acceleration, acceleration);
        const Real floor = select(begins_with_round_off, round_off, Real(resolved) * round_off);
        const Real known = one - contraction, remaining = contraction * length;
        Mask is_small;
        if (!renews_each_step) {
            const Real of_first = select(begins_with_round_off, floor, maximum(share * first_length, floor));
            const Real small =
                minimum(maximum(Real(negligible) * acceleration, round_off), minimum(of_first, tolerance));
            const Real limit = known * small;
            is_small = remaining <= limit;
            if (!first) falls_slowly = older & !(contraction * contraction * remaining <= limit);
        } else {
            const Real small = minimum(maximum(Real(negligible) * acceleration, floor), tolerance);
            is_small = remaining <= known * small;
            if (has_rows) {
                const Real open = length * (may_bend ? length : first_length);
                is_small = is_small & (open <= minimum(Real(0.1) * small, Real(open_rows) * tolerance));
            }
            if (first) is_small = is_small & !measures;
        }
        made_anew = made_anew | (going & !older);
        const Mask done = ((!older) & met) | (older & (is_small | is_noise));
        return may_bend ? done & !bent : done;
    }
    // An estimate of theta for the next step's first correction. It grows in proportion to the distance from the point
    // where the matrix was made: to at most twice its value, but beyond all bounds if the matrix was made in this step.
    // Where each step makes its own, it changes as little as the motion does in a step; one that was small by chance,
    // where it passes through zero, does not count.
    MYRIAD_HD Real contraction_after_step() const {
        if (renews_each_step) {
            const Real one(1.0), kept = select(contraction_before < one, Real(0.5) * contraction_before, Real(0.0));
            return minimum(Real(growth) * maximum(contraction, kept), one);
        }
        return select(made_anew, Real(1.0), minimum(contraction + contraction, Real(1.0)));
    }
    static constexpr double negligible = 1e-8;   // share of the largest acceleration
    static constexpr double noise_ratio = 0.25;  // of two corrections
    static constexpr double growth = 1.03;
    static constexpr double open_rows = 0.02;  // share of the tolerance
    static constexpr double resolved = 1e-3;   // share of round-off, as given, that corrections of many times it show
};

// `iterate(going, first)` corrects the lanes in `going` and returns a Correction. `begins_apart`: where code is traced,
// the first turn is straight code before the loop of the others. What these carry is still known there, but the text is
// twice as long.
template <class Real, class Iterate>
MYRIAD_HD NewtonOutcome<Real> newton(MaskOf<Real> active, int most_iterations, StoppingRule<Real>& rule,
                                     Iterate&& iterate, bool begins_apart = true) {
    const Real one(1.0);
    MaskOf<Real> going = active;
    NewtonOutcome<Real> outcome{!true_mask<Real>(), !true_mask<Real>(), Real(0.0)};
    const auto turn = [&](bool first) MYRIAD_INLINE {
        const Correction<Real> correction = iterate(going, first);
        outcome.iterations = select(going, outcome.iterations + one, outcome.iterations);
        outcome.perturbed = (outcome.perturbed & (!going)) | (going & correction.perturbed);
        const MaskOf<Real> done = going & rule.is_met(correction, going, first);
        outcome.converged = outcome.converged | done;
        going = going & (!done) & is_finite(correction.square);
    };
    if constexpr (is_traced<Real>) {
        if (begins_apart) turn(true);
        MYRIAD_REPEAT(going & (outcome.iterations < Real(static_cast<double>(most_iterations)))) turn(false);
    } else {
        for (int iteration = 0; iteration < most_iterations && any(going); ++iteration) turn(iteration == 0);
    }
    return outcome;
}

// The loop for matrices that are all made at their own point. If the first turn does not begin apart, `iterate` must
// not ask for it.
template <class Real, class Iterate>
MYRIAD_HD NewtonOutcome<Real> newton(MaskOf<Real> active, int most_iterations, Real tolerance, Iterate&& iterate,
                                     bool begins_apart = true) {
    StoppingRule<Real> rule{tolerance};
    return newton<Real>(active, most_iterations, rule, iterate, begins_apart);
}

}  // namespace myriad::inline MYRIAD_VARIANT
