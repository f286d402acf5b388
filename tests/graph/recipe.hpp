// Random expressions as a list of operations on earlier values, carried out by plain numbers, by a graph with any
// rules, or by both.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "host/graph/builder.hpp"
#include "host/graph/program.hpp"
#include "host/graph/tape.hpp"
#include "host/graph/tape_run.hpp"

namespace myriad::graph {

struct RecipeStep {
    Op op;
    std::size_t a, b, c;  // places of numbers, or of masks
};
struct Recipe {
    static constexpr int inputs = 6;
    std::vector<double> constants;
    std::vector<RecipeStep> steps;
};

inline Recipe random_recipe(std::uint32_t seed, int steps) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    // The numbers that rules look for are frequent.
    static constexpr double special[] = {0.0, -0.0, 1.0, -1.0, 2.0, -0.5, 0.75, -3.0, 0.0, 1.0};
    static constexpr Op ops[] = {Op::add,         Op::add,
                                 Op::subtract,    Op::subtract,
                                 Op::multiply,    Op::multiply,
                                 Op::divide,      Op::negate,
                                 Op::negate,      Op::fma,
                                 Op::fma,         Op::fma,
                                 Op::square_root, Op::unsigned_zero,
                                 Op::sine,        Op::cosine,
                                 Op::select,      Op::select,
                                 Op::arc_tangent, Op::exponential,
                                 Op::finite_term, Op::less,
                                 Op::equal,       Op::both,
                                 Op::less_equal,  Op::nearest_integer,
                                 Op::less,        Op::either,
                                 Op::negate,      Op::multiply,
                                 Op::opposite,    Op::keep_bits};
    Recipe recipe;
    for (int i = 0; i < 4; ++i) recipe.constants.push_back(special[below(std::size(special))]);
    std::size_t numbers = Recipe::inputs + recipe.constants.size(), masks = 2;
    for (int i = 0; i < steps; ++i) {
        const Op op = ops[below(std::size(ops))];
        // Recent values are read more often, so that expressions grow deep.
        const auto number = [&] {
            return below(2) ? numbers - 1 - below(std::min<std::size_t>(numbers, 6)) : below(numbers);
        };
        const auto mask = [&] { return below(masks); };
        const bool reads_masks = joins_masks(op);
        recipe.steps.push_back(
            {op, op == Op::select || reads_masks ? mask() : number(), reads_masks ? mask() : number(), number()});
        (description_of(op).gives_mask ? masks : numbers) += 1;
    }
    return recipe;
}

// Takes a recipe's steps by a machine that has numbers and masks of its own.
template <class Machine>
void follow(const Recipe& recipe, Machine& machine) {
    for (int i = 0; i < Recipe::inputs; ++i) machine.numbers.push_back(machine.input(i));
    for (const double x : recipe.constants) machine.numbers.push_back(machine.constant(x));
    machine.masks.push_back(machine.truth(true)), machine.masks.push_back(machine.truth(false));
    for (const RecipeStep& step : recipe.steps) {
        if (joins_masks(step.op))
            machine.masks.push_back(machine.joined(step.op, machine.masks[step.a], machine.masks[step.b]));
        else if (description_of(step.op).gives_mask)
            machine.masks.push_back(machine.compared(step.op, machine.numbers[step.a], machine.numbers[step.b]));
        else if (step.op == Op::select)
            machine.numbers.push_back(
                machine.selected(machine.masks[step.a], machine.numbers[step.b], machine.numbers[step.c]));
        else
            machine.numbers.push_back(
                machine.computed(step.op, machine.numbers[step.a], machine.numbers[step.b], machine.numbers[step.c]));
    }
}

// Plain numbers, by the processor and the C library; elementary functions by the kernels, whose values other tests
// hold.
template <class Number>
struct PlainMachine {
    std::vector<Number> inputs, numbers;
    std::vector<char> masks;  // bools
    bool is_all_finite = true;
    Number input(int i) const { return inputs[static_cast<std::size_t>(i)]; }
    Number constant(double x) const { return static_cast<Number>(x); }
    char truth(bool is_true) const { return is_true; }
    char joined(Op op, char a, char b) const { return op == Op::both ? a && b : op == Op::either ? a || b : !a; }
    char compared(Op op, Number a, Number b) const {
        return op == Op::less ? a < b : op == Op::less_equal ? a <= b : a == b;
    }
    Number selected(char mask, Number a, Number b) const { return mask ? a : b; }
    Number computed(Op op, Number a, Number b, Number c) {
        const Number x = value(op, a, b, c);
        is_all_finite = is_all_finite && std::isfinite(x);
        return x;
    }
    static Number value(Op op, Number a, Number b, Number c) {
        switch (op) {
            case Op::add:
                return a + b;
            case Op::subtract:
                return a - b;
            case Op::multiply:
                return a * b;
            case Op::divide:
                return a / (b + Number(0));
            case Op::negate:
                return -a;
            case Op::fma:
                return std::fma(a, b, c);
            case Op::square_root:
                return std::sqrt(a);
            case Op::unsigned_zero:
                return a + Number(0);
            case Op::sine:
                return myriad::sin(a);
            case Op::cosine:
                return myriad::cos(a);
            case Op::exponential:
                return myriad::exp(a);
            case Op::arc_tangent:
                return myriad::atan2(a + Number(0), b + Number(0));
            case Op::nearest_integer:
                return myriad::nearest_integer(a);
            case Op::finite_term:
                return std::isfinite(a) ? b : std::numeric_limits<Number>::quiet_NaN();
            case Op::keep_bits:
                return std::fabs(a);
            default:
                throw Refusal("no plain value");
        }
    }
};

struct GraphMachine {
    Builder build;
    std::vector<NodeId> numbers = {}, masks = {};
    NodeId input(int i) { return build.input(i); }
    NodeId constant(double x) { return build.constant(x); }
    NodeId truth(bool is_true) { return build.truth(is_true); }
    NodeId joined(Op op, NodeId a, NodeId b) {
        return op == Op::both ? build.both(a, b) : op == Op::either ? build.either(a, b) : build.opposite(a);
    }
    NodeId compared(Op op, NodeId a, NodeId b) { return build.compare(op, a, b); }
    NodeId selected(NodeId mask, NodeId a, NodeId b) { return build.select(mask, a, b); }
    NodeId computed(Op op, NodeId a, NodeId b, NodeId c) {
        switch (op) {
            case Op::add:
                return build.add(a, b);
            case Op::subtract:
                return build.subtract(a, b);
            case Op::multiply:
                return build.multiply(a, b);
            case Op::divide:
                return build.divide(a, b);
            case Op::negate:
                return build.negate(a);
            case Op::fma:
                return build.fma(a, b, c);
            case Op::unsigned_zero:
                return build.unsigned_zero(a);
            case Op::keep_bits:
                return build.function(op, a, no_node,
                                      build.graph().format == Format::fp64 ? 0x7fffffffffffffffll : 0x7fffffffll);
            case Op::arc_tangent:
            case Op::finite_term:
                return build.function(op, a, b);
            default:
                return build.function(op, a);
        }
    }
};

// The graph of a recipe; every number that it computes is an output.
inline Graph graph_of(const Recipe& recipe, Rules rules, Format format = Format::fp64) {
    Graph graph(format);
    GraphMachine machine{Builder(graph, rules)};
    follow(recipe, machine);
    for (std::size_t i = 0; i < machine.numbers.size(); ++i)
        graph.outputs.push_back({static_cast<std::int64_t>(i), machine.numbers[i]});
    return graph;
}

// Inputs of a lane: plain numbers, zeros of both signs, and in every third lane also NaN, infinities, and huge and tiny
// numbers.
template <class Number>
std::vector<Number> random_inputs(std::uint32_t seed, int lane) {
    std::mt19937 random(seed * 1000 + static_cast<std::uint32_t>(lane));
    using Limits = std::numeric_limits<Number>;
    const Number odd[] = {Limits::quiet_NaN(), Limits::infinity(),   -Limits::infinity(),
                          Limits::max(),       Limits::denorm_min(), -Limits::min()};
    std::vector<Number> inputs;
    for (int i = 0; i < Recipe::inputs; ++i) {
        const auto kind = random() % 8;
        const auto x = static_cast<Number>(random() % 4096) / Number(512) - Number(4);
        inputs.push_back(kind == 0                    ? Number(0)
                         : kind == 1                  ? -Number(0)
                         : kind == 2 && lane % 3 == 2 ? odd[random() % std::size(odd)]
                                                      : x);
    }
    return inputs;
}

// Compares numbers: -0 is 0, and every NaN is the same.
template <class Number>
bool is_same(Number a, Number b) {
    return a == b || (a != a && b != b);
}

}  // namespace myriad::graph
