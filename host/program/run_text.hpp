// The messages of a run: before it starts, and at its end as a table for people or as JSON for programs.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "host/ensemble/run.hpp"
#include "host/ensemble/statistics_datasets.hpp"

namespace myriad::program {

std::string opening_text(const study::Study& study, const std::optional<results::InstanceRange>& range,
                         const std::string& device, const backends::MemoryPlan& plan, bool chunks_are_fixed,
                         std::uint64_t finished_before);
std::string summary_text(const study::Study& study, const ensemble::RunSummary& summary);
nlohmann::ordered_json summary_json(const study::Study& study, const ensemble::RunSummary& summary);

// The statistics of each quantity, then its sensitivities: statistic, value, interval, remark. Nothing where there are
// no quantities.
std::string statistics_text(const ensemble::StatisticsReport& report);

}  // namespace myriad::program
