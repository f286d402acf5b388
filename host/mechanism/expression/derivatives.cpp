#include "host/mechanism/expression/derivatives.hpp"

#include "host/mechanism/expression/expression_graph.hpp"

namespace myriad::mechanism {

namespace {

using Kind = ExpressionNode::Kind;
constexpr int zero = -1;  // in place of a node

// Sums and products without the terms and factors that vanish or change nothing.
class Differentiation {
  public:
    explicit Differentiation(ExpressionGraph& graph) : graph_(graph) {}

    // Of a node, from its operands and their derivatives.
    int of(int node, std::span<const int> derivative_of) const {
        const ExpressionNode at = graph_.at(node);
        if (at.kind != Kind::operation) return zero;
        const auto derivative = [&](std::size_t k) { return derivative_of[static_cast<std::size_t>(at.operand[k])]; };
        const auto [a, b, c] = at.operand;
        const int da = derivative(0), db = at.operands().size() > 1 ? derivative(1) : zero,
                  dc = at.operands().size() > 2 ? derivative(2) : zero;
        switch (at.operation) {
            case Operation::add:
                return sum(da, db);
            case Operation::subtract:
                return difference(da, db);
            case Operation::multiply:
                return sum(product(da, b), product(a, db));
            case Operation::divide:
                return quotient(difference(da, product(node, db)), b);
            case Operation::negate:
                return negated(da);
            case Operation::sine:
                return product(apply(Operation::cosine, a), da);
            case Operation::cosine:
                return negated(product(apply(Operation::sine, a), da));
            case Operation::tangent:
                return product(apply(Operation::add, literal(1.0), apply(Operation::multiply, node, node)), da);
            case Operation::exponential:
                return product(node, da);
            case Operation::logarithm:
                return quotient(da, a);
            case Operation::square_root:
                return quotient(product(literal(0.5), da), node);
            case Operation::power:
                return sum(product(product(b, graph_.power(a, apply(Operation::subtract, b, literal(1.0)))), da),
                           db == zero ? zero : product(product(node, apply(Operation::logarithm, a)), db));
            case Operation::absolute:
                return chosen(apply(Operation::less, a, literal(0.0)), negated(da), da);
            case Operation::minimum:
                return chosen(apply(Operation::less, a, b), da, db);
            case Operation::maximum:
                return chosen(apply(Operation::less, b, a), da, db);
            case Operation::choose:
                return chosen(a, db, dc);
            case Operation::arctangent2:
                return quotient(
                    difference(product(b, da), product(a, db)),
                    apply(Operation::add, apply(Operation::multiply, a, a), apply(Operation::multiply, b, b)));
            case Operation::hyperbolic_tangent:
                return product(apply(Operation::multiply, apply(Operation::subtract, literal(1.0), node),
                                     apply(Operation::add, literal(1.0), node)),
                               da);
            case Operation::interpolate:
                return product(da == zero ? zero : graph_.look_up(Operation::interpolate_slope, b, a), da);
            default:
                return zero;
        }
    }

  private:
    int literal(double value) const { return graph_.literal(value); }
    int apply(Operation operation, int a, int b = 0) const { return graph_.apply(operation, a, b); }
    bool is_literal(int node, double value) const {
        return graph_.at(node).kind == Kind::literal && graph_.at(node).literal == value;
    }
    int sum(int a, int b) const { return a == zero ? b : b == zero ? a : apply(Operation::add, a, b); }
    int difference(int a, int b) const {
        return b == zero ? a : a == zero ? negated(b) : apply(Operation::subtract, a, b);
    }
    int negated(int a) const { return a == zero ? zero : apply(Operation::negate, a); }
    int quotient(int a, int b) const { return a == zero ? zero : apply(Operation::divide, a, b); }
    int product(int a, int b) const {
        if (a == zero || b == zero || is_literal(a, 0.0) || is_literal(b, 0.0)) return zero;
        return is_literal(a, 1.0) ? b : is_literal(b, 1.0) ? a : apply(Operation::multiply, a, b);
    }
    int chosen(int condition, int yes, int no) const {
        if (yes == zero && no == zero) return zero;
        const auto node_of = [&](int one) { return one == zero ? literal(0.0) : one; };
        return graph_.apply(Operation::choose, condition, node_of(yes), node_of(no));
    }

    ExpressionGraph& graph_;
};

}  // namespace

DifferentiatedFormula differentiated(std::span<const ExpressionNode> nodes, std::span<const int> names) {
    ExpressionGraph graph;
    std::vector<int> place;
    for (const ExpressionNode& node : nodes) place.push_back(graph.copy(node, place));
    DifferentiatedFormula result;
    result.value = place.back();
    const Differentiation rules(graph);
    const int count = result.value + 1;
    for (const int name : names) {
        std::vector<int> derivatives;
        for (int node = 0; node < count; ++node) {
            const ExpressionNode at = graph.at(node);
            derivatives.push_back(at.kind == Kind::name && at.name == name ? graph.literal(1.0)
                                                                           : rules.of(node, derivatives));
        }
        result.derivatives.push_back(derivatives.back());
    }
    result.nodes = graph.nodes();
    return result;
}

}  // namespace myriad::mechanism
