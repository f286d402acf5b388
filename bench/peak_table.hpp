// Independent chains of fused multiply-adds, compiled for each vector width: nothing but the arithmetic units is busy.
//
// Like the kernels' table this header and the variants see no standard header with functions.
#pragma once

namespace myriad::bench {

// Independent chains per call: above the product of latency and units of present cores, below the 16 registers of AVX2.
constexpr int peak_chains = 12;

// `rounds` fma on each chain; the result keeps the compiler from leaving them out.
using PeakFunction = double (*)(long long rounds, double multiplier, double addend);

PeakFunction scalar_peak();
PeakFunction avx2_peak();
PeakFunction avx512_peak();

}  // namespace myriad::bench
