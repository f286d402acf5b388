// Sensitivities against functions whose indices are known.
#include "host/statistics/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace myriad::study {
namespace {

constexpr std::size_t count = 20'000;
// Four standard errors of a share or a correlation of 20,000 independent values, 4 / sqrt(n).
constexpr double sampling_error = 0.03;

std::vector<double> uniform(double low, double high, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53);
    return values;
}
template <class Function>
std::vector<double> of(const Function& function) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(function(i));
    return values;
}
const std::vector<unsigned char> all(count, 1);

// 3 x + 4 y of equal variances: 9/25 and 16/25.
TEST(Sensitivity, SharesTheVarianceOfASum) {
    const auto x = uniform(0, 1, 1), y = uniform(5, 6, 2), z = uniform(0, 1, 3);
    const auto values = of([&](std::size_t i) { return 3.0 * x[i] - 4.0 * y[i]; });
    EXPECT_NEAR(sensitivity(x, values, all).first_order.value, 9.0 / 25.0, sampling_error);
    EXPECT_NEAR(sensitivity(y, values, all).first_order.value, 16.0 / 25.0, sampling_error);
    EXPECT_NEAR(sensitivity(z, values, all).first_order.value, 0.0, sampling_error);
    EXPECT_GT(sensitivity(x, values, all).rank_correlation, 0.5);
    EXPECT_LT(sensitivity(y, values, all).rank_correlation, -0.7);
    EXPECT_NEAR(sensitivity(z, values, all).rank_correlation, 0.0, sampling_error);
}

// The Ishigami function with a = 7, b = 0.1 (Ishigami, Homma 1990): 0.3139, 0.4424, 0.
TEST(Sensitivity, KnowsTheIshigamiFunction) {
    constexpr double pi = std::numbers::pi;
    const auto x = uniform(-pi, pi, 4), y = uniform(-pi, pi, 5), z = uniform(-pi, pi, 6);
    const auto values = of([&](std::size_t i) {
        return std::sin(x[i]) + 7.0 * std::pow(std::sin(y[i]), 2) + 0.1 * std::pow(z[i], 4) * std::sin(x[i]);
    });
    EXPECT_NEAR(sensitivity(x, values, all).first_order.value, 0.3139, sampling_error);
    EXPECT_NEAR(sensitivity(y, values, all).first_order.value, 0.4424, sampling_error);
    EXPECT_NEAR(sensitivity(z, values, all).first_order.value, 0.0, sampling_error);
    // It rises and falls with y.
    EXPECT_NEAR(sensitivity(y, values, all).rank_correlation, 0.0, sampling_error);
}

TEST(Sensitivity, RankCorrelationAsksForTheOrderAlone) {
    const auto x = uniform(0, 1, 7);
    const auto rising = of([&](std::size_t i) { return std::exp(20.0 * x[i]); });
    const auto falling = of([&](std::size_t i) { return -std::pow(x[i], 3); });
    EXPECT_NEAR(sensitivity(x, rising, all).rank_correlation, 1.0, 1e-12);
    EXPECT_NEAR(sensitivity(x, falling, all).rank_correlation, -1.0, 1e-12);
}

TEST(Sensitivity, GivesEqualValuesTheMeanOfTheirRanks) {
    const std::vector<double> values = {3.0, 1.0, 3.0, 2.0, 3.0};
    EXPECT_EQ(mean_ranks(values), (std::vector<double>{4.0, 1.0, 4.0, 2.0, 4.0}));
}

// A parameter of two values: the share is that of the two means, (1/2)^2 of 1/4 + 1/12.
TEST(Sensitivity, TakesParametersOfFewValues) {
    const auto noise = uniform(0, 1, 8), coin = uniform(0, 1, 9);
    const auto x = of([&](std::size_t i) { return coin[i] < 0.5 ? 0.0 : 1.0; });
    const auto values = of([&](std::size_t i) { return x[i] + noise[i]; });
    EXPECT_NEAR(sensitivity(x, values, all).first_order.value, 0.75, sampling_error);
}

// With 20,000 pairs a correlation of 0.5 shows, one of chance does not.
TEST(Sensitivity, NamesCorrelatedParameters) {
    const auto x = uniform(0, 1, 12), y = uniform(0, 1, 13), noise = uniform(0, 1, 14);
    const std::vector<std::vector<double>> parameters = {x, y,
                                                         of([&](std::size_t i) { return x[i] + 1.7 * noise[i]; })};
    EXPECT_EQ(correlated_pairs(parameters, all), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}}));
}

TEST(Sensitivity, LeavesOutWhatFailedOrHasNoValue) {
    const auto x = uniform(0, 1, 10);
    auto values = x;
    std::vector<unsigned char> included = all;
    for (std::size_t i = 0; i < count; i += 3) values[i] = 1e9, included[i] = 0;
    for (std::size_t i = 1; i < count; i += 3) values[i] = std::nan("");
    EXPECT_NEAR(sensitivity(x, values, included).rank_correlation, 1.0, 1e-12);
    EXPECT_GT(sensitivity(x, values, included).first_order.value, 0.99);
}

TEST(Sensitivity, IsUndefinedWithoutVariationOrValues) {
    const auto x = uniform(0, 1, 11);
    const std::vector<double> constant(count, 2.0);
    EXPECT_TRUE(std::isnan(sensitivity(x, constant, all).first_order.value));
    EXPECT_TRUE(std::isnan(sensitivity(x, constant, all).rank_correlation));
    EXPECT_TRUE(std::isnan(sensitivity(constant, x, all).first_order.value));
    const std::span<const double> few = std::span(x).first(19);
    EXPECT_TRUE(std::isnan(sensitivity(few, few, std::span(all).first(19)).first_order.value));
}

}  // namespace
}  // namespace myriad::study
