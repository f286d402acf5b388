// From the text of a formula to its nodes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/mechanism/expression/expression.hpp"

namespace myriad::mechanism {

struct ParsedExpression {
    std::vector<ExpressionNode> nodes;  // the last one is the result
    std::vector<std::string> names;
    bool uses_time = false;
};

// A formula for a message, in quotation marks: a short one whole, of a longer one the part around a place.
std::string excerpt(std::string_view formula, std::size_t position = 0);

// Throws UserError as Expression::parse does.
ParsedExpression parse_expression(std::string_view text, const std::string& where, TimeUse time, const Tables* tables);

}  // namespace myriad::mechanism
