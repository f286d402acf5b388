// Whether the memory has room for all that a run keeps of its instances at once, asked before it begins.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// That compute the statistics of a quantity and its sensitivities side by side, each with memory of its own.
inline constexpr int statistics_threads = 4;

// Bytes that summary and statistics of `instances` hold at their peak, at least.
std::uint64_t statistics_bytes(const study::Study& study, std::uint64_t instances);

// UserError (usage_or_input) where the machine, or the program's control group, has less memory than the chunks on
// their way to the disk or the statistics need. A warning where it has enough, but less is free now.
std::optional<std::string> check_memory(const study::Study& study, std::uint64_t instances,
                                        std::uint64_t bytes_of_chunks);

}  // namespace myriad::ensemble
