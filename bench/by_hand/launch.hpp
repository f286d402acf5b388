// What kernels written by hand for one problem have in common: a thread takes one instance through all steps.
//
// Numbers lie [field][instances]. There is what such a kernel has and no more: no status, no certificate, no channels.
// Not handled: anything that goes wrong.
#pragma once
#if defined(__CUDACC_RTC__)
#define BY_HAND __device__ __forceinline__
#else
#include <cmath>
#define BY_HAND inline
#endif

namespace myriad::by_hand {

struct SineCosine {
    double sine, cosine;
};
BY_HAND SineCosine sine_and_cosine(double angle) {
#if defined(__CUDACC_RTC__)
    SineCosine both;
    sincos(angle, &both.sine, &both.cosine);
    return both;
#else
    return {std::sin(angle), std::cos(angle)};
#endif
}
BY_HAND double root(double x) {
#if defined(__CUDACC_RTC__)
    return sqrt(x);
#else
    return std::sqrt(x);
#endif
}
BY_HAND double larger(double a, double b) { return a > b ? a : b; }
BY_HAND double magnitude(double x) { return x < 0.0 ? -x : x; }

template <class Problem>
BY_HAND void advance(const double* parameters, double* state, unsigned long long instances, unsigned long long i,
                     double step_s, long long steps) {
    double p[Problem::parameters], s[Problem::fields];
    for (int k = 0; k < Problem::parameters; ++k) p[k] = parameters[k * instances + i];
    for (int k = 0; k < Problem::fields; ++k) s[k] = state[k * instances + i];
    const Problem problem(p);
    for (long long step = 0; step < steps; ++step) problem.step(s, step_s);
    for (int k = 0; k < Problem::fields; ++k) state[k * instances + i] = s[k];
}

// The classical method of Runge and Kutta of order 4 for s' = problem.rate(s).
template <int fields, class Problem>
BY_HAND void runge_kutta_step(const Problem& problem, double (&s)[fields], double h) {
    double at[fields], rate[fields], sum[fields];
    for (int k = 0; k < fields; ++k) at[k] = s[k], sum[k] = 0.0;
    for (int stage = 0; stage < 4; ++stage) {
        problem.rate(at, rate);
        const double weight = stage == 0 || stage == 3 ? h / 6.0 : h / 3.0, reach = stage < 2 ? 0.5 * h : h;
        for (int k = 0; k < fields; ++k) sum[k] += weight * rate[k], at[k] = s[k] + reach * rate[k];
    }
    for (int k = 0; k < fields; ++k) s[k] += sum[k];
}

}  // namespace myriad::by_hand
