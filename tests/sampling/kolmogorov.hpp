// Kolmogorov-Smirnov distance between a sample and a distribution function, and the distance that chance alone exceeds
// with a given probability.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace myriad::study {

template <class DistributionFunction>
double kolmogorov_distance(std::vector<double> sample, const DistributionFunction& probability_not_above) {
    std::sort(sample.begin(), sample.end());
    const double n = static_cast<double>(sample.size());
    double distance = 0.0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
        const double p = probability_not_above(sample[k]), below = static_cast<double>(k);
        distance = std::max({distance, p - below / n, (below + 1.0) / n - p});
    }
    return distance;
}

// Dvoretzky, Kiefer, Wolfowitz (Massart, Ann. Probab. 18, 1990): exceeded with probability at most `significance`.
inline double kolmogorov_bound(std::size_t n, double significance) {
    return std::sqrt(-0.5 * std::log(0.5 * significance) / static_cast<double>(n));
}

// A test that is true fails for one seed in a million; the seeds are fixed.
inline constexpr double rare = 1e-6;

}  // namespace myriad::study
