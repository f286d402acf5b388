// Formulas of mechanism files: their meaning, their refusals, and that the tape runs them as the host does.
#include "host/mechanism/expression/expression.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/mechanism/tape.hpp"
#include "tests/expression/functions.hpp"
#include "tests/mathematics/error_table.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using study::has;
using study::refusal;

double value_of(const std::string& text, std::vector<double> values = {}, double time_s = 0.0) {
    return Expression::parse(text, "here", TimeUse::allowed).value(values, time_s);
}
std::string refusal_of(const std::string& text, TimeUse time = TimeUse::allowed) {
    return refusal([&] { Expression::parse(text, "rod.json: /parameters/mass_kg", time); });
}

TEST(Expression, MeansWhatItSays) {
    const struct {
        const char* text;
        double expected;
    } cases[] = {
        {"2", 2.0},
        {".5", 0.5},
        {"5.", 5.0},
        {"1e-3", 1e-3},
        {"2.5E+2", 250.0},
        {" 1 +\t2 * 3\n", 7.0},
        {"7 - 2 - 1", 4.0},
        {"16 / 4 / 2", 2.0},
        {"(1 + 2) * 3", 9.0},
        {"2^-1", 0.5},
        {"-2^2", -4.0},
        {"(-2)^2", 4.0},
        {"(-2)^3", -8.0},
        {"2^3^2", 512.0},
        {"10^-3", 1e-3},
        {"0^0", 1.0},
        {"2 * -3", -6.0},
        {"--3", 3.0},
        {"+3 - +2", 1.0},
        {"1 < 2", 1.0},
        {"2 < 1", 0.0},
        {"2 <= 2", 1.0},
        {"2 < 2", 0.0},
        {"2 >= 2.5", 0.0},
        {"3 > 2", 1.0},
        {"1 + 1 < 3 - 2", 0.0},
        {"min(3, 1, 2)", 1.0},
        {"max(3, 1)", 3.0},
        {"abs(-4.5)", 4.5},
        {"pow(2, 10)", 1024.0},
        {"if(2 > 1, 10, 20)", 10.0},
        {"if(0, log(-1), 20)", 20.0},
        {"if(1, 10, 1 / 0)", 10.0},
        {"sqrt(16)", 4.0},
        {"exp(0)", 1.0},
        {"log(1)", 0.0},
        {"tanh(0)", 0.0},
        {"cos(0)", 1.0},
        {"pi", 3.141592653589793},
        {"4 * atan2(1, 1)", 3.141592653589793},
        {"asin(0)", 0.0},
        {"2 * asin(1)", 3.141592653589793},
        {"-2 * asin(-1)", 3.141592653589793},
        {"acos(1)", 0.0},
        {"2 * acos(0)", 3.141592653589793},
        {"acos(-1)", 3.141592653589793},
    };
    for (const auto& one : cases) EXPECT_EQ(value_of(one.text), one.expected) << one.text;
    constexpr double a_rounding = 1e-15;
    EXPECT_NEAR(value_of("sin(pi / 6) + tan(pi / 4)"), 1.5, a_rounding);
    EXPECT_NEAR(value_of("2^0.5 - sqrt(2)"), 0.0, a_rounding);
    EXPECT_TRUE(std::isnan(value_of("log(-1)")));
    EXPECT_TRUE(std::isnan(value_of("x / x", {0.0})));
    EXPECT_TRUE(std::isnan(value_of("asin(x)", {1.0 + 1e-15})));
    EXPECT_TRUE(std::isnan(value_of("acos(-x)", {1.0 + 1e-15})));
}

// The square root and the angle round once or twice each, by at most 0.5 + 0.75 ulp and the 1.5 of the product under
// the root, halved; the angle passes on what its arguments have with a factor of 1 at most.
TEST(Expression, TurnsSinesAndCosinesIntoAnglesWithinThreeUlp) {
    constexpr double most_ulp = 3.0;
    test::Arguments arguments(20261122);
    test::WorstError sine, cosine;
    const Expression arcsine = Expression::parse("asin(x)", "here"), arccosine = Expression::parse("acos(x)", "here");
    const auto ulp = [](double found, long double exact) {
        const double next = std::nextafter(std::abs(static_cast<double>(exact)), 4.0);
        const double unit = next - std::abs(static_cast<double>(exact));
        return static_cast<double>(std::abs(static_cast<long double>(found) - exact) / static_cast<long double>(unit));
    };
    for (int i = 0; i < 30000; ++i) {
        // Small ones, any, and those next to 1 and -1.
        const double near_one = 1.0 - std::abs(arguments.size_between(1e-16, 1e-1));
        const double x = i % 3 == 0   ? arguments.size_between(1e-30, 1.0)
                         : i % 3 == 1 ? arguments.uniform(-1.0, 1.0)
                                      : (i % 2 == 0 ? near_one : -near_one);
        sine.add(ulp(arcsine.value(std::vector{x}), asinl(x)), x);
        cosine.add(ulp(arccosine.value(std::vector{x}), acosl(x)), x);
    }
    test::print_error_row("asin", "double", "-1 to 1", sine, "ulp");
    test::print_error_row("acos", "double", "-1 to 1", cosine, "ulp");
    EXPECT_LE(sine.error, most_ulp);
    EXPECT_LE(cosine.error, most_ulp);
}

TEST(Expression, NamesItsParametersInTheOrderOfTheirUse) {
    const Expression mass = Expression::parse("density * length_m * 0.05^2 + length_m", "here");
    EXPECT_EQ(mass.names(), (std::vector<std::string>{"density", "length_m"}));
    EXPECT_FALSE(mass.uses_time());
    EXPECT_DOUBLE_EQ(mass.value(std::vector{7800.0, 4.0}), 7800.0 * 4.0 * 0.0025 + 4.0);
    EXPECT_TRUE(Expression::parse("pi/2 + pi/4 * cos(2*t)", "here", TimeUse::allowed).uses_time());
    EXPECT_EQ(value_of("-t^2", {}, 3.0), -9.0);
}

TEST(Expression, KnowsWhatCanBeAName) {
    for (const char* name : {"length_m", "_", "k2", "If"}) EXPECT_TRUE(Expression::is_name(name)) << name;
    for (const char* name : {"", "t", "pi", "sin", "if", "2k", "a.b", "a b", "\xc3\xa4"})
        EXPECT_FALSE(Expression::is_name(name)) << name;
}

TEST(Expression, RefusesTheTimeInAConstant) {
    EXPECT_THAT(refusal_of("2 * t", TimeUse::refused), has(std::string("character 5"), std::string("time t")));
}

TEST(Expression, RefusesDeepNestingAndLongTexts) {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '(') + "1" +
               std::string(static_cast<std::size_t>(depth), ')');
    };
    EXPECT_EQ(value_of(nested(60)), 1.0);
    EXPECT_THAT(refusal_of(nested(64)), has(std::string("nested more than 64")));
    EXPECT_THAT(refusal_of(nested(4000)), has(std::string("nested more than 64")));
    EXPECT_THAT(refusal_of(std::string(100, '-') + "1"), has(std::string("nested more than 64")));
    std::string sum = "1";
    for (int i = 0; i < 2000; ++i) sum += "+1";
    EXPECT_EQ(value_of(sum), 2001.0);
    for (int i = 0; i < 4000; ++i) sum += "+1";
    EXPECT_THAT(refusal_of(sum), has(std::string("longer than 10000")));
}

const char* const formulas[] = {
    "pi/2 + pi/4*cos(2*t)",
    "-amplitude * sin(rate * t + 0.3)^2",
    "if(t < 1.5, amplitude * t^3, exp(-t) - tanh(rate))",
    "min(t, rate, 2) + max(t^2, 1) * abs(amplitude - t)",
    "atan2(sin(t), cos(t) + amplitude) / (1 + t^2)",
    "(amplitude + t)^rate + 2^t - t^-2 + sqrt(t + 5) + log(t + 1) * tan(t / 3)",
    "asin(0.7 * sin(t)) + acos(cos(rate * t) / amplitude)",
    "t",
    "amplitude",
    "3",
};

TEST(Expression, HasTheSameBitsOnTheTape) {
    const std::vector<std::pair<std::string, double>> named = {{"amplitude", 1.37}, {"rate", 2.9}};
    Functions functions;
    std::vector<int> indices;
    for (const char* text : formulas) indices.push_back(functions.add(text, named));
    test::Arguments arguments(11);
    for (int i = 0; i < 1000; ++i) {
        const double time_s = arguments.uniform(0.0, 10.0);
        for (std::size_t k = 0; k < std::size(formulas); ++k) {
            const Expression expression = Expression::parse(formulas[k], "here", TimeUse::allowed);
            std::vector<double> values;
            for (const std::string& name : expression.names()) values.push_back(name == "rate" ? 2.9 : 1.37);
            const double on_host = expression.value(values, time_s);
            EXPECT_TRUE(std::isfinite(on_host)) << formulas[k] << " at " << time_s;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(on_host),
                      std::bit_cast<std::uint64_t>(functions.run(indices[k], time_s).value))
                << formulas[k] << " at " << time_s;
        }
    }
}

TEST(Expression, GivesTheDerivativesOfADriver) {
    Functions functions;
    const int angle = functions.add("pi/2 + pi/4*cos(2*t)");
    const double time_s = 0.83, quarter = 0.7853981633974483;
    const Taylor<double> f = functions.run(angle, time_s);
    constexpr double a_few_roundings = 2e-15;
    EXPECT_NEAR(f.value, 2 * quarter + quarter * std::cos(2 * time_s), a_few_roundings);
    EXPECT_NEAR(f.rate, -2 * quarter * std::sin(2 * time_s), a_few_roundings);
    EXPECT_NEAR(f.acceleration, -4 * quarter * std::cos(2 * time_s), a_few_roundings);
}

TEST(Expression, GivesTheDerivativesOfArcsineAndArccosine) {
    Functions functions;
    const int arcsine = functions.add("asin(0.9 * sin(t))"), arccosine = functions.add("acos(t / 3)");
    constexpr double a_few_roundings = 1e-14;
    for (const double time_s : {0.1, 0.83, 2.4, 2.9}) {
        // x = 0.9 sin t: asin' = x' / w, asin'' = x'' / w + x x'^2 / w^3 with w^2 = 1 - x^2.
        const double x = 0.9 * std::sin(time_s), rate = 0.9 * std::cos(time_s), w = std::sqrt(1.0 - x * x);
        const Taylor<double> f = functions.run(arcsine, time_s), g = functions.run(arccosine, time_s);
        EXPECT_NEAR(f.value, std::asin(x), a_few_roundings);
        EXPECT_NEAR(f.rate, rate / w, a_few_roundings);
        EXPECT_NEAR(f.acceleration, -x / w + x * rate * rate / (w * w * w), 10 * a_few_roundings);
        const double y = time_s / 3.0, v = std::sqrt(1.0 - y * y);
        EXPECT_NEAR(g.value, std::acos(y), a_few_roundings);
        EXPECT_NEAR(g.rate, -1.0 / (3.0 * v), 10 * a_few_roundings);
        EXPECT_NEAR(g.acceleration, -y / (9.0 * v * v * v), 100 * a_few_roundings);
    }
}

TEST(Expression, NeedsFewInstructionsAndRegisters) {
    Functions folded;
    folded.add("2 * pi / 3 + sqrt(2)");
    EXPECT_EQ(folded.table->instructions, 1);
    Functions shared;  // t, t^2, sin t^2, the sum
    shared.add("sin(t^2) + sin(t * t)");
    EXPECT_EQ(shared.table->instructions, 4);
    EXPECT_EQ(shared.registers(), 1);
    Functions polynomial;  // t, the sum so far, a coefficient and a power
    std::string text = "1";
    for (int i = 1; i < 12; ++i) text += " + " + std::to_string(i) + ".5 * t";
    polynomial.add(text);
    EXPECT_LE(polynomial.registers(), 4);
    Functions many;
    for (int i = 0; i < most_functions; ++i) many.add("1.5 * t + " + std::to_string(i));
    EXPECT_LE(many.registers(), most_functions + 3);
    for (int i = 0; i < most_functions; ++i) EXPECT_EQ(many.run(i, 2.0).value, 3.0 + i);
}

TEST(Expression, RefusesWhatTheTableCannotHold) {
    Functions functions;
    for (int i = 0; i < most_functions; ++i) functions.add("t");
    EXPECT_THAT(refusal([&] { functions.add("2 * t"); }), has(std::string("more than 32 functions of time")));
    EXPECT_EQ(functions.table->functions, most_functions);
    EXPECT_EQ(functions.table->instructions, most_functions);

    std::string sum = "t";
    for (int i = 0; i < 300; ++i) sum += " + sin(" + std::to_string(i) + ".5 * t)";
    Functions empty;
    EXPECT_THAT(refusal([&] { empty.add(sum); }), has(std::string("more than 512 instructions")));

    std::string waiting = "t", closing;
    for (int i = 0; i < 55; ++i) waiting = "sin(" + std::to_string(i) + ".5 * t) - (" + waiting, closing += ")";
    EXPECT_THAT(refusal([&] { empty.add(waiting + closing); }), has(std::string("more than 48 registers")));
    EXPECT_EQ(empty.table->instructions, 0);
    EXPECT_EQ(empty.table->functions, 0);
}

// The parser answers any text of a file with a value or a UserError.
TEST(Expression, SurvivesAnyText) {
    static const char* const pieces[] = {"1",    "2.5", ".5",   "1e-3",     "t",      "x",       "pi", "sin(",
                                         "cos(", "if(", "min(", "pow(",     "atan2(", "(",       "(",  ")",
                                         ")",    ")",   ",",    "+",        "-",      "*",       "/",  "^",
                                         "<",    "<=",  ">",    " ",        "**",     "&&",      "==", "e",
                                         "1e",   ".",   "\xff", "\xc3\xa4", "0x",     "1e99999", "\n"};
    test::Arguments arguments(99);
    int parsed = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        const int length = static_cast<int>(arguments.uniform(0.0, i % 2 == 0 ? 6.0 : 40.0));
        for (int k = 0; k < length; ++k) {
            if (i % 5 == 0)
                text += static_cast<char>(static_cast<int>(arguments.uniform(0.0, 256.0)));
            else
                text +=
                    pieces[static_cast<std::size_t>(arguments.uniform(0.0, static_cast<double>(std::size(pieces))))];
        }
        try {
            const Expression expression = Expression::parse(text, "here", TimeUse::allowed);
            const std::vector<double> values(expression.names().size(), 0.7);
            std::vector<std::pair<std::string, double>> named;
            for (const std::string& name : expression.names()) named.emplace_back(name, 0.7);
            const double on_host = expression.value(values, 0.9);
            Functions functions;
            const double on_tape = functions.run(functions.add(text, named), 0.9).value;
            ASSERT_TRUE(on_host == on_tape || (std::isnan(on_host) && std::isnan(on_tape))) << text;
            ++parsed;
        } catch (const UserError&) {
            ++refused;
        }
    }
    EXPECT_GT(parsed, 500);
    EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace myriad::mechanism
