// The rules of the house that an #include line can break: dependencies point one way, and each library has one door.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace myriad {

// Include lines as spelled, with their delimiters: `"kernels/math/real.hpp"`, `<vector>`.
std::vector<std::string> includes_of(std::string_view source_text);

// Which rule `file` (relative to the project, with '/') breaks by including `include`; empty if none.
std::string broken_rule(std::string_view file, std::string_view include);

// The header that a vector-width variant sees and must not see; empty if there is none. `includes` maps every project
// file to its include lines.
std::string broken_variant_rule(const std::string& file,
                                const std::map<std::string, std::vector<std::string>>& includes);

// Every C++ and CUDA file of the project with its include lines, by path relative to `root`.
std::map<std::string, std::vector<std::string>> includes_of_all_files(const std::filesystem::path& root);

}  // namespace myriad
