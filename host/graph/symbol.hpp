// Symbol: a number of the kernels that is not computed but written down, as a node of the graph of the present Tracer.
//
// It stands in for Real: the kernels' own templates, run once on Symbols, leave the expressions of a step.
// Symbol<float> is traced for fp32: coefficients are those of single precision, constants are rounded and folded there.
// An operand carries the line of its use, so that a node knows who made it. To be included before any header that
// instantiates kernels on it.
#pragma once
#include "host/graph/tracer.hpp"
#include "kernels/math/control.hpp"
#include "kernels/math/elementary.hpp"

namespace myriad::graph {

inline Builder& building(Line line) {
    Tracer& tracer = Tracer::present();
    tracer.graph().line = line;
    return tracer.build;
}
inline NodeId node_of(const Variable& variable) { return Tracer::present().read(variable); }

struct SymbolMask : Variable {
    SymbolMask() : Variable(true) {}
    static SymbolMask of(NodeId node) {
        SymbolMask mask;
        mask.node = node;
        return mask;
    }
    struct Operand {
        NodeId node;
        Line line;
        Operand(const SymbolMask& mask, Line its_line = Line::here()) : node(node_of(mask)), line(its_line) {}
    };
    friend SymbolMask operator&(Operand a, Operand b) { return of(building(a.line).both(a.node, b.node)); }
    friend SymbolMask operator|(Operand a, Operand b) { return of(building(a.line).either(a.node, b.node)); }
    friend SymbolMask operator!(Operand a) { return of(building(a.line).opposite(a.node)); }
    friend bool any(const SymbolMask& mask, Line line = Line::here()) { return Tracer::present().decide(mask, line); }
    friend bool lane_of(const SymbolMask& mask, int, Line line = Line::here()) { return any(mask, line); }
};

template <class Number>
struct Symbol : Variable {
    Symbol() : Variable(false) {}
    Symbol(double x, Line line = Line::here()) : Variable(false, building(line).constant(x)) {}
    static Symbol of(NodeId node) {
        Symbol symbol;
        symbol.node = node;
        return symbol;
    }
    struct Operand {
        NodeId node;
        Line line;
        Operand(const Symbol& x, Line its_line = Line::here()) : node(node_of(x)), line(its_line) {}
        Operand(double x, Line its_line = Line::here()) : node(building(its_line).constant(x)), line(its_line) {}
    };
    friend Symbol operator+(Operand a, Operand b) { return of(building(a.line).add(a.node, b.node)); }
    friend Symbol operator-(Operand a, Operand b) { return of(building(a.line).subtract(a.node, b.node)); }
    friend Symbol operator*(Operand a, Operand b) { return of(building(a.line).multiply(a.node, b.node)); }
    friend Symbol operator/(Operand a, Operand b) { return of(building(a.line).divide(a.node, b.node)); }
    friend Symbol operator-(Operand a) { return of(building(a.line).negate(a.node)); }
    friend SymbolMask operator<(Operand a, Operand b) { return compare(Op::less, a, b); }
    friend SymbolMask operator<=(Operand a, Operand b) { return compare(Op::less_equal, a, b); }
    friend SymbolMask operator==(Operand a, Operand b) { return compare(Op::equal, a, b); }

    friend Symbol fma(const Symbol& a, const Symbol& b, const Symbol& c, Line line = Line::here()) {
        return of(building(line).fma(node_of(a), node_of(b), node_of(c)));
    }
    friend Symbol select(const SymbolMask& mask, const Symbol& a, const Symbol& b, Line line = Line::here()) {
        return of(building(line).select(node_of(mask), node_of(a), node_of(b)));
    }
    friend Symbol sqrt(Symbol x, Line line = Line::here()) { return function(Op::square_root, x, line); }
    friend SineCosine<Symbol> sincos(Symbol x, Line line = Line::here()) {
        return {function(Op::sine, x, line), function(Op::cosine, x, line)};
    }
    friend Symbol exp(Symbol x, Line line = Line::here()) { return function(Op::exponential, x, line); }
    friend Symbol nearest_integer(Symbol x, Line line = Line::here()) { return function(Op::nearest_integer, x, line); }
    friend Symbol atan2(Symbol y, Symbol x, Line line = Line::here()) {
        return of(building(line).function(Op::arc_tangent, node_of(y), node_of(x)));
    }
    friend Symbol finite_term(Symbol x, Symbol sum, Line line = Line::here()) {
        return of(building(line).function(Op::finite_term, node_of(x), node_of(sum)));
    }
    friend SymbolMask is_finite(Symbol x, Line line = Line::here()) {
        return finite_term(x, Symbol(0.0), line) <= Symbol(0.0);
    }
    friend Symbol unsigned_zero(Symbol x, Line line = Line::here()) {
        return of(building(line).unsigned_zero(node_of(x)));
    }
    template <class Pieces>
    friend PolynomialValue<Symbol> polynomial_at(const Pieces& pieces, const PiecewisePolynomial& function,
                                                 const Symbol& u, const Symbol& side, Line line = Line::here()) {
        Table table{{}, function};
        table.function.first = 0;
        for (int i = 0; i < function.count; ++i) table.pieces.push_back(pieces.piece(function.first + i));
        Builder& build = building(line);
        const std::int64_t number = build.graph().find_table(table);
        const NodeId argument = node_of(u), place = build.function(Op::table_place, argument, node_of(side), number);
        Symbol c[4];
        for (int k = 0; k < 4; ++k) c[k] = of(build.function(Op::table_coefficient, place, no_node, 4 * number + k));
        return polynomial_on_piece(of(build.function(Op::table_offset, argument, place, number)), c);
    }
    template <class Visit, class... Same>
    friend void visit_fields(Visit&& visit, Symbol& first, Same&... more) {
        visit(first, more...);
    }

  private:
    static Symbol function(Op op, const Symbol& x, Line line) { return of(building(line).function(op, node_of(x))); }
    static SymbolMask compare(Op op, Operand a, Operand b) {
        return SymbolMask::of(building(a.line).compare(op, a.node, b.node));
    }
};

}  // namespace myriad::graph

namespace myriad::inline MYRIAD_VARIANT {

template <class N>
struct Lanes<graph::Symbol<N>> {
    using Number = N;
    static constexpr int width = 1;
    static Number get(const graph::Symbol<N>&, int, graph::Line line = graph::Line::here()) {
        throw graph::Refusal(line.text() + ": the number of a lane is read while it is traced");
    }
    static void set(graph::Symbol<N>& x, int, Number value) { x = graph::Symbol<N>(static_cast<double>(value)); }
};

template <class N>
struct BitsOf<graph::Symbol<N>> {
    using Real = graph::Symbol<N>;
    using Bits = typename Format<N>::Bits;
    static Real masked(const Real& x, Bits keep, Bits set, graph::Line line = graph::Line::here()) {
        graph::NodeId node = graph::node_of(x);
        if (keep != -1) node = graph::building(line).function(graph::Op::keep_bits, node, graph::no_node, keep);
        if (set != 0) node = graph::building(line).function(graph::Op::set_bits, node, graph::no_node, set);
        return Real::of(node);
    }
    static Real shifted_up(const Real& x, graph::Line line = graph::Line::here()) {
        return Real::of(graph::building(line).function(graph::Op::shift_up, graph::node_of(x)));
    }
    static Real shifted_down(const Real& x, graph::Line line = graph::Line::here()) {
        return Real::of(graph::building(line).function(graph::Op::shift_down, graph::node_of(x)));
    }
    // The sign bit of a zero and of NaN is not known.
    static graph::SymbolMask negative(const Real& x) { return x < Real(0.0); }
};

template <class N>
inline constexpr bool is_traced<graph::Symbol<N>> = true;

template <>
struct Control<graph::SymbolMask> {
    static graph::When enters(const graph::SymbolMask& mask, graph::Line line = graph::Line::here()) {
        return graph::When(mask, line);
    }
    using Turns = graph::Turns;
    static bool enters_rarely(const graph::SymbolMask& mask, graph::Line line = graph::Line::here()) {
        graph::Tracer::present().leave_behind(mask, line);
        return false;
    }
    static bool wants(const graph::SymbolMask& mask) {
        return !graph::Tracer::present().build.is_false(graph::node_of(mask));
    }
    static graph::SymbolMask left_behind() { return graph::SymbolMask::of(graph::Tracer::present().behind()); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
