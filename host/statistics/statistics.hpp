// Statistics of one quantity over the instances of a study, each with a confidence interval where the design allows
// one.
//
// Failed instances are left out, and so are values that are not finite; both are counted. Sums run in the fixed order
// of block_moments.hpp, blocks merged as a binary tree over the block's number, so the bits do not depend on how the
// work was split. Intervals, at the confidence of the settings:
//   independent        mean: Student's t.  standard deviation: no normality assumed, from the fourth moment, on the
//                      logarithm (Bonett, Comput. Stat. Data Anal. 50, 2006, with the mean for his trimmed mean).
//                      quantile: between two order statistics, from the binomial distribution; no assumption at all.
//                      probability: Clopper and Pearson (Biometrika 26, 1934), from the same distribution.
//   latin_hypercube    the same; for mean and probability marked conservative, because stratification only narrows them
//                      (Stein 1987). For standard deviation and quantiles too wide as a rule, but without proof.
//   replicated         mean, standard deviation: sectioning (Nakayama, ACM TOMACS 24, 2014): pooled estimate
//                      +- t s / sqrt(R), s the spread of the R replicates' estimates about it, R - 1 degrees of
//                      freedom. Every replicate must hold at least two values.  probability: Clopper and Pearson's for
//                      the number of independent instances that would have the variance which the replicates show
//                      (Korn, Graubard, Surv. Methodol. 24, 1998).  quantile: the order statistics that this interval
//                      of the probability below it says (Woodruff, J. Am. Stat. Assoc. 47, 1952). A spread among counts
//                      is taken for no less than the rounding to whole points, and where there are fewer events than
//                      replicates, for no less than that of independent instances.
//   none, undeclared   none.
// Where there is no interval the estimate gives the reason: too few values, and how many would do, for example for a
// quantile beyond the reach of the order statistics. All values equal: standard deviation 0, intervals of width 0.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/statistics/block_moments.hpp"
#include "host/statistics/estimate.hpp"
#include "host/statistics/interval_basis.hpp"

namespace myriad::study {

struct StatisticsSettings {
    std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};
    double confidence = 0.95;
    bool sensitivity = false;  // of each quantity to each varied parameter as well
};
// Throws UserError for a probability or a confidence that is not inside (0, 1).
void require_valid(const StatisticsSettings& settings, const std::string& where);

// The event of a probability: the quantity lies above the threshold, or below it.
struct Event {
    bool above = true;
    double threshold = 0.0;
};
// "above 650": behind "probability".
std::string text_of(const Event& event);

struct Quantile {
    double probability;
    Estimate estimate;
};
struct Extreme {
    double value;
    std::uint64_t instance;  // the lowest one, where several meet it
};

struct QuantityStatistics {
    std::uint64_t instances = 0;  // all, of which
    std::uint64_t count = 0;      // have a finite value,
    std::uint64_t excluded = 0;   // failed,
    std::uint64_t undefined = 0;  // went well but have no finite value
    // Absent with count 0 and where their sums overflow; the standard deviation (n - 1 in its denominator) also with
    // count 1.
    std::optional<Estimate> mean, standard_deviation;
    std::optional<Extreme> min, max;
    // Where it is asked for: the share of the event among the instances that did not fail. A value that is undefined is
    // neither above nor below. Absent where all failed.
    std::optional<Estimate> probability;
    // Empty with count 0. Linear interpolation between order statistics at (n - 1) p (type 7 of Hyndman and Fan 1996).
    std::vector<Quantile> quantiles;
};

// The input of the statistics: all values, or those of one replicate. A device may fill it: block_moments per block,
// and a sort.
struct SortedSample {
    BlockMoments moments;
    std::vector<double> values;  // those that count, ascending
};

// The moments of all blocks as one, by a binary tree over the block's number: (0,1) (2,3) ..., then pairs of pairs.
BlockMoments merged_blocks(std::span<const BlockMoments> blocks);

// The sample of values[first], values[first + stride], ...; values[i] and included[i] belong to instance i.
SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included,
                           std::uint64_t first = 0, std::uint64_t stride = 1);

// `replicates` [intervals.replicates], read only where the basis is `replicated`.
QuantityStatistics statistics_of(const SortedSample& all, std::span<const SortedSample> replicates,
                                 const Intervals& intervals, const StatisticsSettings& settings,
                                 const std::optional<Event>& event = std::nullopt);

// Makes a SortedSample as sorted_sample does, perhaps on a device.
using SampleSorter = std::function<SortedSample(std::span<const double> values, std::span<const unsigned char> included,
                                                std::uint64_t first, std::uint64_t stride)>;

// The same from the values [N] and their mask [N] (0: failed), instance 0 first.
QuantityStatistics quantity_statistics(std::span<const double> values, std::span<const unsigned char> included,
                                       const Intervals& intervals, const StatisticsSettings& settings = {},
                                       const SampleSorter& sorter = sorted_sample,
                                       const std::optional<Event>& event = std::nullopt);

// Ranks (from 1) of two order statistics of n independent values that enclose the p-quantile with this confidence,
// equally likely missed on either side; none when n is too small.
std::optional<std::pair<std::uint64_t, std::uint64_t>> enclosing_ranks(std::uint64_t n, double p, double confidence);

// The fewest independent values of which two order statistics enclose the p-quantile.
std::uint64_t fewest_for_quantile(double p, double confidence);

}  // namespace myriad::study
