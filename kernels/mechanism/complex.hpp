// Complex numbers of Reals, ordered by their size: a number type for the elimination of a mechanism's matrix.
//
//   size of x + i y: max(|x|, |y|);   1 / z = (x' - i y') / (s (x'^2 + y'^2)), z = s (x' + i y'), s the size
//
// so that a matrix that two stages of a step share as pairs (integrators/contact/stage_pair.hpp) takes the planned
// elimination of one. Not handled: roots and elementary functions.
#pragma once
#include "kernels/mechanism/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct Complex {
    R real, imaginary;

    Complex() = default;
    MYRIAD_HD explicit Complex(double x) : real(x), imaginary(0.0) {}
    MYRIAD_HD Complex(R x, R y) : real(x), imaginary(y) {}

    MYRIAD_HD R size() const { return maximum(absolute(real), absolute(imaginary)); }

    friend MYRIAD_HD Complex operator-(Complex a) { return {-a.real, -a.imaginary}; }
    friend MYRIAD_HD Complex operator*(Complex a, Complex b) {
        return {fma(a.real, b.real, -(a.imaginary * b.imaginary)), fma(a.real, b.imaginary, a.imaginary * b.real)};
    }
    friend MYRIAD_HD Complex operator/(Complex a, Complex b) { return a * reciprocal(b); }
    friend MYRIAD_HD Complex fma(Complex a, Complex b, Complex c) {
        return {fma(a.real, b.real, fma(-a.imaginary, b.imaginary, c.real)),
                fma(a.real, b.imaginary, fma(a.imaginary, b.real, c.imaginary))};
    }
    friend MYRIAD_HD auto operator<(Complex a, Complex b) { return a.size() < b.size(); }
    friend MYRIAD_HD auto operator<=(Complex a, Complex b) { return a.size() <= b.size(); }
    template <class Mask>
    friend MYRIAD_HD Complex select(Mask mask, Complex a, Complex b) {
        return {select(mask, a.real, b.real), select(mask, a.imaginary, b.imaginary)};
    }
};

template <class R>
MYRIAD_HD Complex<R> absolute(Complex<R> z) {
    return {z.size(), R(0.0)};
}
template <class R>
MYRIAD_HD R pivot_measure(Complex<R> z) {
    return z.size();
}

template <class R>
MYRIAD_HD Complex<R> reciprocal(Complex<R> z) {
    const R scale = R(1.0) / z.size(), x = scale * z.real, y = scale * z.imaginary, over = scale / fma(x, x, y * y);
    return {over * x, -(over * y)};
}

// A weak pivot is replaced by a small number, as a real one is; here it has no sign.
template <class R>
MYRIAD_HD Complex<R> reciprocal_of_pivot(Complex<R> pivot, Complex<R> size, MaskOf<R>& weak) {
    const R least = R(weak_pivot<NumberOf<R>>) * size.real;
    const MaskOf<R> is_weak = pivot.size() <= least;
    if (any(is_weak)) {
        const R instead = select(least <= R(0.0), R(1.0), least);
        weak = weak | is_weak;
        pivot = select(is_weak, Complex<R>{instead, R(0.0)}, pivot);
    }
    return reciprocal(pivot);
}

}  // namespace myriad::inline MYRIAD_VARIANT
