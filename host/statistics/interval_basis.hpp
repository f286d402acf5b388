// The conclusions that the instances of a design allow about the error of a statistic.
#pragma once
#include <cstdint>

namespace myriad::study {

enum class IntervalBasis {
    independent,      // Monte Carlo, and a table that is declared so: instances are independent
    latin_hypercube,  // one sample in each stratum: the formulas for independent instances, too wide for the mean
    replicated,       // independent replicates of a point set: from the spread among the replicates
    none,             // grid: nothing was drawn at random, so there is no error of sampling
    undeclared,       // table: its rows may repeat or depend on each other
};

struct Intervals {
    IntervalBasis basis = IntervalBasis::none;
    // With `replicated`: instance i is a point of replicate i mod `replicates`. Else 1.
    std::uint64_t replicates = 1;

    // Whether the formulas for independent instances serve.
    bool is_single_sample() const {
        return basis == IntervalBasis::independent || basis == IntervalBasis::latin_hypercube;
    }
};

// Why a design gives no intervals at all; null where it gives some.
inline const char* no_interval_reason(IntervalBasis basis) {
    if (basis == IntervalBasis::none) return "a grid draws nothing at random";
    if (basis == IntervalBasis::undeclared) return "the design does not say \"independent\": true";
    return nullptr;
}

}  // namespace myriad::study
