// A formula with its partial derivatives by some of its names, as nodes that share what they have in common.
#pragma once
#include <span>
#include <vector>

#include "host/mechanism/expression/expression.hpp"

namespace myriad::mechanism {

struct DifferentiatedFormula {
    std::vector<ExpressionNode> nodes;  // the first ones are those of the value
    int value = 0;                      // which of them is the value, and the last one that it needs
    std::vector<int> derivatives;       // by the names asked for, in their order; -1: zero everywhere
};

// `nodes`: of a formula, the last one its result; `names`: which of its names. Kinks and jumps have the derivatives of
// the side that they are on.
DifferentiatedFormula differentiated(std::span<const ExpressionNode> nodes, std::span<const int> names);

}  // namespace myriad::mechanism
