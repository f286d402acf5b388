// Sine, cosine, arc tangent, exponential, logarithm and powers, branch-free over any Real.
//
// Each function brings its argument to a short interval with an exact or doubled-up remainder, evaluates a polynomial
// there (minimax for the relative error, our own fit) and adds the pieces from small to large. Only + - * / sqrt fma
// and exact operations on the bits of a number are used, so the bits are the same in every lane, width, compiler and
// device. Units: rad. The bounds beside the functions are in ulp of the result and were measured against MPFR; the
// tests assert them. Not handled: rounding other than to nearest; arguments of sine and cosine beyond largest_angle
// (NaN, on purpose: an instance then ends as not_finite instead of going on with a wrong angle).
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Fields of an IEEE 754 number: its bits as an integer of the same size.
template <class Number>
struct Format;
template <>
struct Format<double> {
    using Bits = long long;
    static constexpr int fraction_bits = 52, bias = 1023;
    static constexpr Bits sign = static_cast<Bits>(1ull << 63), fraction = (1ll << 52) - 1,
                          infinity = 0x7ff0000000000000ll, nan = 0x7ff8000000000000ll;
    static constexpr double integer_grid = 6755399441055744.0;   // 1.5 * 2^52: beside it the spacing is one
    static constexpr double exponent_grid = 4503599627370496.0;  // 2^52: an integer in the low bits adds itself
};
template <>
struct Format<float> {
    using Bits = int;
    static constexpr int fraction_bits = 23, bias = 127;
    static constexpr Bits sign = static_cast<Bits>(1u << 31), fraction = (1 << 23) - 1, infinity = 0x7f800000,
                          nan = 0x7fc00000;
    static constexpr double integer_grid = 12582912.0, exponent_grid = 8388608.0;
};
template <class Real>
using FormatOf = Format<NumberOf<Real>>;

template <class Real>
constexpr bool is_single = sizeof(NumberOf<Real>) == 4;

// Exact operations on the bits of each lane. `masked` keeps some bits and sets others, the shifts move the fraction to
// the exponent field and back (for numbers without a sign), `negative` is the sign bit as a mask, true for -0 too.
template <class Real>
struct BitsOf {
    using F = Format<Real>;
    using Bits = typename F::Bits;
    static MYRIAD_HD Bits of(Real x) { return __builtin_bit_cast(Bits, x); }
    static MYRIAD_HD Real to(Bits bits) { return __builtin_bit_cast(Real, bits); }

    static MYRIAD_HD Real masked(Real x, Bits keep, Bits set) { return to((of(x) & keep) | set); }
    static MYRIAD_HD Real shifted_up(Real x) { return to(of(x) << F::fraction_bits); }
    static MYRIAD_HD Real shifted_down(Real x) { return to(of(x) >> F::fraction_bits); }
    static MYRIAD_HD bool negative(Real x) { return of(x) < 0; }
};
#if !defined(__CUDACC_RTC__)
template <class Number, int W>
struct BitsOf<Pack<Number, W>> {
    using F = Format<Number>;
    using Bits = typename F::Bits;
    using Real = Pack<Number, W>;
    using Mask = typename Real::Mask;
    using LaneBits = typename Mask::LaneBits;

    static MYRIAD_HD Real masked(Real x, Bits keep, Bits set) {
        return __builtin_bit_cast(Real, (__builtin_bit_cast(LaneBits, x) & keep) | set);
    }
    static MYRIAD_HD Real shifted_up(Real x) {
        return __builtin_bit_cast(Real, __builtin_bit_cast(LaneBits, x) << F::fraction_bits);
    }
    static MYRIAD_HD Real shifted_down(Real x) {
        return __builtin_bit_cast(Real, __builtin_bit_cast(LaneBits, x) >> F::fraction_bits);
    }
    static MYRIAD_HD Mask negative(Real x) { return {__builtin_bit_cast(LaneBits, x) < 0}; }
};
#endif

template <class Real>
MYRIAD_HD Real quiet_nan() {
    return Real(__builtin_bit_cast(double, Format<double>::nan));
}
template <class Real>
MYRIAD_HD Real infinity() {
    return Real(__builtin_bit_cast(double, Format<double>::infinity));
}
template <class Real>
MYRIAD_HD Real magnitude(Real x) {
    return BitsOf<Real>::masked(x, ~FormatOf<Real>::sign, 0);
}
template <class Real>
MYRIAD_HD Real with_sign_of(Real x, Real sign) {
    const Real size = magnitude(x);
    return select(BitsOf<Real>::negative(sign), -size, size);
}
// The nearest integer, ties to even; |x| below 2^51 (float: 2^22).
template <class Real>
MYRIAD_HD Real nearest_integer(Real x) {
    const Real grid(FormatOf<Real>::integer_grid);
    return (x + grid) - grid;
}
// 2^n for an integer n from 1 - bias to bias: n + bias, shifted into the exponent field.
template <class Real>
MYRIAD_HD Real power_of_two(Real n) {
    using F = FormatOf<Real>;
    return BitsOf<Real>::shifted_up(n + Real(F::integer_grid + F::bias));
}
// The constant of the precision at hand.
template <class Real>
MYRIAD_HD Real constant(double in_double, double in_single) {
    return Real(is_single<Real> ? in_single : in_double);
}
// 2 pi
template <class Real>
MYRIAD_HD Real full_turn() {
    return constant<Real>(6.283185307179586, 6.2831854820251465);
}
// The rounding error of `sum` = large + small, exact where |large| >= |small| or large is zero.
template <class Real>
MYRIAD_HD Real sum_error(Real large, Real small, Real sum) {
    return (large - sum) + small;
}

template <class Real>
struct SineCosine {
    Real sine, cosine;
};

// |x| at most this for sine and cosine: 2^30 rad, in single precision 2^17 rad.
template <class Real>
MYRIAD_HD Real largest_angle() {
    return constant<Real>(1073741824.0, 131072.0);
}

// Sine and cosine of x, each within 0.75 ulp, near multiples of pi/2 too. sine(-0) = -0.
//
// x = n pi/2 + r with pi/2 in three parts. x - n part_1 is exact: both are multiples of the last bit of part_1 and the
// difference is below one. The rest is kept as r + r_low.
template <class Real>
MYRIAD_HD SineCosine<Real> sincos(Real x) {
    const Real n = nearest_integer(x * Real(0.6366197723675814));
    const Real exact = fma(-n, constant<Real>(1.5707963267948966, 1.5707963705062866), x);
    const Real part_2 = constant<Real>(6.123233995736766e-17, -4.371138828673793e-08);
    const Real shift = n * part_2, shift_low = fma(n, part_2, -shift);
    const Real difference = exact - shift, back = difference - exact;
    const Real difference_low = (exact - (difference - back)) - (shift + back);
    const Real rest =
        fma(-n, constant<Real>(-1.4973849048591698e-33, -1.7151245100058819e-15), difference_low - shift_low);
    const Real r = difference + rest, r_low = sum_error(difference, rest, r);

    const Real z = r * r, z_low = fma(r, r, -z), half = Real(0.5) * z, near_one = Real(1.0) - half;
    Real p, q;
    if constexpr (is_single<Real>) {
        p = polynomial(z, -0.166666538, 0.00833209977, -0.000195064931);
        q = polynomial(z, 0.0416666418, -0.00138871302, 2.44120856e-05);
    } else {
        p = polynomial(z, -0.16666666666666624, 0.008333333333320361, -0.00019841269828122085, 2.7557313096360973e-06,
                       -2.505066355658852e-08, 1.5891253353491499e-10);
        q = polynomial(z, 0.041666666666666574, -0.001388888888886977, 2.4801587286781952e-05, -2.755731357720912e-07,
                       2.087561855004285e-09, -1.1354257625217008e-11);
    }
    const Real sine = r + fma(r * z, p, r_low * near_one);
    const Real cosine =
        near_one + (sum_error(Real(1.0), -half, near_one) + fma(z * z, q, -fma(r, r_low, Real(0.5) * z_low)));

    const Real quarter = fma(Real(-4.0), nearest_integer(Real(0.25) * n), n);  // n modulo 4: -2 -1 0 1 2
    const MaskOf<Real> odd = quarter * quarter == Real(1.0), opposite = magnitude(quarter) == Real(2.0);
    const MaskOf<Real> defined = magnitude(x) <= largest_angle<Real>();
    const Real sine_part = select(odd, cosine, sine), cosine_part = select(odd, sine, cosine);
    const Real sine_signed = select((quarter == Real(-1.0)) | opposite, -sine_part, sine_part);
    return {select(defined, select(x == Real(0.0), x, sine_signed), quiet_nan<Real>()),
            select(defined, select((quarter == Real(1.0)) | opposite, -cosine_part, cosine_part), quiet_nan<Real>())};
}
template <class Real>
MYRIAD_HD Real sin(Real x) {
    return sincos(x).sine;
}
template <class Real>
MYRIAD_HD Real cos(Real x) {
    return sincos(x).cosine;
}

// The angle of the point (x, y) from the x axis, -pi to pi, within 0.7 ulp (subnormal results 1 ulp); zeros, their
// signs and infinities as in C.
//
// The smaller coordinate over the larger is t, or (1 + t)/(1 - t) where that is above tan(pi/8): atan is k pi/4 +-
// atan(t).
template <class Real>
MYRIAD_HD Real atan2(Real y, Real x) {
    const Real one(1.0), zero(0.0);
    const Real x_size = magnitude(x), y_size = magnitude(y);
    const MaskOf<Real> steep = x_size < y_size;
    Real large = select(steep, y_size, x_size), small = select(steep, x_size, y_size);
    const Real scale = select(constant<Real>(0x1p1000, 0x1p100) < large, constant<Real>(0x1p-100, 0x1p-20),
                              select(large < constant<Real>(0x1p-900, 0x1p-80), constant<Real>(0x1p150, 0x1p70), one));
    const MaskOf<Real> infinite = large == infinity<Real>(), origin = large == zero;
    small = select(infinite, select(small == infinity<Real>(), one, zero), scale * small);
    large = select(infinite | origin, one, scale * large);

    const MaskOf<Real> turned = Real(0.41421356237309503) * large < small;
    const Real sum = large + small, difference = small - large;
    const Real numerator = select(turned, difference, small), denominator = select(turned, sum, large);
    const Real numerator_low = select(turned, small - (difference + large), zero);
    const Real denominator_low = select(turned, sum_error(large, small, sum), zero);
    const Real inverse = one / denominator, t = numerator * inverse;
    const Real t_low = (fma(-t, denominator, numerator) + fma(-t, denominator_low, numerator_low)) * inverse;

    const Real z = t * t;
    Real p;
    if constexpr (is_single<Real>)
        p = polynomial(z, -0.333333164, 0.199985296, -0.142444223, 0.105993569, -0.0609035492);
    else
        p = polynomial(z, -0.33333333333333326, 0.19999999999997095, -0.14285714285316364, 0.11111111083740434,
                       -0.09090907985534603, 0.07692279189953055, -0.06666174456847253, 0.05876513585744785,
                       -0.05215158143231239, 0.04490450961826282, -0.03317183948896829, 0.014890135379967829);
    const Real tail = fma(t * z, p, fma(-z, t_low, t_low));

    const MaskOf<Real> backward = BitsOf<Real>::negative(x);
    Real eighths = select(turned, one, zero), sign = one;  // multiples of pi/4
    eighths = select(steep, Real(2.0) - eighths, eighths);
    sign = select(steep, -sign, sign);
    eighths = select(backward, Real(4.0) - eighths, eighths);
    sign = select(backward, -sign, sign);
    const Real eighth = constant<Real>(0.7853981633974483, 0.7853981852531433);
    const Real start = eighths * eighth;
    const Real start_low =
        fma(eighths, constant<Real>(3.061616997868383e-17, -2.1855694143368964e-08), fma(eighths, eighth, -start));
    const Real angle = start + sign * t;
    const Real angle_low = sum_error(start, sign * t, angle) + fma(sign, tail, start_low);
    return select((x == x) & (y == y), with_sign_of(angle + angle_low, y), quiet_nan<Real>());
}

// exp(x + x_low), |x_low| at most an ulp of x: the last step of exp and pow.
//
// x = n ln2 + r with ln2 in two parts, the first product exact; 2^n in two factors, so that a subnormal result is
// rounded once and 2^1024 is never formed.
template <class Real>
MYRIAD_HD Real exp_of_sum(Real x, Real x_low) {
    const Real least = constant<Real>(-746.0, -105.0), most = constant<Real>(710.0, 89.0);
    const Real bounded = select(x < least, least, select(most < x, most, x));
    const Real n = nearest_integer(bounded * Real(1.4426950408889634));
    const Real exact = fma(-n, constant<Real>(0.6931471805599453, 0.6931471824645996), bounded);
    const Real part_2 = constant<Real>(2.3190468138462996e-17, -1.9046542121259336e-09);
    const Real near = fma(-n, part_2, exact), near_low = fma(-n, part_2, exact - near) + x_low;
    const Real r = near + near_low, r_low = sum_error(near, near_low, r);
    Real p;
    if constexpr (is_single<Real>)
        p = polynomial(r, 0.49999994, 0.166665033, 0.0416679233, 0.00837075897, 0.0013859336);
    else
        p = polynomial(r, 0.5, 0.16666666666666693, 0.04166666666666688, 0.008333333333309649, 0.0013888888888735611,
                       0.00019841269914025735, 2.4801587669905115e-05, 2.7557217882580685e-06, 2.7556950936189217e-07,
                       2.5117734223180514e-08, 2.102016654341313e-09);
    const Real head = Real(1.0) + r;
    const Real value = head + (sum_error(Real(1.0), r, head) + fma(r * r, p, fma(r, r_low, r_low)));
    const Real half = nearest_integer(Real(0.5) * n);
    return value * power_of_two(half) * power_of_two(n - half);
}

// exp(x) within 0.65 ulp (subnormal results 1 ulp); 0 and infinity beyond the range of the format.
template <class Real>
MYRIAD_HD Real exp(Real x) {
    return exp_of_sum(x, Real(0.0));
}

template <class Real>
struct Doubled {
    Real high, low;
};

// log(x) as a sum of two, for positive finite x; the low part makes it good to about 60 bits (float: 30).
//
// x = 2^e m, m between sqrt(1/2) and sqrt(2); log m = 2 artanh(s), s = (m - 1)/(m + 1).
template <class Real>
MYRIAD_HD Doubled<Real> log_as_sum(Real x) {
    using F = FormatOf<Real>;
    using B = BitsOf<Real>;
    const Real one(1.0);
    const MaskOf<Real> subnormal = x < constant<Real>(0x1p-1022, 0x1p-126);
    const Real normal = select(subnormal, x * constant<Real>(0x1p54, 0x1p25), x);
    const Real from_one = B::masked(normal, F::fraction, BitsOf<NumberOf<Real>>::of(1));
    const Real raised = B::masked(B::shifted_down(B::masked(normal, F::infinity, 0)), F::fraction,
                                  BitsOf<NumberOf<Real>>::of(static_cast<NumberOf<Real>>(F::exponent_grid)));
    const MaskOf<Real> upper = Real(1.4142135623730951) < from_one;
    const Real m = select(upper, Real(0.5) * from_one, from_one);
    const Real e = (raised - Real(F::exponent_grid + F::bias)) + select(upper, one, Real(0.0)) -
                   select(subnormal, constant<Real>(54.0, 25.0), Real(0.0));

    const Real f = m - one, denominator = m + one, denominator_low = f - (denominator - Real(2.0));
    const Real inverse = one / denominator, s = f * inverse;
    const Real s_low = fma(-s, denominator_low, fma(-s, denominator, f)) * inverse;
    const Real z = s * s;
    Real p;
    if constexpr (is_single<Real>)
        p = polynomial(z, 0.666667759, 0.399775535, 0.298721433);
    else
        p = polynomial(z, 0.6666666666666666, 0.40000000000004954, 0.2857142856939597, 0.22222222609790251,
                       0.18181778099558532, 0.15387000999176717, 0.13251857632024722, 0.13237536851852105);
    const Real tail = fma(s * z, p, Real(2.0) * s_low);

    const Real start = e * constant<Real>(0x1.62e42fefa3800p-1, 0x1.62e4p-1);  // exact: the constant ends in zeros
    const Real head = start + Real(2.0) * s;
    const Real rest =
        sum_error(start, Real(2.0) * s, head) + fma(e, constant<Real>(5.497923018708371e-14, 1.42860677e-06), tail);
    const Real high = head + rest;
    return {high, sum_error(head, rest, high)};
}

// log(x) within 0.55 ulp; -infinity at zero, NaN below.
template <class Real>
MYRIAD_HD Real log(Real x) {
    const Real value = select(x == infinity<Real>(), x, log_as_sum(x).high);
    return select(Real(0.0) < x, value, select(x == Real(0.0), -infinity<Real>(), quiet_nan<Real>()));
}

// x^exponent for x >= 0, an exponent not zero and at most 8 in size: within 0.7 ulp (float: 0.75 ulp, the exponent
// being taken in double all the same); NaN for x < 0.
template <class Real>
MYRIAD_HD Real pow(Real x, double exponent) {
    const Doubled<Real> l = log_as_sum(x);
    using Number = NumberOf<Real>;
    const Number rounded = static_cast<Number>(exponent);
    const Real c(rounded), c_low(static_cast<Number>(exponent - static_cast<double>(rounded)));
    const Real y = c * l.high, y_low = fma(c, l.low, fma(c_low, l.high, fma(c, l.high, -y)));
    const Real at_zero = exponent < 0.0 ? infinity<Real>() : Real(0.0);
    const Real at_infinity = exponent < 0.0 ? Real(0.0) : infinity<Real>();
    const Real value =
        select(x == Real(0.0), at_zero, select(x == infinity<Real>(), at_infinity, exp_of_sum(y, y_low)));
    return select(Real(0.0) <= x, value, quiet_nan<Real>());
}

}  // namespace myriad::inline MYRIAD_VARIANT
