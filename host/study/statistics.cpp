#include "host/study/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "host/study/normal_score.hpp"
#include "host/study/number_text.hpp"
#include "host/user_error.hpp"

namespace myriad::study {

namespace {

double student_t(std::uint64_t degrees_of_freedom, double confidence) {
    const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
    return boost::math::quantile(boost::math::complement(distribution, 0.5 * (1.0 - confidence)));
}

std::optional<Interval> if_finite(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
    return Interval{low, high};
}

double deviation_of(const BlockMoments& moments) {
    return std::sqrt(std::max(0.0, moments.m2) / static_cast<double>(moments.count - 1));
}

double quantile_of(std::span<const double> sorted, double p) {
    const double place = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= sorted.size()) return sorted.back();
    const double share = place - static_cast<double>(below);
    return sorted[below] == sorted[below + 1] ? sorted[below]
                                              : (1.0 - share) * sorted[below] + share * sorted[below + 1];
}

std::optional<Interval> mean_interval(const BlockMoments& moments, double confidence) {
    if (moments.count < 2) return std::nullopt;
    const double half = student_t(moments.count - 1, confidence) * deviation_of(moments) /
                        std::sqrt(static_cast<double>(moments.count));
    return if_finite(moments.mean - half, moments.mean + half);
}

// Bonett's interval for the variance: exp(ln(c s^2) +- z c sqrt((kurtosis - (n-3)/n) / (n-1))), c = n / (n - z); its
// root.
std::optional<Interval> deviation_interval(const BlockMoments& moments, double confidence) {
    if (moments.count >= 2 && moments.min == moments.max) return Interval{0.0, 0.0};
    const double n = static_cast<double>(moments.count), z = -normal_score(0.5 * (1.0 - confidence));
    if (n < 4.0 || n <= z) return std::nullopt;
    const double kurtosis = n * moments.m4 / (moments.m2 * moments.m2);
    // Cauchy-Schwarz; less is a fourth moment lost to underflow. The negation refuses NaN.
    if (!(kurtosis >= 1.0 - 1e-9)) return std::nullopt;
    const double c = n / (n - z), excess = std::max(0.0, (kurtosis - (n - 3.0) / n) / (n - 1.0));
    const double centre = std::sqrt(c) * deviation_of(moments), factor = std::exp(0.5 * z * c * std::sqrt(excess));
    return if_finite(centre / factor, centre * factor);
}

std::optional<Interval> quantile_interval(std::span<const double> sorted, double p, double confidence) {
    const auto ranks = enclosing_ranks(sorted.size(), p, confidence);
    if (!ranks) return std::nullopt;
    return Interval{sorted[ranks->first - 1], sorted[ranks->second - 1]};
}

// `estimate_of` a replicate. Sectioning: the pooled estimate is the centre, being the less biased one, and the spread
// is taken about it, so that the bias of the short replicates widens the interval instead of spoiling it.
template <class EstimateOf>
std::optional<Interval> replicated_interval(double pooled, std::span<const SortedSample> replicates, double confidence,
                                            const EstimateOf& estimate_of) {
    if (replicates.size() < 2) return std::nullopt;
    double squares = 0.0;
    for (const SortedSample& replicate : replicates) {
        if (replicate.moments.count < 2) return std::nullopt;
        const double difference = estimate_of(replicate) - pooled;
        squares += difference * difference;
    }
    const double r = static_cast<double>(replicates.size());
    const double half = student_t(replicates.size() - 1, confidence) * std::sqrt(squares / ((r - 1.0) * r));
    return if_finite(pooled - half, pooled + half);
}

}  // namespace

void require_valid(const StatisticsSettings& settings, const std::string& where) {
    const auto require_inside = [&](double number, const char* name) {
        if (!(number > 0.0 && number < 1.0))
            throw UserError(ExitCode::usage_or_input, where,
                            std::string(name) + " " + number_text(number) + " is not between 0 and 1",
                            "give a number between 0 and 1, ends excluded; the extremes are reported anyway");
    };
    for (const double p : settings.quantiles) require_inside(p, "the quantile");
    require_inside(settings.confidence, "the confidence");
}

BlockMoments merged_blocks(std::span<const BlockMoments> blocks) {
    std::vector<BlockMoments> level(blocks.begin(), blocks.end());
    if (level.empty()) return {};
    while (level.size() > 1) {
        const std::size_t pairs = level.size() / 2;
        for (std::size_t k = 0; k < pairs; ++k) level[k] = merged(level[2 * k], level[2 * k + 1]);
        if (level.size() % 2 == 1) level[pairs] = level.back();
        level.resize(pairs + level.size() % 2);
    }
    return level.front();
}

SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included, std::uint64_t first,
                           std::uint64_t stride) {
    SortedSample sample;
    std::vector<BlockMoments> blocks;
    for (std::uint64_t start = first; start < values.size(); start += stride * block_size) {
        const std::uint64_t left = (values.size() - start + stride - 1) / stride;
        blocks.push_back(block_moments(values.data() + start, included.data() + start, stride,
                                       std::min<std::uint64_t>(block_size, left), start));
    }
    sample.moments = merged_blocks(blocks);
    sample.values.reserve(sample.moments.count);
    for (std::uint64_t i = first; i < values.size(); i += stride)
        if (counts(values[i], included[i])) sample.values.push_back(values[i]);
    std::sort(sample.values.begin(), sample.values.end());
    return sample;
}

QuantityStatistics statistics_of(const SortedSample& all, std::span<const SortedSample> replicates,
                                 const Intervals& intervals, const StatisticsSettings& settings) {
    const BlockMoments& moments = all.moments;
    const double confidence = settings.confidence;
    QuantityStatistics result;
    result.count = moments.count;
    result.excluded = moments.excluded;
    result.undefined = moments.undefined;
    result.instances = moments.count + moments.excluded + moments.undefined;
    if (result.instances > 0) {
        result.excluded_share = static_cast<double>(result.excluded) / static_cast<double>(result.instances);
        result.undefined_share = static_cast<double>(result.undefined) / static_cast<double>(result.instances);
    }
    if (moments.count == 0) return result;

    const bool replicated = intervals.basis == IntervalBasis::replicated;
    const bool single =
        intervals.basis == IntervalBasis::independent || intervals.basis == IntervalBasis::latin_hypercube;
    result.min = {moments.min, moments.min_instance};
    result.max = {moments.max, moments.max_instance};

    if (std::isfinite(moments.mean)) {
        result.mean = Estimate{moments.mean, std::nullopt};
        auto& interval = result.mean->interval;
        if (single) interval = mean_interval(moments, confidence);
        if (replicated)
            interval = replicated_interval(moments.mean, replicates, confidence,
                                           [](const SortedSample& sample) { return sample.moments.mean; });
        if (interval) interval->conservative = intervals.basis == IntervalBasis::latin_hypercube;
    }
    if (moments.count >= 2 && std::isfinite(moments.m2)) {
        const double deviation = deviation_of(moments);
        result.standard_deviation = Estimate{deviation, std::nullopt};
        auto& interval = result.standard_deviation->interval;
        if (single) interval = deviation_interval(moments, confidence);
        if (replicated)
            interval = replicated_interval(deviation, replicates, confidence,
                                           [](const SortedSample& sample) { return deviation_of(sample.moments); });
        if (interval) interval->low = std::max(0.0, interval->low);
    }
    for (const double p : settings.quantiles) {
        Quantile quantile{p, {quantile_of(all.values, p), std::nullopt}};
        if (single) quantile.estimate.interval = quantile_interval(all.values, p, confidence);
        if (replicated)
            quantile.estimate.interval =
                replicated_interval(quantile.estimate.value, replicates, confidence,
                                    [p](const SortedSample& sample) { return quantile_of(sample.values, p); });
        result.quantiles.push_back(quantile);
    }
    return result;
}

QuantityStatistics quantity_statistics(std::span<const double> values, std::span<const unsigned char> included,
                                       const Intervals& intervals, const StatisticsSettings& settings,
                                       const SampleSorter& sorter) {
    std::vector<SortedSample> replicates;
    if (intervals.basis == IntervalBasis::replicated)
        for (std::uint64_t r = 0; r < intervals.replicates; ++r)
            replicates.push_back(sorter(values, included, r, intervals.replicates));
    return statistics_of(sorter(values, included, 0, 1), replicates, intervals, settings);
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> enclosing_ranks(std::uint64_t n, double p, double confidence) {
    if (n == 0) return std::nullopt;
    // B values of n lie at or below the quantile; ranks l and u miss it when B < l or B >= u.
    const double tail = 0.5 * (1.0 - confidence);
    const boost::math::binomial below(static_cast<double>(n), p);
    const auto at_most = [&](std::uint64_t k) { return boost::math::cdf(below, static_cast<double>(k)); };
    const auto above = [&](std::uint64_t k) {
        return boost::math::cdf(boost::math::complement(below, static_cast<double>(k)));
    };
    // The library's quantiles are a start; the two conditions decide.
    auto low = static_cast<std::uint64_t>(boost::math::quantile(below, tail));
    while (low < n && at_most(low) <= tail) ++low;
    while (low > 0 && at_most(low - 1) > tail) --low;
    auto high = static_cast<std::uint64_t>(boost::math::quantile(boost::math::complement(below, tail))) + 1;
    while (high <= n && above(high - 1) > tail) ++high;
    while (high > 1 && above(high - 2) <= tail) --high;
    if (low == 0 || high > n) return std::nullopt;
    return std::pair{low, high};
}

Histogram histogram(std::span<const double> values, std::span<const unsigned char> included, std::size_t bins) {
    Histogram result;
    result.counts.assign(bins, 0);
    bool any_value = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!counts(values[i], included[i])) continue;
        result.low = any_value ? std::min(result.low, values[i]) : values[i];
        result.high = any_value ? std::max(result.high, values[i]) : values[i];
        any_value = true;
    }
    if (bins == 0) return result;
    // Halves, so that the width of the widest range is still a number.
    const double width = 0.5 * result.high - 0.5 * result.low;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!counts(values[i], included[i])) continue;
        const double share = width > 0.0 ? (0.5 * values[i] - 0.5 * result.low) / width : 0.0;
        const auto bin = static_cast<std::size_t>(share * static_cast<double>(bins));
        ++result.counts[std::min(bin, bins - 1)];
    }
    return result;
}

}  // namespace myriad::study
