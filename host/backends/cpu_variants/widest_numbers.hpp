// The numbers that a variant of the processor computes with, one for each precision.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

#if defined(MYRIAD_START) || defined(MYRIAD_SCALAR)
using WidestDouble = double;
using WidestFloat = float;
#elif defined(__AVX512F__)
using WidestDouble = Pack<double, 8>;
using WidestFloat = Pack<float, 16>;
#else
using WidestDouble = Pack<double, 4>;
using WidestFloat = Pack<float, 8>;
#endif

}  // namespace myriad::backends::inline MYRIAD_VARIANT
