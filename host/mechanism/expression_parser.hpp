// From the text of a formula to its nodes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/mechanism/expression.hpp"

namespace myriad::mechanism {

struct ParsedExpression {
    std::vector<ExpressionNode> nodes;  // the last one is the result
    std::vector<std::string> names;
    bool uses_time = false;
};

// Throws UserError as Expression::parse does.
ParsedExpression parse_expression(std::string_view text, const std::string& where, TimeUse time);

}  // namespace myriad::mechanism
