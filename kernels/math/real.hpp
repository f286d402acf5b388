// Real: the number of one instance (double, float), or the numbers of W instances side by side (Pack: one vector
// register).
//
// Only + - * /, sqrt and explicit fma touch a Real. IEEE 754 rounds each of them correctly and contraction is off in
// every compiler, so an instance has the same bits in any lane of any Real, on a CPU and on a GPU. A branch on data is
// a mask: `select(mask, a, b)` per lane, `any(mask)` to leave a loop. Each translation unit that is compiled for
// another vector width defines MYRIAD_VARIANT, so that the linker never takes one variant's code for another's. Not
// handled: rounding modes other than to nearest, subnormals flushed to zero.
#pragma once

#if !defined(MYRIAD_VARIANT)
#define MYRIAD_VARIANT portable
#endif

#if defined(__CUDACC_RTC__)
#define MYRIAD_HD __device__ __forceinline__
#define MYRIAD_UNROLL _Pragma("unroll")
#define MYRIAD_ROLL _Pragma("unroll 1")
#elif defined(__clang__)
#define MYRIAD_HD inline MYRIAD_INLINE
#define MYRIAD_UNROLL _Pragma("unroll")
#define MYRIAD_ROLL _Pragma("clang loop unroll(disable)")
#else
#define MYRIAD_HD inline MYRIAD_INLINE
#define MYRIAD_UNROLL _Pragma("GCC unroll 64")
#define MYRIAD_ROLL _Pragma("GCC unroll 1")
#endif

// MYRIAD_NOINLINE: a large function that a CPU never copies into its callers (its arguments lie in memory anyway) and a
// GPU does, but for kernels whose numbers fill the local memory anyway (MYRIAD_CALLS_ALL). MYRIAD_UNROLL_PLAN: a loop
// over a plan's entries or a mechanism's parts, unrolled on a GPU, where these are constants and any other index would
// move arrays to memory. MYRIAD_ROLLED: for GPU kernels whose unrolled code would be too large, neither is done.
// MYRIAD_UNROLL_ROWS: the same for the rows of contact problems. Where MYRIAD_ROLLED_ROWS is defined, for formulas with
// many of them, only these loops stay loops: NVRTC 13.0 took arrays of a system that a loop had filled for unset. Where
// MYRIAD_COUNTED_ROWS says that the numbers of these rows are constants, or rows_at_once is 1, a class or a function
// may say by rows_at_once how often it wants the bodies of these loops written out. MYRIAD_APART: a large function that
// is seldom called. It is a call everywhere and takes copies, so that what it works on can lie in registers elsewhere.
// MYRIAD_TABLE: a constant array at namespace scope. MYRIAD_READ_ANEW: what was read from memory before is read again.
// MYRIAD_INLINE stands after the arguments of a lambda in a hot path and does what MYRIAD_HD does for a function. Where
// MYRIAD_COMPILED_QUICKLY is defined, nothing is forced into its callers: that halves what a compiler has to do, for
// starts, tests and steps that serve comparisons.
#if !defined(__CUDACC_RTC__)
#if defined(MYRIAD_COMPILED_QUICKLY)
#define MYRIAD_INLINE
#else
#define MYRIAD_INLINE __attribute__((always_inline))
#endif
#define MYRIAD_NOINLINE inline __attribute__((noinline))
#define MYRIAD_UNROLL_PLAN
#define MYRIAD_UNROLL_ROWS
#define MYRIAD_TABLE inline constexpr
#define MYRIAD_READ_ANEW
#elif defined(MYRIAD_ROLLED)
#define MYRIAD_INLINE
#define MYRIAD_NOINLINE __device__ __noinline__
#define MYRIAD_UNROLL_PLAN _Pragma("unroll 1")
#define MYRIAD_UNROLL_ROWS _Pragma("unroll 1")
#define MYRIAD_TABLE __constant__ constexpr
#define MYRIAD_READ_ANEW
#else
#define MYRIAD_INLINE
#if defined(MYRIAD_CALLS_ALL) || defined(MYRIAD_ROLLED_ROWS)
#define MYRIAD_NOINLINE __device__ __noinline__
#else
#define MYRIAD_NOINLINE __device__ __forceinline__
#endif
#define MYRIAD_UNROLL_PLAN _Pragma("unroll")
#if defined(MYRIAD_ROLLED_ROWS)
#define MYRIAD_UNROLL_ROWS _Pragma("unroll 1")
#elif defined(MYRIAD_COUNTED_ROWS)
#define MYRIAD_UNROLL_ROWS _Pragma("unroll rows_at_once")
#else
#define MYRIAD_UNROLL_ROWS _Pragma("unroll")
#endif
#define MYRIAD_TABLE __device__ constexpr
#define MYRIAD_READ_ANEW asm volatile("" ::: "memory")
#endif
#if defined(__CUDACC_RTC__)
#define MYRIAD_APART __device__ __noinline__
#else
#define MYRIAD_APART MYRIAD_NOINLINE
#endif

namespace myriad::inline MYRIAD_VARIANT {

// An unrolled step on a GPU, whose numbers fill the registers: what it can read or compute again is not kept.
#if defined(__CUDACC_RTC__) && !defined(MYRIAD_ROLLED)
constexpr bool reads_state_anew = true;
#else
constexpr bool reads_state_anew = false;
#endif

constexpr int rows_at_once = 1024;
template <class Rows>
constexpr int rows_at_once_of = rows_at_once;
template <class Rows>
requires requires { Rows::rows_at_once; }
constexpr int rows_at_once_of<Rows> = Rows::rows_at_once;

#if defined(__CUDACC_RTC__)
using ::fma;
using ::sqrt;
// A number that is read here and now: the compiler neither keeps an earlier one nor reads it before a loop.
MYRIAD_HD double read_anew(const double* at) {
    double x;
    asm volatile("ld.global.f64 %0, [%1];" : "=d"(x) : "l"(at));
    return x;
}
MYRIAD_HD float read_anew(const float* at) {
    float x;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(at));
    return x;
}
#else
template <class Number>
MYRIAD_HD Number read_anew(const Number* at) {
    return *at;
}
MYRIAD_HD double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
MYRIAD_HD float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MYRIAD_HD double sqrt(double a) { return __builtin_sqrt(a); }
MYRIAD_HD float sqrt(float a) { return __builtin_sqrtf(a); }
#endif
MYRIAD_HD double select(bool mask, double a, double b) { return mask ? a : b; }
MYRIAD_HD float select(bool mask, float a, float b) { return mask ? a : b; }
MYRIAD_HD bool any(bool mask) { return mask; }

template <class T>
struct Unqualified {
    using Type = T;
};
template <class T>
struct Unqualified<const T> {
    using Type = T;
};
template <class T>
struct Unqualified<T&> : Unqualified<T> {};

// The plain number inside a Real, how many of them, and the access to one: W = 1 for double and float.
template <class Real>
struct Lanes {
    using Number = Real;
    static constexpr int width = 1;
    static MYRIAD_HD Number get(const Real& x, int) { return x; }
    static MYRIAD_HD void set(Real& x, int, Number value) { x = value; }
};

#if !defined(__CUDACC_RTC__)
// The compiler's vector types; spelled out because g++ does not take a vector size that depends on a template argument.
template <class Number, int W>
struct VectorOf;
template <>
struct VectorOf<double, 4> {
    typedef double Numbers __attribute__((vector_size(32)));
    typedef long long Bits __attribute__((vector_size(32)));
};
template <>
struct VectorOf<double, 8> {
    typedef double Numbers __attribute__((vector_size(64)));
    typedef long long Bits __attribute__((vector_size(64)));
};
template <>
struct VectorOf<float, 4> {
    typedef float Numbers __attribute__((vector_size(16)));
    typedef int Bits __attribute__((vector_size(16)));
};
template <>
struct VectorOf<float, 8> {
    typedef float Numbers __attribute__((vector_size(32)));
    typedef int Bits __attribute__((vector_size(32)));
};
template <>
struct VectorOf<float, 16> {
    typedef float Numbers __attribute__((vector_size(64)));
    typedef int Bits __attribute__((vector_size(64)));
};

// One vector operation where the processor has it: compilers put lanes together again, but neither fast nor always.
// Elsewhere lane by lane in a function of its own, because that means a call for each lane or worse.
template <class Numbers>
MYRIAD_NOINLINE Numbers fma_of_lanes(Numbers a, Numbers b, Numbers c) {
    Numbers r;
    for (unsigned lane = 0; lane < sizeof(Numbers) / sizeof(a[0]); ++lane) r[lane] = fma(a[lane], b[lane], c[lane]);
    return r;
}
template <class Bits>
MYRIAD_HD bool any_lane(Bits mask) {
    long long bits = 0;
    for (unsigned lane = 0; lane < sizeof(Bits) / sizeof(mask[0]); ++lane) bits |= mask[lane];
    return bits != 0;
}
#if defined(__FMA__) && defined(__AVX2__)
using Double4 = VectorOf<double, 4>;
using Float4 = VectorOf<float, 4>;
using Float8 = VectorOf<float, 8>;
MYRIAD_HD Double4::Numbers fma_of_lanes(Double4::Numbers a, Double4::Numbers b, Double4::Numbers c) {
    return __builtin_ia32_vfmaddpd256(a, b, c);
}
MYRIAD_HD Float4::Numbers fma_of_lanes(Float4::Numbers a, Float4::Numbers b, Float4::Numbers c) {
    return __builtin_ia32_vfmaddps(a, b, c);
}
MYRIAD_HD Float8::Numbers fma_of_lanes(Float8::Numbers a, Float8::Numbers b, Float8::Numbers c) {
    return __builtin_ia32_vfmaddps256(a, b, c);
}
MYRIAD_HD bool any_lane(Double4::Bits mask) {
    return __builtin_ia32_movmskpd256(__builtin_bit_cast(Double4::Numbers, mask)) != 0;
}
MYRIAD_HD bool any_lane(Float4::Bits mask) {
    return __builtin_ia32_movmskps(__builtin_bit_cast(Float4::Numbers, mask)) != 0;
}
MYRIAD_HD bool any_lane(Float8::Bits mask) {
    return __builtin_ia32_movmskps256(__builtin_bit_cast(Float8::Numbers, mask)) != 0;
}
#endif
#if defined(__AVX512F__)
using Double8 = VectorOf<double, 8>;
using Float16 = VectorOf<float, 16>;
constexpr int current_rounding = 4;
MYRIAD_HD Double8::Numbers fma_of_lanes(Double8::Numbers a, Double8::Numbers b, Double8::Numbers c) {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, static_cast<unsigned char>(-1), current_rounding);
}
MYRIAD_HD Float16::Numbers fma_of_lanes(Float16::Numbers a, Float16::Numbers b, Float16::Numbers c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), current_rounding);
}
MYRIAD_HD bool any_lane(Double8::Bits mask) {
    return any_lane(__builtin_shufflevector(mask, mask, 0, 1, 2, 3) | __builtin_shufflevector(mask, mask, 4, 5, 6, 7));
}
MYRIAD_HD bool any_lane(Float16::Bits mask) {
    return any_lane(__builtin_shufflevector(mask, mask, 0, 1, 2, 3, 4, 5, 6, 7) |
                    __builtin_shufflevector(mask, mask, 8, 9, 10, 11, 12, 13, 14, 15));
}
#endif

template <class Number, int W>
struct PackMask {
    using LaneBits = typename VectorOf<Number, W>::Bits;
    LaneBits lanes;
    friend MYRIAD_HD PackMask operator&(PackMask a, PackMask b) { return {a.lanes & b.lanes}; }
    friend MYRIAD_HD PackMask operator|(PackMask a, PackMask b) { return {a.lanes | b.lanes}; }
    friend MYRIAD_HD PackMask operator!(PackMask a) { return {~a.lanes}; }
};

template <class Number, int W>
MYRIAD_HD bool any(PackMask<Number, W> mask) {
    return any_lane(mask.lanes);
}

template <class Number, int W>
struct Pack {
    using LaneNumbers = typename VectorOf<Number, W>::Numbers;
    using Mask = PackMask<Number, W>;
    LaneNumbers lanes;

    Pack() = default;
    MYRIAD_HD Pack(double same) : lanes(static_cast<Number>(same) - LaneNumbers{}) {}  // x - 0 keeps -0
    MYRIAD_HD Pack(LaneNumbers given) : lanes(given) {}

    friend MYRIAD_HD Pack operator+(Pack a, Pack b) { return a.lanes + b.lanes; }
    friend MYRIAD_HD Pack operator-(Pack a, Pack b) { return a.lanes - b.lanes; }
    friend MYRIAD_HD Pack operator*(Pack a, Pack b) { return a.lanes * b.lanes; }
    friend MYRIAD_HD Pack operator/(Pack a, Pack b) { return a.lanes / b.lanes; }
    friend MYRIAD_HD Pack operator-(Pack a) { return -a.lanes; }
    friend MYRIAD_HD Mask operator<(Pack a, Pack b) { return {a.lanes < b.lanes}; }
    friend MYRIAD_HD Mask operator<=(Pack a, Pack b) { return {a.lanes <= b.lanes}; }
    friend MYRIAD_HD Mask operator==(Pack a, Pack b) { return {a.lanes == b.lanes}; }

    friend MYRIAD_HD Pack fma(Pack a, Pack b, Pack c) { return fma_of_lanes(a.lanes, b.lanes, c.lanes); }
    friend MYRIAD_HD Pack sqrt(Pack a) {
        LaneNumbers r;
        for (int lane = 0; lane < W; ++lane) r[lane] = myriad::sqrt(a.lanes[lane]);
        return r;
    }
    friend MYRIAD_HD Pack select(Mask mask, Pack a, Pack b) { return mask.lanes ? a.lanes : b.lanes; }
};

template <class N, int W>
struct Lanes<Pack<N, W>> {
    using Number = N;
    static constexpr int width = W;
    static MYRIAD_HD Number get(const Pack<N, W>& x, int lane) { return x.lanes[lane]; }
    static MYRIAD_HD void set(Pack<N, W>& x, int lane, Number value) { x.lanes[lane] = value; }
};
#endif

template <class Real>
using NumberOf = typename Lanes<Real>::Number;

template <class Real>
using MaskOf = decltype(Real() < Real());

template <class Real>
MYRIAD_HD MaskOf<Real> true_mask() {
    return Real(0.0) <= Real(0.0);
}
MYRIAD_HD bool lane_of(bool mask, int) { return mask; }
#if !defined(__CUDACC_RTC__)
template <class Number, int W>
MYRIAD_HD bool lane_of(PackMask<Number, W> mask, int lane) {
    return mask.lanes[lane] != 0;
}
#endif

// Finite: x - x is zero for a finite x and NaN otherwise, and no comparison with NaN holds.
template <class Real>
MYRIAD_HD MaskOf<Real> is_finite(Real x) {
    return x - x <= Real(0.0);
}
// A sum that is zero while all its terms are finite, and NaN from the first on that is not: 0 x.
template <class Real>
MYRIAD_HD Real finite_term(Real x, Real sum) {
    return fma(x, Real(0.0), sum);
}
template <class Real>
MYRIAD_HD Real absolute(Real x) {
    return select(x < Real(0.0), -x, x);
}
// A NaN in `a` gives `b`, one in `b` gives `b`: callers that must notice a NaN test for it.
template <class Real>
MYRIAD_HD Real maximum(Real a, Real b) {
    return select(b < a, a, b);
}
template <class Real>
MYRIAD_HD Real minimum(Real a, Real b) {
    return select(a < b, a, b);
}

// c0 + c1 x + c2 x^2 + ... by Horner's rule, one fma per coefficient.
template <class Real>
MYRIAD_HD Real polynomial(Real, double c0) {
    return Real(c0);
}
template <class Real, class... Rest>
MYRIAD_HD Real polynomial(Real x, double c0, Rest... rest) {
    return fma(polynomial(x, rest...), x, Real(c0));
}

}  // namespace myriad::inline MYRIAD_VARIANT
