// First-order sensitivity index: the share of a quantity's variance that one parameter explains alone,
//
//   S = Var(E[y | x]) / Var(y) = 1 - U / V,   U = E[Var(y | x)],   V = Var(y),
//
// from the instances of any design (Sobol, Math. Comput. Simul. 55, 2001; estimated from given data as in Plischke,
// Borgonovo, Smith, Eur. J. Oper. Res. 226, 2013, but by regression in their classes instead of class means, whose
// spread within a class would count as unexplained).
//
// The values, ordered by x, are cut into classes of equal size, 0.35 sqrt(n) of them, 64 at most. In each a parabola
// follows E[y | x], or two lines where they leave clearly less: the quantity jumps or has a kink there. A parameter of
// few values has a class for each, with its mean. U is what the fits leave, made up for what they took of the noise:
// by degrees of freedom where instances are independent, from the replicates' own parts in the fits where the design
// has replicates, and not at all in a grid, which holds every combination. So S is near 0, also below, where there is
// no effect.
//
// The interval is that of ln(1 - S), from the influence of each instance (of each replicate, where there are any),
//   psi_i = e_i^2 - (1 - S) (y_i - mean)^2,   e the residuals,
// with Student's t. Measured in tests/statistics/first_order_test.cpp. Not handled: functions that oscillate within a
// class; more than one jump in a class; quantities that grow without bound towards an end of the parameter's range (exp
// of the normal score of a uniform parameter: 0.984 for 0.989 at n = 500); correlated parameters, whose shares overlap.
#pragma once
#include <cstdint>
#include <span>

#include "host/statistics/estimate.hpp"
#include "host/statistics/interval_basis.hpp"

namespace myriad::study {

inline constexpr std::size_t fewest_for_sensitivity = 20;

// The index of values [n] to a parameter [n], n >= 20; instance[n] are their numbers, ascending, which tell the
// replicate. NaN where the parameter or the quantity does not vary.
Estimate first_order_index(std::span<const double> parameter, std::span<const double> values,
                           std::span<const std::uint64_t> instance, const Intervals& intervals, double confidence);

}  // namespace myriad::study
