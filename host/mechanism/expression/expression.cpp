#include "host/mechanism/expression/expression.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "host/mechanism/expression/expression_graph.hpp"
#include "host/mechanism/expression/expression_parser.hpp"
#include "host/text/user_error.hpp"

namespace myriad::mechanism {

namespace {

using Kind = ExpressionNode::Kind;

// Node by node, the index of the last one that reads it; the result is read after all of them.
std::vector<std::size_t> last_uses(const std::vector<ExpressionNode>& nodes) {
    std::vector<std::size_t> last(nodes.size(), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const int operand : nodes[i].operands()) last[static_cast<std::size_t>(operand)] = i;
    return last;
}

double value_of_table(const Tables& tables, Operation operation, double argument, int table) {
    const PolynomialValue<double> found = tables.at(table, argument);
    return operation == Operation::interpolate ? found.value : found.slope;
}

std::array<bool, most_registers> registers_in_use(const MechanismTable& table) {
    std::array<bool, most_registers> used{};
    for (int i = 0; i < table.functions; ++i) used[static_cast<std::size_t>(table.function_register[i])] = true;
    return used;
}

}  // namespace

Expression Expression::parse(std::string_view text, const std::string& where, TimeUse time,
                             std::shared_ptr<const Tables> tables) {
    ParsedExpression parsed = parse_expression(text, where, time, tables.get());
    Expression expression;
    expression.tables_ = std::move(tables);
    expression.text_ = text;
    expression.where_ = where;
    expression.names_ = std::move(parsed.names);
    expression.nodes_ = std::move(parsed.nodes);
    expression.uses_time_ = parsed.uses_time;
    return expression;
}

Expression Expression::with_nodes(std::vector<ExpressionNode> nodes) const {
    Expression other = *this;
    other.nodes_ = std::move(nodes);
    return other;
}

double Expression::value(std::span<const double> values, double time_s) const {
    std::vector<double> results;
    results.reserve(nodes_.size());
    for (const ExpressionNode& node : nodes_) {
        const auto operand = [&](std::size_t i) {
            return i < node.operands().size() ? results[static_cast<std::size_t>(node.operand[i])] : 0.0;
        };
        switch (node.kind) {
            case Kind::literal:
                results.push_back(node.literal);
                break;
            case Kind::name:
                results.push_back(values[static_cast<std::size_t>(node.name)]);
                break;
            case Kind::time:
                results.push_back(time_s);
                break;
            case Kind::operation:
                results.push_back(node.reads_table()
                                      ? value_of_table(*tables_, node.operation, operand(0), node.operand[1])
                                      : value_of(node.operation, operand(0), operand(1), operand(2)));
                break;
        }
    }
    return results.back();
}

int Expression::append_to(MechanismTable& table, const ParameterOffsets& offsets) const {
    const auto refuse_beyond = [&](int count, int most, const char* what, const char* remedy) {
        if (count > most)
            throw UserError(ExitCode::usage_or_input, where_,
                            "the functions of this mechanism need more than " + std::to_string(most) + " " + what +
                                " with " + excerpt(text_),
                            remedy);
    };
    refuse_beyond(table.functions + 1, most_functions, "functions of time",
                  "Use fewer drivers, loads and rest lengths that are formulas, or split the mechanism.");
    refuse_beyond(table.instructions + static_cast<int>(nodes_.size()), most_instructions, "instructions",
                  "Shorten the formulas; compute what does not depend on t once, as a parameter.");

    const std::vector<std::size_t> last = last_uses(nodes_);
    std::array<bool, most_registers> used = registers_in_use(table);
    std::vector<int> register_of(nodes_.size());
    std::vector<Instruction> instructions;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const ExpressionNode& node = nodes_[i];
        Instruction instruction{node.operation, 0, 0, 0, 0};
        int* const reads[3] = {&instruction.a, &instruction.b, &instruction.c};
        if (node.operands().size() > std::size(reads)) throw std::logic_error("an instruction reads three registers");
        for (std::size_t k = 0; k < node.operands().size(); ++k) {
            const auto operand = static_cast<std::size_t>(node.operand[k]);
            *reads[k] = register_of[operand];
            if (last[operand] == i) used[static_cast<std::size_t>(register_of[operand])] = false;
        }
        if (node.reads_table()) instruction.b = node.operand[1];
        if (node.kind == Kind::literal || node.kind == Kind::name) {
            instruction.operation = Operation::parameter;
            instruction.a = node.kind == Kind::literal ? offsets.of_literal(node.literal)
                                                       : offsets.of_name(names_[static_cast<std::size_t>(node.name)]);
        } else if (node.kind == Kind::time) {
            instruction.operation = Operation::time;
        }
        const auto free = std::find(used.begin(), used.end(), false);
        refuse_beyond(free == used.end() ? most_registers + 1 : most_registers, most_registers, "registers",
                      "Nest the formulas less deeply, so that fewer intermediate results wait for each other.");
        *free = true;
        register_of[i] = instruction.to = static_cast<int>(free - used.begin());
        instructions.push_back(instruction);
    }
    std::copy(instructions.begin(), instructions.end(), table.instruction + table.instructions);
    table.instructions += static_cast<int>(instructions.size());
    table.function_register[table.functions] = register_of.back();
    return table.functions++;
}

}  // namespace myriad::mechanism
