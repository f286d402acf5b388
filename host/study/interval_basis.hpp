// What the instances of a design allow one to say about the error of a statistic.
#pragma once
#include <cstdint>

namespace myriad::study {

enum class IntervalBasis {
    independent,      // Monte Carlo: instances are independent
    latin_hypercube,  // one sample in each stratum: the formulas for independent instances, too wide for the mean
    replicated,       // independent replicates of a point set: from the spread among the replicates
    none,             // grid and table: nothing was drawn at random, so there is no error of sampling
};

struct Intervals {
    IntervalBasis basis = IntervalBasis::none;
    // With `replicated`: instance i is a point of replicate i mod `replicates`. Else 1.
    std::uint64_t replicates = 1;
};

}  // namespace myriad::study
