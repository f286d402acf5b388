#include "host/study/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace myriad::study {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t fewest_values = 20, most_bins = 32;

// Pearson's, of ranks; these have the mean (n + 1)/2.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean = 0.5 * (static_cast<double>(a.size()) + 1.0);
    double squares_a = 0.0, squares_b = 0.0, products = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double from_a = a[i] - mean, from_b = b[i] - mean;
        squares_a += from_a * from_a, squares_b += from_b * from_b, products += from_a * from_b;
    }
    return squares_a > 0.0 && squares_b > 0.0 ? products / std::sqrt(squares_a * squares_b) : none;
}

// `ranks` of the parameter; `values` of the quantity.
double explained_share(const std::vector<double>& ranks, const std::vector<double>& values) {
    const std::size_t n = values.size();
    const double count = static_cast<double>(n);
    const std::size_t bins = std::clamp<std::size_t>(static_cast<std::size_t>(0.5 * std::sqrt(count)), 2, most_bins);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    std::vector<double> sums(bins, 0.0), counts(bins, 0.0);
    double all = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        // Equal values have equal ranks, and so one bin.
        const auto bin =
            std::min(bins - 1, static_cast<std::size_t>((ranks[i] - 0.5) / count * static_cast<double>(bins)));
        const double deviation = values[i] - mean;
        sums[bin] += deviation, counts[bin] += 1.0, all += deviation * deviation;
    }
    double between = 0.0, used = 0.0;
    for (std::size_t bin = 0; bin < bins; ++bin)
        if (counts[bin] > 0.0) between += sums[bin] * sums[bin] / counts[bin], used += 1.0;
    if (!(all > 0.0) || used < 2.0) return none;
    return 1.0 - (1.0 - between / all) * (count - 1.0) / (count - used);
}

}  // namespace

std::vector<double> mean_ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
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
                        std::span<const unsigned char> included) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (included[i] && std::isfinite(values[i])) x.push_back(parameter[i]), y.push_back(values[i]);
    if (y.size() < fewest_values) return {none, none};
    const std::vector<double> ranks = mean_ranks(x);
    return {correlation(ranks, mean_ranks(y)), explained_share(ranks, y)};
}

}  // namespace myriad::study
