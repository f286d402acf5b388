// Bounds of functions of time over an interval, by the arithmetic of intervals on the instructions of tape.hpp.
//
//   f([a, b]) within [low, high];   u + v in [u_low + v_low, u_high + v_high],   u v by the four products of ends, ...
//
// Functions have the branches of a time, `side_s`, as in run_tape_by_side. `turns`: within the interval an argument may
// come to where another branch begins. `is_sharp`: one may come to a corner that has no branches, or to a pole: sqrt,
// powers below 1, logarithms and divisors at 0, tangents at a quarter turn, atan2 at its cut or at the origin. What is
// not certain is said to be: a shorter interval may tell. Moore, Kearfott, Cloud 2009, chapters 2 and 5. Without units.
// Not handled: rounding, which may move a bound by some ulp; slopes of tables and tables over more than two pieces,
// which have no bounds; a divisor that passes 0 where what it divides does, which counts as a pole.
#pragma once
#include "kernels/mechanism/tape.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Bounds {
    Real low, high;
    MaskOf<Real> turns, is_sharp;

    static MYRIAD_HD Bounds of(Real low, Real high) {
        const MaskOf<Real> none = !true_mask<Real>();
        const Real unknown = infinity<Real>();
        return {select(low == low, low, -unknown), select(high == high, high, unknown), none, none};
    }
    static MYRIAD_HD Bounds unknown() { return of(-infinity<Real>(), infinity<Real>()); }
    MYRIAD_HD MaskOf<Real> has_zero() const { return (low <= Real(0.0)) & (Real(0.0) <= high); }
    MYRIAD_HD MaskOf<Real> moves() const { return low < high; }

    friend MYRIAD_HD Bounds operator+(const Bounds& u, const Bounds& v) { return of(u.low + v.low, u.high + v.high); }
    friend MYRIAD_HD Bounds operator-(const Bounds& u) { return of(-u.high, -u.low); }
    friend MYRIAD_HD Bounds operator*(const Bounds& u, const Bounds& v) {
        const auto product = [](Real x, Real y) {
            return select((x == Real(0.0)) | (y == Real(0.0)), Real(0.0), x * y);
        };
        return around(product(u.low, v.low), product(u.low, v.high), product(u.high, v.low), product(u.high, v.high));
    }
    static MYRIAD_HD Bounds around(Real a, Real b, Real c, Real d) {
        return of(minimum(minimum(a, b), minimum(c, d)), maximum(maximum(a, b), maximum(c, d)));
    }
};

template <class Real>
MYRIAD_HD Bounds<Real> square(const Bounds<Real>& u) {
    const Real a = u.low * u.low, b = u.high * u.high;
    return Bounds<Real>::of(select(u.has_zero(), Real(0.0), minimum(a, b)), maximum(a, b));
}
template <class Real>
MYRIAD_HD Bounds<Real> quotient(const Bounds<Real>& u, const Bounds<Real>& v) {
    const Real one(1.0), unknown = infinity<Real>();
    Bounds<Real> value =
        u * Bounds<Real>::of(select(v.has_zero(), -unknown, one / v.high), select(v.has_zero(), unknown, one / v.low));
    const MaskOf<Real> has_zero = v.has_zero(), moves = v.moves();
    value.is_sharp = has_zero & moves;
    return value;
}
template <class Real>
MYRIAD_HD Bounds<Real> logarithm(const Bounds<Real>& u) {
    Bounds<Real> value = Bounds<Real>::of(log(u.low), log(u.high));
    value.is_sharp = (u.low <= Real(0.0)) & u.moves();
    return value;
}
// Of a sine or cosine, with its values at the ends: the tops lie at `top` and whole turns from there.
template <class Real>
MYRIAD_HD Bounds<Real> swinging(const Bounds<Real>& u, Real at_low, Real at_high, double top) {
    const Real turn(6.283185307179586), half(0.5);
    const auto passes = [&](Real place) {
        const Real last = fma(turn, nearest_integer((u.high - place) / turn - half), place);
        return (u.low <= last) | ((u.low <= last + turn) & (last + turn <= u.high));
    };
    const Bounds<Real> ends = Bounds<Real>::of(minimum(at_low, at_high), maximum(at_low, at_high));
    const MaskOf<Real> is_wide = !(u.high - u.low < turn), is_low = is_wide | passes(Real(top + 3.141592653589793)),
                       is_high = is_wide | passes(Real(top));
    return Bounds<Real>::of(select(is_low, Real(-1.0), ends.low), select(is_high, Real(1.0), ends.high));
}
// A tangent that falls has passed infinity.
template <class Real>
MYRIAD_HD Bounds<Real> tangent(const Bounds<Real>& u) {
    const SineCosine<Real> a = sincos(u.low), b = sincos(u.high);
    const Real low = a.sine / a.cosine, high = b.sine / b.cosine;
    const MaskOf<Real> rises = (u.high - u.low < Real(3.0)) & (low <= high);
    Bounds<Real> value = Bounds<Real>::of(select(rises, low, -infinity<Real>()), select(rises, high, infinity<Real>()));
    value.is_sharp = (!rises) & u.moves();
    return value;
}
template <class Real>
MYRIAD_HD Bounds<Real> root(const Bounds<Real>& u) {
    const Real zero(0.0);
    Bounds<Real> root = Bounds<Real>::of(sqrt(maximum(u.low, zero)), sqrt(maximum(u.high, zero)));
    root.is_sharp = (u.low <= zero) & u.moves();
    return root;
}
template <class Real>
MYRIAD_HD Bounds<Real> raised(const Bounds<Real>& u, const Bounds<Real>& v) {
    Bounds<Real> value =
        Bounds<Real>::around(power(u.low, v.low), power(u.low, v.high), power(u.high, v.low), power(u.high, v.high));
    const MaskOf<Real> is_known = Real(0.0) <= u.low;
    value.low = select(is_known, value.low, -infinity<Real>());
    value.high = select(is_known, value.high, infinity<Real>());
    const MaskOf<Real> base_moves = u.moves(), power_moves = v.moves();
    value.is_sharp = (u.low <= Real(0.0)) & (v.low < Real(1.0)) & (base_moves | power_moves);
    return value;
}
template <class Real>
MYRIAD_HD Bounds<Real> angle(const Bounds<Real>& y, const Bounds<Real>& x) {
    const Real zero(0.0), half_turn(3.141592653589793);
    const MaskOf<Real> rests = (y.low == y.high) & ((x.low == x.high) | (x.high < zero));
    const MaskOf<Real> is_cut = y.has_zero() & (x.low <= zero) & !rests,
                       is_any = is_cut | !is_finite((y.high - y.low) + (x.high - x.low));
    Bounds<Real> value =
        Bounds<Real>::around(atan2(y.low, x.low), atan2(y.low, x.high), atan2(y.high, x.low), atan2(y.high, x.high));
    value.low = select(is_any, -half_turn, value.low), value.high = select(is_any, half_turn, value.high);
    value.is_sharp = is_cut;
    return value;
}

struct PieceBounds {
    double low, high;
};
MYRIAD_HD PieceBounds piece_bounds(const PolynomialPiece& piece, double low, double high) {
    PieceBounds value{piece.c[3], piece.c[3]};
    for (int k = 2; k >= 0; --k) {
        double least = piece.c[k], most = piece.c[k];
        if (value.low != 0.0 || value.high != 0.0) {
            const double ends[4] = {value.low * (low - piece.from), value.low * (high - piece.from),
                                    value.high * (low - piece.from), value.high * (high - piece.from)};
            double smallest = ends[0], largest = ends[0];
            for (const double end : ends)
                smallest = end < smallest ? end : smallest, largest = end > largest ? end : largest;
            least += smallest, most += largest;
        }
        value = {least, most};
    }
    return value;
}

// A table with the piece of `side`, lane by lane.
template <class Real, class Pieces>
MYRIAD_NOINLINE Bounds<Real> table_bounds(const Pieces& pieces, const PiecewisePolynomial& function,
                                          const Bounds<Real>& u, Real side) {
    using Number = NumberOf<Real>;
    Bounds<Real> value = Bounds<Real>::unknown();
    Real turned(0.0);
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
        const double low = static_cast<double>(Lanes<Real>::get(u.low, lane)),
                     high = static_cast<double>(Lanes<Real>::get(u.high, lane));
        const int first = piece_at(pieces, function, low), last = piece_at(pieces, function, high),
                  held = piece_at(pieces, function, static_cast<double>(Lanes<Real>::get(side, lane))),
                  behind = function.count - 1;
        const auto part = [&](int piece) {
            return function.corners == Corners::at_all_points ? piece : piece == 0 ? 0 : piece == behind ? 2 : 1;
        };
        const bool stays = function.corners == Corners::none || (part(first) == part(held) && part(last) == part(held));
        if (!stays) Lanes<Real>::set(turned, lane, static_cast<Number>(1));
        if (last > first + 1 || (function.ends && (first == 0 || last == behind))) continue;
        const double start = pieces.piece(function.first + last).start, middle = first < last ? start : high;
        PieceBounds seen = piece_bounds(pieces.piece(function.first + first), low, middle);
        if (first < last) {
            const PieceBounds other = piece_bounds(pieces.piece(function.first + last), middle, high);
            seen = {other.low < seen.low ? other.low : seen.low, seen.high < other.high ? other.high : seen.high};
        }
        Lanes<Real>::set(value.low, lane, static_cast<Number>(seen.low));
        Lanes<Real>::set(value.high, lane, static_cast<Number>(seen.high));
    }
    Bounds<Real> known = Bounds<Real>::of(value.low, value.high);
    known.turns = Real(0.0) < turned;
    return known;
}

// Of an instruction that chooses: the bounds of the operand that `sides` chooses, and whether it stays the choice.
template <class Real>
MYRIAD_HD Bounds<Real> chosen(MaskOf<Real> is_first, MaskOf<Real> stays, const Bounds<Real>& u, const Bounds<Real>& v) {
    const MaskOf<Real> is_sharp = (is_first & u.is_sharp) | ((!is_first) & v.is_sharp);
    return {select(is_first, u.low, v.low), select(is_first, u.high, v.high), !stays, is_sharp};
}

// The bounds of an instruction's result over from_s to to_s, with the branches of the time whose registers are in
// `sides`.
template <class Real, int registers_held, class Parameters, class Tables>
MYRIAD_HD Bounds<Real> bounds_of(const Instruction& instruction, const Parameters& parameters, Real from_s, Real to_s,
                                 const Bounds<Real> (&registers)[registers_held],
                                 const Plain<Real> (&sides)[registers_held], const Tables& tables) {
    using Mask = MaskOf<Real>;
    const Real zero(0.0), one(1.0);
    if (instruction.operation == Operation::parameter) {
        const Real value = parameters[instruction.a];
        return {value, value, !true_mask<Real>(), !true_mask<Real>()};
    }
    if (instruction.operation == Operation::time) return Bounds<Real>::of(from_s, to_s);
    const Bounds<Real>& u = registers[instruction.a];
    const Real side = sides[instruction.a].value;
    const int second = operand_count(instruction.operation) < 2u ? instruction.a : instruction.b;
    const Bounds<Real>& v = registers[second];
    const Real other_side = sides[second].value;
    Bounds<Real> value = Bounds<Real>::unknown();
    Mask turns = u.turns | v.turns, is_sharp = u.is_sharp | v.is_sharp;
    switch (instruction.operation) {
        case Operation::interpolate:
            value = table_bounds(tables, tables.interpolant(instruction.b), u, side);
            break;
        case Operation::add:
            value = u + v;
            break;
        case Operation::subtract:
            value = u + -v;
            break;
        case Operation::multiply:
            value = instruction.a == instruction.b ? square(u) : u * v;
            break;
        case Operation::divide:
            value = quotient(u, v);
            break;
        case Operation::negate:
            value = -u;
            break;
        case Operation::sine:
            value = swinging(u, sincos(u.low).sine, sincos(u.high).sine, 1.5707963267948966);
            break;
        case Operation::cosine:
            value = swinging(u, sincos(u.low).cosine, sincos(u.high).cosine, 0.0);
            break;
        case Operation::tangent:
            value = tangent(u);
            break;
        case Operation::exponential:
            value = Bounds<Real>::of(exp(u.low), exp(u.high));
            break;
        case Operation::logarithm:
            value = logarithm(u);
            break;
        case Operation::hyperbolic_tangent:
            value = Bounds<Real>::of(hyperbolic_tangent(u.low), hyperbolic_tangent(u.high));
            break;
        case Operation::square_root:
            value = root(u);
            break;
        case Operation::power:
            value = raised(u, v);
            break;
        case Operation::arctangent2:
            value = angle(u, v);
            break;
        case Operation::absolute: {
            const Mask is_below = side < zero, stays = (is_below & (u.high <= zero)) | ((!is_below) & (zero <= u.low));
            value = chosen(is_below, stays, -u, u);
            break;
        }
        case Operation::minimum: {
            const Mask is_first = (side < other_side) | !(side == side),
                       stays = (is_first & (u.high <= v.low)) | ((!is_first) & (v.high <= u.low));
            value = chosen(is_first, stays, u, v), is_sharp = value.is_sharp;
            break;
        }
        case Operation::maximum: {
            const Mask is_first = (other_side < side) | !(side == side),
                       stays = (is_first & (v.high <= u.low)) | ((!is_first) & (u.high <= v.low));
            value = chosen(is_first, stays, u, v), is_sharp = value.is_sharp;
            break;
        }
        case Operation::less: {
            const Mask is_less = side < other_side,
                       stays = (is_less & (u.high < v.low)) | ((!is_less) & (v.high <= u.low));
            value = Bounds<Real>::of(select(is_less, one, zero), select(is_less, one, zero));
            value.turns = !stays, is_sharp = !true_mask<Real>();
            break;
        }
        case Operation::choose: {
            const Bounds<Real>& w = registers[instruction.c];
            const Mask is_first = !(side == zero),
                       stays = (is_first & !u.has_zero()) | ((!is_first) & (u.low == zero) & (u.high == zero));
            value = chosen(is_first, stays, v, w), is_sharp = value.is_sharp;
            turns = u.turns | (is_first & v.turns) | ((!is_first) & w.turns);
            break;
        }
        default:
            break;
    }
    value.turns = value.turns | turns, value.is_sharp = value.is_sharp | is_sharp;
    return value;
}

// Runs all instructions over from_s to to_s with the branches of `side_s`.
template <class Real, class Topology, class Parameters>
MYRIAD_HD void run_tape_in_bounds(const Topology& topology, const Parameters& parameters, Real from_s, Real to_s,
                                  Real side_s, Bounds<Real> (&registers)[Topology::most_registers]) {
    Plain<Real> sides[Topology::most_registers];
    MYRIAD_EACH(i, topology, instructions) {
        const Instruction instruction = topology.instruction(i);
        const Bounds<Real> bounds = bounds_of(instruction, parameters, from_s, to_s, registers, sides, topology);
        sides[instruction.to] = result_of(instruction, parameters, side_s, sides, topology);
        registers[instruction.to] = bounds;
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
