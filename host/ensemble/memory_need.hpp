// Whether the memory has room for what a run keeps of all its instances at once, asked before it begins.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// Bytes that summary and statistics of `instances` hold at their peak, at least.
std::uint64_t statistics_bytes(const study::Study& study, std::uint64_t instances);

// UserError (usage_or_input) where the machine, or the control group that the program runs in, has less memory than the
// chunks on their way to the disk or the statistics need; a warning where it has it, but less is free now.
std::optional<std::string> check_memory(const study::Study& study, std::uint64_t instances,
                                        std::uint64_t bytes_of_chunks);

}  // namespace myriad::ensemble
