#include "host/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstring>
#include <numeric>

#include "host/study/sampling/sampler.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Intervals independent{IntervalBasis::independent, 1};

std::vector<double> normal_values(std::size_t count, double mean, double deviation, std::uint64_t seed) {
    const Sampler sampler({{"x", {Normal{mean, deviation}, "test"}}}, std::make_shared<MonteCarlo>(1, seed), {},
                          "test");
    std::vector<double> values(count);
    sampler.sample(0, count, values.data());
    return values;
}

// Every seventh instance failed, every eleventh without a value.
struct Quantity {
    std::vector<double> values;
    std::vector<unsigned char> included;
};

Quantity quantity_with_failures(std::size_t count, std::uint64_t seed) {
    Quantity quantity{normal_values(count, 5.0, 2.0, seed), std::vector<unsigned char>(count, 1)};
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 7 == 3) quantity.included[i] = 0;
        if (i % 11 == 5) quantity.values[i] = not_a_number;
    }
    return quantity;
}

QuantityStatistics of(const std::vector<double>& values, Intervals intervals = independent) {
    return quantity_statistics(values, std::vector<unsigned char>(values.size(), 1), intervals);
}

// Moments in long double about the true mean: the plain definition.
void expect_moments(const BlockMoments& moments, const Quantity& quantity, long double tolerance) {
    long double sum = 0, m2 = 0, m3 = 0, m4 = 0;
    unsigned long long n = 0;
    for (std::size_t i = 0; i < quantity.values.size(); ++i)
        if (quantity.included[i] && !std::isnan(quantity.values[i])) sum += quantity.values[i], ++n;
    ASSERT_EQ(moments.count, n);
    if (n == 0) return;
    const long double mean = sum / static_cast<long double>(n);
    for (std::size_t i = 0; i < quantity.values.size(); ++i)
        if (quantity.included[i] && !std::isnan(quantity.values[i])) {
            const long double d = quantity.values[i] - mean;
            m2 += d * d, m3 += d * d * d, m4 += d * d * d * d;
        }
    const long double deviation = std::sqrt(m2 / static_cast<long double>(n));
    const auto near = [&](double found, long double exact, long double scale) {
        EXPECT_LE(std::abs(found - exact), tolerance * scale) << n;
    };
    near(moments.mean, mean, std::abs(mean));
    near(moments.m2, m2, m2);
    near(moments.m3, m3, m2 * deviation);
    near(moments.m4, m4, m4);
}

TEST(BlockMoments, AgreeWithTheDefinitionInLongDouble) {
    // Rounding of 1024 sequential additions, worst case 1024 ulp; here it averages out.
    constexpr long double tolerance = 2e-14L;
    for (const std::size_t count : {1u, 2u, 31u, 33u, 1000u, 1024u, 1025u, 3000u, 10000u}) {
        const Quantity quantity = quantity_with_failures(count, count);
        expect_moments(sorted_sample(quantity.values, quantity.included).moments, quantity, tolerance);
    }
}

TEST(BlockMoments, KeepTheirDigitsWhenTheMeanIsAMillionMillionSpreads) {
    Quantity quantity{normal_values(5000, 1e9, 1e-3, 4), std::vector<unsigned char>(5000, 1)};
    // The mean of a block is stored to an ulp, 1.2e-7, and enters by its difference from another block's, about 1e-3 /
    // 32: 2 (1e-3 / 32) 1.2e-7 of a variance of 1e-6. Sums of x and x^2 would keep no digit at all.
    constexpr long double tolerance = 7.5e-6L;
    expect_moments(sorted_sample(quantity.values, quantity.included).moments, quantity, tolerance);
}

TEST(BlockMoments, AreKnownForASmallSet) {
    const std::vector<double> values = {2.0, not_a_number, 4.0, 9.0, 5.0};
    const std::vector<unsigned char> included = {1, 1, 1, 0, 1};
    const BlockMoments block = block_moments(values.data(), included.data(), 1, 5, 100);
    EXPECT_EQ(block.count, 3u);
    EXPECT_EQ(block.excluded, 1u);
    EXPECT_EQ(block.undefined, 1u);
    EXPECT_DOUBLE_EQ(block.mean, 11.0 / 3.0);
    EXPECT_DOUBLE_EQ(block.m2, 14.0 / 3.0);
    EXPECT_DOUBLE_EQ(block.m3, -20.0 / 9.0);
    EXPECT_DOUBLE_EQ(block.m4, 98.0 / 9.0);
    EXPECT_EQ(block.min_instance, 100u);
    EXPECT_EQ(block.max_instance, 104u);
}

TEST(Statistics, BitsDependNeitherOnChunksNorOnTheOrderOfTheBlocks) {
    constexpr std::size_t count = 40 * 1024 + 17;
    const Quantity quantity = quantity_with_failures(count, 9);
    const BlockMoments whole = sorted_sample(quantity.values, quantity.included).moments;
    constexpr std::size_t blocks = 41;
    // Blocks found in chunks of 1, 3 and 41 blocks, and in an order that jumps about, from copies of the chunk alone.
    for (const std::size_t chunk : {1u, 3u, 41u})
        for (const std::size_t jump : {1u, 17u}) {
            std::vector<BlockMoments> found(blocks);
            const std::size_t chunks = (blocks + chunk - 1) / chunk;
            for (std::size_t c = 0; c < chunks; ++c) {
                const std::size_t first = (c * jump) % chunks * chunk * block_size;
                const std::size_t end = std::min<std::size_t>(count, first + chunk * block_size);
                const std::vector<double> values(quantity.values.begin() + static_cast<std::ptrdiff_t>(first),
                                                 quantity.values.begin() + static_cast<std::ptrdiff_t>(end));
                const std::vector<unsigned char> included(
                    quantity.included.begin() + static_cast<std::ptrdiff_t>(first),
                    quantity.included.begin() + static_cast<std::ptrdiff_t>(end));
                for (std::size_t k = 0; k < values.size(); k += block_size)
                    found[(first + k) / block_size] =
                        block_moments(values.data() + k, included.data() + k, 1,
                                      std::min<std::size_t>(block_size, values.size() - k), first + k);
            }
            const BlockMoments merged = merged_blocks(found);
            EXPECT_EQ(std::memcmp(&merged, &whole, sizeof whole), 0) << chunk << " " << jump;
        }
}

TEST(Statistics, FailedInstancesDoNotChangeABitWhateverTheirValues) {
    Quantity quantity = quantity_with_failures(3000, 10);
    const BlockMoments before = sorted_sample(quantity.values, quantity.included).moments;
    for (std::size_t i = 0; i < quantity.values.size(); ++i)
        if (quantity.included[i] == 0) quantity.values[i] = i % 2 == 0 ? 1e300 : not_a_number;
    const BlockMoments after = sorted_sample(quantity.values, quantity.included).moments;
    EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
}

TEST(Statistics, CountsSharesAndExtremesNameTheirInstances) {
    const std::vector<double> values = {3.0,  not_a_number, -1.0, 8.0,
                                        -1.0, 99.0,         8.0,  std::numeric_limits<double>::infinity()};
    const std::vector<unsigned char> included = {1, 1, 1, 1, 1, 0, 1, 1};
    const auto statistics = quantity_statistics(values, included, independent);
    EXPECT_EQ(statistics.instances, 8u);
    EXPECT_EQ(statistics.count, 5u);
    EXPECT_EQ(statistics.excluded, 1u);
    EXPECT_EQ(statistics.undefined, 2u);
    EXPECT_EQ(statistics.min->value, -1.0);
    EXPECT_EQ(statistics.min->instance, 2u);
    EXPECT_EQ(statistics.max->value, 8.0);
    EXPECT_EQ(statistics.max->instance, 3u);
    EXPECT_DOUBLE_EQ(statistics.mean->value, 3.4);
    EXPECT_EQ(statistics.quantiles[2].estimate.value, 3.0);
}

TEST(Statistics, NothingToCountIsAbsentAndNotNaN) {
    for (const auto& statistics :
         {of({}), quantity_statistics(std::vector<double>{1.0, 2.0}, std::vector<unsigned char>{0, 0}, independent)}) {
        EXPECT_EQ(statistics.count, 0u);
        EXPECT_FALSE(statistics.mean || statistics.standard_deviation || statistics.min || statistics.max);
        EXPECT_TRUE(statistics.quantiles.empty());
    }
}

TEST(Statistics, OneValueHasAMeanButNoSpreadAndNoInterval) {
    const auto statistics = of({4.0});
    EXPECT_EQ(statistics.mean->value, 4.0);
    EXPECT_FALSE(statistics.mean->interval);
    EXPECT_FALSE(statistics.standard_deviation);
    for (const Quantile& quantile : statistics.quantiles) {
        EXPECT_EQ(quantile.estimate.value, 4.0);
        EXPECT_FALSE(quantile.estimate.interval);
    }
}

TEST(Statistics, TwoValuesHaveStudentsIntervalOfOneDegreeOfFreedom) {
    const auto statistics = of({1.0, 3.0});
    EXPECT_DOUBLE_EQ(statistics.standard_deviation->value, std::sqrt(2.0));
    EXPECT_FALSE(statistics.standard_deviation->interval);
    // t of one degree of freedom is tan(0.475 pi), the standard error is 1.
    const double half = std::tan(0.475 * std::acos(-1.0));
    EXPECT_NEAR(statistics.mean->interval->high, 2.0 + half, 1e-12);
    EXPECT_NEAR(statistics.mean->interval->low, 2.0 - half, 1e-12);
}

TEST(Statistics, EqualValuesHaveNoSpreadAtAll) {
    for (const std::size_t count : {2u, 31u, 33u, 1000u, 5000u}) {
        const auto statistics = of(std::vector<double>(count, 0.1));
        EXPECT_EQ(statistics.mean->value, 0.1);
        EXPECT_EQ(statistics.standard_deviation->value, 0.0);
        EXPECT_EQ(statistics.standard_deviation->interval->high, 0.0);
        EXPECT_EQ(statistics.mean->interval->low, 0.1);
        for (const Quantile& quantile : statistics.quantiles) EXPECT_EQ(quantile.estimate.value, 0.1);
    }
}

TEST(Statistics, OverflowingSumsLeaveEstimatesAbsent) {
    const auto statistics = of({1.5e308, 1.6e308, -1e308, 1.7e308});
    EXPECT_EQ(statistics.max->value, 1.7e308);
    for (const auto& estimate : {statistics.mean, statistics.standard_deviation})
        if (estimate) {
            EXPECT_TRUE(std::isfinite(estimate->value));
            EXPECT_FALSE(estimate->interval && !std::isfinite(estimate->interval->high));
        }
    // The fourth power of the deviations overflows: no interval, but a standard deviation.
    const auto large = of({0.0, 1e80, 2e80, 4e80, 5e80});
    EXPECT_NEAR(large.standard_deviation->value, 1e80 * std::sqrt(4.3), 1e68);
    EXPECT_FALSE(large.standard_deviation->interval);
    EXPECT_TRUE(large.mean->interval);
}

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
    StatisticsSettings settings;
    settings.quantiles = {0.1, 0.5, 0.9};
    const std::vector<double> values = {50.0, 10.0, 40.0, 20.0};
    const auto statistics = quantity_statistics(values, std::vector<unsigned char>(4, 1), independent, settings);
    EXPECT_DOUBLE_EQ(statistics.quantiles[0].estimate.value, 13.0);
    EXPECT_DOUBLE_EQ(statistics.quantiles[1].estimate.value, 30.0);
    EXPECT_DOUBLE_EQ(statistics.quantiles[2].estimate.value, 47.0);
}

TEST(EnclosingRanks, MatchPublishedTablesAndTheBinomialDistribution) {
    // Conover, Practical Nonparametric Statistics, 3rd ed., table for the sign test: the median of 10 lies between the
    // 2nd and the 9th value with 97.9 %, of 20 between the 6th and the 15th with 95.9 %.
    EXPECT_EQ(enclosing_ranks(10, 0.5, 0.95), std::pair(std::uint64_t{2}, std::uint64_t{9}));
    EXPECT_EQ(enclosing_ranks(20, 0.5, 0.95), std::pair(std::uint64_t{6}, std::uint64_t{15}));
    EXPECT_FALSE(enclosing_ranks(5, 0.5, 0.95));  // 1 - 2/32 is less than 95 %
    EXPECT_TRUE(enclosing_ranks(6, 0.5, 0.95));   // 1 - 2/64 is not
    EXPECT_FALSE(enclosing_ranks(0, 0.5, 0.95));
    EXPECT_FALSE(enclosing_ranks(71, 0.05, 0.95));  // 0.95^71 = 0.026: the lowest of them may lie above
    EXPECT_TRUE(enclosing_ranks(72, 0.05, 0.95));   // 0.95^72 = 0.0249
    for (const std::uint64_t n : {31u, 33u, 1000u, 1000000u})
        for (const double p : {0.25, 0.5, 0.95}) {
            const auto ranks = enclosing_ranks(n, p, 0.95);
            if (!ranks) continue;
            const boost::math::binomial below(static_cast<double>(n), p);
            const auto at_most = [&](std::uint64_t k) { return boost::math::cdf(below, static_cast<double>(k)); };
            const auto [low, high] = *ranks;
            EXPECT_LE(at_most(low - 1), 0.025);
            EXPECT_GT(at_most(low), 0.025);
            EXPECT_LE(1.0 - at_most(high - 1), 0.025);
            EXPECT_GT(1.0 - at_most(high - 2), 0.025);
        }
}

TEST(Statistics, ADesignWithoutChanceHasNoIntervals) {
    const auto statistics = of(normal_values(1000, 0.0, 1.0, 3), {IntervalBasis::none, 1});
    EXPECT_TRUE(statistics.mean && statistics.standard_deviation);
    EXPECT_FALSE(statistics.mean->interval || statistics.standard_deviation->interval);
    for (const Quantile& quantile : statistics.quantiles) EXPECT_FALSE(quantile.estimate.interval);
}

TEST(Statistics, SayWhyThereIsNoInterval) {
    const StatisticsSettings settings{{0.5, 0.999}, 0.95, false};
    const auto reason = [&](const std::vector<double>& values, Intervals intervals) {
        const auto statistics =
            quantity_statistics(values, std::vector<unsigned char>(values.size(), 1), intervals, settings);
        EXPECT_FALSE(statistics.quantiles[1].estimate.interval);
        return statistics.quantiles[1].estimate.no_interval;
    };
    const std::vector<double> values = normal_values(1000, 0.0, 1.0, 3);
    EXPECT_EQ(reason(values, {IntervalBasis::none, 1}), "a grid draws nothing at random");
    EXPECT_EQ(reason(values, {IntervalBasis::undeclared, 1}), "the design does not say \"independent\": true");
    // 0.999^n <= 0.025 from n = ln 0.025 / ln 0.999 = 3687.04 on.
    EXPECT_EQ(reason(values, {IntervalBasis::independent, 1}), "needs 3688 instances");
    const auto of_few = of({1.0, 2.0, 3.0});
    EXPECT_EQ(of_few.standard_deviation->no_interval, "needs 4 instances");
    EXPECT_EQ(of_few.quantiles[2].estimate.no_interval, "needs 6 instances");  // the median: 2^-5 <= 0.025
    EXPECT_EQ(of({1.0}).mean->no_interval, "needs 2 instances");
    EXPECT_EQ(of({1.0, 2.0, 3.0}, {IntervalBasis::replicated, 2}).mean->no_interval,
              "needs 2 values in each of 2 replicates");
    // One value is no sign that all would be the same.
    for (const Quantile& quantile : of({1.0}, {IntervalBasis::replicated, 16}).quantiles)
        EXPECT_EQ(quantile.estimate.no_interval, "needs 1 value in each of 16 replicates");
}

// The number of instances that a blank of replicates names is the number from which on there is an interval.
TEST(Statistics, AsManyInstancesAsABlankQuantileOfReplicatesAsksForAreEnough) {
    const StatisticsSettings settings{{0.99}, 0.95, false};
    const Intervals replicated{IntervalBasis::replicated, 16};
    // Each replicate has a sixteenth of the ranks, evenly, so that its counts tell no more than their rounding.
    const auto quantile = [&](std::size_t n) {
        std::vector<double> values(n);
        std::iota(values.begin(), values.end(), 0.0);
        return quantity_statistics(values, std::vector<unsigned char>(n, 1), replicated, settings)
            .quantiles[0]
            .estimate;
    };
    const Estimate blank = quantile(300);
    ASSERT_FALSE(blank.interval);
    const std::size_t enough = std::stoul(blank.no_interval.substr(std::string("needs ").size()));
    EXPECT_GT(enough, 300u);
    EXPECT_LT(enough, 1000u);
    EXPECT_TRUE(quantile(enough).interval) << blank.no_interval;
}

// Clopper and Pearson's table: 3 of 10 is 0.0667 to 0.6525 at 95 %; of none the upper end is 1 - 0.025^(1/n).
TEST(Statistics, ProbabilitiesHaveTheIntervalOfTheBinomialDistribution) {
    const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto probability = [&](const Event& event, std::vector<unsigned char> included = {}) {
        included.resize(values.size(), 1);
        return *quantity_statistics(values, included, {IntervalBasis::independent, 1}, {}, sorted_sample, event)
                    .probability;
    };
    const Estimate three = probability({true, 7.0});  // 8, 9, 10: 7 itself is not above
    EXPECT_EQ(three.value, 0.3);
    EXPECT_NEAR(three.interval->low, 0.0667, 5e-5);
    EXPECT_NEAR(three.interval->high, 0.6525, 5e-5);
    EXPECT_EQ(probability({false, 4.0}).value, 0.3);
    const Estimate never = probability({true, 10.0});
    EXPECT_EQ(never.value, 0.0);
    EXPECT_EQ(never.interval->low, 0.0);
    EXPECT_NEAR(never.interval->high, 1.0 - std::pow(0.025, 0.1), 1e-14);
    EXPECT_EQ(probability({false, 11.0}).interval->high, 1.0);
    EXPECT_EQ(probability({true, 7.0}, {0, 0}).value, 3.0 / 8.0);  // failed ones are left out
}

TEST(Statistics, AnUndefinedValueIsNeitherAboveNorBelow) {
    const std::vector<double> values = {1.0, 2.0, not_a_number, 4.0};
    const std::vector<unsigned char> included(4, 1);
    const auto probability = [&](const Event& event) {
        return quantity_statistics(values, included, {IntervalBasis::independent, 1}, {}, sorted_sample, event)
            .probability->value;
    };
    EXPECT_EQ(probability({true, 1.5}), 0.5);
    EXPECT_EQ(probability({false, 1.5}), 0.25);
    const std::vector<double> none(4, not_a_number);
    EXPECT_EQ(quantity_statistics(none, included, {IntervalBasis::independent, 1}, {}, sorted_sample, Event{true, 0.0})
                  .probability->value,
              0.0);
    const std::vector<unsigned char> failed(4, 0);
    EXPECT_FALSE(
        quantity_statistics(values, failed, {IntervalBasis::independent, 1}, {}, sorted_sample, Event{}).probability);
}

TEST(Statistics, ReplicatesThatAgreeOnAnEventSayNothingOfItsProbability) {
    const auto probability = [](const Event& event) {
        const std::vector<double> values = normal_values(320, 0.0, 1.0, 3);
        return *quantity_statistics(values, std::vector<unsigned char>(values.size(), 1),
                                    {IntervalBasis::replicated, 16}, {}, sorted_sample, event)
                    .probability;
    };
    EXPECT_FALSE(probability({true, 9.0}).interval);
    EXPECT_NE(probability({true, 9.0}).no_interval.find("no instance"), std::string::npos);
    EXPECT_NE(probability({false, 9.0}).no_interval.find("every instance"), std::string::npos);
    const Estimate half = probability({true, 0.0});
    EXPECT_TRUE(half.interval->low < half.value && half.value < half.interval->high);
}

TEST(Statistics, LatinHypercubeMarksTheMeanAsConservative) {
    const auto statistics = of(normal_values(1000, 0.0, 1.0, 3), {IntervalBasis::latin_hypercube, 1});
    EXPECT_TRUE(statistics.mean->interval->conservative);
    EXPECT_FALSE(statistics.standard_deviation->interval->conservative);
    EXPECT_FALSE(of(normal_values(1000, 0.0, 1.0, 3)).mean->interval->conservative);
}

TEST(Statistics, ReplicatesGiveStudentsIntervalOfTheirMeans) {
    // Two replicates with means 2 and 4 (instances 0, 2 and 1, 3): pooled 3, s = sqrt 2, standard error 1.
    const auto statistics = of({1.0, 5.0, 3.0, 3.0}, {IntervalBasis::replicated, 2});
    EXPECT_NEAR(statistics.mean->interval->high, 3.0 + std::tan(0.475 * std::acos(-1.0)), 1e-12);
    // A replicate of which only one instance is left gives no estimate of its own.
    const auto lame = quantity_statistics(std::vector<double>{1.0, 5.0, 3.0, 3.0},
                                          std::vector<unsigned char>{1, 1, 0, 1}, {IntervalBasis::replicated, 2});
    EXPECT_TRUE(lame.mean);
    EXPECT_FALSE(lame.mean->interval);
}

TEST(Statistics, SettingsOutsideTheUnitIntervalAreRefused) {
    StatisticsSettings settings;
    EXPECT_NO_THROW(require_valid(settings, "study.json"));
    settings.quantiles = {0.5, 1.0};
    EXPECT_THROW(require_valid(settings, "study.json"), UserError);
    settings = {};
    settings.confidence = not_a_number;
    EXPECT_THROW(require_valid(settings, "study.json"), UserError);
}

}  // namespace
}  // namespace myriad::study
