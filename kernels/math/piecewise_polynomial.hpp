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

// `pieces.piece(i)`: of the list. No corner lies between `side` and the piece that is taken, which an argument beyond a
// corner continues.
template <class Real, class Pieces>
MYRIAD_NOINLINE PolynomialValue<Real> polynomial_at(const Pieces& pieces, const PiecewisePolynomial& function, Real u,
                                                    Real side) {
    using Number = NumberOf<Real>;
    Real s, c[4];
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
        const double argument = static_cast<double>(Lanes<Real>::get(u, lane));
        int low = piece_at(pieces, function, argument);
        if (function.corners != Corners::none) {
            const double at_side = static_cast<double>(Lanes<Real>::get(side, lane));
            const int beside = at_side == argument ? low : piece_at(pieces, function, at_side),
                      last = function.count - 1;
            const bool is_inside = 0 < beside && beside < last;
            if (function.corners == Corners::at_all_points || !is_inside)
                low = beside;
            else
                low = low == 0 ? 1 : low == last ? last - 1 : low;
        }
        const PolynomialPiece& piece = pieces.piece(function.first + low);
        const bool is_outside = function.ends && (low == 0 || low == function.count - 1);
        Lanes<Real>::set(s, lane, is_outside ? quiet_nan<Number>() : static_cast<Number>(argument - piece.from));
        for (int k = 0; k < 4; ++k) Lanes<Real>::set(c[k], lane, static_cast<Number>(piece.c[k]));
    }
    const Real at_from = Real(2.0) * c[2], third = Real(6.0) * c[3];
    return {fma(fma(fma(c[3], s, c[2]), s, c[1]), s, c[0]), fma(fma(Real(3.0) * c[3], s, at_from), s, c[1]),
            fma(third, s, at_from), fma(Real(0.0), s, third)};
}
template <class Real, class Pieces>
MYRIAD_HD PolynomialValue<Real> polynomial_at(const Pieces& pieces, const PiecewisePolynomial& function, Real u) {
    return polynomial_at(pieces, function, u, u);
}

}  // namespace myriad::inline MYRIAD_VARIANT
