// How often the 95 % intervals hold the true value, over a thousand studies each.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <functional>

#include "host/statistics/normal_score.hpp"
#include "host/statistics/statistics.hpp"
#include "host/study/sampling/latin_hypercube.hpp"
#include "host/study/sampling/sampler.hpp"
#include "host/study/sampling/sobol.hpp"
#include "tests/statistics/place.hpp"

namespace myriad::study {
namespace {

constexpr int studies = 1000;

struct Coverage {
    double mean = 0.0, standard_deviation = 0.0;
    std::vector<double> quantiles = std::vector<double>(5, 0.0);
};

struct Truth {
    double mean, standard_deviation;
    std::vector<double> quantiles;
};

bool holds(const std::optional<Interval>& interval, double truth) {
    return interval && interval->low <= truth && truth <= interval->high;
}

// The quantity is a function of all parameters; a design for each seed.
Coverage measured(const char* name, const std::vector<Parameter>& parameters, std::uint64_t instances,
                  const std::function<std::shared_ptr<const Design>(std::uint64_t)>& design,
                  const std::function<double(std::span<const double>)>& quantity, const Truth& truth) {
    Coverage coverage;
    std::vector<double> out(parameters.size() * instances), values(instances), point(parameters.size());
    const std::vector<unsigned char> included(instances, 1);
    for (std::uint64_t seed = 0; seed < studies; ++seed) {
        const Sampler sampler(parameters, design(seed), {}, test_place);
        sampler.sample(0, instances, out.data());
        for (std::uint64_t i = 0; i < instances; ++i) {
            for (std::size_t k = 0; k < point.size(); ++k) point[k] = out[k * instances + i];
            values[i] = quantity(point);
        }
        const auto statistics = quantity_statistics(values, included, sampler.intervals());
        coverage.mean += holds(statistics.mean->interval, truth.mean) / double{studies};
        coverage.standard_deviation +=
            holds(statistics.standard_deviation->interval, truth.standard_deviation) / double{studies};
        for (std::size_t k = 0; k < 5; ++k)
            coverage.quantiles[k] +=
                holds(statistics.quantiles[k].estimate.interval, truth.quantiles[k]) / double{studies};
    }
    std::printf("%-36s mean %.3f  sd %.3f  quantiles", name, coverage.mean, coverage.standard_deviation);
    for (const double share : coverage.quantiles) std::printf(" %.3f", share);
    std::printf("\n");
    return coverage;
}

const StatisticsSettings defaults;

Truth truth_of(const Distribution& distribution) {
    Truth truth{distribution.mean(), distribution.standard_deviation(), {}};
    for (const double p : defaults.quantiles) truth.quantiles.push_back(distribution.quantile(p));
    return truth;
}

// 3.3 standard errors of a share among a thousand: missed by chance once in a thousand.
double chance(double share) { return 3.3 * std::sqrt(share * (1.0 - share) / studies); }

// The exact promise of the order statistics: at least 95 %, more because ranks are whole.
double exact_quantile_coverage(std::uint64_t n, double p) {
    const auto [low, high] = *enclosing_ranks(n, p, defaults.confidence);
    const boost::math::binomial below(static_cast<double>(n), p);
    return boost::math::cdf(below, static_cast<double>(high - 1)) -
           boost::math::cdf(below, static_cast<double>(low - 1));
}

TEST(IntervalCoverage, IsNominalForIndependentInstances) {
    const std::vector<std::pair<const char*, Distribution>> cases = {
        {"independent, normal, 400", {Normal{3.0, 2.0}, test_place}},
        {"independent, uniform, 400", {Uniform{0.0, 1.0}, test_place}},
        {"independent, triangular, 400", {Triangular{0.0, 0.1, 1.0}, test_place}}};
    constexpr std::uint64_t instances = 400;
    for (const auto& [name, distribution] : cases) {
        const Coverage coverage = measured(
            name, {{"x", distribution}}, instances,
            [](std::uint64_t seed) { return std::make_shared<MonteCarlo>(1, seed); },
            [](std::span<const double> x) { return x[0]; }, truth_of(distribution));
        EXPECT_NEAR(coverage.mean, 0.95, chance(0.95)) << name;
        EXPECT_NEAR(coverage.standard_deviation, 0.95, chance(0.95)) << name;
        for (std::size_t k = 0; k < 5; ++k) {
            const double exact = exact_quantile_coverage(instances, defaults.quantiles[k]);
            EXPECT_NEAR(coverage.quantiles[k], exact, chance(exact)) << name;
        }
    }
}

// A sum of three independent normal parameters, so its distribution is known; mean 6, standard deviation sqrt(14).
const std::vector<Parameter> three_normals = {{"a", {Normal{1.0, 1.0}, test_place}},
                                              {"b", {Normal{2.0, 2.0}, test_place}},
                                              {"c", {Normal{3.0, 3.0}, test_place}}};
const Distribution sum_of_three(Normal{6.0, std::sqrt(14.0)}, test_place);
double sum(std::span<const double> x) { return x[0] + x[1] + x[2]; }
// Not linear in any parameter, but a function of the sum that keeps its order: quantiles are known, moments too.
double exponential_of_sum(std::span<const double> x) { return std::exp(0.1 * (sum(x) - 6.0)); }

TEST(IntervalCoverage, IsNearlyNominalForReplicatedSobol) {
    constexpr std::uint64_t instances = 16 * 64;
    const auto design = [](std::uint64_t seed) {
        return std::make_shared<ScrambledSobol>(3, seed, ScrambledSobol::default_replicates, test_place);
    };
    const Distribution lognormal(LognormalByMedian{1.0, std::exp(0.1 * std::sqrt(14.0))}, test_place);
    // Student's t is exact for normal estimates only; those of a spread or a tail over 64 points are skewed.
    constexpr double promised = 0.95 - 0.03;
    for (const Coverage& coverage :
         {measured("replicated Sobol, normal, 1024", three_normals, instances, design, sum, truth_of(sum_of_three)),
          measured("replicated Sobol, lognormal, 1024", three_normals, instances, design, exponential_of_sum,
                   truth_of(lognormal))}) {
        EXPECT_NEAR(coverage.mean, 0.95, chance(0.95));
        EXPECT_GE(coverage.standard_deviation, promised - chance(promised));
        for (const double share : coverage.quantiles) EXPECT_GE(share, promised - chance(promised));
    }
}

// Quantiles far out, and the probability of what lies beyond them.
struct TailCoverage {
    double quantile = 0.0, blank = 0.0, probability = 0.0;
};

TailCoverage tail_coverage(const char* name, std::uint64_t instances, double p, std::uint64_t seeds) {
    TailCoverage coverage;
    std::vector<double> out(3 * instances), values(instances);
    const std::vector<unsigned char> included(instances, 1);
    const StatisticsSettings settings{{p}, 0.95, false};
    const double truth = sum_of_three.quantile(p), count = static_cast<double>(seeds);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto design = std::make_shared<ScrambledSobol>(3, seed, ScrambledSobol::default_replicates, test_place);
        const Sampler sampler(three_normals, design, {}, test_place);
        sampler.sample(0, instances, out.data());
        for (std::uint64_t i = 0; i < instances; ++i) values[i] = out[i] + out[instances + i] + out[2 * instances + i];
        const auto statistics =
            quantity_statistics(values, included, sampler.intervals(), settings, sorted_sample, Event{true, truth});
        const Estimate& quantile = statistics.quantiles[0].estimate;
        coverage.blank += quantile.interval ? 0.0 : 1.0;
        coverage.quantile += holds(quantile.interval, truth) / count;
        coverage.probability +=
            (!statistics.probability->interval || holds(statistics.probability->interval, 1.0 - p)) / count;
    }
    coverage.blank /= count;
    std::printf("%-36s quantile %.3f held, %.3f blank; probability %.3f held or blank\n", name, coverage.quantile,
                coverage.blank, coverage.probability);
    return coverage;
}

TEST(IntervalCoverage, OfFarQuantilesOfReplicatedSobolIsNominalOrThereIsNone) {
    constexpr std::uint64_t seeds = 200;
    const double chance_of_these = 3.3 * std::sqrt(0.95 * 0.05 / seeds);
    // Two values lie beyond: sectioning held the quantile in 80 %.
    const TailCoverage few = tail_coverage("99.9 % of 2,000", 2000, 0.999, seeds);
    EXPECT_EQ(few.blank, 1.0);
    EXPECT_GE(few.probability, 0.95 - chance_of_these);
    for (const auto& [name, instances, p] : {std::tuple{"99.9 % of 8,192", std::uint64_t{8192}, 0.999},
                                             {"99 % of 2,000", std::uint64_t{2000}, 0.99},
                                             {"1 % of 1,024", std::uint64_t{1024}, 0.01}}) {
        const TailCoverage coverage = tail_coverage(name, instances, p, seeds);
        EXPECT_EQ(coverage.blank, 0.0) << name;
        EXPECT_GE(coverage.quantile, 0.95 - chance_of_these) << name;
        EXPECT_GE(coverage.probability, 0.95 - chance_of_these) << name;
    }
}

TEST(IntervalCoverage, IsConservativeForTheMeanOfALatinHypercube) {
    static constexpr std::uint64_t instances = 400;
    const Coverage coverage = measured(
        "Latin hypercube, normal, 400", three_normals, instances,
        [](std::uint64_t seed) { return std::make_shared<LatinHypercube>(3, instances, seed, test_place); }, sum,
        truth_of(sum_of_three));
    EXPECT_GE(coverage.mean, 0.95);
    EXPECT_GE(coverage.standard_deviation, 0.95 - chance(0.95));
    for (const double share : coverage.quantiles) EXPECT_GE(share, 0.95 - chance(0.95));
}

}  // namespace
}  // namespace myriad::study
