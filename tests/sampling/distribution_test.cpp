#include "host/study/sampling/distribution.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/triangular.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <functional>
#include <numbers>

#include "host/statistics/normal_score.hpp"
#include "host/study/sampling/design.hpp"
#include "host/text/user_error.hpp"
#include "tests/sampling/kolmogorov.hpp"
#include "tests/sampling/places.hpp"

namespace myriad::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
// A distribution beside its distribution function from the library, or from its definition.
struct Case {
    std::string name;
    Distribution distribution;
    std::function<double(double)> cdf;
    double low, high;  // the support
};

double truncated_cdf(double x, double mean, double deviation, double low, double high) {
    const boost::math::normal normal(mean, deviation);
    const auto below = [&](double y) { return std::isinf(y) ? (y > 0.0 ? 1.0 : 0.0) : boost::math::cdf(normal, y); };
    return (below(x) - below(low)) / (below(high) - below(low));
}

std::vector<Case> continuous_cases() {
    namespace bm = boost::math;
    const double gsd = 1.7, cv = 0.4;
    const double log_sd = std::sqrt(std::log(1.0 + cv * cv));
    return {
        {"uniform",
         {Uniform{-3.0, 7.5}, distribution_place},
         [](double x) { return bm::cdf(bm::uniform(-3.0, 7.5), x); },
         -3.0,
         7.5},
        {"normal",
         {Normal{78.0, 2.0}, distribution_place},
         [](double x) { return bm::cdf(bm::normal(78.0, 2.0), x); },
         -infinity,
         infinity},
        {"truncated on both sides",
         {TruncatedNormal{1.0, 2.0, 0.2, 4.0}, distribution_place},
         [](double x) { return truncated_cdf(x, 1.0, 2.0, 0.2, 4.0); },
         0.2,
         4.0},
        {"truncated below",
         {TruncatedNormal{0.5, 1.0, 0.0}, distribution_place},
         [](double x) { return truncated_cdf(x, 0.5, 1.0, 0.0, infinity); },
         0.0,
         infinity},
        {"lognormal by its mean",
         {Lognormal{5.0, cv * 5.0}, distribution_place},
         [log_sd](double x) { return bm::cdf(bm::lognormal(std::log(5.0) - 0.5 * log_sd * log_sd, log_sd), x); },
         0.0,
         infinity},
        {"lognormal by its median",
         {LognormalByMedian{0.3, gsd}, distribution_place},
         [](double x) { return bm::cdf(bm::lognormal(std::log(0.3), std::log(1.7)), x); },
         0.0,
         infinity},
        {"triangular",
         {Triangular{-1.0, 0.5, 4.0}, distribution_place},
         [](double x) { return bm::cdf(bm::triangular(-1.0, 0.5, 4.0), x); },
         -1.0,
         4.0},
        {"triangular with the mode at its end",
         {Triangular{2.0, 3.0, 3.0}, distribution_place},
         [](double x) { return bm::cdf(bm::triangular(2.0, 3.0, 3.0), x); },
         2.0,
         3.0},
        {"beta",
         {Beta{2.5, 0.7, 10.0, 12.0}, distribution_place},
         [](double x) { return bm::cdf(bm::beta_distribution<>(2.5, 0.7), (x - 10.0) / 2.0); },
         10.0,
         12.0},
    };
}

std::vector<double> draws(const Distribution& distribution, std::size_t count, std::uint64_t seed) {
    const MonteCarlo design(1, seed);
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        double u = 0.0;
        design.unit_point(i, {&u, 1});
        values[i] = distribution.quantile(u);
    }
    return values;
}

TEST(Distribution, QuantileInvertsTheDistributionFunctionToAFewUlp) {
    // The probability u lies between those a few ulp to either side of its quantile, up to the rounding of u's cdf.
    constexpr double rounding = 2e-15;
    for (const Case& c : continuous_cases())
        for (const double u : {1e-9, 1e-4, 0.013, 0.31, 0.5, 0.77, 0.994, 1.0 - 1e-6}) {
            const double x = c.distribution.quantile(u), few_ulp = 8.0 * 0x1p-53 * std::abs(x);
            EXPECT_LE(c.cdf(std::max(c.low, x - few_ulp)), u + rounding) << c.name;
            EXPECT_GE(c.cdf(std::min(c.high, x + few_ulp)), u - rounding) << c.name;
        }
}

TEST(Distribution, QuantileIsExactlyKnownAtClosedForms) {
    constexpr double few_ulp = 1e-15;
    EXPECT_DOUBLE_EQ(Distribution(Uniform{2.0, 6.0}, distribution_place).quantile(0.25), 3.0);
    // Abramowitz and Stegun, table 26.5: the 97.5 % point.
    EXPECT_NEAR(Distribution(Normal{0.0, 1.0}, distribution_place).quantile(0.975), 1.959963984540054, 4.0 * few_ulp);
    EXPECT_DOUBLE_EQ(Distribution(LognormalByMedian{0.3, 1.7}, distribution_place).quantile(0.5), 0.3);
    EXPECT_DOUBLE_EQ(Distribution(Triangular{0.0, 1.0, 4.0}, distribution_place).quantile(0.25), 1.0);
    EXPECT_NEAR(Distribution(Beta{1.0, 3.0}, distribution_place).quantile(0.488), 0.2, few_ulp);
}

TEST(Distribution, SamplesPassKolmogorovSmirnov) {
    constexpr std::size_t count = 20000;
    std::uint64_t seed = 100;
    for (const Case& c : continuous_cases())
        EXPECT_LT(kolmogorov_distance(draws(c.distribution, count, ++seed), c.cdf), kolmogorov_bound(count, rare))
            << c.name;
}

TEST(Distribution, AWrongSpreadOfFivePercentFailsKolmogorovSmirnov) {
    constexpr std::size_t count = 100000;
    const Distribution distribution(Normal{0.0, 1.05}, distribution_place);
    const auto cdf = [](double x) { return boost::math::cdf(boost::math::normal(0.0, 1.0), x); };
    EXPECT_GT(kolmogorov_distance(draws(distribution, count, 5), cdf), kolmogorov_bound(count, rare));
}

TEST(Distribution, MomentsAreTheIntegralsOfTheQuantile) {
    // The midpoint rule with 2^18 points; its error for the unbounded quantiles here is below this.
    constexpr std::size_t points = 1u << 18;
    constexpr double tolerance = 2e-4;
    for (const Case& c : continuous_cases()) {
        double sum = 0.0, squares = 0.0;
        const double centre = c.distribution.quantile(0.5);
        for (std::size_t k = 0; k < points; ++k) {
            const double x = c.distribution.quantile((static_cast<double>(k) + 0.5) / points) - centre;
            sum += x / points;
            squares += x * x / points;
        }
        const double deviation = std::sqrt(squares - sum * sum);
        EXPECT_NEAR(c.distribution.mean(), centre + sum, tolerance * deviation) << c.name;
        EXPECT_NEAR(c.distribution.standard_deviation(), deviation, tolerance * deviation) << c.name;
    }
}

TEST(Distribution, MomentsAgreeWithClosedForms) {
    constexpr double tolerance = 1e-13;
    const Distribution uniform(Uniform{-3.0, 7.5}, distribution_place);
    EXPECT_NEAR(uniform.mean(), 2.25, tolerance);
    EXPECT_NEAR(uniform.standard_deviation(), 10.5 / std::sqrt(12.0), tolerance);
    const Distribution lognormal(Lognormal{5.0, 2.0}, distribution_place);
    EXPECT_NEAR(lognormal.mean(), 5.0, tolerance);
    EXPECT_NEAR(lognormal.standard_deviation(), 2.0, tolerance);
    const Distribution triangular(Triangular{-1.0, 0.5, 4.0}, distribution_place);
    EXPECT_NEAR(triangular.mean(), 3.5 / 3.0, tolerance);
    EXPECT_NEAR(triangular.standard_deviation(), std::sqrt((1.0 + 0.25 + 16.0 + 0.5 + 4.0 - 2.0) / 18.0), tolerance);
    const Distribution beta(Beta{2.0, 3.0, -1.0, 4.0}, distribution_place);
    EXPECT_NEAR(beta.mean(), 1.0, tolerance);
    EXPECT_NEAR(beta.standard_deviation(), 1.0, tolerance);
    // Half a normal distribution: Johnson, Kotz, Balakrishnan, ch. 13.
    const Distribution half(TruncatedNormal{0.0, 3.0, 0.0}, distribution_place);
    EXPECT_NEAR(half.mean(), 3.0 * std::sqrt(2.0 / std::numbers::pi), tolerance);
    EXPECT_NEAR(half.standard_deviation(), 3.0 * std::sqrt(1.0 - 2.0 / std::numbers::pi), tolerance);
    const Distribution discrete(Discrete{{5.0, 1.0, 2.0}, {1.0, 2.0, 1.0}}, distribution_place);
    EXPECT_NEAR(discrete.mean(), 2.25, tolerance);
    EXPECT_NEAR(discrete.standard_deviation(), std::sqrt(0.5 * 1.25 * 1.25 + 0.25 * (0.25 * 0.25 + 2.75 * 2.75)),
                tolerance);
}

TEST(Distribution, TruncationFarInATailKeepsItsDigits) {
    // At 30 standard deviations the tail is exponential of rate z + O(1/z): mean excess 1/z - 2/z^3 + 10/z^5.
    constexpr double z = 30.0, excess = 1.0 / z - 2.0 / (z * z * z) + 10.0 / (z * z * z * z * z);
    constexpr double next_term = 74.0 / (z * z * z * z * z * z * z);
    for (const double side : {-1.0, 1.0}) {
        const Distribution tail(
            side < 0.0 ? TruncatedNormal{0.0, 1.0, -infinity, -z} : TruncatedNormal{0.0, 1.0, z, infinity},
            distribution_place);
        EXPECT_NEAR(side * tail.mean() - z, excess, next_term);
        // The median: Q(x) = Q(z) / 2, checked in the ratio of the tails.
        const double median = side * tail.quantile(0.5);
        EXPECT_NEAR(normal_probability(-median) / normal_probability(-z), 0.5, 1e-12);
    }
    // All but uniform: a ten-millionth of a standard deviation wide.
    const Distribution narrow(TruncatedNormal{0.0, 1.0, 2.0, 2.0 + 1e-7}, distribution_place);
    EXPECT_NEAR(narrow.standard_deviation(), 1e-7 / std::sqrt(12.0), 1e-13);
}

TEST(Distribution, SamplesStayInsideTheSupportAtTheEndsOfTheUnitInterval) {
    for (const Case& c : continuous_cases())
        for (const double u : {0x1p-53, 1.0 - 0x1p-53}) {
            const double x = c.distribution.quantile(u);
            EXPECT_TRUE(std::isfinite(x) && x >= c.low && x <= c.high) << c.name << " " << x;
        }
}

TEST(Distribution, QuantileAtScoreIsQuantileOfItsProbability) {
    // Both ways go through a probability near 1 here, where an ulp is 1e-16; the density scales it up.
    constexpr double tolerance = 1e-12;
    for (const Case& c : continuous_cases())
        for (const double score : {-2.7, -0.4, 0.0, 1.3, 2.9}) {
            const double direct = c.distribution.quantile_at_score(score);
            const double by_probability = c.distribution.quantile(normal_probability(score));
            EXPECT_NEAR(direct, by_probability, tolerance * (1.0 + std::abs(direct))) << c.name;
        }
    EXPECT_DOUBLE_EQ(normal_score(0x1p-53), -largest_normal_score);
}

TEST(Distribution, DiscreteValuesComeWithTheirWeights) {
    const Distribution distribution(Discrete{{3.0, -1.0, 2.0}, {1.0, 0.0, 3.0}}, distribution_place);
    EXPECT_EQ(distribution.quantile(0x1p-53), 2.0);
    EXPECT_EQ(distribution.quantile(0.7499), 2.0);
    EXPECT_EQ(distribution.quantile(0.7501), 3.0);
    EXPECT_EQ(distribution.quantile(1.0 - 0x1p-53), 3.0);
    // Ten weights of 0.1 do not sum to 1; the last value must still be found, and never one without weight.
    std::vector<double> values, weights(10, 0.1);
    for (int k = 0; k < 11; ++k) values.push_back(k);
    weights.push_back(0.0);
    EXPECT_EQ(Distribution(Discrete{values, weights}, distribution_place).quantile(1.0 - 0x1p-53), 9.0);
    EXPECT_EQ(distribution.value_count(), 3u);
}

TEST(Distribution, AMillionEqualValuesAreFoundAtTheirGridLevels) {
    for (const std::size_t n : {1u, 3u, 31u, 1000u, 1000000u}) {
        std::vector<double> values(n);
        for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<double>(k);
        const Distribution distribution(Discrete{values, {}}, distribution_place);
        for (std::size_t k = 0; k < n; ++k)
            ASSERT_EQ(distribution.quantile((values[k] + 0.5) / static_cast<double>(n)), values[k]);
    }
}

TEST(Distribution, ZeroSpreadIsTheConstant) {
    for (const Distribution& distribution :
         {Distribution(Constant{2.5}, distribution_place), Distribution(Normal{2.5, 0.0}, distribution_place),
          Distribution(TruncatedNormal{2.5, 0.0, 0.0}, distribution_place),
          Distribution(LognormalByMedian{2.5, 1.0}, distribution_place),
          Distribution(Discrete{{2.5}, {}}, distribution_place)}) {
        EXPECT_DOUBLE_EQ(distribution.quantile(0.9), 2.5) << distribution.text();
        EXPECT_DOUBLE_EQ(distribution.quantile(0.1), distribution.quantile(0.9)) << distribution.text();
        EXPECT_EQ(distribution.standard_deviation(), 0.0) << distribution.text();
    }
}

TEST(Distribution, TextNamesTheNumbers) {
    EXPECT_EQ(Distribution(Normal{78.0, 2.0}, distribution_place).text(), "normal(mean 78, standard deviation 2)");
    EXPECT_EQ(Distribution(TruncatedNormal{1.0, 0.1, 0.0}, distribution_place).text(),
              "truncated_normal(mean 1, standard deviation 0.1, low 0)");
    EXPECT_EQ(Distribution(Discrete{{2.0, 1.0}, {}}, distribution_place).text(), "discrete(1, 2)");
}

TEST(Distribution, ImpossibleNumbersAreRefusedWithPlaceAndRemedy) {
    const auto refused = [](const auto& numbers, const std::string& what) {
        try {
            const Distribution distribution(numbers, distribution_place);
            ADD_FAILURE() << distribution.text() << " was accepted";
        } catch (const UserError& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage_or_input);
            EXPECT_EQ(error.where(), distribution_place);
            EXPECT_NE(error.what_is_wrong().find(what), std::string::npos) << error.what();
            EXPECT_FALSE(error.remedy().empty());
        }
    };
    refused(Constant{not_a_number}, "value is nan");
    refused(Uniform{2.0, 1.0}, "low is 2 and high is 1");
    refused(Uniform{1.0, 1.0}, "the interval is empty");
    refused(Uniform{0.0, infinity}, "high is inf");
    refused(Uniform{-1.7e308, 1.7e308}, "beyond the largest");
    refused(Normal{0.0, -2.0}, "standard_deviation is -2");
    refused(Normal{not_a_number, 1.0}, "mean is nan");
    refused(Normal{0.0, 1e308}, "beyond the largest");
    refused(TruncatedNormal{0.0, 1.0}, "nothing is truncated");
    refused(TruncatedNormal{0.0, 1.0, 50.0, 51.0}, "no probability");
    refused(TruncatedNormal{0.0, 0.0, 1.0, 2.0}, "no probability");
    refused(TruncatedNormal{0.0, 1.0, not_a_number, 2.0}, "low is nan");
    refused(Lognormal{-1.0, 1.0}, "mean is -1");
    refused(LognormalByMedian{0.0, 1.5}, "median is 0");
    refused(LognormalByMedian{1.0, 0.5}, "geometric_standard_deviation is 0.5");
    refused(LognormalByMedian{1.0, 1e40}, "beyond the largest");
    refused(Triangular{0.0, 2.0, 1.0}, "mode is 2");
    refused(Triangular{0.0, not_a_number, 1.0}, "mode is nan");
    refused(Beta{0.0, 1.0}, "alpha is 0");
    refused(Beta{1.0, 2.0, 3.0, 3.0}, "the interval is empty");
    refused(Discrete{{}, {}}, "empty");
    refused(Discrete{{1.0, 2.0}, {1.0}}, "1 weights");
    refused(Discrete{{1.0, 2.0}, {1.0, -1.0}}, "weights[1] is -1");
    refused(Discrete{{1.0, 2.0}, {0.0, 0.0}}, "all weights are 0");
    refused(Discrete{{1.0, infinity}, {}}, "values[1] is inf");
    refused(Discrete{{1.0, 2.0, 1.0}, {}}, "stands twice");
}

}  // namespace
}  // namespace myriad::study
