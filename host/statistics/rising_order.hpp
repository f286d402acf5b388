// The places of values in rising order, equal ones in the order of their places.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace myriad::study {

// Values travel with their places: to sort places alone looks every value up somewhere else in memory. No value is NaN.
inline std::vector<std::size_t> rising_order(std::span<const double> values) {
    std::vector<std::pair<double, std::size_t>> sorted(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = {values[i], i};
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::size_t> order(values.size());
    std::transform(sorted.begin(), sorted.end(), order.begin(), [](const auto& one) { return one.second; });
    return order;
}

}  // namespace myriad::study
