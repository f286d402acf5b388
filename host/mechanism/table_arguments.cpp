#include "host/mechanism/table_arguments.hpp"

#include <array>

#include "host/text/number_text.hpp"
#include "kernels/mechanism/plain.hpp"
#include "kernels/mechanism/tape.hpp"

namespace myriad::mechanism {

std::optional<MissingValue> missing_value(const MechanismTable& table, const Tables& tables,
                                          std::span<const double> parameters, double time_s) {
    if (table.interpolants == 0) return std::nullopt;
    Plain<double> registers[most_registers] = {};
    std::optional<MissingValue> missing;
    for (int i = 0; i < table.instructions; ++i) {
        const Instruction& instruction = table.instruction[i];
        if (instruction.operation == Operation::interpolate) {
            const double argument = registers[instruction.a].value;
            const Table& one = tables.all()[static_cast<std::size_t>(instruction.b)];
            const bool is_before = argument < one.arguments.front();
            if (one.outside == Outside::refuse && (is_before || argument > one.arguments.back()))
                missing = {instruction.b, argument, time_s,
                           "at time " + number_text(time_s) + " s the argument of the table " + one.name + " is " +
                               number_text(argument) + ", and its points " +
                               (is_before ? "begin at " + number_text(one.arguments.front())
                                          : "end at " + number_text(one.arguments.back()))};
        }
        registers[instruction.to] = result_of(instruction, parameters.data(), time_s, registers, tables);
    }
    // Registers of functions stay; see Expression::append_to().
    for (int f = 0; f < table.functions; ++f)
        if (!is_finite(registers[table.function_register[f]].value)) return missing;
    return std::nullopt;
}

}  // namespace myriad::mechanism
