#include "host/backends/reference/reference_functions.hpp"

#include <array>
#include <optional>
#include <stdexcept>

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

std::shared_ptr<const reference::TabulatedFunction> table_of(const MechanismTable& table,
                                                             const Instruction& instruction) {
    using reference::TabulatedFunction;
    if (instruction.operation != Operation::interpolate) return nullptr;
    const TablePoints& points = table.table_points[instruction.b];
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

// In the table functions share registers that are written again and again; here every instruction has its own value and
// a function keeps only the instructions that it needs.
std::vector<TimeFunction> functions_of(const MechanismTable& table, std::span<const double> parameters) {
    const auto at = [](int index) { return static_cast<std::size_t>(index); };
    std::vector<TimeInstruction> all;
    std::vector<int> operands;
    std::vector<std::size_t> written(at(most_registers), 0);  // by which instruction
    for (int i = 0; i < table.instructions; ++i) {
        const Instruction& given = table.instruction[i];
        TimeInstruction instruction{time_operation(given.operation)};
        instruction.table = table_of(table, given);
        const int count = operands_of(given.operation);
        if (given.operation == Operation::parameter) instruction.constant = parameters[at(given.a)];
        if (count > 0) instruction.a = written[at(given.a)];
        if (count > 1) instruction.b = written[at(given.b)];
        if (count > 2) instruction.c = written[at(given.c)];
        written[at(given.to)] = all.size();
        all.push_back(instruction);
        operands.push_back(count);
    }
    std::vector<TimeFunction> functions;
    for (int f = 0; f < table.functions; ++f) {
        const std::size_t last = written[at(table.function_register[f])];
        std::vector<bool> needed(last + 1, false);
        needed[last] = true;
        for (std::size_t i = last + 1; i-- > 0;) {
            if (!needed[i]) continue;
            if (operands[i] > 0) needed[all[i].a] = true;
            if (operands[i] > 1) needed[all[i].b] = true;
            if (operands[i] > 2) needed[all[i].c] = true;
        }
        std::vector<TimeInstruction> own;
        std::vector<std::size_t> place(last + 1, 0);
        for (std::size_t i = 0; i <= last; ++i) {
            if (!needed[i]) continue;
            place[i] = own.size();
            own.push_back(
                {all[i].operation, all[i].constant, place[all[i].a], place[all[i].b], place[all[i].c], all[i].table});
        }
        functions.emplace_back(std::move(own));
    }
    return functions;
}

}  // namespace myriad::backends
