#include "host/graph/builder.hpp"

#include <cmath>
#include <utility>

#include "host/graph/meaning.hpp"

namespace myriad::graph {

namespace {

// The exact reciprocal is a normal number.
bool is_power_of_two(double x, Format format) {
    int exponent = 0;
    const int most = format == Format::fp64 ? 1020 : 124;
    return std::isfinite(x) && std::fabs(std::frexp(x, &exponent)) == 0.5 && std::abs(exponent) < most;
}

template <class Number>
double fold_number(const Graph& graph, Op op, double a, double b, double c, std::int64_t data) {
    const auto x = static_cast<Number>(a), y = static_cast<Number>(b), z = static_cast<Number>(c);
    const auto of_table = [&]<Op access>() -> Number {
        const Table& table = graph.tables[static_cast<std::size_t>(access == Op::table_coefficient ? data / 4 : data)];
        return read_table<access>(table, table.function, x, y, static_cast<int>(data % 4));
    };
    switch (op) {
#define MYRIAD_FOLDED(name) \
    case Op::name:          \
        return static_cast<double>(number_of<Op::name>(x, y, z, data));
        MYRIAD_FOLDED(add)
        MYRIAD_FOLDED(subtract)
        MYRIAD_FOLDED(multiply)
        MYRIAD_FOLDED(divide)
        MYRIAD_FOLDED(negate)
        MYRIAD_FOLDED(fma)
        MYRIAD_FOLDED(square_root)
        MYRIAD_FOLDED(unsigned_zero)
        MYRIAD_FOLDED(sine)
        MYRIAD_FOLDED(cosine)
        MYRIAD_FOLDED(exponential)
        MYRIAD_FOLDED(arc_tangent)
        MYRIAD_FOLDED(nearest_integer)
        MYRIAD_FOLDED(finite_term)
        MYRIAD_FOLDED(keep_bits)
        MYRIAD_FOLDED(set_bits)
        MYRIAD_FOLDED(shift_up)
        MYRIAD_FOLDED(shift_down)
#undef MYRIAD_FOLDED
        case Op::table_place:
            return static_cast<double>(of_table.template operator()<Op::table_place>());
        case Op::table_offset:
            return static_cast<double>(of_table.template operator()<Op::table_offset>());
        case Op::table_coefficient:
            return static_cast<double>(of_table.template operator()<Op::table_coefficient>());
        default:
            throw Refusal(std::string("no number is folded by ") + description_of(op).name);
    }
}

bool fold_mask(Op op, double a, double b) {
    switch (op) {
        case Op::less:
            return a < b;
        case Op::less_equal:
            return a <= b;
        case Op::equal:
            return a == b;
        default:
            throw Refusal(std::string("no mask is folded by ") + description_of(op).name);
    }
}

}  // namespace

NodeId Builder::find(Node node) {
    node.is_mask = node.is_mask || description_of(node.op).gives_mask;
    if (description_of(node.op).commutes && node.b < node.a) std::swap(node.a, node.b);
    return has(Rule::sharing) || !is_computed(node.op) ? graph_.find(node) : graph_.add_new(node);
}
NodeId Builder::make(Op op, NodeId a, NodeId b, NodeId c, std::int64_t data) { return find({op, a, b, c, data}); }

NodeId Builder::constant(double x) {
    if (graph_.format == Format::fp32) x = static_cast<double>(static_cast<float>(x));
    if (x != x) x = quiet_nan<double>();
    return make(Op::constant, no_node, no_node, no_node, __builtin_bit_cast(std::int64_t, x));
}
NodeId Builder::truth(bool is_true) { return make(Op::truth, no_node, no_node, no_node, is_true ? 1 : 0); }
NodeId Builder::input(int number, bool is_mask) {
    return find({Op::input, no_node, no_node, no_node, number, is_mask});
}

bool Builder::folds(NodeId a, NodeId b, NodeId c) const {
    if (!has(Rule::folding)) return false;
    for (const NodeId operand : {a, b, c})
        if (operand != no_node && !is_number(operand)) return false;
    return true;
}
NodeId Builder::folded(Op op, NodeId a, NodeId b, NodeId c, std::int64_t data) {
    const auto number = [&](NodeId n) { return n == no_node ? 0.0 : value(n); };
    const double x = number(a), y = number(b), z = number(c);
    if (description_of(op).gives_mask) return truth(fold_mask(op, x, y));
    return constant(graph_.format == Format::fp64 ? fold_number<double>(graph_, op, x, y, z, data)
                                                  : fold_number<float>(graph_, op, x, y, z, data));
}

NodeId Builder::add(NodeId a, NodeId b) {
    if (folds(a, b)) return folded(Op::add, a, b, no_node, 0);
    if (has(Rule::zero_terms)) {
        if (is_zero(a)) return b;
        if (is_zero(b)) return a;
    }
    if (has(Rule::signs)) {
        if (is_negated(b)) return make(Op::subtract, a, at(b).a);
        if (is_negated(a)) return make(Op::subtract, b, at(a).a);
    }
    return make(Op::add, a, b);
}

NodeId Builder::subtract(NodeId a, NodeId b) {
    if (folds(a, b)) return folded(Op::subtract, a, b, no_node, 0);
    if (has(Rule::zero_terms)) {
        if (is_zero(b)) return a;
        if (is_zero(a)) return negate(b);
    }
    if (has(Rule::signs)) {
        if (is_negated(b)) return add(a, at(b).a);
        if (is_negated(a)) return negate(add(at(a).a, b));
    }
    return make(Op::subtract, a, b);
}

NodeId Builder::multiply(NodeId a, NodeId b) {
    if (folds(a, b)) return folded(Op::multiply, a, b, no_node, 0);
    if (is_number(a)) std::swap(a, b);
    if (has(Rule::zero_factors) && is_zero(b)) return constant(0.0);
    if (has(Rule::unit_factors)) {
        if (is_number(b, 1.0)) return a;
        if (is_number(b, -1.0)) return negate(a);
    }
    if (has(Rule::signs)) {
        if (is_negated(a) && is_number(b)) return multiply(at(a).a, constant(-value(b)));
        if (is_negated(a) && is_negated(b)) return multiply(at(a).a, at(b).a);
        if (is_negated(a)) return negate(multiply(at(a).a, b));
        if (is_negated(b)) return negate(multiply(a, at(b).a));
    }
    return make(Op::multiply, a, b);
}

NodeId Builder::divide(NodeId a, NodeId b) {
    b = unsigned_zero(b);
    if (folds(a, b)) return folded(Op::divide, a, b, no_node, 0);
    if (has(Rule::zero_factors) && is_zero(a)) return constant(0.0);
    if (has(Rule::unit_factors)) {
        if (is_number(b, 1.0)) return a;
        if (is_number(b, -1.0)) return negate(a);
    }
    if (has(Rule::powers_of_two) && is_number(b) && is_power_of_two(value(b), graph_.format))
        return multiply(a, constant(1.0 / value(b)));
    if (has(Rule::signs) && is_negated(a)) return negate(divide(at(a).a, b));
    return make(Op::divide, a, b);
}

NodeId Builder::negate(NodeId a) {
    if (folds(a)) return folded(Op::negate, a, no_node, no_node, 0);
    if (!has(Rule::signs)) return make(Op::negate, a);
    const Node n = at(a);
    switch (n.op) {
        case Op::negate:
            return n.a;
        case Op::subtract:
            return make(Op::subtract, n.b, n.a);
        case Op::fma:
            return make(Op::fnms, n.a, n.b, n.c);
        case Op::fnms:
            return make(Op::fma, n.a, n.b, n.c);
        case Op::fms:
            return make(Op::fnma, n.a, n.b, n.c);
        case Op::fnma:
            return make(Op::fms, n.a, n.b, n.c);
        default:
            return make(Op::negate, a);
    }
}

NodeId Builder::fma(NodeId a, NodeId b, NodeId c) {
    if (folds(a, b, c)) return folded(Op::fma, a, b, c, 0);
    if (is_number(a)) std::swap(a, b);
    if (has(Rule::zero_factors) && (is_zero(a) || is_zero(b))) return c;
    if (has(Rule::unit_factors)) {
        if (is_number(b, 1.0)) return add(a, c);
        if (is_number(b, -1.0)) return subtract(c, a);
    }
    if (has(Rule::zero_terms) && is_zero(c)) return multiply(a, b);
    if (!has(Rule::signs)) return make(Op::fma, a, b, c);
    bool subtracts_product = false;
    const auto strip = [&](NodeId& factor) {
        if (is_negated(factor)) factor = at(factor).a, subtracts_product = !subtracts_product;
        if (is_number(factor) && value(factor) < 0.0)
            factor = constant(-value(factor)), subtracts_product = !subtracts_product;
    };
    strip(a), strip(b);
    const bool subtracts_term = is_negated(c);
    if (subtracts_term) c = at(c).a;
    return make(subtracts_product ? (subtracts_term ? Op::fnms : Op::fnma) : (subtracts_term ? Op::fms : Op::fma), a, b,
                c);
}

NodeId Builder::select(NodeId mask, NodeId a, NodeId b) {
    if (has(Rule::selections)) {
        if (is_known(mask)) return is_true(mask) ? a : b;
        if (a == b) return a;
        if (at(mask).is(Op::opposite)) return make(Op::select, at(mask).a, b, a);
    }
    return make(Op::select, mask, a, b);
}

NodeId Builder::unsigned_zero(NodeId a) {
    if (folds(a)) return folded(Op::unsigned_zero, a, no_node, no_node, 0);
    if (has(Rule::unsigned_zeros) && is_never_negative_zero(a)) return a;
    return make(Op::unsigned_zero, a);
}

NodeId Builder::function(Op op, NodeId a, NodeId b, std::int64_t data) {
    if (op == Op::arc_tangent) a = unsigned_zero(a), b = unsigned_zero(b);
    if (folds(a, b)) return folded(op, a, b, no_node, data);
    if (op == Op::finite_term && folds(a) && std::isfinite(value(a))) return b;
    if (has(Rule::signs) && op == Op::keep_bits && is_negated(a) && data >= 0) a = at(a).a;  // drops the sign
    return make(op, a, b, no_node, data);
}

NodeId Builder::compare(Op op, NodeId a, NodeId b) {
    if (folds(a, b)) return folded(op, a, b, no_node, 0);
    if (has(Rule::masks) && op == Op::less && a == b) return truth(false);
    return make(op, a, b);
}

NodeId Builder::both(NodeId a, NodeId b) {
    if (has(Rule::masks)) {
        if (is_known(a)) return is_true(a) ? b : a;
        if (is_known(b)) return is_true(b) ? a : b;
        if (a == b) return a;
        if ((at(a).is(Op::opposite) && at(a).a == b) || (at(b).is(Op::opposite) && at(b).a == a)) return truth(false);
    }
    return make(Op::both, a, b);
}
NodeId Builder::either(NodeId a, NodeId b) {
    if (has(Rule::masks)) {
        if (is_known(a)) return is_true(a) ? a : b;
        if (is_known(b)) return is_true(b) ? b : a;
        if (a == b) return a;
        if ((at(a).is(Op::opposite) && at(a).a == b) || (at(b).is(Op::opposite) && at(b).a == a)) return truth(true);
    }
    return make(Op::either, a, b);
}
NodeId Builder::opposite(NodeId a) {
    if (has(Rule::masks)) {
        if (is_known(a)) return truth(!is_true(a));
        if (at(a).is(Op::opposite)) return at(a).a;
    }
    return make(Op::opposite, a);
}

NodeId Builder::call(int block, const std::vector<NodeId>& arguments) {
    return make(Op::call, no_node, no_node, no_node, graph_.find_call({block, arguments}));
}
NodeId Builder::result(NodeId call, int number) {
    const auto block = static_cast<std::size_t>(graph_.calls[static_cast<std::size_t>(at(call).data)].block);
    const Graph& called = *graph_.blocks[block];
    const NodeId output = called.outputs[static_cast<std::size_t>(number)].node;
    return find({Op::result, call, no_node, no_node, number, called.at(output).is_mask});
}

// A sum in round to nearest is -0 only where both terms are; a product or fma may also underflow to it.
bool Builder::is_never_negative_zero(NodeId a, int levels) const {
    const Node& n = at(a);
    if (n.is(Op::constant)) return n.data != __builtin_bit_cast(std::int64_t, -0.0);
    if (n.is(Op::unsigned_zero) || n.is(Op::exponential)) return true;
    if (levels == 0) return false;
    const auto is_never = [&](NodeId operand) { return is_never_negative_zero(operand, levels - 1); };
    // Far above what can cancel to less than the smallest number.
    const auto is_large = [&](NodeId operand) { return is_number(operand) && std::fabs(value(operand)) > 1e-10; };
    switch (n.op) {
        case Op::add:
            return is_never(n.a) || is_never(n.b);
        case Op::subtract:
            return is_never(n.a) || (is_number(n.b) && !is_zero(n.b));
        case Op::square_root:
            return is_never(n.a);
        case Op::select:
            return is_never(n.b) && is_never(n.c);
        case Op::fma:
        case Op::fnma:
        case Op::fms:
            return is_large(n.c) || is_never_negative(a, levels);
        default:
            return is_never_negative(a, levels);
    }
}
// Positive, +0 or NaN.
bool Builder::is_never_negative(NodeId a, int levels) const {
    const Node& n = at(a);
    if (n.is(Op::constant)) return value(a) > 0.0 || n.data == 0;
    if (levels == 0) return false;
    const auto is_never = [&](NodeId operand) { return is_never_negative(operand, levels - 1); };
    const auto is_product = [&] { return n.a == n.b || (is_never(n.a) && is_never(n.b)); };
    switch (n.op) {
        case Op::exponential:
            return true;
        case Op::keep_bits:
            return n.data >= 0;  // a magnitude
        case Op::multiply:
            return is_product();
        case Op::fma:
            return is_product() && is_never(n.c);
        case Op::add:
            return is_never(n.a) && is_never(n.b);
        case Op::divide:
            return is_never(n.a) && is_never(n.b);
        case Op::square_root:
        case Op::unsigned_zero:
            return is_never(n.a);
        case Op::select:
            return is_never(n.b) && is_never(n.c);
        default:
            return false;
    }
}

}  // namespace myriad::graph
