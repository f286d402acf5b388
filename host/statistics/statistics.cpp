#include "host/statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "host/statistics/normal_score.hpp"
#include "host/statistics/student.hpp"
#include "host/text/number_text.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

constexpr const char* sums_overflow = "its sums overflow";

std::string needs(std::uint64_t instances) { return "needs " + std::to_string(instances) + " instances"; }
std::string needs_in_each(std::uint64_t values, std::size_t replicates) {
    return "needs " + std::to_string(values) + (values == 1 ? " value" : " values") + " in each of " +
           std::to_string(replicates) + " replicates";
}

// Puts the interval into the estimate, or the reason why there is none.
void set_interval(Estimate& estimate, double low, double high) {
    if (std::isfinite(low) && std::isfinite(high))
        estimate.interval = Interval{low, high};
    else
        estimate.no_interval = sums_overflow;
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

void set_mean_interval(Estimate& mean, const BlockMoments& moments, double confidence) {
    if (moments.count < 2) {
        mean.no_interval = needs(2);
        return;
    }
    const double half = student_t(moments.count - 1, confidence) * deviation_of(moments) /
                        std::sqrt(static_cast<double>(moments.count));
    set_interval(mean, moments.mean - half, moments.mean + half);
}

// Bonett's interval for the variance: exp(ln(c s^2) +- z c sqrt((kurtosis - (n-3)/n) / (n-1))), c = n / (n - z); its
// root.
void set_deviation_interval(Estimate& deviation, const BlockMoments& moments, double confidence) {
    if (moments.min == moments.max) return set_interval(deviation, 0.0, 0.0);
    const double n = static_cast<double>(moments.count), z = -normal_score(0.5 * (1.0 - confidence));
    const double fewest = std::max(4.0, std::floor(z) + 1.0);
    if (n < fewest) {
        deviation.no_interval = needs(static_cast<std::uint64_t>(fewest));
        return;
    }
    const double kurtosis = n * moments.m4 / (moments.m2 * moments.m2);
    // Cauchy-Schwarz; less is a fourth moment lost to underflow. The negation refuses NaN.
    if (!(kurtosis >= 1.0 - 1e-9)) {
        deviation.no_interval = "fourth powers of its deviations leave the range of numbers";
        return;
    }
    const double c = n / (n - z), excess = std::max(0.0, (kurtosis - (n - 3.0) / n) / (n - 1.0));
    const double centre = std::sqrt(c) * deviation.value, factor = std::exp(0.5 * z * c * std::sqrt(excess));
    set_interval(deviation, centre / factor, centre * factor);
}

void set_quantile_interval(Quantile& quantile, std::span<const double> sorted, double confidence) {
    if (const auto ranks = enclosing_ranks(sorted.size(), quantile.probability, confidence))
        quantile.estimate.interval = Interval{sorted[ranks->first - 1], sorted[ranks->second - 1]};
    else
        quantile.estimate.no_interval = needs(fewest_for_quantile(quantile.probability, confidence));
}

// `estimate_of` a replicate. Sectioning: the pooled estimate is the centre, being the less biased one, and the spread
// is taken about it, so that the bias of the short replicates widens the interval instead of spoiling it.
template <class EstimateOf>
void set_replicated_interval(Estimate& pooled, std::span<const SortedSample> replicates, double confidence,
                             const EstimateOf& estimate_of) {
    double squares = 0.0;
    for (const SortedSample& replicate : replicates) {
        if (replicate.moments.count < 2) {
            pooled.no_interval = needs_in_each(2, replicates.size());
            return;
        }
        const double difference = estimate_of(replicate) - pooled.value;
        squares += difference * difference;
    }
    const double r = static_cast<double>(replicates.size());
    const double half = student_t(replicates.size() - 1, confidence) * std::sqrt(squares / ((r - 1.0) * r));
    set_interval(pooled, pooled.value - half, pooled.value + half);
}

// Clopper and Pearson's interval of a probability: `share` of `n` independent instances have the event; n need not be
// whole.
Interval clopper_pearson(double share, double n, double confidence) {
    const double tail = 0.5 * (1.0 - confidence), events = share * n;
    return {events > 0.0 ? boost::math::ibeta_inv(events, n - events + 1.0, tail) : 0.0,
            events < n ? boost::math::ibeta_inv(events + 1.0, n - events, 1.0 - tail) : 1.0};
}

// How many of a sample's values have the event, and among how many.
struct Count {
    std::uint64_t events, all;
    double share() const { return static_cast<double>(events) / static_cast<double>(all); }
};
using Counter = std::function<Count(const SortedSample&)>;

// How many independent instances would know the share of the event as well as the replicates do, over the instances
// that there are. Absent where a replicate has none.
std::optional<double> worth_of_an_instance(const Count& pooled, std::span<const SortedSample> replicates,
                                           const Counter& count) {
    const double share = pooled.share(), n = static_cast<double>(pooled.all),
                 r = static_cast<double>(replicates.size());
    double squares = 0.0;
    for (const SortedSample& replicate : replicates) {
        const Count own = count(replicate);
        if (own.all == 0) return std::nullopt;
        squares += (own.share() - share) * (own.share() - share);
    }
    // A count of points cannot show a spread below that of its rounding, a quarter at most.
    const double variance = std::max(squares / ((r - 1.0) * r), 0.25 * r / (n * n));
    const double worth = share * (1.0 - share) / (variance * n);
    const bool few = static_cast<double>(std::min(pooled.events, pooled.all - pooled.events)) < r;
    return few ? std::min(worth, 1.0) : worth;
}

// The extra that Student's t asks for beyond the normal distribution, as a share of the instances.
double share_for_student(std::size_t replicates, double confidence) {
    const double z = -normal_score(0.5 * (1.0 - confidence)), t = student_t(replicates - 1, confidence);
    return (z / t) * (z / t);
}

// Ranks of the order statistics of n values that the interval of the probability below a p-quantile says.
std::optional<std::pair<std::uint64_t, std::uint64_t>> woodruff_ranks(std::uint64_t n, double p, double worth,
                                                                      double confidence) {
    const double count = static_cast<double>(n);
    const Interval below = clopper_pearson(p, count * worth, confidence);
    const double low = std::floor(count * below.low), high = std::ceil(count * below.high) + 1.0;
    if (!(low >= 1.0 && high <= count)) return std::nullopt;
    return std::pair{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

void set_replicated_quantile_interval(Quantile& quantile, const SortedSample& all,
                                      std::span<const SortedSample> replicates, double confidence) {
    Estimate& estimate = quantile.estimate;
    const auto below = [at = estimate.value](const SortedSample& sample) -> Count {
        const auto end = std::upper_bound(sample.values.begin(), sample.values.end(), at);
        return {static_cast<std::uint64_t>(end - sample.values.begin()), sample.values.size()};
    };
    const std::optional<double> worth = worth_of_an_instance(below(all), replicates, below);
    if (!worth) {
        estimate.no_interval = needs_in_each(1, replicates.size());
        return;
    }
    if (all.moments.min == all.moments.max) return set_interval(estimate, estimate.value, estimate.value);
    const std::uint64_t n = all.values.size();
    // Where the quantile is the largest value itself, the replicates say nothing of what lies beyond.
    const double full = *worth > 0.0 ? *worth : 1.0, student = share_for_student(replicates.size(), confidence);
    const double p = quantile.probability;
    if (const auto ranks = woodruff_ranks(n, p, full * student, confidence)) {
        estimate.interval = Interval{all.values[ranks->first - 1], all.values[ranks->second - 1]};
        return;
    }
    std::uint64_t enough = n, too_few = n;
    const double known = std::min(full, 1.0) * student;
    while (!woodruff_ranks(enough, p, known, confidence)) too_few = enough, enough *= 2;
    while (enough - too_few > 1) {
        const std::uint64_t middle = too_few + (enough - too_few) / 2;
        (woodruff_ranks(middle, p, known, confidence) ? enough : too_few) = middle;
    }
    estimate.no_interval = needs(enough);
}

Count count_of(const SortedSample& sample, const Event& event) {
    const std::vector<double>& values = sample.values;
    const auto events = event.above ? values.end() - std::upper_bound(values.begin(), values.end(), event.threshold)
                                    : std::lower_bound(values.begin(), values.end(), event.threshold) - values.begin();
    return {static_cast<std::uint64_t>(events), sample.moments.count + sample.moments.undefined};
}

std::optional<Estimate> probability_of(const Event& event, const SortedSample& all,
                                       std::span<const SortedSample> replicates, const Intervals& intervals,
                                       double confidence) {
    const Counter count = [&](const SortedSample& sample) { return count_of(sample, event); };
    const Count pooled = count(all);
    if (pooled.all == 0) return std::nullopt;
    Estimate probability{pooled.share()};
    const double n = static_cast<double>(pooled.all);
    if (const char* reason = no_interval_reason(intervals.basis)) {
        probability.no_interval = reason;
    } else if (intervals.is_single_sample()) {
        probability.interval = clopper_pearson(pooled.share(), n, confidence);
        probability.interval->conservative = intervals.basis == IntervalBasis::latin_hypercube;
    } else if (pooled.events == 0 || pooled.events == pooled.all) {
        probability.no_interval = std::string(pooled.events == 0 ? "no" : "every") +
                                  " instance, so that replicates do not differ; monte_carlo bounds it";
    } else if (const auto worth = worth_of_an_instance(pooled, replicates, count)) {
        const double student = share_for_student(replicates.size(), confidence);
        probability.interval = clopper_pearson(pooled.share(), n * *worth * student, confidence);
    } else {
        probability.no_interval = needs_in_each(1, replicates.size());
    }
    return probability;
}

// A whole number that orders doubles as < does; both zeros have the same.
std::uint64_t place_in_order(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

// Finite values, ascending, equal ones in their order: by digits of their places, the last digit first. Comparing takes
// two to four times as long from a million values on.
void sort_ascending(std::vector<double>& values) {
    constexpr std::size_t few = 4096;
    if (values.size() < few) return std::stable_sort(values.begin(), values.end());
    constexpr int digit_bits = 11, digits = 6;
    constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
    const auto digit_of = [](double value, int digit) {
        return place_in_order(value) >> (digit * digit_bits) & (digit_values - 1);
    };
    std::vector<std::array<std::uint64_t, digit_values>> next(digits);  // [digit]: counts, then places of the next one
    for (const double value : values)
        for (int digit = 0; digit < digits; ++digit) ++next[static_cast<std::size_t>(digit)][digit_of(value, digit)];
    std::vector<double> sorted(values.size());
    for (int digit = 0; digit < digits; ++digit) {
        auto& places = next[static_cast<std::size_t>(digit)];
        if (places[digit_of(values.front(), digit)] == values.size()) continue;  // the same in all
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint64_t{0});
        for (const double value : values) sorted[places[digit_of(value, digit)]++] = value;
        values.swap(sorted);
    }
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

std::string text_of(const Event& event) { return (event.above ? "above " : "below ") + number_text(event.threshold); }

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
    sort_ascending(sample.values);
    return sample;
}

QuantityStatistics statistics_of(const SortedSample& all, std::span<const SortedSample> replicates,
                                 const Intervals& intervals, const StatisticsSettings& settings,
                                 const std::optional<Event>& event) {
    const BlockMoments& moments = all.moments;
    const double confidence = settings.confidence;
    QuantityStatistics result;
    result.count = moments.count;
    result.excluded = moments.excluded;
    result.undefined = moments.undefined;
    result.instances = moments.count + moments.excluded + moments.undefined;
    if (event) result.probability = probability_of(*event, all, replicates, intervals, confidence);
    if (moments.count == 0) return result;

    result.min = {moments.min, moments.min_instance};
    result.max = {moments.max, moments.max_instance};
    const char* const no_interval = no_interval_reason(intervals.basis);
    const bool single = intervals.is_single_sample();
    const auto estimated = [&](double value, const auto& set_single, const auto& set_replicated) {
        Estimate estimate{value};
        if (no_interval)
            estimate.no_interval = no_interval;
        else if (single)
            set_single(estimate);
        else
            set_replicated(estimate);
        return estimate;
    };
    if (std::isfinite(moments.mean)) {
        result.mean = estimated(
            moments.mean, [&](Estimate& mean) { set_mean_interval(mean, moments, confidence); },
            [&](Estimate& mean) {
                set_replicated_interval(mean, replicates, confidence,
                                        [](const SortedSample& sample) { return sample.moments.mean; });
            });
        if (auto& interval = result.mean->interval)
            interval->conservative = intervals.basis == IntervalBasis::latin_hypercube;
    }
    if (moments.count >= 2 && std::isfinite(moments.m2)) {
        result.standard_deviation = estimated(
            deviation_of(moments), [&](Estimate& deviation) { set_deviation_interval(deviation, moments, confidence); },
            [&](Estimate& deviation) {
                set_replicated_interval(deviation, replicates, confidence,
                                        [](const SortedSample& sample) { return deviation_of(sample.moments); });
            });
        if (auto& interval = result.standard_deviation->interval) interval->low = std::max(0.0, interval->low);
    }
    for (const double p : settings.quantiles) {
        Quantile quantile{p, {quantile_of(all.values, p)}};
        if (no_interval)
            quantile.estimate.no_interval = no_interval;
        else if (single)
            set_quantile_interval(quantile, all.values, confidence);
        else
            set_replicated_quantile_interval(quantile, all, replicates, confidence);
        result.quantiles.push_back(std::move(quantile));
    }
    return result;
}

QuantityStatistics quantity_statistics(std::span<const double> values, std::span<const unsigned char> included,
                                       const Intervals& intervals, const StatisticsSettings& settings,
                                       const SampleSorter& sorter, const std::optional<Event>& event) {
    std::vector<SortedSample> replicates;
    if (intervals.basis == IntervalBasis::replicated)
        for (std::uint64_t r = 0; r < intervals.replicates; ++r)
            replicates.push_back(sorter(values, included, r, intervals.replicates));
    return statistics_of(sorter(values, included, 0, 1), replicates, intervals, settings, event);
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

std::uint64_t fewest_for_quantile(double p, double confidence) {
    // All values on one side: p^n or (1 - p)^n, at most half of what may be missed.
    const double fewest = std::log(0.5 * (1.0 - confidence)) / std::log(std::max(p, 1.0 - p));
    auto n = static_cast<std::uint64_t>(std::max(1.0, std::floor(fewest)));
    while (!enclosing_ranks(n, p, confidence)) ++n;
    return n;
}

}  // namespace myriad::study
