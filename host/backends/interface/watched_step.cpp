#include "host/backends/interface/watched_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace myriad::backends {

double WatchedStep::rise(double rate) const {
    const bool has_rates = !std::isnan(rate_before) && !std::isnan(rate_after);
    return has_rates ? rate * (end_s - begin_s) : after - before;
}

double WatchedStep::value(double time_s) const {
    if (!components.empty()) {
        double norm = 0.0;
        for (const WatchedStep& component : components) norm = std::hypot(norm, component.value(time_s));
        return norm;
    }
    if (time_s >= end_s) return after;
    const double s = (time_s - begin_s) / (end_s - begin_s), r = 1.0 - s;
    return before * r * r * (1.0 + 2.0 * s) + after * s * s * (1.0 + 2.0 * r) +
           r * s * (rise(rate_before) * r - rise(rate_after) * s);
}

double WatchedStep::slope(double time_s) const {
    const double h = end_s - begin_s, s = (time_s - begin_s) / h, r = 1.0 - s;
    return (6.0 * r * s * (after - before) + r * (r - 2.0 * s) * rise(rate_before) +
            s * (s - 2.0 * r) * rise(rate_after)) /
           h;
}

double WatchedStep::half_square_slope(double time_s) const {
    double sum = 0.0;
    for (const WatchedStep& component : components) sum += component.value(time_s) * component.slope(time_s);
    return sum;
}

std::vector<double> WatchedStep::turns_of_norm(double from_s, double to_s) const {
    constexpr int parts = 4, halvings = 60;
    std::vector<double> turns;
    for (int part = 0; part < parts; ++part) {
        double low = from_s + (to_s - from_s) * part / parts, high = from_s + (to_s - from_s) * (part + 1) / parts;
        const double at_low = half_square_slope(low), at_high = half_square_slope(high);
        if (at_low == 0.0 || (at_low < 0.0) == (at_high < 0.0)) continue;
        for (int halving = 0; halving < halvings; ++halving) {
            const double middle = 0.5 * (low + high);
            ((half_square_slope(middle) < 0.0) == (at_low < 0.0) ? low : high) = middle;
        }
        if (from_s < high && high < to_s) turns.push_back(high);
    }
    return turns;
}

// Beside a least value e the integral of sqrt(e^2 + w^2), w linear, and of the rest by Gauss's rule.
double WatchedStep::integral_of_norm(double to_s) const {
    double middle = 0.5 * (begin_s + to_s);
    bool has_least = false;
    for (const double turn : turns_of_norm(begin_s, to_s))
        if (!has_least && half_square_slope(turn - 1e-3 * (to_s - begin_s)) < 0.0) middle = turn, has_least = true;
    const double e = has_least ? value(middle) : 0.0, node = std::sqrt(0.15);
    double sum = 0.0;
    for (const double end : {begin_s, to_s}) {
        const double f = value(end), w = has_least ? std::sqrt(std::max(f * f - e * e, 0.0)) : 0.0;
        const auto rest = [&](double x) { return value(middle + x * (end - middle)) - std::hypot(e, w * x); };
        double mean = 0.5 * std::hypot(e, w) + (8.0 * rest(0.5) + 5.0 * (rest(0.5 - node) + rest(0.5 + node))) / 18.0;
        if (e > 0.0 && w > 0.0) mean += 0.5 * e * e / w * std::asinh(w / e);
        sum += std::abs(end - middle) * mean;
    }
    return sum;
}

// Simpson's rule is exact for a cubic.
double WatchedStep::integral(double from_s, double to_s) const {
    if (!components.empty()) return integral_of_norm(to_s) - integral_of_norm(from_s);
    return (to_s - from_s) / 6.0 * (value(from_s) + 4.0 * value(0.5 * (from_s + to_s)) + value(to_s));
}

std::vector<double> WatchedStep::pieces(double from_s, double to_s) const {
    if (!components.empty()) {
        std::vector<double> times = turns_of_norm(from_s, to_s);
        times.insert(times.begin(), from_s), times.push_back(to_s);
        return times;
    }
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
