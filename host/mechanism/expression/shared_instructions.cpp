#include "host/mechanism/expression/shared_instructions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "host/mechanism/expression/expression_graph.hpp"
#include "kernels/mechanism/tape.hpp"

namespace myriad::mechanism {

namespace {

constexpr std::size_t most_operands = 3;

std::array<int*, most_operands> operands_of(Instruction& instruction) {
    return {&instruction.a, &instruction.b, &instruction.c};
}

// Instructions that read values, not registers: each value by the place of the instruction that computes it.
struct Values {
    std::vector<Instruction> computed;  // no two of them equal; `to` is not used
    std::vector<std::size_t> functions;
};

Values values_of(const MechanismTable& table) {
    Values values;
    std::map<std::tuple<Operation, int, int, int>, std::size_t> known;
    std::array<std::size_t, most_registers> held{};
    for (int i = 0; i < table.instructions; ++i) {
        Instruction instruction = table.instruction[i];
        const std::array<int*, most_operands> operands = operands_of(instruction);
        for (std::size_t k = 0; k < operand_count(instruction.operation); ++k)
            *operands[k] = static_cast<int>(held[static_cast<std::size_t>(*operands[k])]);
        const auto to = static_cast<std::size_t>(std::exchange(instruction.to, 0));
        const auto [found, is_new] = known.try_emplace(
            std::tuple(instruction.operation, instruction.a, instruction.b, instruction.c), values.computed.size());
        if (is_new) values.computed.push_back(instruction);
        held[to] = found->second;
    }
    for (int f = 0; f < table.functions; ++f)
        values.functions.push_back(held[static_cast<std::size_t>(table.function_register[f])]);
    return values;
}

// Value by value the last one that reads it; those of functions are read after all others.
std::vector<std::size_t> last_uses(Values& values) {
    std::vector<std::size_t> last(values.computed.size(), 0);
    for (std::size_t i = 0; i < values.computed.size(); ++i) {
        const std::array<int*, most_operands> operands = operands_of(values.computed[i]);
        for (std::size_t k = 0; k < operand_count(values.computed[i].operation); ++k)
            last[static_cast<std::size_t>(*operands[k])] = i;
    }
    for (const std::size_t value : values.functions) last[value] = values.computed.size();
    return last;
}

bool has_corner(const MechanismTable& table, const Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::absolute:
        case Operation::minimum:
        case Operation::maximum:
        case Operation::less:
        case Operation::choose:
        case Operation::square_root:
        case Operation::power:
        case Operation::arctangent2:
        case Operation::divide:
        case Operation::tangent:
        case Operation::logarithm:
            return true;
        case Operation::interpolate:
            return table.interpolant[instruction.b].corners != Corners::none;
        default:
            return false;
    }
}

}  // namespace

void share_instructions(MechanismTable& table) {
    Values values = values_of(table);
    const std::vector<std::size_t> last = last_uses(values);
    std::array<bool, most_registers> used{};
    std::vector<int> register_of;
    for (std::size_t i = 0; i < values.computed.size(); ++i) {
        Instruction& instruction = values.computed[i];
        const std::array<int*, most_operands> operands = operands_of(instruction);
        for (std::size_t k = 0; k < operand_count(instruction.operation); ++k) {
            const auto operand = static_cast<std::size_t>(*operands[k]);
            *operands[k] = register_of[operand];
            if (last[operand] == i) used[static_cast<std::size_t>(*operands[k])] = false;
        }
        const auto free = std::find(used.begin(), used.end(), false);
        if (free == used.end()) return;
        *free = true;
        instruction.to = static_cast<int>(free - used.begin());
        register_of.push_back(instruction.to);
    }
    std::copy(values.computed.begin(), values.computed.end(), table.instruction);
    table.instructions = static_cast<int>(values.computed.size());
    for (int f = 0; f < table.functions; ++f)
        table.function_register[f] = register_of[values.functions[static_cast<std::size_t>(f)]];
}

int corners_of(const MechanismTable& table, int function) {
    // Which instructions change with time, divisions by their divisors, and which the function reads.
    std::array<bool, most_registers> changes{}, is_read{};
    std::vector<char> moves(static_cast<std::size_t>(table.instructions), 0);
    for (int i = 0; i < table.instructions; ++i) {
        Instruction instruction = table.instruction[i];
        bool own = instruction.operation == Operation::time;
        const std::array<int*, most_operands> operands = operands_of(instruction);
        for (std::size_t k = 0; k < operand_count(instruction.operation); ++k)
            own = own || changes[static_cast<std::size_t>(*operands[k])];
        const bool divides = instruction.operation == Operation::divide;
        moves[static_cast<std::size_t>(i)] = divides ? changes[static_cast<std::size_t>(instruction.b)] : own;
        changes[static_cast<std::size_t>(instruction.to)] = own;
    }
    is_read[static_cast<std::size_t>(table.function_register[function])] = true;
    int corners = 0;
    for (int i = table.instructions - 1; i >= 0; --i) {
        Instruction instruction = table.instruction[i];
        if (!std::exchange(is_read[static_cast<std::size_t>(instruction.to)], false)) continue;
        const std::array<int*, most_operands> operands = operands_of(instruction);
        for (std::size_t k = 0; k < operand_count(instruction.operation); ++k)
            is_read[static_cast<std::size_t>(*operands[k])] = true;
        if (moves[static_cast<std::size_t>(i)] != 0 && has_corner(table, instruction)) ++corners;
    }
    return corners;
}

}  // namespace myriad::mechanism
