// How strongly a quantity depends on each varied parameter, from the instances of any random design.
//
//   rank_correlation   Spearman's: +1 or -1 where the quantity only rises or only falls with the parameter
//   first_order        Var(E[y | x]) / Var(y), the share of the variance that the parameter explains alone (Sobol's
//                      first-order index): the means of y in bins of x of equal size, corrected for the number of bins
//                      as the correlation ratio is (Kelley's epsilon squared), so that it is near 0, also below, where
//                      there is no effect. Estimated from the study itself, as Plischke, Borgonovo, Smith, Eur. J.
//                      Oper. Res. 226, 2013: it needs no design of its own.
//
// Instances that failed or have no finite value are left out. A small rank correlation beside a large share is a
// dependence that rises and falls. What the shares leave to 1 is interaction. Not handled: intervals, of which
// 2/sqrt(n) is the size for the rank correlation of independent instances; correlated parameters, which share their
// effects.
#pragma once
#include <span>
#include <vector>

namespace myriad::study {

// NaN where fewer than 20 instances count, or where the parameter or the quantity does not vary in them.
struct Sensitivity {
    double rank_correlation, first_order;
};

// Of `values` [N] to a parameter [N]; included [N] is 0 where an instance failed.
Sensitivity sensitivity(std::span<const double> parameter, std::span<const double> values,
                        std::span<const unsigned char> included);

// Ranks from 1; equal values have the mean of theirs.
std::vector<double> mean_ranks(std::span<const double> values);

}  // namespace myriad::study
