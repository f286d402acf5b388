#include "host/backends/interface/watched_step.hpp"

#include <algorithm>
#include <cmath>

namespace myriad::backends {

double WatchedStep::rise(double rate) const {
    const bool has_rates = !std::isnan(rate_before) && !std::isnan(rate_after);
    return has_rates ? rate * (end_s - begin_s) : after - before;
}

double WatchedStep::value(double time_s) const {
    if (time_s >= end_s) return after;
    const double s = (time_s - begin_s) / (end_s - begin_s), r = 1.0 - s;
    return before * r * r * (1.0 + 2.0 * s) + after * s * s * (1.0 + 2.0 * r) +
           r * s * (rise(rate_before) * r - rise(rate_after) * s);
}

// Simpson's rule is exact for a cubic.
double WatchedStep::integral(double from_s, double to_s) const {
    return (to_s - from_s) / 6.0 * (value(from_s) + 4.0 * value(0.5 * (from_s + to_s)) + value(to_s));
}

std::vector<double> WatchedStep::pieces(double from_s, double to_s) const {
    // The rate is a s^2 + b s + c over the length of the step.
    const double difference = after - before, first = rise(rate_before), last = rise(rate_after);
    const double a = 3.0 * (first + last - 2.0 * difference), b = 2.0 * (3.0 * difference - 2.0 * first - last),
                 c = first;
    std::vector<double> times;
    const double under = b * b - 4.0 * a * c;
    if (under > 0.0) {
        const double q = -0.5 * (b + std::copysign(std::sqrt(under), b));
        for (const double s : {q / a, c / q}) {
            const double time_s = begin_s + s * (end_s - begin_s);
            if (from_s < time_s && time_s < to_s) times.push_back(time_s);
        }
    }
    std::sort(times.begin(), times.end());
    times.insert(times.begin(), from_s), times.push_back(to_s);
    return times;
}

double WatchedStep::passes(double threshold, double from_s, double to_s) const {
    const bool begins_above = value(from_s) > threshold;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle_s = 0.5 * (from_s + to_s);
        ((value(middle_s) > threshold) == begins_above ? from_s : to_s) = middle_s;
    }
    return to_s;
}

}  // namespace myriad::backends
