#include <gtest/gtest.h>

#include "host/graph/interpreter.hpp"
#include "tests/graph/recipe.hpp"

namespace myriad::graph {
namespace {

constexpr int recipes = 150, steps_of_a_recipe = 60, lanes = 24;

struct Outcome {
    long long compared = 0, lanes_with_odd_numbers = 0;
};

// Runs the recipe's graph under the rules in all lanes and compares each number with the plain one. `wants_finite`:
// where a number on the way is not finite, the lane is left out.
template <class Number>
Outcome compare(Rules rules, bool wants_finite) {
    Outcome outcome;
    for (std::uint32_t seed = 1; seed <= recipes; ++seed) {
        const Recipe recipe = random_recipe(seed, steps_of_a_recipe);
        const Graph graph = graph_of(recipe, rules, sizeof(Number) == 8 ? Format::fp64 : Format::fp32);
        const Tape tape = make_tape(Program(graph), Recipe::inputs);
        TapeRun<Number> run(tape, interpreter<Number>(), lanes);
        for (int lane = 0; lane < lanes; ++lane) {
            const std::vector<Number> inputs = random_inputs<Number>(seed, lane);
            for (int i = 0; i < Recipe::inputs; ++i) run.field(i)[lane] = inputs[static_cast<std::size_t>(i)];
        }
        run.run(1);
        for (int lane = 0; lane < lanes; ++lane) {
            PlainMachine<Number> plain{random_inputs<Number>(seed, lane), {}, {}};
            for (const Number x : plain.inputs) plain.is_all_finite = plain.is_all_finite && std::isfinite(x);
            follow(recipe, plain);
            if (!plain.is_all_finite) ++outcome.lanes_with_odd_numbers;
            if (wants_finite && !plain.is_all_finite) continue;
            for (std::size_t i = 0; i < plain.numbers.size(); ++i) {
                const Number found = run.field(static_cast<int>(i))[lane];
                EXPECT_PRED2(is_same<Number>, found, plain.numbers[i])
                    << "recipe " << seed << ", lane " << lane << ", number " << i;
                ++outcome.compared;
                if (testing::Test::HasFailure()) return outcome;
            }
        }
    }
    return outcome;
}

class OneRule : public testing::TestWithParam<int> {};

TEST_P(OneRule, AloneKeepsTheBitsOfEveryNumberOfRandomExpressions) {
    const auto rule = static_cast<Rule>(GetParam());
    const Outcome outcome = compare<double>(Rules::only(rule), rule == Rule::zero_factors);
    EXPECT_GT(outcome.compared, 10000);
    EXPECT_GT(outcome.lanes_with_odd_numbers, 100);
    compare<float>(Rules::only(rule), rule == Rule::zero_factors);
}
INSTANTIATE_TEST_SUITE_P(Each, OneRule, testing::Range(0, static_cast<int>(Rule::count)));

TEST(RulesOfTheGraph, AreNotNeededForTheBits) {
    compare<double>(Rules::none(), false);
    compare<float>(Rules::none(), false);
}

TEST(RulesOfTheGraph, TogetherKeepTheBitsWhereAllIsFinite) {
    EXPECT_GT(compare<double>(Rules::all(), true).compared, 10000);
    EXPECT_GT(compare<float>(Rules::all(), true).compared, 10000);
}

TEST(RulesOfTheGraph, ButTheOneForZeroFactorsKeepNaNAndInfinities) {
    EXPECT_GT(compare<double>(Rules::all().without(Rule::zero_factors), false).lanes_with_odd_numbers, 100);
    compare<float>(Rules::all().without(Rule::zero_factors), false);
}

class Rewritten : public testing::Test {
  protected:
    Graph graph;
    Builder build{graph};
    NodeId x = build.input(0), y = build.input(1), z = build.input(2), zero = build.constant(0.0),
           one = build.constant(1.0);
};

TEST_F(Rewritten, NeutralElementsVanish) {
    EXPECT_EQ(build.add(x, zero), x);
    EXPECT_EQ(build.add(build.constant(-0.0), x), x);
    EXPECT_EQ(build.subtract(x, zero), x);
    EXPECT_EQ(build.subtract(zero, x), build.negate(x));
    EXPECT_EQ(build.multiply(x, one), x);
    EXPECT_EQ(build.multiply(build.constant(-1.0), x), build.negate(x));
    EXPECT_EQ(build.multiply(x, zero), zero);
    EXPECT_EQ(build.divide(zero, x), zero);
    EXPECT_EQ(build.fma(x, zero, y), y);
    EXPECT_EQ(build.fma(one, x, y), build.add(x, y));
    EXPECT_EQ(build.fma(x, y, zero), build.multiply(x, y));
    EXPECT_EQ(build.divide(x, build.constant(4.0)), build.multiply(x, build.constant(0.25)));
}

TEST_F(Rewritten, SignsMoveOutward) {
    const NodeId minus_x = build.negate(x), minus_y = build.negate(y);
    EXPECT_EQ(build.negate(minus_x), x);
    EXPECT_EQ(build.multiply(minus_x, minus_y), build.multiply(x, y));
    EXPECT_EQ(build.multiply(minus_x, y), build.negate(build.multiply(x, y)));
    EXPECT_EQ(build.add(x, minus_y), build.subtract(x, y));
    EXPECT_EQ(build.negate(build.subtract(x, y)), build.subtract(y, x));
    EXPECT_EQ(graph.at(build.fma(minus_x, y, z)).op, Op::fnma);
    EXPECT_EQ(build.negate(build.fma(minus_x, y, z)), build.fma(x, y, build.negate(z)));
}

TEST_F(Rewritten, SumsAndProductsAreNeitherReassociatedNorSplit) {
    EXPECT_NE(build.add(build.add(x, y), z), build.add(x, build.add(y, z)));
    EXPECT_NE(build.fma(x, y, z), build.add(build.multiply(x, y), z));
    EXPECT_NE(build.subtract(build.add(x, y), y), x);
    EXPECT_NE(build.subtract(x, x), zero);
    EXPECT_NE(build.divide(x, build.constant(3.0)), build.multiply(x, build.constant(1.0 / 3.0)));
}

TEST_F(Rewritten, EqualExpressionsAreOneNode) {
    EXPECT_EQ(build.add(x, y), build.add(y, x));
    EXPECT_EQ(build.function(Op::sine, x), build.function(Op::sine, x));
    EXPECT_NE(build.subtract(x, y), build.subtract(y, x));
}

TEST_F(Rewritten, PlusZeroOfWhatIsStoredStaysUnlessItCannotMatter) {
    EXPECT_EQ(graph.at(build.unsigned_zero(x)).op, Op::unsigned_zero);
    EXPECT_EQ(graph.at(build.unsigned_zero(build.multiply(x, y))).op, Op::unsigned_zero);
    EXPECT_EQ(build.unsigned_zero(build.constant(-0.0)), zero);
    const NodeId length = build.function(Op::square_root, build.fma(x, x, build.multiply(y, y)));
    EXPECT_EQ(build.unsigned_zero(length), length);
    EXPECT_EQ(build.unsigned_zero(build.unsigned_zero(x)), build.unsigned_zero(x));
    // A product that underflows: -1e-200 1e-200 + 0 is -0.
    EXPECT_EQ(graph.at(build.unsigned_zero(build.fma(x, y, build.unsigned_zero(z)))).op, Op::unsigned_zero);
}

TEST_F(Rewritten, ATestForFiniteNumbersStays) {
    const NodeId sum = build.function(Op::finite_term, x, zero);
    EXPECT_EQ(graph.at(sum).op, Op::finite_term);
    EXPECT_EQ(build.function(Op::finite_term, one, sum), sum);
    EXPECT_TRUE(std::isnan(graph.at(build.function(Op::finite_term, build.constant(INFINITY), zero)).value()));
}

TEST_F(Rewritten, ConstantsAreFoldedInTheFormatOfTheGraph) {
    EXPECT_EQ(graph.at(build.add(build.constant(0.1), build.constant(0.2))).value(), 0.1 + 0.2);
    Graph single(Format::fp32);
    Builder build_single(single);
    const NodeId sum = build_single.add(build_single.constant(0.1), build_single.constant(0.2));
    EXPECT_EQ(single.at(sum).value(), static_cast<double>(0.1f + 0.2f));
}

TEST_F(Rewritten, MasksAndSelectionsOfWhatIsKnownVanish) {
    const NodeId yes = build.truth(true), no = build.truth(false), mask = build.compare(Op::less, x, y);
    EXPECT_EQ(build.both(mask, yes), mask);
    EXPECT_EQ(build.both(mask, no), no);
    EXPECT_EQ(build.either(no, mask), mask);
    EXPECT_EQ(build.opposite(build.opposite(mask)), mask);
    EXPECT_EQ(build.both(mask, build.opposite(mask)), no);
    EXPECT_EQ(build.select(yes, x, y), x);
    EXPECT_EQ(build.select(mask, x, x), x);
    EXPECT_EQ(build.select(build.opposite(mask), x, y), build.select(mask, y, x));
    EXPECT_EQ(build.compare(Op::less, x, x), no);
    // x == x asks whether x is a number.
    EXPECT_FALSE(build.is_known(build.compare(Op::equal, x, x)));
}

TEST_F(Rewritten, ANodeKnowsTheLineThatMadeIt) {
    graph.line = Line::here();
    const int here = __LINE__ - 1;
    EXPECT_EQ(graph.at(build.add(x, y)).line.number, here);
    EXPECT_NE(std::string(graph.at(build.add(x, y)).line.file).find("rules_test.cpp"), std::string::npos);
}

}  // namespace
}  // namespace myriad::graph
