#include "host/backends/reference/reference_functions.hpp"

#include <array>
#include <optional>
#include <stdexcept>

#include "host/mechanism/expression/expression.hpp"

namespace myriad::backends {

using reference::TimeFunction, reference::TimeInstruction, reference::TimeOperation;

TimeOperation time_operation(Operation operation) {
    switch (operation) {
        case Operation::parameter:
            return TimeOperation::constant;
        case Operation::time:
            return TimeOperation::time;
        case Operation::add:
            return TimeOperation::add;
        case Operation::subtract:
            return TimeOperation::subtract;
        case Operation::multiply:
            return TimeOperation::multiply;
        case Operation::divide:
            return TimeOperation::divide;
        case Operation::negate:
            return TimeOperation::negate;
        case Operation::sine:
            return TimeOperation::sine;
        case Operation::cosine:
            return TimeOperation::cosine;
        case Operation::tangent:
            return TimeOperation::tangent;
        case Operation::exponential:
            return TimeOperation::exponential;
        case Operation::logarithm:
            return TimeOperation::logarithm;
        case Operation::square_root:
            return TimeOperation::square_root;
        case Operation::power:
            return TimeOperation::power;
        case Operation::absolute:
            return TimeOperation::absolute;
        case Operation::minimum:
            return TimeOperation::minimum;
        case Operation::maximum:
            return TimeOperation::maximum;
        case Operation::less:
            return TimeOperation::less;
        case Operation::choose:
            return TimeOperation::choose;
        case Operation::arctangent2:
            return TimeOperation::arctangent2;
        case Operation::hyperbolic_tangent:
            return TimeOperation::hyperbolic_tangent;
        case Operation::interpolate:
            return TimeOperation::tabulated;
        case Operation::interpolate_slope:  // of partial derivatives, which the twin makes itself
            break;
        case Operation::coordinate:
        case Operation::rate:
        case Operation::function:
            return TimeOperation::variable;
    }
    throw std::logic_error("an instruction without a name");
}

std::shared_ptr<const reference::TabulatedFunction> table_at(const MechanismTable& table, int number) {
    using reference::TabulatedFunction;
    const TablePoints& points = table.table_points[number];
    const auto all = [&](const double* first) { return std::vector<double>(first, first + points.count); };
    std::optional<std::array<double, 2>> end_slopes;
    if (points.has_end_slopes) end_slopes = {points.end_slope[0], points.end_slope[1]};
    constexpr TabulatedFunction::Form forms[] = {
        TabulatedFunction::Form::lines, TabulatedFunction::Form::monotone_cubics, TabulatedFunction::Form::spline};
    constexpr TabulatedFunction::Outside beyond[] = {
        TabulatedFunction::Outside::nothing, TabulatedFunction::Outside::nearest, TabulatedFunction::Outside::line};
    return std::make_shared<TabulatedFunction>(all(points.arguments), all(points.values),
                                               forms[static_cast<int>(points.interpolation)],
                                               beyond[static_cast<int>(points.outside)], end_slopes);
}

int operands_of(Operation operation) {
    switch (operation) {
        case Operation::parameter:
        case Operation::time:
        case Operation::coordinate:
        case Operation::rate:
        case Operation::function:
            return 0;
        case Operation::negate:
        case Operation::sine:
        case Operation::cosine:
        case Operation::tangent:
        case Operation::exponential:
        case Operation::logarithm:
        case Operation::square_root:
        case Operation::absolute:
        case Operation::hyperbolic_tangent:
        case Operation::interpolate:
        case Operation::interpolate_slope:
            return 1;
        case Operation::choose:
            return 3;
        default:
            return 2;
    }
}

std::vector<TimeFunction> functions_of(const mechanism::Mechanism& mechanism, std::span<const double> numbers) {
    using Kind = mechanism::ExpressionNode::Kind;
    const auto at = [](int index) { return static_cast<std::size_t>(index); };
    std::vector<TimeFunction> functions;
    for (const model::Function& function : mechanism.model.functions) {
        std::vector<TimeInstruction> instructions;
        for (const mechanism::ExpressionNode& node : function.formula->nodes()) {
            TimeInstruction& one = instructions.emplace_back(TimeInstruction{TimeOperation::constant});
            if (node.kind == Kind::literal) one.constant = node.literal;
            if (node.kind == Kind::name) one.constant = numbers[function.reads[at(node.name)]];
            if (node.kind == Kind::time) one.operation = TimeOperation::time;
            if (node.kind != Kind::operation) continue;
            one.operation = time_operation(node.operation);
            std::size_t* const reads[] = {&one.a, &one.b, &one.c};
            for (std::size_t k = 0; k < node.operands().size(); ++k) *reads[k] = at(node.operand[k]);
            if (node.reads_table()) one.table = table_at(mechanism.table, node.operand[1]);
        }
        functions.emplace_back(std::move(instructions));
    }
    return functions;
}

}  // namespace myriad::backends
