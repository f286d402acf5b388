// Moments of up to 1024 values of one quantity, and how two sets of moments merge; same bits on host and device.
//
//   mean,  M_k = sum (x - mean)^k  for k = 2, 3, 4:  corrected two-pass within a block (Chan, Golub, LeVeque, Am. Stat.
//   37, 1983), Pebay's update between blocks (SAND2008-6212, eqs. 3.1, 3.2 in the form for two sets).
//
// A block is 1024 consecutive *global* instance numbers, summed in their order, failed instances and values that are
// not finite left out. Only + - * / touch the numbers and contraction is off (-ffp-contract=off, -fmad=false), so the
// bits depend neither on chunks, threads nor device. On a device one thread does one block. No standard header is used.
// Not handled: deviations beyond 1e77, whose fourth power overflows; statistics.hpp then gives no interval.
#pragma once

#if defined(__CUDACC__)
#define MYRIAD_HOST_DEVICE __host__ __device__ inline
#else
#define MYRIAD_HOST_DEVICE inline
#endif

namespace myriad::study {

inline constexpr unsigned long long block_size = 1024;

struct BlockMoments {
    // Values that count, instances that failed, and instances that went well but have no finite value.
    unsigned long long count = 0, excluded = 0, undefined = 0;
    double mean = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0;
    // With count > 0: the extremes, and the lowest instance number at which each is met.
    double min = 0.0, max = 0.0;
    unsigned long long min_instance = 0, max_instance = 0;
};

MYRIAD_HOST_DEVICE bool counts(double value, unsigned char included) { return included != 0 && value - value == 0.0; }

// The block whose k-th value is values[k * stride], of instance first_instance + k * stride, for k < count <= 1024;
// `included` runs beside the values: 0 marks a failed instance. stride > 1 picks one replicate.
MYRIAD_HOST_DEVICE BlockMoments block_moments(const double* values, const unsigned char* included,
                                              unsigned long long stride, unsigned long long count,
                                              unsigned long long first_instance) {
    BlockMoments block;
    double sum = 0.0;
    for (unsigned long long k = 0; k < count; ++k) {
        const double x = values[k * stride];
        if (!counts(x, included[k * stride])) {
            if (included[k * stride] != 0)
                block.undefined += 1;
            else
                block.excluded += 1;
            continue;
        }
        const unsigned long long instance = first_instance + k * stride;
        if (block.count == 0 || x < block.min) {
            block.min = x;
            block.min_instance = instance;
        }
        if (block.count == 0 || x > block.max) {
            block.max = x;
            block.max_instance = instance;
        }
        block.count += 1;
        sum += x;
    }
    if (block.count == 0) return block;
    if (block.min == block.max) {
        block.mean = block.min;
        return block;
    }
    const double n = static_cast<double>(block.count), centre = sum / n;
    double s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0;
    for (unsigned long long k = 0; k < count; ++k) {
        const double x = values[k * stride];
        if (!counts(x, included[k * stride])) continue;
        const double deviation = x - centre, square = deviation * deviation;
        s1 += deviation;
        s2 += square;
        s3 += square * deviation;
        s4 += square * square;
    }
    // `centre` carries the rounding of the sum; the moments about the mean follow from those about it.
    const double shift = s1 / n, shift2 = shift * shift;
    block.mean = centre + shift;
    block.m2 = s2 - n * shift2;
    block.m3 = s3 - 3.0 * shift * s2 + 2.0 * n * shift2 * shift;
    block.m4 = s4 - 4.0 * shift * s3 + 6.0 * shift2 * s2 - 3.0 * n * shift2 * shift2;
    return block;
}

// `a` holds the lower instance numbers. A set without values adds only its failed and undefined instances.
MYRIAD_HOST_DEVICE BlockMoments merged(const BlockMoments& a, const BlockMoments& b) {
    BlockMoments both = a.count > 0 ? a : b;
    both.excluded = a.excluded + b.excluded;
    both.undefined = a.undefined + b.undefined;
    if (a.count == 0 || b.count == 0) return both;
    both.count = a.count + b.count;
    const double na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
    const double n = na + nb, wa = na / n, wb = nb / n;
    const double delta = b.mean - a.mean, square = delta * delta;
    both.mean = a.mean + delta * wb;
    both.m2 = a.m2 + b.m2 + square * wa * nb;
    both.m3 = a.m3 + b.m3 + square * delta * wa * nb * (wa - wb) + 3.0 * delta * (wa * b.m2 - wb * a.m2);
    both.m4 = a.m4 + b.m4 + square * square * wa * nb * (wa * wa - wa * wb + wb * wb) +
              6.0 * square * (wa * wa * b.m2 + wb * wb * a.m2) + 4.0 * delta * (wa * b.m3 - wb * a.m3);
    if (b.min < a.min) {
        both.min = b.min;
        both.min_instance = b.min_instance;
    }
    if (b.max > a.max) {
        both.max = b.max;
        both.max_instance = b.max_instance;
    }
    return both;
}

}  // namespace myriad::study

#undef MYRIAD_HOST_DEVICE
