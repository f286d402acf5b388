// Makes nodes from operations, simplifying while it goes.
//
// Nothing is reassociated and a product is never split from its sum. Each rule keeps the bits of a finite result but
// the sign of a zero. So -0 must not matter: unsigned_zero stands before divisions, arc tangents and what is stored,
// and a sign test is x < 0. All rules keep NaN and infinities (two NaNs are the same) but zero_factors: 0 x is NaN for
// an infinite x and 0 here. That this changes no status, step or reason is a claim on steps: tests/graph/.
#pragma once
#include "host/graph/graph.hpp"

namespace myriad::graph {

enum class Rule : unsigned char {
    folding,         // constants are computed, in the graph's format
    sharing,         // equal expressions are one node
    zero_terms,      // x + 0 -> x,  x - 0 -> x,  0 - x -> -x,  fma(a, b, 0) -> a b
    zero_factors,    // x 0 -> 0,  0 / x -> 0,  fma(a, 0, c) -> c
    unit_factors,    // x 1 -> x,  x (-1) -> -x,  x / 1 -> x,  fma(a, 1, c) -> a + c
    powers_of_two,   // x / 2^k -> x 2^-k
    signs,           // outward, into sums: (-a) b -> -(a b),  a + (-b) -> a - b,  -(a - b) -> b - a
    selections,      // by a known mask, between equals, by an opposite mask
    masks,           // m & true -> m,  m | m -> m,  !!m -> m,  x < x -> false
    unsigned_zeros,  // + 0.0 to what is never -0 goes
    count,
};
class Rules {
  public:
    static constexpr Rules all() { return Rules((1u << static_cast<unsigned>(Rule::count)) - 1); }
    static constexpr Rules none() { return Rules(0); }
    static constexpr Rules only(Rule rule) { return Rules(1u << static_cast<unsigned>(rule)); }
    constexpr Rules without(Rule rule) const { return Rules(set_ & ~(1u << static_cast<unsigned>(rule))); }
    constexpr Rules with(Rule rule) const { return Rules(set_ | 1u << static_cast<unsigned>(rule)); }
    constexpr bool has(Rule rule) const { return (set_ >> static_cast<unsigned>(rule) & 1) != 0; }

  private:
    constexpr explicit Rules(unsigned set) : set_(set) {}
    unsigned set_;
};

class Builder {
  public:
    explicit Builder(Graph& graph, Rules rules = Rules::all()) : graph_(graph), rules_(rules) {}
    Graph& graph() const { return graph_; }

    NodeId constant(double x);  // rounded to the graph's format
    NodeId truth(bool is_true);
    NodeId input(int number, bool is_mask = false);

    NodeId add(NodeId a, NodeId b);
    NodeId subtract(NodeId a, NodeId b);
    NodeId multiply(NodeId a, NodeId b);
    NodeId divide(NodeId a, NodeId b);
    NodeId negate(NodeId a);
    NodeId fma(NodeId a, NodeId b, NodeId c);
    NodeId select(NodeId mask, NodeId a, NodeId b);
    NodeId unsigned_zero(NodeId a);
    // Square root, elementary functions, tables and operations on bits.
    NodeId function(Op op, NodeId a, NodeId b = no_node, std::int64_t data = 0);
    NodeId compare(Op op, NodeId a, NodeId b);
    NodeId both(NodeId a, NodeId b);
    NodeId either(NodeId a, NodeId b);
    NodeId opposite(NodeId a);
    NodeId call(int block, const std::vector<NodeId>& arguments);
    NodeId result(NodeId call, int number);

    bool is_known(NodeId a) const { return at(a).is(Op::constant) || at(a).is(Op::truth); }
    bool is_true(NodeId mask) const { return at(mask).is(Op::truth) && at(mask).data == 1; }
    bool is_false(NodeId mask) const { return at(mask).is(Op::truth) && at(mask).data == 0; }
    // Never -0: told from the expression, some levels deep.
    bool is_never_negative_zero(NodeId a, int levels = 6) const;

  private:
    Graph& graph_;
    Rules rules_;

    const Node& at(NodeId a) const { return graph_.at(a); }
    double value(NodeId a) const { return at(a).value(); }
    bool is_number(NodeId a) const { return at(a).is(Op::constant); }
    bool is_number(NodeId a, double x) const { return is_number(a) && value(a) == x; }
    bool is_zero(NodeId a) const { return is_number(a, 0.0); }
    bool is_negated(NodeId a) const { return at(a).is(Op::negate); }
    bool has(Rule rule) const { return rules_.has(rule); }
    bool is_never_negative(NodeId a, int levels) const;
    NodeId find(Node node);
    NodeId make(Op op, NodeId a, NodeId b = no_node, NodeId c = no_node, std::int64_t data = 0);
    // The number or mask that the operation gives; its operands are constants.
    NodeId folded(Op op, NodeId a, NodeId b, NodeId c, std::int64_t data);
    bool folds(NodeId a, NodeId b = no_node, NodeId c = no_node) const;
};

}  // namespace myriad::graph
