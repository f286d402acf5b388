// The C interface between the program and libmyriad_device_statistics.so, which nvcc compiles.
#pragma once
#include "host/statistics/block_moments.hpp"

extern "C" {

// Values first, first + stride, ... below `count`, with their mask (0: failed). The caller provides room: one block for
// each 1024 of them, and as many sorted values as there are; `sorted_count` is how many count.
struct MyriadSample {
    const double* values;
    const unsigned char* included;
    unsigned long long first, stride, count;
    myriad::study::BlockMoments* blocks;
    double* sorted;
    unsigned long long sorted_count;
};

// Both return null, or CUDA's sentence about what went wrong, which stays valid until the thread's next call.
using MyriadStatisticsCheck = const char*();
using MyriadStatisticsSample = const char*(MyriadSample*);

}  // extern "C"

namespace myriad::backends::cuda {

inline constexpr const char* statistics_check = "myriad_device_statistics_check";
inline constexpr const char* statistics_sample = "myriad_device_statistics_sample";

}  // namespace myriad::backends::cuda
