#include "host/statistics/step_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/statistics/no_value.hpp"

namespace myriad::study {

StepError step_error(std::span<const double> at_step, std::span<const double> at_half,
                     std::span<const double> at_quarter, double round_off) {
    StepError error{.change_share_95 = no_value, .mean_shift = no_value, .shrinkage = no_value};
    std::vector<double> changes;
    double shift = 0.0, first_change = 0.0, second_change = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < at_step.size(); ++i) {
        if (!std::isfinite(at_step[i])) continue;
        if (!std::isfinite(at_half[i])) {
            ++error.without;
            continue;
        }
        changes.push_back(std::abs(at_half[i] - at_step[i]));
        shift += at_half[i] - at_step[i];
        if (!std::isfinite(at_quarter[i])) continue;
        ++error.quarter_count;
        first_change += changes.back();
        second_change += std::abs(at_quarter[i] - at_half[i]);
        largest = std::max(largest, std::abs(at_step[i]));
    }
    error.count = changes.size();
    if (changes.empty()) return error;
    error.mean_shift = shift / static_cast<double>(error.count);
    const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(error.count))) - 1;
    std::nth_element(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(rank), changes.end());
    error.change_share_95 = changes[rank];
    const double resolved = round_off * largest * static_cast<double>(error.quarter_count);
    if (error.quarter_count > 0 && second_change > resolved) error.shrinkage = second_change / first_change;
    return error;
}

}  // namespace myriad::study
