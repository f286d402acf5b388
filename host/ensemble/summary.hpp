// The summary of finished instances: counts by status, drifts, statistics.
#pragma once
#include "host/ensemble/run.hpp"
#include "host/results/layout/instance_source.hpp"

namespace myriad::ensemble {

// Fills the counts, drifts and statistics of `summary` over the instances finished so far. Statistics are over the
// instances that ended ok, and in the order of their numbers, whatever order they were computed in; the backend sorts.
void summarize(const study::Study& study, const results::InstanceSource& source, const backends::Backend& backend,
               RunSummary& summary);

// Those that ended ok at the study's own step, without a retry, in its numbering.
std::vector<std::int64_t> instances_run_once(const results::InstanceSource& source);

// The datasets of a result beside its columns: `axes` and statistics.
std::vector<results::FixedDataset> fixed_datasets(const study::Study& study, const RunSummary& summary,
                                                  std::vector<results::FixedDataset> axes);

}  // namespace myriad::ensemble
