// Norms of vectors of channels, as channels of their own: sqrt(x_1^2 + ... + x_n^2) of n channels that follow each
// other.
//
// The number of a norm is below 0; it may stand wherever the number of a channel stands, which is 0 or more. The
// squares are summed in the order of the channels, by one fma each. Not handled: components beyond the square root of
// the largest number (1e154, in fp32 1e19), whose squares overflow to infinity; those below 1e-154 count as zero.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_norm_components = 3;

MYRIAD_HD constexpr int norm_channel(int first, int components) {
    return -1 - first * (most_norm_components + 1) - components;
}
MYRIAD_HD constexpr bool is_norm(int channel) { return channel < 0; }
MYRIAD_HD constexpr int norm_components(int channel) { return (-1 - channel) % (most_norm_components + 1); }
MYRIAD_HD constexpr int first_of_norm(int channel) { return (-1 - channel) / (most_norm_components + 1); }

// `value_of(channel)` is the value of a channel. It is called in one place only, because the code of channels is large.
template <class Real, class Channels>
MYRIAD_HD Real channel_or_norm(const Channels& value_of, int channel) {
    const int count = is_norm(channel) ? norm_components(channel) : 1;
    const int first = is_norm(channel) ? first_of_norm(channel) : channel;
    Real value(0.0), squares(0.0);
    MYRIAD_UNROLL_PLAN for (int k = 0; k < count; ++k) {
        value = value_of(first + k);
        squares = fma(value, value, squares);
    }
    return is_norm(channel) ? sqrt(squares) : value;
}

}  // namespace myriad::inline MYRIAD_VARIANT
