// Computes each operation, on any Real: a plain number where constants are folded, a pack where a tape runs.
//
// The elementary functions are the kernels' own, so a folded sine has the bits of one that is computed. No standard
// header is read here.
#pragma once
#include "host/graph/operation.hpp"
#include "kernels/math/piecewise_polynomial.hpp"

namespace myriad::graph::inline MYRIAD_VARIANT {

template <Op op>
constexpr bool is_table_access = op == Op::table_place || op == Op::table_offset || op == Op::table_coefficient;

// The result of operations that give a number, but select, sine with cosine, and tables.
template <Op op, class Real>
MYRIAD_HD Real number_of(Real a, [[maybe_unused]] Real b, [[maybe_unused]] Real c, [[maybe_unused]] long long data) {
    using Bits = typename BitsOf<Real>::Bits;
    if constexpr (op == Op::add) return a + b;
    if constexpr (op == Op::subtract) return a - b;
    if constexpr (op == Op::multiply) return a * b;
    if constexpr (op == Op::divide) return a / b;
    if constexpr (op == Op::negate) return -a;
    if constexpr (op == Op::fma) return fma(a, b, c);
    if constexpr (op == Op::fnma) return fma(-a, b, c);
    if constexpr (op == Op::fms) return fma(a, b, -c);
    if constexpr (op == Op::fnms) return fma(-a, b, -c);
    if constexpr (op == Op::square_root) return sqrt(a);
    if constexpr (op == Op::unsigned_zero) return a + Real(0.0);
    if constexpr (op == Op::sine) return myriad::sincos(a).sine;
    if constexpr (op == Op::cosine) return myriad::sincos(a).cosine;
    if constexpr (op == Op::exponential) return myriad::exp(a);
    if constexpr (op == Op::arc_tangent) return myriad::atan2(a, b);
    if constexpr (op == Op::nearest_integer) return myriad::nearest_integer(a);
    if constexpr (op == Op::finite_term) return fma(a, Real(0.0), b);
    if constexpr (op == Op::keep_bits) return BitsOf<Real>::masked(a, static_cast<Bits>(data), 0);
    if constexpr (op == Op::set_bits) return BitsOf<Real>::masked(a, static_cast<Bits>(-1), static_cast<Bits>(data));
    if constexpr (op == Op::shift_up) return BitsOf<Real>::shifted_up(a);
    if constexpr (op == Op::shift_down) return BitsOf<Real>::shifted_down(a);
}
// The result of comparisons.
template <Op op, class Real>
MYRIAD_HD MaskOf<Real> mask_of(Real a, [[maybe_unused]] Real b) {
    if constexpr (op == Op::less) return a < b;
    if constexpr (op == Op::less_equal) return a <= b;
    if constexpr (op == Op::equal) return a == b;
}
template <Op op, class Mask>
MYRIAD_HD Mask joined(Mask a, [[maybe_unused]] Mask b) {
    if constexpr (op == Op::both) return a & b;
    if constexpr (op == Op::either) return a | b;
    if constexpr (op == Op::opposite) return !a;
}

// The result of table accesses, for one lane. `a`, `b` as operation.hpp says. A piece is a whole number in a Real.
template <Op op, class Number, class Pieces>
MYRIAD_HD Number read_table(const Pieces& pieces, const PiecewisePolynomial& function, Number a, Number b, int power) {
    const int last = function.count - 1;
    if constexpr (op == Op::table_place)
        return static_cast<Number>(piece_seen_from(pieces, function, static_cast<double>(a), static_cast<double>(b)));
    const auto piece = static_cast<int>(op == Op::table_offset ? b : a);
    if constexpr (op == Op::table_coefficient) return static_cast<Number>(pieces.piece(piece).c[power]);
    if (function.ends && (piece == 0 || piece == last)) return quiet_nan<Number>();
    return static_cast<Number>(static_cast<double>(a) - pieces.piece(piece).from);
}

}  // namespace myriad::graph::inline MYRIAD_VARIANT
