// Whether the disk has room for a run, asked before it begins.
//
// While the result is assembled, the journal with all instances is there beside it; what is replaced stays until then.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/results/layout/layout.hpp"

namespace myriad::results {

// "1.25 GB"
std::string bytes_text(std::uint64_t bytes);

// `missing`: instances that the journal does not hold yet. UserError (output) where not even they fit: the run could
// only break off. A warning where they do and the result does not: nothing would be lost, and there is time to make
// room. Nothing where both fit, or where the file system does not say.
std::optional<std::string> check_disk_space(const std::filesystem::path& result_path, const Layout& layout,
                                            std::uint64_t missing);

}  // namespace myriad::results
