#include "host/backends/reference/reference_functions.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "host/mechanism/expression/expression.hpp"
#include "host/mechanism/expression/expression_graph.hpp"
#include "host/mechanism/expression/interpolation.hpp"

namespace myriad::backends {

using reference::TimeFunction, reference::TimeInstruction, reference::TimeOperation;

namespace {

TimeOperation time_operation(Operation operation) {
    using Of = Operation;
    using As = TimeOperation;
    constexpr std::pair<Of, As> same[] = {{Of::add, As::add},
                                          {Of::subtract, As::subtract},
                                          {Of::multiply, As::multiply},
                                          {Of::divide, As::divide},
                                          {Of::negate, As::negate},
                                          {Of::sine, As::sine},
                                          {Of::cosine, As::cosine},
                                          {Of::tangent, As::tangent},
                                          {Of::exponential, As::exponential},
                                          {Of::logarithm, As::logarithm},
                                          {Of::square_root, As::square_root},
                                          {Of::power, As::power},
                                          {Of::absolute, As::absolute},
                                          {Of::minimum, As::minimum},
                                          {Of::maximum, As::maximum},
                                          {Of::less, As::less},
                                          {Of::choose, As::choose},
                                          {Of::arctangent2, As::arctangent2},
                                          {Of::hyperbolic_tangent, As::hyperbolic_tangent},
                                          {Of::interpolate, As::tabulated}};
    const auto found = std::ranges::find(same, operation, &std::pair<Of, As>::first);
    if (found == std::end(same)) throw std::logic_error("an operation that no formula of a file has");
    return found->second;
}

std::shared_ptr<const reference::TabulatedFunction> table_at(const mechanism::Table& table) {
    using reference::TabulatedFunction;
    constexpr TabulatedFunction::Form forms[] = {
        TabulatedFunction::Form::lines, TabulatedFunction::Form::monotone_cubics, TabulatedFunction::Form::spline};
    constexpr TabulatedFunction::Outside beyond[] = {
        TabulatedFunction::Outside::nothing, TabulatedFunction::Outside::nearest, TabulatedFunction::Outside::line};
    return std::make_shared<TabulatedFunction>(table.arguments, table.values,
                                               forms[static_cast<int>(table.interpolation)],
                                               beyond[static_cast<int>(table.outside)], table.end_slopes);
}

using Kind = mechanism::ExpressionNode::Kind;

std::size_t nth(int index) { return static_cast<std::size_t>(index); }

TimeInstruction instruction_of(const mechanism::ExpressionNode& node, const mechanism::Tables& tables,
                               const model::Function& function, std::span<const double> numbers) {
    TimeInstruction one{TimeOperation::constant};
    if (node.kind == Kind::literal) one.constant = node.literal;
    if (node.kind == Kind::name) one.constant = numbers[function.reads[nth(node.name)]];
    if (node.kind == Kind::time) one.operation = TimeOperation::time;
    if (node.kind != Kind::operation) return one;
    one.operation = time_operation(node.operation);
    std::size_t* const reads[] = {&one.a, &one.b, &one.c};
    for (std::size_t k = 0; k < node.operands().size(); ++k) *reads[k] = nth(node.operand[k]);
    if (node.reads_table()) one.table = table_at(tables.all()[nth(node.operand[1])]);
    return one;
}

TimeFunction function_of(std::span<const mechanism::ExpressionNode> nodes, const mechanism::Tables& tables,
                         const model::Function& function, std::span<const double> numbers) {
    std::vector<TimeInstruction> instructions;
    for (const mechanism::ExpressionNode& node : nodes)
        instructions.push_back(instruction_of(node, tables, function, numbers));
    return TimeFunction(std::move(instructions));
}

// What depends on time and parameters alone becomes a function of time, which follows the branch time of drivers.
void give_formula(const mechanism::Mechanism& mechanism, const model::CoordinateForce& given,
                  std::span<const double> numbers, reference::MechanismModel& model,
                  reference::ModelCoordinateForce& force) {
    const std::span<const mechanism::ExpressionNode> nodes = given.formula.formula->nodes();
    std::vector<std::size_t> variable;  // by the names
    for (const auto& name : given.names) variable.push_back((variable.empty() ? 0 : variable.back()) + (name ? 1 : 0));
    const auto is_variable = [&](const mechanism::ExpressionNode& node) {
        return node.kind == Kind::name && given.names[nth(node.name)].has_value();
    };
    std::vector<bool> varies, is_read(nodes.size(), false);
    is_read.back() = true;
    for (const mechanism::ExpressionNode& node : nodes) {
        const auto operands = node.operands();
        varies.push_back(is_variable(node) ||
                         std::any_of(operands.begin(), operands.end(), [&](int one) { return varies[nth(one)]; }));
        for (const int operand : operands)
            if (varies.back()) is_read[nth(operand)] = true;
    }
    std::vector<TimeInstruction> instructions;
    mechanism::ExpressionGraph graph;
    std::vector<int> place;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        place.push_back(graph.copy(nodes[i], place));
        TimeInstruction& one = instructions.emplace_back(TimeInstruction{TimeOperation::constant});
        if (is_variable(nodes[i])) {
            one.operation = TimeOperation::variable, one.a = variable[nth(nodes[i].name)] - 1;
        } else if (varies[i]) {
            one = instruction_of(nodes[i], *mechanism.tables, given.formula, numbers);
        } else if (is_read[i]) {
            one.operation = TimeOperation::variable, one.a = force.variables.size();
            force.variables.push_back(
                {reference::ModelCoordinateForce::Reads::function, static_cast<int>(model.functions.size())});
            model.functions.push_back(
                function_of(graph.nodes_of(place.back()), *mechanism.tables, given.formula, numbers));
        }
    }
    force.formula = TimeFunction(std::move(instructions));
}

}  // namespace

void give_functions(const mechanism::Mechanism& mechanism, std::span<const double> numbers,
                    reference::MechanismModel& model) {
    for (const model::Function& function : mechanism.model.functions)
        model.functions.push_back(function_of(function.formula->nodes(), *mechanism.tables, function, numbers));
    for (std::size_t f = 0; f < model.coordinate_forces.size(); ++f) {
        reference::ModelCoordinateForce& force = model.coordinate_forces[f];
        const model::CoordinateForce& given = mechanism.model.coordinate_forces[f];
        if (given.formula.formula != nullptr) {
            give_formula(mechanism, given, numbers, model, force);
            continue;
        }
        force.variables.push_back({reference::ModelCoordinateForce::Reads::function, given.function});
        force.formula = TimeFunction(std::vector<TimeInstruction>{{TimeOperation::variable}});
    }
}

}  // namespace myriad::backends
