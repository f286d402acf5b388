// The words of CUDA for a C++ compiler: the text of a kernel that stands behind them runs on a processor, one thread
// after the other. Nothing is included.
//
// Memory that a block shares is static, so a thread finds in it what the last one left. Not handled: barriers.
#pragma once

#define __global__
#define __device__
#define __constant__ const
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(threads, blocks)

struct IndexInGrid {
    unsigned x;
};
static IndexInGrid blockIdx, threadIdx;

inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }

template <class To, class From>
inline To same_bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "other numbers of bits");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
inline long long __double_as_longlong(double a) { return same_bits<long long>(a); }
inline double __longlong_as_double(long long a) { return same_bits<double>(a); }
inline int __float_as_int(float a) { return same_bits<int>(a); }
inline float __int_as_float(int a) { return same_bits<float>(a); }

// A launch over all slots. A kernel is handed one by value.
template <class Kernel, class AnyLaunch>
void run_threads(Kernel kernel, const AnyLaunch& launch, long long is_mixed, unsigned threads) {
    for (blockIdx.x = 0; static_cast<long long>(blockIdx.x) * threads < launch.slots; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel(launch, is_mixed);
}
