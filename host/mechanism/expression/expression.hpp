// The expressions of mechanism files: formulas of named parameters and, where the file allows it, of the time.
//
//   numbers 2 .5 1e-3, names, pi, + - * / ^, unary + -, ( ), comparisons < <= > >= (1 or 0)
//   sin cos tan asin acos atan2(y, x) exp log sqrt abs tanh pow(a, b), min and max of two or more,
//   if(condition, then, otherwise)
//   t: the time in s
//   cam(t): a table of the mechanism by its name, for any argument
//   crank.angle, crank.rate: coordinates of joints and their rates, in forces on a coordinate of a joint
//
// ^ binds most tightly and to the right: -t^2 = -(t^2), 2^3^2 = 2^9, 2^-1 = 0.5. A power with a whole number that is
// written out becomes products; any other power of a negative number is NaN. Angles in rad.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/mechanism/expression/interpolation.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

enum class TimeUse { refused, allowed };

// A node of a formula; its operands are nodes that stand before it.
struct ExpressionNode {
    enum class Kind { literal, name, time, operation };
    Kind kind = Kind::literal;
    Operation operation = Operation::add;
    std::array<int, 3> operand{};  // of an operation; behind the one of a table which table it is
    int name = 0;                  // which of the names
    double literal = 0.0;

    std::span<const int> operands() const;
    bool reads_table() const;
};

// Which kernel parameter holds a number: one of the formula itself, or one that has a name.
struct ParameterOffsets {
    std::function<int(double)> of_literal;
    std::function<int(const std::string&)> of_name;
};

// A function: "atan2", "atan2(y, x)", its meaning.
struct FunctionDescription {
    std::string_view name, call, meaning;
};

class Expression {
  public:
    // Throws UserError (usage_or_input) at `where`, with the position in the text. `tables`: null where there are none.
    static Expression parse(std::string_view text, const std::string& where, TimeUse time = TimeUse::refused,
                            std::shared_ptr<const Tables> tables = nullptr);

    static std::vector<FunctionDescription> functions();
    // Words that cannot name a parameter: t, pi and the functions.
    static std::span<const std::string> reserved_words();
    static bool is_name(std::string_view word);  // a letter or _, then letters, digits, _; not reserved

    const std::string& text() const { return text_; }
    const std::vector<std::string>& names() const { return names_; }  // in the order of their first use
    bool uses_time() const { return uses_time_; }
    std::span<const ExpressionNode> nodes() const { return nodes_; }  // the last one is the result
    // A formula of the same names, for messages with the same text.
    Expression with_nodes(std::vector<ExpressionNode> nodes) const;

    // `values` belong to names(). By the kernels' own functions: the same bits on every machine, and as the tape gives
    // them in double. NaN or infinity where there is no value.
    double value(std::span<const double> values, double time_s = 0.0) const;

    // Appends the instructions and a function that reads their result; returns its index. Registers are free again
    // after the last use of what they hold; those of functions stay. Throws UserError beyond the capacities of the
    // table, which is then as before.
    int append_to(MechanismTable& table, const ParameterOffsets& offsets) const;

  private:
    std::string text_, where_;
    std::vector<std::string> names_;
    std::vector<ExpressionNode> nodes_;  // all of them count for the last one, the result
    std::shared_ptr<const Tables> tables_;
    bool uses_time_ = false;
};

}  // namespace myriad::mechanism
