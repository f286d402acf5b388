// Many small linear systems by NVIDIA's libraries, for comparison with the kernels' own elimination. A build without
// CUDA, or a machine without a GPU, answers with the reason.
#pragma once
#include <optional>
#include <string>

#include "host/backends/interface/library_systems.hpp"

namespace myriad::backends {

// None where there is no GPU or no such library; `why` then says so in a sentence. Throws UserError (exit code 3) where
// the device refuses, std::invalid_argument where the sizes contradict each other.
std::optional<LibrarySolution> solve_by_library(LibraryMethod method, const SystemsView& systems, std::string& why);

}  // namespace myriad::backends
