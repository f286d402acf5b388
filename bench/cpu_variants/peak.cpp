// The peak of the arithmetic units of a core: the build compiles this file once for each variant of the processor.
#include "bench/peak_table.hpp"
#include "kernels/math/real.hpp"

namespace myriad::bench {

namespace {

// Keeps a value in a register of its own, so that scalar chains stay scalar. No instruction comes of it.
#if defined(MYRIAD_SCALAR)
inline void hold(double& x) { asm("" : "+x"(x)); }
#else
template <int W>
inline void hold(Pack<double, W>& x) {
    asm("" : "+x"(x.lanes));
}
#endif

template <class Real>
double fma_chains(long long rounds, double multiplier, double addend) {
    const Real factor(multiplier), summand(addend);
    Real chains[peak_chains];
    MYRIAD_UNROLL for (int i = 0; i < peak_chains; ++i) chains[i] = Real(1.0 + i);
    for (long long round = 0; round < rounds; ++round) MYRIAD_UNROLL for (int i = 0; i < peak_chains; ++i) {
            chains[i] = fma(chains[i], factor, summand);
            hold(chains[i]);
        }
    Real sum(0.0);
    for (const Real& chain : chains) sum = sum + chain;
    return Lanes<Real>::get(sum, 0);
}

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

PeakFunction MYRIAD_JOIN(MYRIAD_VARIANT, _peak)() {
#if defined(MYRIAD_SCALAR)
    return &fma_chains<double>;
#elif defined(__AVX512F__)
    return &fma_chains<Pack<double, 8> >;
#else
    return &fma_chains<Pack<double, 4> >;
#endif
}

}  // namespace myriad::bench
