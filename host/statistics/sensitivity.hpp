// How strongly a quantity depends on each varied parameter, from the instances of any random design.
//
//   rank_correlation   Spearman's: +1 or -1 where the quantity only rises or only falls with the parameter
//   first_order        Var(E[y | x]) / Var(y), the share of the variance that the parameter explains alone (Sobol's
//                      first-order index), with an interval: first_order.hpp
//
// Instances that failed or have no finite value are left out. A small rank correlation beside a large share is a
// dependence that rises and falls. The rest of the shares to 1 is interaction, unless parameters are correlated: these
// share their effects, and each has the whole of what it could stand for. Not handled: intervals of the rank
// correlation, of which 2/sqrt(n) is the size for independent instances.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "host/statistics/estimate.hpp"
#include "host/statistics/interval_basis.hpp"

namespace myriad::study {

// NaN where fewer than 20 instances count, or where the parameter or the quantity does not vary in them.
struct Sensitivity {
    double rank_correlation;
    Estimate first_order;
};

// Sensitivity of `values` [N] to a parameter [N]; included [N] is 0 where an instance failed.
Sensitivity sensitivity(std::span<const double> parameter, std::span<const double> values,
                        std::span<const unsigned char> included,
                        const Intervals& intervals = {IntervalBasis::independent, 1}, double confidence = 0.95);

// Pairs of parameters [N each], by position, whose ranks are correlated beyond 0.1 and beyond chance (4 / sqrt(n)): the
// first-order shares of these overlap.
std::vector<std::pair<std::size_t, std::size_t>> correlated_pairs(std::span<const std::vector<double>> parameters,
                                                                  std::span<const unsigned char> included);

// Ranks from 1; equal values have the mean of theirs.
std::vector<double> mean_ranks(std::span<const double> values);

}  // namespace myriad::study
