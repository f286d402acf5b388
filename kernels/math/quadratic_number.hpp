// Numbers x + y j with j^2 = k, any real k: complex ones for k = -1, dual ones for k = 0.
//
//   (x + y j)(x' + y' j) = (x x' + k y y') + (x y' + y x') j,   1 / z = (x - y j) / (x^2 - k y^2)
//
// Numbers of one calculation have one k; a real number may say any. Not handled: zero divisors, which k >= 0 has.
#pragma once
#include "kernels/math/elementary.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct QuadraticNumber {
    R real, imaginary, square;  // x, y, k

    QuadraticNumber() = default;
    MYRIAD_HD explicit QuadraticNumber(double x) : real(x), imaginary(0.0), square(0.0) {}
    MYRIAD_HD QuadraticNumber(R x, R y, R k) : real(x), imaginary(y), square(k) {}

    friend MYRIAD_HD QuadraticNumber operator-(QuadraticNumber a) { return {-a.real, -a.imaginary, a.square}; }
    friend MYRIAD_HD QuadraticNumber operator*(QuadraticNumber a, QuadraticNumber b) {
        return {fma(a.real, b.real, b.square * (a.imaginary * b.imaginary)),
                fma(a.real, b.imaginary, a.imaginary * b.real), b.square};
    }
    friend MYRIAD_HD QuadraticNumber operator/(QuadraticNumber a, QuadraticNumber b) {
        const R over = R(1.0) / fma(b.real, b.real, -(b.square * (b.imaginary * b.imaginary)));
        return a * QuadraticNumber{over * b.real, -(over * b.imaginary), b.square};
    }
    friend MYRIAD_HD QuadraticNumber fma(QuadraticNumber a, QuadraticNumber b, QuadraticNumber c) {
        return {fma(a.real, b.real, fma(b.square * a.imaginary, b.imaginary, c.real)),
                fma(a.real, b.imaginary, fma(a.imaginary, b.real, c.imaginary)), b.square};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
