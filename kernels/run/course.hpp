// The course of a channel within a step, s = 0 at its beginning and 1 at its end:
//
//   f(s) = f0 + s (d0 + s (c2 + s c3)),   c2 = 3 (f1 - f0) - 2 d0 - d1,   c3 = d0 + d1 - 2 (f1 - f0)
//
// through values f and rates d / h at both ends (Hermite's cubic; error h^4 f'''' / 384), or the line d0 = d1 = f1 - f0
// where a rate is missing or is not to be used. Of extremes without rates: the parabola through the values at the ends
// of two steps, where the middle one is above both others (error h^3). Roots of the cubic are found by a fixed number
// of halvings. A norm is that of such cubics: norm_of_cubics.hpp. Not handled: motion that the step does not resolve,
// whose cubic may turn where the motion does not; steps of adaptive methods that turn bodies far are divided
// (has_course_of_step).
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/run/norm_of_cubics.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct Course {
    using Real = R;
    using Mask = MaskOf<Real>;
    Real begin, end, rise_at_begin, rise_at_end;  // f0, f1, d0, d1
    // Of a norm, which norm_of_cubics.hpp describes: its components and their rates at both ends.
    const Real *from = nullptr, *to = nullptr;
    Real length_s = Real(0.0);
    Mask has_rates = !true_mask<Real>();
    bool is_mirrored = false;

    // A rate that is not a number is missing; in lanes with other motions than one cubic all are.
    static MYRIAD_HD Course of(Mask is_whole, Real begin, Real end, Real length_s, Real rate_begin, Real rate_end) {
        const Mask has_rates = is_whole & (rate_begin == rate_begin) & (rate_end == rate_end);
        const Real rise = end - begin;
        return {begin, end, select(has_rates, length_s * rate_begin, rise),
                select(has_rates, length_s * rate_end, rise)};
    }
    static MYRIAD_HD Course line(Real begin, Real end) { return {begin, end, end - begin, end - begin}; }
    static MYRIAD_HD Course of_norm(Mask is_whole, Real begin, Real end, Real length_s, Real rate_begin, Real rate_end,
                                    const Real* from, const Real* to) {
        const Mask has_rates = is_whole & (rate_begin == rate_begin) & (rate_end == rate_end);
        return {begin, end, end - begin, end - begin, from, to, length_s, has_rates};
    }
    MYRIAD_HD Course mirrored() const {
        return {-begin, -end, -rise_at_begin, -rise_at_end, from, to, length_s, has_rates, !is_mirrored};
    }

    MYRIAD_HD Real value(Real s) const {
        if (is_norm()) return select(s < Real(1.0), signed_norm(norm().value(s)), end);
        const Real inner = fma(s, fma(s, fma(s, cube(), square()), rise_at_begin), begin);
        return select(s < Real(1.0), inner, end);
    }
    // From 0 to s, over the length of the step.
    MYRIAD_HD Real integral(Real s) const {
        const Real third(1.0 / 3.0), quarter(0.25), half(0.5);
        if (is_norm()) return signed_norm(norm().integral(s));
        return s * fma(s, fma(s, fma(s, quarter * cube(), third * square()), half * rise_at_begin), begin);
    }
    // No value within is above this: the largest of Bezier's points, which are `begin`, `end` and two more.
    MYRIAD_HD Real bound_within() const {
        const Real third(1.0 / 3.0);
        if (is_norm()) return is_mirrored ? -norm().lower_bound() : norm().upper_bound();
        return maximum(fma(third, rise_at_begin, begin), fma(-third, rise_at_end, end));
    }
    // The greatest value inside of the interval between `low` and `high`, where the course has one:
    // f' = d0 + 2 c2 s + 3 c3 s^2 falls through 0.
    MYRIAD_NOINLINE PlaceInStep<Real> peak(Real low, Real high) const {
        if (is_norm()) {
            const PlaceInStep<Real> turn = norm().turn(is_mirrored, low, high);
            return {turn.exists, turn.at, signed_norm(turn.value)};
        }
        const Real zero(0.0), c2 = square(), three_c3 = Real(3.0) * cube();
        const Real under = fma(c2, c2, -(three_c3 * rise_at_begin)), root = sqrt(maximum(under, zero));
        const Real at = select(c2 <= zero, rise_at_begin / (root - c2), (c2 + root) / -three_c3);
        const Mask exists = (zero < under) & (low < at) & (at < high);
        return {exists, at, value(at)};
    }
    // Where the course first comes above the threshold between `low` and `high`, where it is not and is. It does so
    // once: it rises to its peak, or from its lowest value on.
    MYRIAD_NOINLINE Real first_above(Real threshold, Real low, Real high) const {
        if (!is_norm()) return halved(*this, false, threshold, low, high);
        return halved(norm(), is_mirrored, threshold, low, high);
    }

  private:
    MYRIAD_HD bool is_norm() const { return to != nullptr; }
    MYRIAD_HD NormOfCubics<Real> norm() const { return NormOfCubics<Real>::of(has_rates, length_s, from, to); }
    MYRIAD_HD Real signed_norm(Real value) const { return is_mirrored ? -value : value; }
    template <class Values>
    static MYRIAD_HD Real halved(const Values& values, bool is_mirrored, Real threshold, Real low, Real high) {
        constexpr int halvings = 52;
        MYRIAD_ROLL for (int i = 0; i < halvings; ++i) {
            const Real middle = Real(0.5) * (low + high), value = values.value(middle);
            const Mask above = threshold < (is_mirrored ? -value : value);
            high = select(above, middle, high), low = select(above, low, middle);
        }
        return high;
    }
    MYRIAD_HD Real square() const { return fma(Real(3.0), end - begin, -fma(Real(2.0), rise_at_begin, rise_at_end)); }
    MYRIAD_HD Real cube() const { return fma(Real(-2.0), end - begin, rise_at_begin + rise_at_end); }
};

// The top of the parabola through the values at the ends of two steps of lengths h0 and h1 with slopes m0 and m1, where
// the middle value is the largest. A slope that is not a number is missing.
template <class Real>
struct Parabola {
    MaskOf<Real> has_top;
    Real after_s, above;  // the middle

    static MYRIAD_HD Parabola of(Real h0, Real m0, Real h1, Real m1) {
        const Real zero(0.0), span = h0 + h1;
        const Real slope = fma(m0, h1, m1 * h0) / span, bend = (m1 - m0) / span;
        const Real after_s = Real(-0.5) * slope / bend;
        const MaskOf<Real> has_top = (zero < m0) & (m1 < zero);
        return {has_top, after_s, Real(0.5) * slope * after_s};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
