// What a run says: before it starts, and at its end as a table for people or as JSON for programs.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "host/ensemble/run.hpp"

namespace myriad::program {

std::string opening_text(const study::Study& study, const std::optional<results::InstanceRange>& range,
                         const std::string& device, const backends::MemoryPlan& plan, bool chunks_are_fixed,
                         std::uint64_t finished_before);
std::string summary_text(const study::Study& study, const ensemble::RunSummary& summary);
nlohmann::ordered_json summary_json(const study::Study& study, const ensemble::RunSummary& summary);

// The statistics of each quantity as rows: statistic, value, interval.
std::string statistics_text(const std::vector<std::string>& names, const std::vector<std::string>& units,
                            const std::vector<study::QuantityStatistics>& statistics, double confidence);
// Quantities as rows, parameters as columns; nothing without sensitivities.
std::string sensitivity_text(const std::vector<std::string>& names, const std::vector<std::string>& parameters,
                             const std::vector<std::vector<study::Sensitivity>>& sensitivities);

}  // namespace myriad::program
