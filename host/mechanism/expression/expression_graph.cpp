#include "host/mechanism/expression/expression_graph.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>

#include "kernels/mechanism/tape.hpp"

namespace myriad::mechanism {

namespace {

// Beyond this a power is no longer written as products: rounding and instructions would add up.
constexpr double largest_whole_power = 1024.0;

}  // namespace

bool ExpressionNode::reads_table() const {
    return kind == Kind::operation &&
           (operation == Operation::interpolate || operation == Operation::interpolate_slope);
}

std::span<const int> ExpressionNode::operands() const {
    return std::span(operand).first(kind == Kind::operation ? operand_count(operation) : 0);
}

double value_of(Operation operation, double a, double b, double c) {
    using T = Taylor<double>;
    const T registers[3] = {T::constant(a), T::constant(b), T::constant(c)};
    const double* no_parameters = nullptr;
    return result_of(Instruction{operation, 0, 0, 1, 2}, no_parameters, 0.0, registers, Tables()).value;
}

int ExpressionGraph::literal(double value) {
    ExpressionNode node;
    node.literal = value;
    return add(node);
}

int ExpressionGraph::name(int which) {
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::name;
    node.name = which;
    return add(node);
}

int ExpressionGraph::time() {
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::time;
    return add(node);
}

int ExpressionGraph::apply(Operation operation, int a, int b, int c) {
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::operation;
    node.operation = operation;
    node.operand = {a, b, c};
    std::array<double, 3> literals{};
    bool all_literal = true;
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
        literals[i] = at(node.operand[i]).literal;
        all_literal = all_literal && at(node.operand[i]).kind == ExpressionNode::Kind::literal;
    }
    return all_literal ? literal(value_of(operation, literals[0], literals[1], literals[2])) : add(node);
}

int ExpressionGraph::copy(ExpressionNode node, std::span<const int> place) {
    for (std::size_t k = 0; k < node.operands().size(); ++k)
        node.operand[k] = place[static_cast<std::size_t>(node.operand[k])];
    return add(node);
}

int ExpressionGraph::look_up(Operation operation, int table, int argument) {
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::operation;
    node.operation = operation;
    node.operand = {argument, table, 0};
    return add(node);
}

int ExpressionGraph::power(int base, int exponent) {
    const ExpressionNode& node = at(exponent);
    const bool whole = node.kind == ExpressionNode::Kind::literal && std::abs(node.literal) <= largest_whole_power &&
                       std::nearbyint(node.literal) == node.literal;
    return whole ? whole_power(base, static_cast<int>(node.literal)) : apply(Operation::power, base, exponent);
}

int ExpressionGraph::whole_power(int base, int exponent) {
    if (exponent == 0) return literal(1.0);
    int product = -1, square = base;
    for (int rest = std::abs(exponent);;) {
        if (rest % 2 == 1) product = product < 0 ? square : apply(Operation::multiply, product, square);
        rest /= 2;
        if (rest == 0) break;
        square = apply(Operation::multiply, square, square);
    }
    return exponent > 0 ? product : apply(Operation::divide, literal(1.0), product);
}

int ExpressionGraph::add(const ExpressionNode& node) {
    const auto [place, is_new] = known_.try_emplace(
        {node.kind, node.operation, node.operand, node.name, std::bit_cast<std::uint64_t>(node.literal)},
        static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return place->second;
}

std::vector<ExpressionNode> ExpressionGraph::nodes_of(int result) const {
    std::vector<char> counts(nodes_.size(), 0);
    counts[static_cast<std::size_t>(result)] = 1;
    for (std::size_t i = nodes_.size(); i-- > 0;)
        if (counts[i])
            for (const int operand : nodes_[i].operands()) counts[static_cast<std::size_t>(operand)] = 1;
    std::vector<ExpressionNode> kept;
    std::vector<int> place(nodes_.size(), 0);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(result); ++i) {
        if (!counts[i]) continue;
        place[i] = static_cast<int>(kept.size());
        kept.push_back(nodes_[i]);
        for (std::size_t k = 0; k < nodes_[i].operands().size(); ++k)
            kept.back().operand[k] = place[static_cast<std::size_t>(nodes_[i].operand[k])];
    }
    return kept;
}

}  // namespace myriad::mechanism
