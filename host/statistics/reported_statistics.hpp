// The statistics of a quantity and what the step leaves in it, one line each: datasets of a result, tables and JSON are
// made from these lists, so that a new statistic is a number of QuantityStatistics and a line here.
#pragma once
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "host/statistics/statistics.hpp"
#include "host/statistics/step_error.hpp"

namespace myriad::study {

// How many instances; an estimate with its interval; an extreme value with its instance; estimates at several
// probabilities.
using CountMember = std::uint64_t QuantityStatistics::*;
using EstimateMember = std::optional<Estimate> QuantityStatistics::*;
using ExtremeMember = std::optional<Extreme> QuantityStatistics::*;
using QuantilesMember = std::vector<Quantile> QuantityStatistics::*;

struct ReportedStatistic {
    const char* name;   // of the dataset, and in JSON
    const char* label;  // in tables; a count stands in none
    const char* description;
    std::variant<CountMember, EstimateMember, ExtremeMember, QuantilesMember> member;
    // Its change when the step is halved; null where that is not known.
    double (*step_error)(const StepError&) = nullptr;
};

inline constexpr auto change_of_most = [](const StepError& error) { return error.change_share_95; };

// In the order of the tables.
inline constexpr ReportedStatistic reported_statistics[] = {
    {"count", "", "instances with a value", &QuantityStatistics::count},
    {"excluded", "", "failed instances, left out", &QuantityStatistics::excluded},
    {"undefined", "", "instances that ended ok without a finite value, left out", &QuantityStatistics::undefined},
    {"mean", "mean", "mean", &QuantityStatistics::mean,
     [](const StepError& error) { return std::abs(error.mean_shift); }},
    {"standard_deviation", "standard deviation", "standard deviation", &QuantityStatistics::standard_deviation},
    {"quantile", "quantile", "quantiles", &QuantityStatistics::quantiles, change_of_most},
    {"probability", "probability",
     "share of the instances that ended ok whose quantity lies above, or below, the threshold",
     &QuantityStatistics::probability},
    {"min", "smallest", "smallest value", &QuantityStatistics::min, change_of_most},
    {"max", "largest", "largest value", &QuantityStatistics::max, change_of_most},
};

struct ReportedStepError {
    const char* name;       // of the dataset
    const char* json_name;  // in JSON
    const char* description;
    std::variant<std::uint64_t StepError::*, double StepError::*> member;
};

inline constexpr ReportedStepError reported_step_errors[] = {
    {"step_error_count", "instances", "instances with a value at the given and at half the step", &StepError::count},
    {"step_error_without", "without_a_value_at_half_the_step",
     "instances with a value at the given step and none at half of it", &StepError::without},
    {"step_error_95", "change_of_95_percent", "by how much 95 % of them change at most where the step is halved",
     &StepError::change_share_95},
    {"step_error_mean_shift", "shift_of_the_mean", "by how much their mean changes where the step is halved",
     &StepError::mean_shift},
    {"step_error_shrinkage", "shrinkage",
     "how much smaller the changes are where the step is halved again: 2 to the minus order; above 0.75 they do not "
     "shrink; NaN where it is not known",
     &StepError::shrinkage},
};

}  // namespace myriad::study
