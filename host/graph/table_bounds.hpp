// Bounds of a table over an interval (kernels/mechanism/bounds.hpp) on Symbols: what a kernel does lane by lane, by
// operations on tables and selects. To be included before any header that instantiates kernels on Symbols.
//
// The begins of pieces are read as coefficients of a second table. Not handled: single precision, where a kernel
// computes these bounds in double.
#pragma once
#include "host/graph/symbol.hpp"
#include "kernels/mechanism/bounds.hpp"

namespace myriad::inline MYRIAD_VARIANT {

class TracedTable {
  public:
    using Real = graph::Symbol<double>;
    template <class Pieces>
    TracedTable(const Pieces& pieces, const PiecewisePolynomial& function) {
        graph::Table table{{}, function}, begins{{}, function};
        table.function.first = begins.function.first = 0;
        for (int i = 0; i < function.count; ++i) {
            const PolynomialPiece& piece = pieces.piece(function.first + i);
            table.pieces.push_back(piece);
            begins.pieces.push_back({piece.start, piece.from, {piece.start, piece.from, 0.0, 0.0}});
        }
        graph::Graph& graph = graph::Tracer::present().graph();
        table_ = graph.find_table(table), begins_ = graph.find_table(begins);
    }
    Real place(const Real& u) const {
        const graph::NodeId argument = node_of(u);
        return Real::of(build().function(graph::Op::table_place, argument, argument, table_));
    }
    Real start(const Real& piece) const { return coefficient(begins_, piece, 0); }
    // As piece_bounds().
    Bounds<Real> on_piece(const Real& piece, const Real& low, const Real& high) const {
        const Real from = coefficient(begins_, piece, 1), zero(0.0);
        Real least = coefficient(table_, piece, 3), most = least;
        for (int k = 2; k >= 0; --k) {
            const Real ends[4] = {least * (low - from), least * (high - from), most * (low - from),
                                  most * (high - from)};
            Real smallest = ends[0], largest = ends[0];
            for (const Real& end : ends)
                smallest = select(end < smallest, end, smallest), largest = select(largest < end, end, largest);
            const graph::SymbolMask is_zero = (least == zero) & (most == zero);
            const Real c = coefficient(table_, piece, k);
            least = select(is_zero, c, c + smallest), most = select(is_zero, c, c + largest);
        }
        const graph::SymbolMask none = !true_mask<Real>();
        return {least, most, none, none};
    }

  private:
    std::int64_t table_, begins_;

    static graph::Builder& build() { return graph::Tracer::present().build; }
    static Real coefficient(std::int64_t table, const Real& piece, int power) {
        return Real::of(
            build().function(graph::Op::table_coefficient, node_of(piece), graph::no_node, 4 * table + power));
    }
};

template <class Pieces>
Bounds<graph::Symbol<double>> table_bounds(const Pieces& pieces, const PiecewisePolynomial& function,
                                           const Bounds<graph::Symbol<double>>& u, graph::Symbol<double> side) {
    using Real = graph::Symbol<double>;
    using Mask = graph::SymbolMask;
    const TracedTable table(pieces, function);
    const Real zero(0.0), one(1.0), behind(static_cast<double>(function.count - 1));
    const Real first = table.place(u.low), last = table.place(u.high), held = table.place(side);
    const auto part = [&](const Real& piece) {
        if (function.corners == Corners::at_all_points) return piece;
        return select(piece == zero, zero, select(piece == behind, Real(2.0), one));
    };
    Mask known = last <= first + one;
    if (function.ends) known = known & !((first == zero) | (last == behind));
    const Mask is_divided = first < last;
    const Real middle = select(is_divided, table.start(last), u.high);
    const Bounds<Real> left = table.on_piece(first, u.low, middle), right = table.on_piece(last, middle, u.high);
    const Mask is_lower = is_divided & (right.low < left.low), is_higher = is_divided & (left.high < right.high);
    const Real low = select(is_lower, right.low, left.low), high = select(is_higher, right.high, left.high);
    Bounds<Real> value = Bounds<Real>::of(select(known, low, -infinity<Real>()), select(known, high, infinity<Real>()));
    if (function.corners != Corners::none) value.turns = !((part(first) == part(held)) & (part(last) == part(held)));
    return value;
}

}  // namespace myriad::inline MYRIAD_VARIANT
