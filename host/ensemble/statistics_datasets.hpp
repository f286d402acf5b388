// The statistics of a study: for the tables of `run` and `report`, and as datasets of its result file, under
// /statistics.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/ensemble/run.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/reader.hpp"
#include "host/statistics/sensitivity.hpp"
#include "host/statistics/statistics.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

// Quantities and parameters in the order of the study.
struct StatisticsReport {
    double confidence = 0.0;
    std::vector<std::string> names, units;        // [quantity]
    std::vector<std::string> events;              // [quantity] of its probability: "above 650"; "" where none is asked
    std::vector<study::QuantityStatistics> rows;  // [quantity]
    std::vector<study::StepError> step_errors;    // [quantity], or empty where the step was not checked
    std::vector<std::string> parameters;          // addresses, where there are sensitivities
    std::vector<std::vector<study::Sensitivity>> sensitivities;  // [quantity][parameter], or empty
    std::vector<std::string> correlated;                         // pairs of parameters whose shares overlap: "a and b"
};

StatisticsReport statistics_report(const study::Study& study, const RunSummary& summary);

// /statistics/quantity [Q] names the rows of all others: count, excluded, undefined, mean, standard_deviation,
// probability, min, max [Q], quantile [Q, P] over quantile_probability [P], each estimate with _low and _high of its
// interval, and with _remark: whether that is conservative, or why there is none. NaN where a number or an interval
// does not exist. Nothing for a study without quantities. With sensitivities rank_correlation and the estimate
// first_order [Q, V] over the addresses in parameter [V]. With a check of the step step_error_count,
// step_error_without, step_error_95, step_error_mean_shift and step_error_shrinkage [Q].
std::vector<results::FixedDataset> statistics_datasets(const StatisticsReport& report);

// The same from a result file; nothing where it has none. Throws UserError for datasets that do not fit each other.
std::optional<StatisticsReport> read_statistics(const results::Reader& reader);

}  // namespace myriad::ensemble
