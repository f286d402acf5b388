// The results of ranges of a study, put together to that of the whole study.
#pragma once
#include <filesystem>
#include <vector>

#include "host/ensemble/run.hpp"
#include "host/results/journal.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

struct Merged {
    study::Study study;  // without the rows of a table
    RunSummary summary;
};

// Before the parts of the whole study are run that are to be merged to `out`: whether it stands there complete, which
// is asked with `resume` alone. UserError where something is in its place that `resume` does not go on with and
// `overwrite` does not replace.
bool is_merged(const study::Study& study, const std::filesystem::path& out, bool resume, bool overwrite);

// Writes `out`, where nothing is yet or with `if_present` a result, from results of the same study and the same
// program, given in any order, that together hold each instance of the study once. The datasets are those of one run,
// bit for bit: columns are copied, or with `link` shown from the parts, and statistics are computed again from all of
// them. Attributes come from the first part, but device and wall time from all. UserError (usage_or_input) where
// instances are missing or there twice, where a part belongs to another run or, with `link`, lies outside of the folder
// of `out`.
Merged merge_results(const std::vector<std::filesystem::path>& parts, const std::filesystem::path& out, bool link,
                     results::IfPresent if_present = results::IfPresent::refuse);

}  // namespace myriad::ensemble
