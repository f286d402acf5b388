// What a run says at its end, read from its journal: counts by status, drifts, statistics.
#pragma once
#include "host/ensemble/run.hpp"
#include "host/results/journal.hpp"

namespace myriad::ensemble {

// Fills the counts, drifts and statistics of `summary` over the instances finished so far. Statistics are over the
// instances that ended ok, and in the order of their numbers, whatever order they were computed in; the backend sorts.
void summarize(const study::Study& study, const results::Journal& journal, const backends::Backend& backend,
               RunSummary& summary);

}  // namespace myriad::ensemble
