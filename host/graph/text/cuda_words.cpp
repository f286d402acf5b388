#include "host/graph/text/cuda_words.hpp"

namespace myriad::graph {

namespace {

// An instruction takes a number of 32 bits as it is, and the first half of a longer one; others lie in constant memory,
// from where it takes them as fast as from a register.
constexpr const char* of_any_number = R"(#define WIDTH 1
#define HERE static __device__ __forceinline__
#define APART static __device__ __noinline__
#define ELEMENTARY HERE
#define NUMBER static const
#define LONG_NUMBER static __constant__
#define TABLE static __device__ const
#define SAME(x) (x)
#define SAME_MASK(x) (x)
#define LANE(x, lane) (x)
#define any(m) (m)
#define NEITHER(a) (!(a))
#define COMPARED(c) (c)
#define AS_REAL(m) ((m) ? (Real)1 : (Real)0)
#define AS_MASK(x) ((x) != (Real)0)
#define NOT_A_NUMBER (-(0.0 / 0.0))
#define BEYOND_ALL (1.0 / 0.0)
typedef bool Mask;
)";

constexpr const char* of_doubles = R"(typedef double Real;
typedef long long Bits;
HERE Real fma_of(Real a, Real b, Real c) { return __fma_rn(a, b, c); }
HERE Real root_of(Real a) { return __dsqrt_rn(a); }
HERE Bits bits_of(Real a) { return __double_as_longlong(a); }
HERE Real real_of(Bits a) { return __longlong_as_double(a); }
HERE Real shift_up(Real a) { return real_of((Bits)((unsigned long long)bits_of(a) << 52)); }
HERE Real shift_down(Real a) { return real_of(bits_of(a) >> 52); }
)";

constexpr const char* of_floats = R"(typedef float Real;
typedef int Bits;
HERE Real fma_of(Real a, Real b, Real c) { return __fmaf_rn(a, b, c); }
HERE Real root_of(Real a) { return __fsqrt_rn(a); }
HERE Bits bits_of(Real a) { return __float_as_int(a); }
HERE Real real_of(Bits a) { return __int_as_float(a); }
HERE Real shift_up(Real a) { return real_of((Bits)((unsigned)bits_of(a) << 23)); }
HERE Real shift_down(Real a) { return real_of(bits_of(a) >> 23); }
)";

constexpr const char* behind = R"(HERE Real choose(Mask m, Real a, Real b) { return m ? a : b; }
HERE Real keep_bits(Real a, Bits b) { return real_of(bits_of(a) & b); }
HERE Real set_bits(Real a, Bits b) { return real_of(bits_of(a) | b); }
)";

}  // namespace

std::string cuda_words(Format format) {
    return std::string(of_any_number) + (format == Format::fp64 ? of_doubles : of_floats) + behind;
}

}  // namespace myriad::graph
