// The instances of a study that a run takes: `--range A:B` or `--shard K/R`.
#pragma once
#include <cstdint>
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

}  // namespace myriad::program
