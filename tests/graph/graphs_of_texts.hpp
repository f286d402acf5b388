// Graphs that every text is tested with, and the numbers that they are given, field by field.
#pragma once
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "host/graph/symbol.hpp"
#include "kernels/math/piecewise_polynomial.hpp"
#include "tests/graph/script.hpp"

namespace myriad::graph {

template <class Number>
constexpr Format format_of = sizeof(Number) == sizeof(double) ? Format::fp64 : Format::fp32;

// Scripts side by side, whose regions all stay.
constexpr int scripts_of_texts = 60, fields_of_scripts = scripts_of_texts * script_variables;
template <class Number>
Graph graph_of_scripts(std::mt19937& random) {
    using Real = Symbol<Number>;
    Graph graph(format_of<Number>);
    {
        Tracer tracer(graph);
        tracer.fewest_nodes_of_region = 0;
        for (int n = 0; n < scripts_of_texts; ++n) {
            Real x[script_variables];
            for (int i = 0; i < script_variables; ++i) x[i] = Real::of(tracer.build.input(n * script_variables + i));
            SymbolMask flag = !true_mask<Real>();
            run_script<Real>(random_script(random, 8, 3), true_mask<Real>(), x, flag);
            for (int i = 0; i < script_variables; ++i)
                graph.outputs.push_back({n * script_variables + i, node_of(select(flag, x[i] + Real(1.0), x[i]))});
        }
    }
    EXPECT_GT(graph.region_count(), 200);
    return graph;
}
template <class Number>
std::vector<Number> numbers_of_scripts(std::mt19937& random, std::size_t count) {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<Number>(random() % 256) / Number(64) - Number(2));
    return numbers;
}

// Two arguments, then the functions of them.
constexpr int fields_of_functions = 7;
template <class Number>
Graph graph_of_functions() {
    Graph graph(format_of<Number>);
    Builder build(graph);
    const NodeId x = build.input(0), y = build.input(1);
    const NodeId results[] = {build.function(Op::sine, x), build.function(Op::cosine, x),
                              build.function(Op::exponential, x), build.function(Op::arc_tangent, y, x),
                              build.function(Op::nearest_integer, x)};
    for (int i = 0; i < 5; ++i) graph.outputs.push_back({2 + i, results[i]});
    return graph;
}
// All bits of the arguments are random in half of the lanes.
template <class Number>
std::vector<Number> arguments_of_functions(std::size_t lanes) {
    using Bits = typename BitsOf<Number>::Bits;
    std::mt19937_64 random(5);
    std::vector<Number> begin(fields_of_functions * lanes);
    for (std::size_t i = 0; i < 2 * lanes; ++i)
        begin[i] = i % 2 ? __builtin_bit_cast(Number, static_cast<Bits>(random()))
                         : static_cast<Number>(random() % 20001) / Number(100) - Number(100);
    using Limits = std::numeric_limits<Number>;
    const Number odd[] = {Number(0),           -Number(0),           Limits::infinity(),    -Limits::infinity(),
                          Limits::quiet_NaN(), Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),
                          Limits::max(),       Number(1 << 30)};
    for (std::size_t i = 0; i < 100; ++i) begin[i] = odd[i / 10], begin[lanes + i] = odd[i % 10];
    return begin;
}

// A table of points with and without ends and corners, and a block that is called twice.
constexpr int fields_of_tables = 8;
template <class Number>
Graph graph_of_tables_and_calls() {
    struct {
        PolynomialPiece pieces[4] = {{0.0, 0.0, {1.0, 2.0, 0.5, 0.0}},
                                     {1.0, 1.0, {3.5, -1.0, 0.25, 0.1}},
                                     {2.5, 2.5, {2.0, 0.0, 1.0, -0.3}},
                                     {4.0, 4.0, {0.5, 1.0, 0.0, 0.0}}};
        const PolynomialPiece& piece(int i) const { return pieces[i]; }
    } given;
    using Real = Symbol<Number>;
    Graph graph(format_of<Number>);
    {
        Tracer tracer(graph);
        const Real u = Real::of(tracer.build.input(0)), side = Real::of(tracer.build.input(1));
        std::vector<Real> results;
        for (const bool ends : {false, true})
            for (const Corners corners : {Corners::none, Corners::at_ends, Corners::at_all_points}) {
                const PolynomialValue<Real> at =
                    polynomial_at(given, PiecewisePolynomial{0, 4, ends, corners}, u, side);
                results.push_back(at.value + Real(3.0) * at.slope);
            }
        const auto turned = [&](const Real& angle, const Real& length) {
            return tracer.call("turned", {node_of(angle < length), node_of(angle), node_of(length)},
                               [&](const Tracer::Values& values) {
                                   const SymbolMask mask = SymbolMask::of(values[0]);
                                   const Real a = Real::of(values[1]), l = Real::of(values[2]);
                                   return Tracer::Values{node_of(l * cos(a)), node_of(mask | (l < Real(1.0)))};
                               });
        };
        const Tracer::Values once = turned(u, side), again = turned(Real::of(once[0]), results[0]);
        results.push_back(select(SymbolMask::of(once[1]), Real::of(again[0]), u));
        results.push_back(select(SymbolMask::of(again[1]), side, Real::of(once[0])));
        for (int i = 0; i < fields_of_tables; ++i)
            graph.outputs.push_back({i, node_of(results[static_cast<std::size_t>(i)])});
    }
    EXPECT_EQ(graph.blocks.size(), 1u);
    return graph;
}
// Arguments and sides at the ends, the corners and between, for 121 lanes.
template <class Number>
std::vector<Number> arguments_of_tables(std::size_t lanes) {
    std::vector<Number> begin(fields_of_tables * lanes);
    for (std::size_t lane = 0; lane < 121; ++lane)
        begin[lane] = Number(-0.5) + Number(0.5) * static_cast<Number>(lane % 11),
        begin[lanes + lane] = Number(-0.5) + Number(0.5) * static_cast<Number>(lane / 11);
    return begin;
}

}  // namespace myriad::graph
