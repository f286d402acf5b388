// The statistics of a study as datasets of its result file, under /statistics.
#pragma once
#include <vector>

#include "host/results/layout.hpp"
#include "host/study/sensitivity.hpp"
#include "host/study/statistics.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// /statistics/quantity [Q] names the rows of all others: count, excluded, undefined, mean, standard_deviation, min, max
// [Q], quantile [Q, P] over quantile_probability [P], each estimate with _low and _high of its interval. NaN where a
// number or an interval does not exist. Nothing for a study without quantities. With sensitivities rank_correlation and
// first_order [Q, V] over the addresses in parameter [V].
std::vector<results::FixedDataset> statistics_datasets(
    const study::Study& study, const std::vector<study::QuantityStatistics>& statistics,
    const std::vector<std::vector<study::Sensitivity>>& sensitivities);

}  // namespace myriad::ensemble
