// Powers with an exponent that varies, and the hyperbolic tangent, over any Real.
//
//   x^y    = exp(y log x), the logarithm and the product as sums of two
//   tanh x = sinh x / cosh x by their series for |x| < 0.6, 1 - 2 / (exp(2 |x|) + 1) beyond
//
// As in kernels/math/elementary.hpp: no branch, the same bits in every lane, width, compiler and device. Not handled: a
// negative base (NaN), whatever the exponent.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// x^y for x >= 0; x^0 = 1. Within 1 + 0.03 |y log x| ulp: the rounding of the logarithm counts that often.
template <class Real>
MYRIAD_HD Real power(Real x, Real y) {
    const Real zero(0.0), one(1.0);
    const Doubled<Real> l = log_as_sum(x);
    const Real product = y * l.high, product_low = fma(y, l.low, fma(y, l.high, -product));
    // The low part would be large itself far beyond the range of the format.
    const Real low = select(magnitude(product) <= Real(1000.0), product_low, zero);
    const Real at_zero = select(zero < y, zero, infinity<Real>()), at_infinity = select(zero < y, x, zero);
    const Real value = select(x == zero, at_zero, select(x == infinity<Real>(), at_infinity, exp_of_sum(product, low)));
    return select((zero <= x) & (y == y), select(y == zero, one, value), quiet_nan<Real>());
}

// tanh x within 3 ulp
template <class Real>
MYRIAD_HD Real hyperbolic_tangent(Real x) {
    const Real z = x * x, one(1.0);
    // 1 / (2n + 1)! and 1 / (2n)!
    const Real sine = polynomial(z, 1.0, 1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0, 1.0 / 362880.0, 1.0 / 39916800.0,
                                 1.0 / 6227020800.0, 1.0 / 1307674368000.0);
    const Real cosine = polynomial(z, 1.0, 1.0 / 2.0, 1.0 / 24.0, 1.0 / 720.0, 1.0 / 40320.0, 1.0 / 3628800.0,
                                   1.0 / 479001600.0, 1.0 / 87178291200.0);
    const Real size = magnitude(x), beyond = one - Real(2.0) / (exp(size + size) + one);
    return select(size < Real(0.6), x * (sine / cosine), with_sign_of(beyond, x));
}

}  // namespace myriad::inline MYRIAD_VARIANT
