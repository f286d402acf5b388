// The root of a function of one number that is positive at the lower end a of a bracket, and not at the upper end b.
//
//   r = b - f(b) (b - a) / (f(b) - f(a)),  and where the same end stays twice, half its value      Illinois method
//
// It ends where r is no longer inside the bracket, which is round-off then. After many secants the bracket is halved.
// Source: Dowell, Jarratt 1971. Not handled: brackets with more than one root, of which it finds any.
#pragma once
#include "kernels/math/control.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Finds the root for the lanes in `lanes`, from the values at both ends.
template <class Real, class Function>
MYRIAD_HD Real root_between(MaskOf<Real> lanes, Real low, Real of_low, Real high, Real of_high,
                            const Function& function) {
    constexpr double most_turns = 60.0, most_secants = 20.0;
    const Real half(0.5), zero(0.0), one(1.0);
    Real found = high, least = absolute(of_high), turn = zero;
    MaskOf<Real> going = lanes & (of_high < zero), was_low = !true_mask<Real>(), was_high = was_low;
    MYRIAD_REPEAT(going) {
        const Real width = high - low, secant = fma(-width, of_high / (of_high - of_low), high),
                   r = select(turn < Real(most_secants), secant, fma(half, width, low));
        turn = turn + one;
        going = going & (low < r) & (r < high) & (turn <= Real(most_turns));
        const Real value = function(r);
        const MaskOf<Real> nearer = going & (absolute(value) < least), is_high = going & (value <= zero),
                           is_low = going & !is_high;
        found = select(nearer, r, found), least = select(nearer, absolute(value), least);
        of_low = select(is_low, value, select(is_high & was_high, half * of_low, of_low));
        of_high = select(is_high, value, select(is_low & was_low, half * of_high, of_high));
        low = select(is_low, r, low), high = select(is_high, r, high);
        was_low = is_low, was_high = is_high;
        going = going & !(value == zero);
    }
    return found;
}

}  // namespace myriad::inline MYRIAD_VARIANT
