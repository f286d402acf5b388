// The instances of a study that a run takes, `--range A:B` or `--shard K/R`, and the file that they go into.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/results/layout/instance_range.hpp"

namespace myriad::program {

// "A:B" is A <= i < B; "K/R", K from 0 to R - 1, is the range from floor(K N / R) to floor((K + 1) N / R). Nothing
// where neither is given. Throws UserError (usage_or_input) for what is no range inside the study's N instances or is
// empty.
std::optional<results::InstanceRange> selected_instances(const std::optional<std::string>& range,
                                                         const std::optional<std::string>& shard,
                                                         std::uint64_t instances);

// The result file of a range, beside that of the whole study: `runs/all.h5` -> `runs/all.500-1000.h5`.
std::filesystem::path part_beside(const std::filesystem::path& whole, results::InstanceRange range);

}  // namespace myriad::program
