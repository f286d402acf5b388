#include "host/study/sampling/design.hpp"

#include <algorithm>
#include <limits>

#include "host/study/sampling/counter_random.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

std::uint64_t MonteCarlo::capacity() const { return std::numeric_limits<std::uint64_t>::max(); }

std::string MonteCarlo::text() const { return "monte_carlo(seed " + std::to_string(seed_) + ")"; }

void MonteCarlo::unit_point(std::uint64_t instance, std::span<double> point) const {
    for (std::size_t first = 0; first < dimensions_; first += 4) {
        const auto words = random_words(seed_, RandomUse::monte_carlo, instance, first / 4);
        const std::size_t count = std::min<std::size_t>(4, dimensions_ - first);
        for (std::size_t k = 0; k < count; ++k) point[first + k] = open_unit(words[k]);
    }
}

Grid::Grid(std::vector<std::uint64_t> levels, const std::string& where) : levels_(std::move(levels)) {
    constexpr std::uint64_t largest_size = std::uint64_t{1} << 52;
    for (const std::uint64_t count : levels_) {
        if (count == 0)
            throw UserError(ExitCode::usage_or_input, where, "a parameter of the grid has 0 levels",
                            "give at least 1 level to each parameter");
        if (count > largest_size / size_)
            throw UserError(ExitCode::usage_or_input, where, "the grid has more than 2^52 instances",
                            "give fewer levels, or use \"sobol\" or \"latin_hypercube\"");
        size_ *= count;
    }
}

std::string Grid::text() const {
    std::string text;
    for (const std::uint64_t count : levels_) text += (text.empty() ? "" : " x ") + std::to_string(count);
    return "grid(" + text + ")";
}

void Grid::unit_point(std::uint64_t instance, std::span<double> point) const {
    for (std::size_t p = levels_.size(); p-- > 0;) {
        const std::uint64_t level = instance % levels_[p];
        instance /= levels_[p];
        point[p] = (static_cast<double>(level) + 0.5) / static_cast<double>(levels_[p]);
    }
}

}  // namespace myriad::study
