// Whether the disk has room for a run, asked before it begins.
//
// Values are written once, at their places in the result. Only a compressed result is written beside them; what is
// replaced stays until the end.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/results/layout/layout.hpp"

namespace myriad::results {

// "1.25 GB"
std::string bytes_text(std::uint64_t bytes);

// `missing`: instances that the journal does not hold yet. UserError (output) where they do not fit: the run could only
// break off. A warning where they do and a compressed result might not: nothing would be lost, and there is time to
// make room. Nothing where all fits, or where the file system does not say.
std::optional<std::string> check_disk_space(const std::filesystem::path& result_path, const Layout& layout,
                                            std::uint64_t missing);

}  // namespace myriad::results
