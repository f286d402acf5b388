// Functions of time: a list of instructions, run once per time on registers that hold a value and its first two time
// derivatives (taylor.hpp). All functions of a mechanism share the instructions and the registers.
//
// The choice of an instruction depends on the mechanism alone; data only ever choose by a mask, so that the bits are
// the same in any lane of any Real. A division by zero, a logarithm of a negative number and the like give NaN or
// infinity, which the run reports as not finite; in the branch that `choose` does not take they do no harm. Not
// handled: reading a register before it is written, which the author of the list excludes.
//
// If drivers have corners, functions come with the branches of another time, `side_s`: of absolute, minimum, maximum,
// less and choose, and with its pieces of tables. At a corner itself the branches of a moment later are taken.
#pragma once
#include "kernels/math/piecewise_polynomial.hpp"
#include "kernels/math/real.hpp"
#include "kernels/mechanism/plain.hpp"
#include "kernels/mechanism/taylor.hpp"
#include "kernels/mechanism/topology.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// How many of a, b, c are registers that it reads, from a on.
MYRIAD_HD constexpr unsigned operand_count(Operation operation) {
    switch (operation) {
        case Operation::parameter:
        case Operation::time:
            return 0;
        case Operation::add:
        case Operation::subtract:
        case Operation::multiply:
        case Operation::divide:
        case Operation::power:
        case Operation::minimum:
        case Operation::maximum:
        case Operation::less:
        case Operation::arctangent2:
            return 2;
        case Operation::choose:
            return 3;
        default:
            return 1;
    }
}

// `parameters[i]` is kernel parameter i of the instance; Value: Taylor<Real>, or Plain<Real> (plain.hpp); `tables` has
// the pieces of tables, as a topology has.
template <class Value, class Real, int registers_held, class Parameters, class Tables>
MYRIAD_HD Value result_of(const Instruction& instruction, const Parameters& parameters, Real time_s,
                          const Value (&registers)[registers_held], const Tables& tables) {
    if (instruction.operation == Operation::parameter) return Value::constant(parameters[instruction.a]);
    if (instruction.operation == Operation::time) return Value::time(time_s);
    if (instruction.operation == Operation::interpolate || instruction.operation == Operation::interpolate_slope) {
        const Value& u = registers[instruction.a];
        const PolynomialValue<Real> f = polynomial_at(tables, tables.interpolant(instruction.b), Real(u.value));
        return instruction.operation == Operation::interpolate ? composed(u, f.value, f.slope, f.curvature)
                                                               : composed(u, f.slope, f.curvature, f.third);
    }
    const Value& a = registers[instruction.a];
    const Value& b = registers[instruction.b];
#define MYRIAD_RESULT(name, value) \
    if (instruction.operation == Operation::name) return value
    MYRIAD_RESULT(add, a + b);
    MYRIAD_RESULT(subtract, a - b);
    MYRIAD_RESULT(multiply, a * b);
    MYRIAD_RESULT(divide, a / b);
    MYRIAD_RESULT(negate, -a);
    MYRIAD_RESULT(sine, sin(a));
    MYRIAD_RESULT(cosine, cos(a));
    MYRIAD_RESULT(tangent, tan(a));
    MYRIAD_RESULT(exponential, exp(a));
    MYRIAD_RESULT(logarithm, log(a));
    MYRIAD_RESULT(square_root, sqrt(a));
    MYRIAD_RESULT(power, pow(a, b));
    MYRIAD_RESULT(absolute, absolute(a));
    MYRIAD_RESULT(minimum, minimum(a, b));
    MYRIAD_RESULT(maximum, maximum(a, b));
    MYRIAD_RESULT(less, less(a, b));
    MYRIAD_RESULT(choose, choose(a, b, registers[instruction.c]));
    MYRIAD_RESULT(arctangent2, atan2(a, b));
    MYRIAD_RESULT(hyperbolic_tangent, tanh(a));
#undef MYRIAD_RESULT
    return Value::constant(quiet_nan<Real>());
}

// Runs all instructions; afterwards `function_at` reads the functions.
template <class Real, class Topology, class Parameters>
MYRIAD_HD void run_tape(const Topology& topology, const Parameters& parameters, Real time_s,
                        Taylor<Real> (&registers)[Topology::most_registers]) {
    MYRIAD_EACH(i, topology, instructions) {
        const Instruction instruction = topology.instruction(i);
        registers[instruction.to] = result_of(instruction, parameters, time_s, registers, topology);
    }
}

// Rates, accelerations and values of drivers on the two sides of a corner differ by more than round-off of formulas and
// of constants in files. `moments_unseen`: what a power of the time until a corner may change in the moment before it
// is seen.
constexpr double least_jump_of_rate = 1e-9, least_jump_of_acceleration = 1e-6, least_jump_of_value = 1e-6,
                 moments_unseen = 16.0;

// A moment after a time, longer than its round-off.
template <class Real>
MYRIAD_HD Real moment_after(Real time_s) {
    return fma(constant<Real>(0x1p-40, 0x1p-20), absolute(time_s), time_s + constant<Real>(0x1p-60, 0x1p-60));
}

// The result of an instruction at one time with the branch of another, whose registers are in `sides`.
template <class Real, int registers_held, class Parameters, class Tables>
MYRIAD_HD Taylor<Real> result_by_side(const Instruction& instruction, const Parameters& parameters, Real time_s,
                                      const Taylor<Real> (&registers)[registers_held],
                                      const Plain<Real> (&sides)[registers_held], const Tables& tables) {
    if (operand_count(instruction.operation) == 0) return result_of(instruction, parameters, time_s, registers, tables);
    const Real zero(0.0), side = sides[instruction.a].value;
    const Taylor<Real>& u = registers[instruction.a];
    switch (instruction.operation) {
        case Operation::absolute:
            return select<Real>(side < zero, -u, u);
        case Operation::minimum:
            return select<Real>((side < sides[instruction.b].value) | !(side == side), u, registers[instruction.b]);
        case Operation::maximum:
            return select<Real>((sides[instruction.b].value < side) | !(side == side), u, registers[instruction.b]);
        case Operation::less:
            return Taylor<Real>::constant(less(sides[instruction.a], sides[instruction.b]).value);
        case Operation::choose:
            return choose(Taylor<Real>::constant(side), registers[instruction.b], registers[instruction.c]);
        case Operation::interpolate: {
            const PolynomialValue<Real> f =
                polynomial_at(tables, tables.interpolant(instruction.b), Real(u.value), side);
            return composed(u, f.value, f.slope, f.curvature);
        }
        default:
            return result_of(instruction, parameters, time_s, registers, tables);
    }
}

// Runs all instructions with the branches of `side_s`.
template <class Real, class Topology, class Parameters>
MYRIAD_HD void run_tape_by_side(const Topology& topology, const Parameters& parameters, Real time_s, Real side_s,
                                Taylor<Real> (&registers)[Topology::most_registers]) {
    Plain<Real> sides[Topology::most_registers];
    MYRIAD_EACH(i, topology, instructions) {
        const Instruction instruction = topology.instruction(i);
        const Taylor<Real> at_time = result_by_side(instruction, parameters, time_s, registers, sides, topology);
        sides[instruction.to] = result_of(instruction, parameters, side_s, sides, topology);
        registers[instruction.to] = at_time;
    }
}

// Function i, 0 for i = -1 (an element or load without one).
template <class Real, class Topology>
MYRIAD_HD Taylor<Real> function_at(const Topology& topology, const Taylor<Real> (&registers)[Topology::most_registers],
                                   int i) {
    return i < 0 ? Taylor<Real>::constant(Real(0.0)) : registers[topology.function_register(i)];
}

}  // namespace myriad::inline MYRIAD_VARIANT
