#include "host/study/sampling/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/statistics/normal_score.hpp"
#include "host/study/sampling/distribution_shapes.hpp"
#include "host/text/number_text.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

void require_finite(double number, const char* name, const std::string& where) {
    if (!std::isfinite(number))
        refuse_at(where, std::string(name) + " is " + number_text(number) + ", which is not a finite number",
                  "give a finite number");
}

void require_spread(double standard_deviation, const std::string& where) {
    require_finite(standard_deviation, "standard_deviation", where);
    if (standard_deviation < 0.0)
        refuse_at(where, "standard_deviation is " + number_text(standard_deviation) + ", but a spread is not negative",
                  "give 0 or more (0 makes the parameter a constant)");
}

void require_order(double low, double high, const std::string& where) {
    require_finite(low, "low", where);
    require_finite(high, "high", where);
    if (!(low < high))
        refuse_at(
            where, "low is " + number_text(low) + " and high is " + number_text(high) + ": the interval is empty",
            low == high ? "use {\"constant\": " + number_text(low) + "}" : "give low < high; are they exchanged?");
    if (!std::isfinite(high - low))
        refuse_at(where, "high - low is beyond the largest floating-point number", "give a smaller interval");
}

// The samples that a design can ask for must exist as numbers.
void require_finite_samples(const DistributionShape& shape, const std::string& where) {
    for (const double score : {-largest_normal_score, largest_normal_score})
        if (!std::isfinite(shape.quantile_at_score(score)))
            refuse_at(where, shape.text() + " has samples beyond the largest floating-point number",
                      "give a smaller spread");
}

std::shared_ptr<const DistributionShape> checked(std::shared_ptr<const DistributionShape> shape,
                                                 const std::string& where) {
    require_finite_samples(*shape, where);
    return shape;
}

}  // namespace

Distribution::Distribution(const Constant& numbers, const std::string& where) {
    require_finite(numbers.value, "value", where);
    shape_ = std::make_shared<ConstantShape>(numbers);
}

Distribution::Distribution(const Uniform& numbers, const std::string& where) {
    require_order(numbers.low, numbers.high, where);
    shape_ = std::make_shared<UniformShape>(numbers);
}

Distribution::Distribution(const Normal& numbers, const std::string& where) {
    require_finite(numbers.mean, "mean", where);
    require_spread(numbers.standard_deviation, where);
    shape_ = checked(std::make_shared<NormalShape>(numbers), where);
}

Distribution::Distribution(const TruncatedNormal& numbers, const std::string& where) {
    const auto& [mean, standard_deviation, low, high] = numbers;
    require_finite(mean, "mean", where);
    require_spread(standard_deviation, where);
    if (std::isnan(low) || std::isnan(high) || low == std::numeric_limits<double>::infinity() ||
        high == -std::numeric_limits<double>::infinity())
        refuse_at(where, "low is " + number_text(low) + " and high is " + number_text(high), "give finite bounds");
    if (std::isinf(low) && std::isinf(high))
        refuse_at(where, "neither low nor high is given, so nothing is truncated", "give a bound, or use \"normal\"");
    if (std::isfinite(low) && std::isfinite(high)) require_order(low, high, where);
    const auto shape = std::make_shared<TruncatedNormalShape>(numbers);
    // Below it the differences of tails that make the quantiles are lost in rounding and underflow.
    constexpr double smallest_probability = 1e-280;
    const bool holds_none =
        standard_deviation == 0.0 ? mean < low || mean > high : !(shape->probability() >= smallest_probability);
    if (holds_none)
        refuse_at(where, "the normal distribution has no probability between low and high in " + shape->text(),
                  "move the bounds towards the mean, or give a larger standard_deviation");
    shape_ = checked(shape, where);
}

Distribution::Distribution(const Lognormal& numbers, const std::string& where) {
    const auto& [mean, standard_deviation] = numbers;
    require_finite(mean, "mean", where);
    require_spread(standard_deviation, where);
    if (!(mean > 0.0))
        refuse_at(where, "mean is " + number_text(mean) + ", but a lognormal variable is positive",
                  "give the mean of the variable itself, above 0 (not that of its logarithm)");
    const double variance = std::log1p((standard_deviation / mean) * (standard_deviation / mean));
    shape_ = checked(std::make_shared<LognormalShape>(std::log(mean) - 0.5 * variance, variance,
                                                      "lognormal(mean " + number_text(mean) + ", standard deviation " +
                                                          number_text(standard_deviation) + ")"),
                     where);
}

Distribution::Distribution(const LognormalByMedian& numbers, const std::string& where) {
    const auto& [median, geometric] = numbers;
    require_finite(median, "median", where);
    require_finite(geometric, "geometric_standard_deviation", where);
    if (!(median > 0.0))
        refuse_at(where, "median is " + number_text(median) + ", but a lognormal variable is positive",
                  "give a median above 0");
    if (!(geometric >= 1.0))
        refuse_at(where,
                  "geometric_standard_deviation is " + number_text(geometric) + ", but it is a factor of at least 1",
                  "give exp(standard deviation of the logarithm); 1.1 is a spread of about 10 %");
    shape_ =
        checked(std::make_shared<LognormalShape>(std::log(median), std::log(geometric) * std::log(geometric),
                                                 "lognormal(median " + number_text(median) +
                                                     ", geometric standard deviation " + number_text(geometric) + ")"),
                where);
}

Distribution::Distribution(const Triangular& numbers, const std::string& where) {
    const auto& [low, mode, high] = numbers;
    require_order(low, high, where);
    require_finite(mode, "mode", where);
    if (mode < low || mode > high)
        refuse_at(
            where,
            "mode is " + number_text(mode) + ", outside low " + number_text(low) + " to high " + number_text(high),
            "give low <= mode <= high");
    shape_ = std::make_shared<TriangularShape>(numbers);
}

Distribution::Distribution(const Beta& numbers, const std::string& where) {
    const auto& [alpha, beta, low, high] = numbers;
    require_finite(alpha, "alpha", where);
    require_finite(beta, "beta", where);
    require_order(low, high, where);
    if (!(alpha > 0.0) || !(beta > 0.0))
        refuse_at(where, "alpha is " + number_text(alpha) + " and beta is " + number_text(beta),
                  "both must be above 0");
    // The library's inverse was checked between these; beyond them the distribution is all but discrete or constant.
    constexpr double smallest_shape = 1e-2, largest_shape = 1e6;
    if (std::min(alpha, beta) < smallest_shape || std::max(alpha, beta) > largest_shape)
        refuse_at(where, "alpha is " + number_text(alpha) + " and beta is " + number_text(beta),
                  "give both between 0.01 and 1e6; \"discrete\" or \"normal\" serve beyond");
    shape_ = checked(std::make_shared<BetaShape>(numbers), where);
}

Distribution::Distribution(const Discrete& numbers, const std::string& where) {
    const std::vector<double>&values = numbers.values, &given_weights = numbers.weights;
    if (values.empty()) refuse_at(where, "values is empty", "give at least one value");
    if (!given_weights.empty() && given_weights.size() != values.size())
        refuse_at(where,
                  "there are " + std::to_string(values.size()) + " values and " + std::to_string(given_weights.size()) +
                      " weights",
                  "give one weight per value, or none at all");
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (const std::size_t k : order) {
        require_finite(values[k], ("values[" + std::to_string(k) + "]").c_str(), where);
        if (given_weights.empty()) continue;
        require_finite(given_weights[k], ("weights[" + std::to_string(k) + "]").c_str(), where);
        if (given_weights[k] < 0.0)
            refuse_at(where, "weights[" + std::to_string(k) + "] is " + number_text(given_weights[k]),
                      "a weight is 0 or more");
    }
    if (!given_weights.empty()) {
        const double total = std::accumulate(given_weights.begin(), given_weights.end(), 0.0);
        if (total == 0.0) refuse_at(where, "all weights are 0", "give a weight above 0 to at least one value");
        require_finite(total, "the sum of the weights", where);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t j, std::size_t k) { return values[j] < values[k]; });
    std::vector<double> sorted, weights;
    for (const std::size_t k : order) {
        if (!sorted.empty() && sorted.back() == values[k])
            refuse_at(where, "the value " + number_text(values[k]) + " stands twice",
                      "give it once, with a larger weight");
        sorted.push_back(values[k]);
        weights.push_back(given_weights.empty() ? 1.0 : given_weights[k]);
    }
    shape_ = std::make_shared<DiscreteShape>(std::move(sorted), std::move(weights), !given_weights.empty());
}

double Distribution::quantile(double u) const { return shape_->quantile(u); }
double Distribution::quantile_at_score(double score) const { return shape_->quantile_at_score(score); }
double Distribution::mean() const { return shape_->mean(); }
double Distribution::standard_deviation() const { return shape_->standard_deviation(); }
std::string Distribution::text() const { return shape_->text(); }
std::size_t Distribution::value_count() const { return shape_->value_count(); }
bool Distribution::is_weighted() const { return shape_->is_weighted(); }

}  // namespace myriad::study
