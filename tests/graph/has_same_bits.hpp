// Numbers compared bit by bit, but that every NaN is the same.
#pragma once
#include <cmath>

namespace myriad::graph {

template <class Number>
bool has_same_bits(Number a, Number b) {
    return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

}  // namespace myriad::graph
