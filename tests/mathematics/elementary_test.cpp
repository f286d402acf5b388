// The elementary functions against MPFR: the bounds asserted here are the ones stated in kernels/math/elementary.hpp.
#include "kernels/math/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/mathematics/error_table.hpp"
#include "tests/mathematics/multiple_precision.hpp"

namespace myriad::test {
namespace {

constexpr int function_samples = 8000;

template <class Number, class Function, class Reference, class Draw>
void expect_error_below(double bound, const char* name, const std::string& range, Function function,
                        Reference reference, Draw draw, int count = function_samples) {
    Arguments arguments(20240607);
    WorstError worst;
    for (int i = 0; i < count; ++i) {
        const Number x = static_cast<Number>(draw(arguments, i));
        worst.add(error_in_ulp<Number>(function(x), reference(Precise(x))), static_cast<double>(x));
    }
    print_error_row(name, precision_name<Number>(), range, worst, "ulp");
    EXPECT_LE(worst.error, bound) << name << " in " << precision_name<Number>() << " on " << range;
}

template <class Number>
class Elementary : public testing::Test {
  public:
    static constexpr bool single = sizeof(Number) == 4;
    static constexpr Number infinite = std::numeric_limits<Number>::infinity();
    static constexpr Number not_a_number = std::numeric_limits<Number>::quiet_NaN();
    static constexpr Number smallest = std::numeric_limits<Number>::denorm_min();
};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(Elementary, Numbers);

TYPED_TEST(Elementary, SineAndCosineAreWithinThreeQuartersOfAnUlpUpToTheLargestAngle) {
    using Number = TypeParam;
    const double bound = 0.75, largest = largest_angle<Number>();
    const auto sine = [](Number x) { return myriad::sin(x); };
    const auto cosine = [](Number x) { return myriad::cos(x); };
    const auto precise_sine = [](const Precise& x) { return sin(x); };
    const auto precise_cosine = [](const Precise& x) { return cos(x); };
    const auto both = [&](const char* range, auto draw) {
        expect_error_below<Number>(bound, "sine", range, sine, precise_sine, draw);
        expect_error_below<Number>(bound, "cosine", range, cosine, precise_cosine, draw);
    };
    both("1e-30 to 1", [](Arguments& a, int) { return a.size_between(1e-30, 1.0); });
    both("0 to 2 pi", [](Arguments& a, int) { return a.uniform(0.0, 6.3); });
    both("1 to 1e5", [](Arguments& a, int) { return a.size_between(1.0, 1e5); });
    both("1e5 to the largest angle", [=](Arguments& a, int) { return a.size_between(1e5, largest); });
    // The nearest numbers to k pi/2: nothing is left of the argument but what the reduction kept.
    both("at k pi/2, k = 0, 1, 2 ...", [](Arguments&, int i) { return i * 1.5707963267948966; });
    both("at k pi/2, any k", [=](Arguments& a, int) {
        return static_cast<double>(Precise(0.5) * Precise::pi() *
                                   Precise(std::nearbyint(a.uniform(0.0, largest / 1.571))));
    });
    both("subnormal", [](Arguments& a, int) { return a.uniform(0.0, std::numeric_limits<Number>::min()); });
}

TYPED_TEST(Elementary, SineKeepsTheSignOfZeroAndAnglesBeyondTheLargestAreNotNumbers) {
    using Number = TypeParam;
    EXPECT_TRUE(std::signbit(myriad::sin(Number(-0.0))));
    EXPECT_FALSE(std::signbit(myriad::sin(Number(0.0))));
    EXPECT_EQ(myriad::cos(Number(-0.0)), Number(1.0));
    EXPECT_EQ(myriad::sin(-this->smallest), -this->smallest);
    const Number largest = largest_angle<Number>();
    EXPECT_TRUE(std::isfinite(myriad::sin(largest)) && std::isfinite(myriad::cos(-largest)));
    for (const Number x : {std::nextafter(largest, this->infinite), -std::nextafter(largest, this->infinite),
                           std::numeric_limits<Number>::max(), this->infinite, -this->infinite, this->not_a_number}) {
        EXPECT_TRUE(std::isnan(myriad::sin(x))) << x;
        EXPECT_TRUE(std::isnan(myriad::cos(x))) << x;
    }
}

TYPED_TEST(Elementary, ExponentialIsWithinTwoThirdsOfAnUlp) {
    using Number = TypeParam;
    const auto function = [](Number x) { return myriad::exp(x); };
    const auto reference = [](const Precise& x) { return exp(x); };
    const double bound = 0.65, subnormal_bound = 1.0;
    const double most = this->single ? 88.7 : 709.7, normal = this->single ? -87.3 : -708.3,
                 least = this->single ? -103.9 : -745.1;
    expect_error_below<Number>(bound, "exponential", "-1 to 1", function, reference,
                               [](Arguments& a, int) { return a.uniform(-1.0, 1.0); });
    expect_error_below<Number>(bound, "exponential", "1e-20 to 1", function, reference,
                               [](Arguments& a, int) { return a.size_between(1e-20, 1.0); });
    expect_error_below<Number>(bound, "exponential", "all normal results", function, reference,
                               [=](Arguments& a, int) { return a.uniform(normal, most); });
    expect_error_below<Number>(subnormal_bound, "exponential", "subnormal results", function, reference,
                               [=](Arguments& a, int) { return a.uniform(least, normal); });
}

TYPED_TEST(Elementary, ExponentialOfZeroIsOneAndItsEndsAreZeroAndInfinity) {
    using Number = TypeParam;
    EXPECT_EQ(myriad::exp(Number(0.0)), Number(1.0));
    EXPECT_EQ(myriad::exp(Number(-0.0)), Number(1.0));
    EXPECT_EQ(myriad::exp(this->smallest), Number(1.0));
    EXPECT_EQ(myriad::exp(this->infinite), this->infinite);
    EXPECT_EQ(myriad::exp(-this->infinite), Number(0.0));
    EXPECT_EQ(myriad::exp(Number(this->single ? 88.73 : 709.79)), this->infinite);
    EXPECT_EQ(myriad::exp(Number(this->single ? -103.98 : -745.14)), Number(0.0));
    EXPECT_EQ(myriad::exp(Number(1e30)), this->infinite);
    EXPECT_EQ(myriad::exp(Number(-1e30)), Number(0.0));
    EXPECT_TRUE(std::isnan(myriad::exp(this->not_a_number)));
}

TYPED_TEST(Elementary, LogarithmIsWithinElevenTwentiethsOfAnUlp) {
    using Number = TypeParam;
    const auto function = [](Number x) { return myriad::log(x); };
    const auto reference = [](const Precise& x) { return log(x); };
    const double bound = 0.55;
    expect_error_below<Number>(bound, "logarithm", "0.5 to 2", function, reference,
                               [](Arguments& a, int) { return a.uniform(0.5, 2.0); });
    expect_error_below<Number>(bound, "logarithm", "1 +- 1e-2 ... 1e-16", function, reference,
                               [](Arguments& a, int) { return 1.0 + a.size_between(1e-16, 1e-2); });
    expect_error_below<Number>(bound, "logarithm", "all normal arguments", function, reference, [](Arguments& a, int) {
        return std::fabs(a.size_between(std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max()));
    });
    expect_error_below<Number>(bound, "logarithm", "subnormal", function, reference, [](Arguments& a, int) {
        return std::fabs(
            a.size_between(8.0 * std::numeric_limits<Number>::denorm_min(), std::numeric_limits<Number>::min()));
    });
}

TYPED_TEST(Elementary, LogarithmOfOneIsZeroAndOutsideItsDomainItSaysSo) {
    using Number = TypeParam;
    EXPECT_EQ(myriad::log(Number(1.0)), Number(0.0));
    EXPECT_EQ(myriad::log(Number(0.0)), -this->infinite);
    EXPECT_EQ(myriad::log(Number(-0.0)), -this->infinite);
    EXPECT_EQ(myriad::log(this->infinite), this->infinite);
    EXPECT_LE(error_in_ulp<Number>(myriad::log(this->smallest), log(Precise(this->smallest))), 0.55);
    for (const Number x : {Number(-1.0), -this->smallest, -this->infinite, this->not_a_number})
        EXPECT_TRUE(std::isnan(myriad::log(x))) << x;
}

// The exponents of step-size control, and the largest allowed.
TYPED_TEST(Elementary, PowerIsWithinItsBoundForTheExponentsOfStepSizeControl) {
    using Number = TypeParam;
    const double bound = this->single ? 0.75 : 0.7;
    for (const double exponent : {-1.0 / 3, -1.0 / 5, 0.7 / 5, -0.4 / 5, 0.5, -7.0, 8.0}) {
        const auto function = [=](Number x) { return myriad::pow(x, exponent); };
        const auto reference = [=](const Precise& x) { return pow(x, Precise(exponent)); };
        const double largest = std::exp((this->single ? 86.0 : 700.0) / std::fmax(1.0, std::fabs(exponent)));
        const std::string name = "power " + std::to_string(exponent);
        expect_error_below<Number>(bound, name.c_str(), "1e-3 to 1e3", function, reference,
                                   [](Arguments& a, int) { return std::fabs(a.size_between(1e-3, 1e3)); });
        expect_error_below<Number>(
            bound, name.c_str(), "results over the normal range", function, reference,
            [=](Arguments& a, int) { return std::fabs(a.size_between(1.0 / largest, largest)); });
    }
}

TYPED_TEST(Elementary, PowerOfZeroInfinityAndNegativeNumbers) {
    using Number = TypeParam;
    EXPECT_EQ(myriad::pow(Number(0.0), 0.2), Number(0.0));
    EXPECT_EQ(myriad::pow(Number(0.0), -0.2), this->infinite);
    EXPECT_EQ(myriad::pow(this->infinite, 0.2), this->infinite);
    EXPECT_EQ(myriad::pow(this->infinite, -0.2), Number(0.0));
    EXPECT_EQ(myriad::pow(Number(1.0), -0.2), Number(1.0));
    EXPECT_TRUE(std::isnan(myriad::pow(Number(-1.0), 0.2)));
    EXPECT_TRUE(std::isnan(myriad::pow(this->not_a_number, 0.2)));
}

TYPED_TEST(Elementary, ArcTangentOfAPointIsWithinSevenTenthsOfAnUlp) {
    using Number = TypeParam;
    const double bound = 0.7, subnormal_bound = 1.0;
    const auto sweep = [](double limit, const char* range, auto draw) {
        Arguments arguments(7);
        WorstError worst;
        for (int i = 0; i < 2 * function_samples; ++i) {
            const Number y = static_cast<Number>(draw(arguments)), x = static_cast<Number>(draw(arguments));
            worst.add(error_in_ulp<Number>(myriad::atan2(y, x), atan2(Precise(y), Precise(x))),
                      static_cast<double>(y / x));
        }
        print_error_row("arc tangent of y / x", precision_name<Number>(), range, worst, "ulp");
        EXPECT_LE(worst.error, limit) << range;
    };
    sweep(bound, "0.1 to 10", [](Arguments& a) { return a.size_between(0.1, 10.0); });
    sweep(bound, "-1 to 1", [](Arguments& a) { return a.uniform(-1.0, 1.0); });
    sweep(bound, "1e-10 to 1e10", [](Arguments& a) { return a.size_between(1e-10, 1e10); });
    const double least = std::numeric_limits<Number>::denorm_min(), largest = std::numeric_limits<Number>::max();
    sweep(subnormal_bound, "any size", [=](Arguments& a) { return a.size_between(8.0 * least, 0.5 * largest); });
    sweep(bound, "both subnormal",
          [=](Arguments& a) { return a.size_between(8.0 * least, std::numeric_limits<Number>::min()); });
    sweep(bound, "both huge", [=](Arguments& a) { return a.size_between(1e-3 * largest, largest); });
}

// IEC 60559, annex F.10.1.4 of the C standard.
TYPED_TEST(Elementary, ArcTangentOfZerosAndInfinitiesIsThatOfTheCStandard) {
    using Number = TypeParam;
    const Number zero(0), one(1), pi = static_cast<Number>(Precise::pi());
    const auto eighths = [](int k) { return static_cast<Number>(Precise(k / 4.0) * Precise::pi()); };
    for (const Number sign : {one, -one}) {
        EXPECT_EQ(std::signbit(myriad::atan2(sign * zero, one)), std::signbit(sign));
        EXPECT_EQ(myriad::atan2(sign * zero, one), zero);
        EXPECT_EQ(std::signbit(myriad::atan2(sign * zero, zero)), std::signbit(sign));
        EXPECT_EQ(myriad::atan2(sign * zero, zero), zero);
        EXPECT_EQ(myriad::atan2(sign * zero, -zero), sign * pi);
        EXPECT_EQ(myriad::atan2(sign * zero, -one), sign * pi);
        EXPECT_EQ(myriad::atan2(sign * one, zero), sign * eighths(2));
        EXPECT_EQ(myriad::atan2(sign * one, -zero), sign * eighths(2));
        EXPECT_EQ(myriad::atan2(sign * one, one), sign * eighths(1));
        EXPECT_EQ(myriad::atan2(sign * one, this->infinite), zero);
        EXPECT_EQ(myriad::atan2(sign * one, -this->infinite), sign * pi);
        EXPECT_EQ(myriad::atan2(sign * this->infinite, one), sign * eighths(2));
        EXPECT_EQ(myriad::atan2(sign * this->infinite, this->infinite), sign * eighths(1));
        EXPECT_EQ(myriad::atan2(sign * this->infinite, -this->infinite), sign * eighths(3));
    }
    for (const Number x : {zero, one, -this->infinite, this->not_a_number}) {
        EXPECT_TRUE(std::isnan(myriad::atan2(this->not_a_number, x)));
        EXPECT_TRUE(std::isnan(myriad::atan2(x, this->not_a_number)));
    }
}

}  // namespace
}  // namespace myriad::test
