// Partial derivatives of formulas against central differences, at points away from kinks.
#include "host/mechanism/expression/derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/mechanism/expression/expression_graph.hpp"

namespace myriad::mechanism {
namespace {

// Of functions of size one: a difference over h errs by h^2 and round-off over h.
constexpr double step = 1e-6, same = 1e-8;

// The value of node `last` of some nodes.
double value_of_nodes(const Expression& formula, const std::vector<ExpressionNode>& nodes, int last,
                      const std::vector<double>& values) {
    ExpressionGraph graph;
    std::vector<int> place;
    for (int k = 0; k <= last; ++k) place.push_back(graph.copy(nodes[static_cast<std::size_t>(k)], place));
    return formula.with_nodes(graph.nodes_of(place.back())).value(values);
}

TEST(Derivatives, AreThoseOfDifferences) {
    for (const char* text :
         {"x + 2 * y - x * y", "x / y - y / (1 + x)", "-x^3 + y^-2", "sin(x) * cos(y) + tan(x * y)", "exp(-x) * log(y)",
          "sqrt(x + y) + abs(x - y) + abs(y - x)", "pow(x, y)", "pow(y, 2.5) + pow(x, 0.5)",
          "min(x, y) + 3 * max(x, y)", "if(x < y, x * y, x + y)", "atan2(x, y) + atan2(y - 2, x)", "tanh(2 * x - y)",
          "asin(x / 2) - acos(y / 3)", "(x < y) * x", "2", "x", "min(x, 2, y * y)"}) {
        SCOPED_TRACE(text);
        const Expression formula = Expression::parse(std::string(text) + " + 0 * x + 0 * y", "test");
        ASSERT_EQ(formula.names().size(), 2u);
        const int names[] = {0, 1};
        const DifferentiatedFormula found = differentiated(formula.nodes(), names);
        for (const auto& [x, y] : {std::pair{0.7, 1.3}, {1.1, 0.6}}) {
            const auto place = [&](const char* name) { return formula.names()[0] == name ? 0u : 1u; };
            std::vector<double> at(2);
            at[place("x")] = x, at[place("y")] = y;
            EXPECT_EQ(value_of_nodes(formula, found.nodes, found.value, at), formula.value(at));
            for (std::size_t k = 0; k < 2; ++k) {
                std::vector<double> before = at, after = at;
                before[k] -= step, after[k] += step;
                const double slope = (formula.value(after) - formula.value(before)) / (2.0 * step);
                const double derived =
                    found.derivatives[k] < 0 ? 0.0 : value_of_nodes(formula, found.nodes, found.derivatives[k], at);
                EXPECT_NEAR(derived, slope, same * (1.0 + std::abs(slope)));
            }
        }
    }
}

TEST(Derivatives, LeaveOutWhatVanishes) {
    const Expression formula = Expression::parse("3 * k * sin(t) + a", "test", TimeUse::allowed);
    const int k = formula.names()[0] == "k" ? 0 : 1;
    const int names[] = {k, 1 - k};
    const DifferentiatedFormula found = differentiated(formula.nodes(), names);
    ASSERT_GE(found.derivatives[1], 0);
    EXPECT_EQ(found.nodes[static_cast<std::size_t>(found.derivatives[1])].literal, 1.0);
    const Expression steady = Expression::parse("2 * k", "test");
    const int one[] = {0}, none[] = {7};
    const DifferentiatedFormula twice = differentiated(steady.nodes(), one);
    EXPECT_EQ(twice.nodes[static_cast<std::size_t>(twice.derivatives[0])].literal, 2.0) << "no product by 1";
    EXPECT_EQ(differentiated(steady.nodes(), none).derivatives[0], -1);
}

}  // namespace
}  // namespace myriad::mechanism
