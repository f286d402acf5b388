// Arithmetic of intervals: what a function of time may be over a time.
//
//   [a, b] + [c, d] = [a + c, b + d],   sin [a, b]: its ends, and 1 or -1 where a quarter of a turn lies within
//
// An operation without a bound gives all numbers. Without units. Not handled: rounding.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace myriad::reference {

struct Interval {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

    static Interval at(double value) { return {value, value}; }
    bool has(double value) const { return low <= value && value <= high; }
    bool is_point() const { return low == high; }
    bool is_bounded() const { return std::isfinite(low) && std::isfinite(high); }
    // The image of a rising function.
    Interval risen(const std::function<double(double)>& f) const { return known(f(low), f(high)); }
    // Of a function of two numbers that is monotone in each: its extremes are at the corners of the rectangle.
    static Interval at_corners(const Interval& a, const Interval& b, const std::function<double(double, double)>& f) {
        const double values[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
        for (const double value : values)
            if (std::isnan(value)) return {};
        return {*std::min_element(values, values + 4), *std::max_element(values, values + 4)};
    }
    static Interval known(double low, double high) {
        return std::isnan(low) || std::isnan(high) || high < low ? Interval{} : Interval{low, high};
    }

    friend Interval operator+(const Interval& a, const Interval& b) { return known(a.low + b.low, a.high + b.high); }
    friend Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
    friend Interval operator*(const Interval& a, const Interval& b) {
        return at_corners(a, b, [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; });
    }
    Interval inverse() const { return has(0.0) ? Interval{} : Interval{1.0 / high, 1.0 / low}; }
    Interval squared() const {
        const double a = low * low, b = high * high;
        return known(has(0.0) ? 0.0 : std::min(a, b), std::max(a, b));
    }
    // sin(x + turned)
    Interval sine(double turned) const {
        constexpr double turn = 2.0 * std::numbers::pi;
        const auto reaches = [&](double place) { return place + turn * std::floor((high - place) / turn) >= low; };
        if (!(high - low < turn)) return {-1.0, 1.0};
        const double a = std::sin(low + turned), b = std::sin(high + turned), top = 0.5 * std::numbers::pi - turned;
        return {reaches(top + std::numbers::pi) ? -1.0 : std::min(a, b), reaches(top) ? 1.0 : std::max(a, b)};
    }
};

}  // namespace myriad::reference
