// The norm of a vector within a step, s = 0 at its beginning and 1 at its end:
//
//   f(s) = |x(s)|,   (f^2)'/2 = x . x',   x_k: Hermite's cubic of component k
//   integral   beside the place m of a least value e that of sqrt(e^2 + k^2 (s - m)^2), which is f at the step's end:
//              L/2 (f + e^2/(k L) ln((k L + f)/e)); the rest by Gauss's rule with three points
//
// A norm has a kink where the vector passes 0, and bends within |x| / |x'| beside it: a cubic of the norm itself errs
// there, and falls below 0. Error of f: that of the x_k, h^4 / 384 of their fourth derivatives. Turns are looked for in
// four parts of the step, then by halvings. Not handled: two turns in one part.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/math/elementary.hpp"
#include "kernels/math/small_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A place in a step and the value there.
template <class R>
struct PlaceInStep {
    using Real = R;
    MaskOf<Real> exists;
    Real at, value;  // `at`: s
};

template <class R>
struct NormOfCubics {
    using Real = R;
    using Mask = MaskOf<Real>;
    Vec<3, Real> begin, rise, square, cube, end;  // x = begin + s (rise + s (square + s cube)); end: x(1)

    // `from` and `to`: three components and their rates; a step without rates has the line.
    static MYRIAD_HD NormOfCubics of(Mask has_rates, Real length_s, const Real* from, const Real* to) {
        NormOfCubics norm;
        const Real two(2.0), three(3.0);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const Real whole = to[k] - from[k], first = select(has_rates, length_s * from[3 + k], whole),
                       last = select(has_rates, length_s * to[3 + k], whole);
            norm.begin[k] = from[k], norm.end[k] = to[k], norm.rise[k] = first;
            norm.square[k] = fma(three, whole, -fma(two, first, last)), norm.cube[k] = fma(-two, whole, first + last);
        }
        return norm;
    }
    MYRIAD_HD Real value(Real s) const {
        Vec<3, Real> x;
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) x[k] = fma(s, fma(s, fma(s, cube[k], square[k]), rise[k]), begin[k]);
        return select(s < Real(1.0), sqrt(dot(x, x)), sqrt(dot(end, end)));
    }
    // x . x'
    MYRIAD_HD Real slope(Real s) const {
        Real sum(0.0);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const Real x = fma(s, fma(s, fma(s, cube[k], square[k]), rise[k]), begin[k]),
                       rate = fma(s, fma(Real(3.0) * s, cube[k], Real(2.0) * square[k]), rise[k]);
            sum = fma(x, rate, sum);
        }
        return sum;
    }
    // No value is above the first, or below the second: by Bezier's points, whose norms, or whose components along the
    // sum of the ends, are bounds.
    MYRIAD_HD Real upper_bound() const {
        const Vec<3, Real> a = begin + Real(1.0 / 3.0) * rise, b = inner_point();
        return sqrt(maximum(dot(a, a), dot(b, b)));
    }
    MYRIAD_HD Real lower_bound() const {
        const Real zero(0.0), one(1.0);
        const Vec<3, Real> a = begin + Real(1.0 / 3.0) * rise, b = inner_point(), along = begin + end;
        const Real size = sqrt(dot(along, along)),
                   least = minimum(minimum(dot(along, begin), dot(along, end)), minimum(dot(along, a), dot(along, b)));
        const Mask is_known = (zero < size) & (zero < least);
        return select(is_known, least / select(is_known, size, one), zero);
    }
    // Where the norm first has a largest value, or a least one, inside of the interval.
    MYRIAD_NOINLINE PlaceInStep<Real> turn(bool is_least, Real from, Real to) const {
        constexpr int parts = 4, halvings = 52;
        const Real zero(0.0), part = (to - from) * Real(1.0 / parts), half(0.5);
        const auto rises = [&](Real s) MYRIAD_INLINE { return is_least ? -slope(s) : slope(s); };
        Mask found = !true_mask<Real>();
        Real low = from, high = to, at = from, here = rises(from);
        MYRIAD_ROLL for (int i = 0; i < parts; ++i) {
            const Real next = i + 1 < parts ? at + part : to, there = rises(next);
            const Mask turns = (zero < here) & (there <= zero) & !found;
            low = select(turns, at, low), high = select(turns, next, high), found = found | turns;
            at = next, here = there;
        }
        MYRIAD_WHEN(found) MYRIAD_ROLL for (int i = 0; i < halvings; ++i) {
            const Real middle = half * (low + high);
            const Mask still = zero < rises(middle);
            low = select(still, middle, low), high = select(still, high, middle);
        }
        const Mask exists = found & (from < high) & (high < to);
        return {exists, high, value(high)};
    }
    // From 0 to s, over the length of the step.
    MYRIAD_HD Real integral(Real s) const {
        const PlaceInStep<Real> least = turn(true, Real(0.0), s);
        const Real middle = select(least.exists, least.at, Real(0.5) * s);
        return middle * mean(least, middle, Real(0.0)) + (s - middle) * mean(least, middle, s);
    }

  private:
    MYRIAD_HD Vec<3, Real> inner_point() const {  // x(1) - x'(1) / 3
        return begin + Real(1.0 / 3.0) * (Real(2.0) * rise + square);
    }
    // Between the least value, if it exists, and `to`.
    MYRIAD_NOINLINE Real mean(const PlaceInStep<Real>& least, Real from, Real to) const {
        const Real zero(0.0), one(1.0), f = value(to), e = select(least.exists, least.value, zero),
                                        kl = select(least.exists, sqrt(maximum(fma(f, f, -(e * e)), zero)), zero);
        const Mask bends = (zero < e) & (zero < kl);
        Real mean = Real(0.5) * sqrt(fma(kl, kl, e * e));
        MYRIAD_WHEN(bends) {
            const Real bend = Real(0.5) * e * (e / select(bends, kl, one)) * log((kl + f) / select(bends, e, one));
            mean = select(bends, mean + bend, mean);
        }
        const Real beside(0.3872983346207417), half(0.5), of_middle(8.0 / 18.0), of_others(5.0 / 18.0);
        const auto rest = [&](Real x) MYRIAD_INLINE {
            return value(fma(x, to - from, from)) - sqrt(fma(kl * x, kl * x, e * e));
        };
        return fma(of_others, rest(half - beside) + rest(half + beside), fma(of_middle, rest(half), mean));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
