// Time derivatives by forward mode against central differences in 240 bits, and what happens at singular points.
#include "kernels/mechanism/taylor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/mathematics/error_table.hpp"
#include "tests/mathematics/multiple_precision.hpp"

namespace myriad::test {
namespace {

using T = Taylor<double>;

Precise tan(const Precise& x) { return sin(x) / cos(x); }
Precise tanh(const Precise& x) {
    const Precise up = exp(x), down = exp(-x);
    return (up - down) / (up + down);
}
Precise absolute(const Precise& x) { return abs(x); }
Precise minimum(const Precise& a, const Precise& b) { return a < b ? a : b; }
Precise maximum(const Precise& a, const Precise& b) { return a < b ? b : a; }
Precise less(const Precise& a, const Precise& b) { return a < b ? 1.0 : 0.0; }
Precise choose(const Precise& condition, const Precise& a, const Precise& b) {
    return static_cast<double>(condition) != 0.0 ? a : b;
}

struct Case {
    std::string name;
    std::function<T(const T&, const T&)> forward;
    std::function<Precise(const Precise&, const Precise&)> precise;
    bool positive_base = false;
};
template <class Function>
Case case_of(const char* name, Function function, bool positive_base = false) {
    return {name, function, function, positive_base};
}

std::vector<Case> all_cases() {
    return {
        case_of("u + v", [](const auto& u, const auto& v) { return u + v; }),
        case_of("u - v", [](const auto& u, const auto& v) { return u - v; }),
        case_of("u * v", [](const auto& u, const auto& v) { return u * v; }),
        case_of("u / v", [](const auto& u, const auto& v) { return u / v; }),
        case_of("-u", [](const auto& u, const auto&) { return -u; }),
        case_of("sin u", [](const auto& u, const auto&) { return sin(u); }),
        case_of("cos u", [](const auto& u, const auto&) { return cos(u); }),
        case_of("tan u", [](const auto& u, const auto&) { return tan(u); }),
        case_of("exp u", [](const auto& u, const auto&) { return exp(u); }),
        case_of("tanh u", [](const auto& u, const auto&) { return tanh(u); }),
        case_of("atan2(u, v)", [](const auto& u, const auto& v) { return atan2(u, v); }),
        case_of("atan2(v, u)", [](const auto& u, const auto& v) { return atan2(v, u); }),
        case_of("|u|", [](const auto& u, const auto&) { return absolute(u); }),
        case_of("min(u, v)", [](const auto& u, const auto& v) { return minimum(u, v); }),
        case_of("max(u, v)", [](const auto& u, const auto& v) { return maximum(u, v); }),
        case_of("u < v", [](const auto& u, const auto& v) { return less(u, v); }),
        case_of("u < v ? sin u : u v", [](const auto& u, const auto& v) { return choose(less(u, v), sin(u), u * v); }),
        case_of(
            "log u", [](const auto& u, const auto&) { return log(u); }, true),
        case_of(
            "sqrt u", [](const auto& u, const auto&) { return sqrt(u); }, true),
        case_of(
            "u^v", [](const auto& u, const auto& v) { return pow(u, v); }, true),
        case_of(
            "sin(u v) / sqrt(u) - u^v", [](const auto& u, const auto& v) { return sin(u * v) / sqrt(u) - pow(u, v); },
            true),
    };
}

// The value of u(s) = value + rate s + acceleration s^2 / 2 at s.
Precise at(const T& u, const Precise& s) {
    return Precise(u.value) + Precise(u.rate) * s + Precise(0.5) * Precise(u.acceleration) * s * s;
}

// The arguments are at least 0.2 in size and at most 1.3, so that no sum or product is more than a few hundred times
// larger than what it comes to; 30 operations of half an ulp.
constexpr double rounding = 30 * 300 * 0x1p-53;

T generic(Arguments& arguments, bool positive) {
    const double size = arguments.size_between(0.2, 1.3);
    return {positive ? std::abs(size) : size, arguments.size_between(0.2, 1.3), arguments.size_between(0.2, 1.3)};
}

TEST(Taylor, HasTheDerivativesThatDifferencesGive) {
    const Precise h = Precise(0x1p-60), square = h * h;  // truncation 1e-36, rounding 2^-240 / h^2 = 1e-36
    for (const Case& one : all_cases()) {
        Arguments arguments(20);
        WorstError worst;
        for (int i = 0; i < 200; ++i) {
            const T u = generic(arguments, one.positive_base), v = generic(arguments, false);
            const T actual = one.forward(u, v);
            const auto exact = [&](const Precise& s) { return one.precise(at(u, s), at(v, s)); };
            const Precise before = exact(-h), now = exact(0.0), after = exact(h);
            const double expected[3] = {static_cast<double>(now),
                                        static_cast<double>((after - before) / (Precise(2.0) * h)),
                                        static_cast<double>((after - Precise(2.0) * now + before) / square)};
            const double given[3] = {actual.value, actual.rate, actual.acceleration};
            double scale = 1.0;
            for (int k = 0; k < 3; ++k) scale = std::max(scale, std::abs(expected[k]));
            for (int k = 0; k < 3; ++k) worst.add(std::abs(given[k] - expected[k]) / scale, u.value);
        }
        EXPECT_LT(worst.error, rounding) << one.name << " at u = " << worst.at;
    }
}

TEST(Taylor, LeavesAConstantConstantWhereASlopeIsInfinite) {
    const T zero = T::constant(0.0);
    for (const T& u : {sqrt(zero), pow(zero, T::constant(0.5)), atan2(zero, zero), pow(zero, 1.5)}) {
        EXPECT_EQ(u.value, 0.0);
        EXPECT_EQ(u.rate, 0.0);
        EXPECT_EQ(u.acceleration, 0.0);
    }
    EXPECT_EQ(sqrt(T::time(0.0)).rate, std::numeric_limits<double>::infinity());
}

// Functions of time start at t = 0.
TEST(Taylor, DifferentiatesPowersAtZero) {
    const T t = T::time(0.0);
    const struct {
        double exponent, value, rate, acceleration;
    } expected[] = {{0.0, 1, 0, 0}, {1.0, 0, 1, 0}, {2.0, 0, 0, 2}, {2.5, 0, 0, 0}, {3.0, 0, 0, 0}};
    for (const auto& e : expected) {
        const T power_of_time = pow(t, T::constant(e.exponent));
        EXPECT_EQ(power_of_time.value, e.value) << e.exponent;
        EXPECT_EQ(power_of_time.rate, e.rate) << e.exponent;
        EXPECT_EQ(power_of_time.acceleration, e.acceleration) << e.exponent;
    }
    EXPECT_EQ(pow(t, T::constant(1.5)).rate, 0.0);
    EXPECT_EQ(pow(t, T::constant(1.5)).acceleration, std::numeric_limits<double>::infinity());
}

TEST(Taylor, KeepsWhatIsNotANumber) {
    const T none = log(T::constant(-1.0)), one = T::constant(1.0);
    ASSERT_TRUE(std::isnan(none.value));
    for (const T& u : {minimum(none, one), minimum(one, none), maximum(none, one), maximum(one, none), less(none, one),
                       less(one, none), choose(none, one, one), absolute(none), pow(none, one), pow(one, none),
                       tanh(none), pow(T::constant(-2.0), one)})
        EXPECT_TRUE(std::isnan(u.value));
    EXPECT_FALSE(std::isnan(choose(one, one, none).value));
    EXPECT_EQ(choose(T::constant(0.0), none, T{3.0, 4.0, 5.0}).acceleration, 5.0);
    EXPECT_EQ(choose(T::constant(-2.0), T{3.0, 4.0, 5.0}, none).rate, 4.0);
}

template <class Number>
void expect_accurate_powers() {
    Arguments arguments(7);
    WorstError near_one, anywhere, tangent;
    const double largest_exponent = sizeof(Number) == 8 ? 900.0 : 110.0;
    for (int i = 0; i < 20000; ++i) {
        const auto x = static_cast<Number>(std::abs(arguments.size_between(1e-3, 1e3)));
        const auto y = static_cast<Number>(arguments.uniform(-2.0, 2.0));
        near_one.add(error_in_ulp(power(x, y), pow(Precise(x), Precise(y))), y);
        const auto base = static_cast<Number>(arguments.uniform(0.5, 2.0));
        const auto exponent = static_cast<Number>(arguments.uniform(-largest_exponent, largest_exponent));
        anywhere.add(error_in_ulp(power(base, exponent), pow(Precise(base), Precise(exponent))), exponent);
        const auto z = static_cast<Number>(arguments.size_between(1e-6, 30.0));
        tangent.add(error_in_ulp(hyperbolic_tangent(z), tanh(Precise(z))), z);
    }
    const char* precision = precision_name<Number>();
    print_error_row("power", precision, "x 1e-3..1e3, y -2..2", near_one, "ulp");
    print_error_row("power", precision, "x 0.5..2, whole range of results", anywhere, "ulp");
    print_error_row("tanh", precision, "1e-6..30", tangent, "ulp");
    // The tail of the logarithm's series is at most 0.01 of it and has three roundings, so the sum of two is good to
    // 0.03 of half an ulp; the exponential makes |y log x| times that of it, and rounds.
    const double largest_logarithm = largest_exponent * std::log(2.0);
    EXPECT_LT(near_one.error, 1.0);
    EXPECT_LT(anywhere.error, 1.0 + 0.03 * largest_logarithm);
    // Two series, a quotient and a product, each within half an ulp to one ulp.
    EXPECT_LT(tangent.error, 3.0);
}

TEST(Power, IsWithinItsBounds) {
    expect_accurate_powers<double>();
    expect_accurate_powers<float>();
}

TEST(Power, HasTheLimitsOfTheField) {
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(power(0.0, 0.5), 0.0);
    EXPECT_EQ(power(0.0, -0.5), infinite);
    EXPECT_EQ(power(0.0, 0.0), 1.0);
    EXPECT_EQ(power(7.5, 0.0), 1.0);
    EXPECT_EQ(power(1.0, 1e300), 1.0);
    EXPECT_EQ(power(1.5, 1e300), infinite);
    EXPECT_EQ(power(1.5, -1e300), 0.0);
    EXPECT_EQ(power(infinite, 0.5), infinite);
    EXPECT_EQ(power(infinite, -0.5), 0.0);
    EXPECT_TRUE(std::isnan(power(-1.0, 2.0)));
    EXPECT_EQ(hyperbolic_tangent(infinite), 1.0);
    EXPECT_EQ(hyperbolic_tangent(-1e300), -1.0);
    EXPECT_TRUE(std::signbit(hyperbolic_tangent(-0.0)));
}

}  // namespace
}  // namespace myriad::test
