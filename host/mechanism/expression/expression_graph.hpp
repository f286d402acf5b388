// The nodes of a formula while it is built: equal ones become one, and a node of literals alone becomes a literal.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "host/mechanism/expression/expression.hpp"

namespace myriad::mechanism {

// An operation on plain numbers as the tape does it in double; not of a table.
double value_of(Operation operation, double a, double b, double c);

class ExpressionGraph {
  public:
    int literal(double value);
    int name(int which);
    int time();
    int apply(Operation operation, int a, int b = 0, int c = 0);
    int power(int base, int exponent);  // products for a whole literal exponent
    // Operation: interpolate or interpolate_slope.
    int look_up(Operation operation, int table, int argument);

    // A node of another formula, whose operands stand here where `place` says.
    int copy(ExpressionNode node, std::span<const int> place);

    const ExpressionNode& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
    const std::vector<ExpressionNode>& nodes() const { return nodes_; }
    // The nodes that count for `result`, which is the last of them.
    std::vector<ExpressionNode> nodes_of(int result) const;

  private:
    int add(const ExpressionNode& node);
    int whole_power(int base, int exponent);

    std::vector<ExpressionNode> nodes_;
    std::map<std::tuple<ExpressionNode::Kind, Operation, std::array<int, 3>, int, std::uint64_t>, int> known_;
};

}  // namespace myriad::mechanism
