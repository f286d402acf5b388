// Dual numbers of Reals: a value and its slope along one direction, for exact derivatives of code that is written for
// any Real.
//
//   (x + e x') (y + e y') = x y + e (x' y + x y'),  e^2 = 0;   f(x + e x') = f(x) + e f'(x) x'
//
// Comparisons and roundings look at the value alone, so that a branch has the derivative of the side it is on. Not
// handled: logarithms and powers; a slope at a zero of sqrt is not finite.
#pragma once
#include "kernels/math/elementary.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct Dual {
    R value, slope;

    Dual() = default;
    // A constant, given as a Real or as a plain number.
    template <class Constant>
    MYRIAD_HD Dual(const Constant& x) : value(R(x)), slope(R(0.0)) {}
    MYRIAD_HD Dual(const R& x, const R& dx) : value(x), slope(dx) {}

    friend MYRIAD_HD Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
    friend MYRIAD_HD Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
    friend MYRIAD_HD Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
    friend MYRIAD_HD Dual operator*(const Dual& a, const Dual& b) {
        return {a.value * b.value, fma(a.value, b.slope, a.slope * b.value)};
    }
    friend MYRIAD_HD Dual operator/(const Dual& a, const Dual& b) {
        const R quotient = a.value / b.value;
        return {quotient, fma(-quotient, b.slope, a.slope) / b.value};
    }
    friend MYRIAD_HD Dual fma(const Dual& a, const Dual& b, const Dual& c) {
        return {fma(a.value, b.value, c.value), fma(a.value, b.slope, fma(a.slope, b.value, c.slope))};
    }
    friend MYRIAD_HD auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
    friend MYRIAD_HD auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
    friend MYRIAD_HD auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    template <class Mask>
    friend MYRIAD_HD Dual select(const Mask& mask, const Dual& a, const Dual& b) {
        return {select(mask, a.value, b.value), select(mask, a.slope, b.slope)};
    }
    friend MYRIAD_HD Dual sqrt(const Dual& a) {
        const R root = sqrt(a.value);
        return {root, (R(0.5) * a.slope) / root};
    }
};

template <class R>
struct Lanes<Dual<R>> {
    using Number = NumberOf<R>;
    static constexpr int width = Lanes<R>::width;
};

template <class R>
MYRIAD_HD Dual<R> magnitude(const Dual<R>& x) {
    return select(x.value < R(0.0), -x, x);
}
template <class R>
MYRIAD_HD Dual<R> nearest_integer(const Dual<R>& x) {
    return {nearest_integer(x.value), R(0.0)};
}
template <class R>
MYRIAD_HD SineCosine<Dual<R>> sincos(const Dual<R>& x) {
    const SineCosine<R> at = sincos(x.value);
    return {{at.sine, at.cosine * x.slope}, {at.cosine, -(at.sine * x.slope)}};
}
template <class R>
MYRIAD_HD Dual<R> atan2(const Dual<R>& y, const Dual<R>& x) {
    const R square = fma(x.value, x.value, y.value * y.value);
    return {atan2(y.value, x.value), fma(x.value, y.slope, -(y.value * x.slope)) / square};
}

}  // namespace myriad::inline MYRIAD_VARIANT
