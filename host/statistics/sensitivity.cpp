#include "host/statistics/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "host/statistics/first_order.hpp"
#include "host/statistics/no_value.hpp"
#include "host/statistics/rising_order.hpp"

namespace myriad::study {

namespace {

constexpr double negligible_correlation = 0.1, deviations_beyond_chance = 4.0;

// Pearson's, of ranks; these have the mean (n + 1)/2.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean = 0.5 * (static_cast<double>(a.size()) + 1.0);
    double squares_a = 0.0, squares_b = 0.0, products = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double from_a = a[i] - mean, from_b = b[i] - mean;
        squares_a += from_a * from_a, squares_b += from_b * from_b, products += from_a * from_b;
    }
    return squares_a > 0.0 && squares_b > 0.0 ? products / std::sqrt(squares_a * squares_b) : no_value;
}

}  // namespace

std::vector<double> mean_ranks(std::span<const double> values) {
    const std::vector<std::size_t> order = rising_order(values);
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
        const double rank = 0.5 * static_cast<double>(first + 1 + last);
        for (; first < last; ++first) ranks[order[first]] = rank;
    }
    return ranks;
}

Sensitivity sensitivity(std::span<const double> parameter, std::span<const double> values,
                        std::span<const unsigned char> included, const Intervals& intervals, double confidence) {
    std::vector<double> x, y;
    std::vector<std::uint64_t> instance;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (included[i] && std::isfinite(values[i]))
            x.push_back(parameter[i]), y.push_back(values[i]), instance.push_back(i);
    if (y.size() < fewest_for_sensitivity)
        return {no_value, {no_value, std::nullopt, "needs " + std::to_string(fewest_for_sensitivity) + " instances"}};
    return {correlation(mean_ranks(x), mean_ranks(y)), first_order_index(x, y, instance, intervals, confidence)};
}

std::vector<std::pair<std::size_t, std::size_t>> correlated_pairs(std::span<const std::vector<double>> parameters,
                                                                  std::span<const unsigned char> included) {
    std::vector<std::vector<double>> ranks;
    for (const std::vector<double>& parameter : parameters) {
        std::vector<double> counted;
        for (std::size_t i = 0; i < parameter.size(); ++i)
            if (included[i]) counted.push_back(parameter[i]);
        ranks.push_back(mean_ranks(counted));
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t a = 0; a < ranks.size(); ++a)
        for (std::size_t b = a + 1; b < ranks.size(); ++b) {
            const double chance = deviations_beyond_chance / std::sqrt(static_cast<double>(ranks[a].size()));
            if (std::abs(correlation(ranks[a], ranks[b])) > std::max(negligible_correlation, chance))
                pairs.emplace_back(a, b);
        }
    return pairs;
}

}  // namespace myriad::study
