// Functions given by pieces of cubic polynomials over rising arguments, with their derivatives.
//
//   f(u) = c0 + s (c1 + s (c2 + s c3)),   s = u - from,   on the piece with start <= u < start of the next one
//
// The first piece also holds for all arguments below its start, the last one for all above. Which piece
// an argument falls on is found by bisection in double, lane by lane and with as many comparisons in every lane; s is
// rounded once. Units are those of the points that the pieces pass through. Not handled: pieces that do not rise, which
// whoever makes them excludes. A NaN falls on the first piece and stays NaN.
#pragma once
#include "kernels/math/elementary.hpp"

// As MYRIAD_TABLE (real.hpp), for arrays that may be larger than a GPU's constant memory.
#if defined(__CUDACC_RTC__)
#define MYRIAD_LONG_TABLE __device__ constexpr
#else
#define MYRIAD_LONG_TABLE inline constexpr
#endif

namespace myriad {

struct PolynomialPiece {
    double start, from, c[4];
};
// Where the slope jumps.
enum class Corners { none = 0, at_ends = 1, at_all_points = 2 };
// Pieces first .. first + count - 1 of a list.
struct PiecewisePolynomial {
    int first, count;
    bool ends;  // on the first and on the last piece there is no value: NaN
    Corners corners = Corners::none;
};

}  // namespace myriad

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct PolynomialValue {
    Real value, slope, curvature, third;
};

template <class Pieces>
MYRIAD_HD int piece_at(const Pieces& pieces, const PiecewisePolynomial& function, double argument) {
    int low = 0;
    for (int stride = function.count; stride > 1;) {
        const int half = stride / 2;
        low = pieces.piece(function.first + low + half).start <= argument ? low + half : low;
        stride -= half;
    }
    return low;
}

// The piece that an argument takes, counted from the function's first. No corner lies between it and the piece of
// `side`: an argument beyond a corner continues the piece before it.
template <class Pieces>
MYRIAD_HD int piece_seen_from(const Pieces& pieces, const PiecewisePolynomial& function, double argument, double side) {
    const int own = piece_at(pieces, function, argument);
    if (function.corners == Corners::none) return own;
    const int beside = side == argument ? own : piece_at(pieces, function, side), last = function.count - 1;
    const bool is_inside = 0 < beside && beside < last;
    if (function.corners == Corners::at_all_points || !is_inside) return beside;
    return own == 0 ? 1 : own == last ? last - 1 : own;
}

// On a piece whose coefficients are c, at s behind its begin.
template <class Real>
MYRIAD_HD PolynomialValue<Real> polynomial_on_piece(Real s, const Real (&c)[4]) {
    const Real at_from = Real(2.0) * c[2], third = Real(6.0) * c[3];
    return {fma(fma(fma(c[3], s, c[2]), s, c[1]), s, c[0]), fma(fma(Real(3.0) * c[3], s, at_from), s, c[1]),
            fma(third, s, at_from), finite_term(s, third)};
}

// `pieces.piece(i)`: of the list.
template <class Real, class Pieces>
MYRIAD_NOINLINE PolynomialValue<Real> polynomial_at(const Pieces& pieces, const PiecewisePolynomial& function, Real u,
                                                    Real side) {
    using Number = NumberOf<Real>;
    Real s, c[4];
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
        const double argument = static_cast<double>(Lanes<Real>::get(u, lane));
        const int place =
            piece_seen_from(pieces, function, argument, static_cast<double>(Lanes<Real>::get(side, lane)));
        const PolynomialPiece& piece = pieces.piece(function.first + place);
        const bool is_outside = function.ends && (place == 0 || place == function.count - 1);
        Lanes<Real>::set(s, lane, is_outside ? quiet_nan<Number>() : static_cast<Number>(argument - piece.from));
        for (int k = 0; k < 4; ++k) Lanes<Real>::set(c[k], lane, static_cast<Number>(piece.c[k]));
    }
    return polynomial_on_piece(s, c);
}
template <class Real, class Pieces>
MYRIAD_HD PolynomialValue<Real> polynomial_at(const Pieces& pieces, const PiecewisePolynomial& function, Real u) {
    return polynomial_at(pieces, function, u, u);
}

}  // namespace myriad::inline MYRIAD_VARIANT
