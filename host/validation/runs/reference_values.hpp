// Reference values of validation, tests and the comparisons with the papers: the constants of
// docs/reference_values.json, whose meaning and sources docs/reference_values.md gives, and how far a result may be
// from their digits.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace myriad::reference_values {

// Rounding of a value written with so many decimals.
inline double half_unit(int decimals) { return 0.5 * std::pow(10.0, -decimals); }

// Two codes doing the same steps in another order of operations differ by a random walk: a step adds a few ulp of the
// largest value of the run. Between compilers and vector widths we saw up to five.
inline double round_off(double steps, double largest_value) {
    return 10.0 * std::sqrt(steps) * std::numeric_limits<double>::epsilon() * largest_value;
}

struct Value {
    double number;
    int decimals;  // that its source writes
    const char* source;

    constexpr operator double() const { return number; }
    double half_unit() const { return reference_values::half_unit(decimals); }
};

template <std::size_t count>
struct Values {
    std::array<double, count> numbers;
    int decimals;  // of the number that has most
    const char* source;

    constexpr operator const std::array<double, count>&() const { return numbers; }
    constexpr double operator[](std::size_t i) const { return numbers[i]; }
    constexpr const double* data() const { return numbers.data(); }
    constexpr auto begin() const { return numbers.begin(); }
    constexpr auto end() const { return numbers.end(); }
    std::vector<double> vector() const { return {begin(), end()}; }
    double half_unit() const { return reference_values::half_unit(decimals); }
};

// Any of them.
struct NamedValue {
    const char* name;  // "heavy_top.energy"
    const double* numbers;
    std::size_t count;
    int decimals;
    const char* source;
};

}  // namespace myriad::reference_values

#include "generated/reference_values.hpp"
