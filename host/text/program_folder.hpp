// Where the running code lies, and the files that an archive, a wheel or a build puts beside it.
#pragma once
#include <filesystem>
#include <vector>

namespace myriad {

// Of the running program, and of the library that this code is in where that is a Python package; empty where unknown.
std::filesystem::path program_folder();
std::filesystem::path package_folder();

// The folders that may hold bundled files, in the order they are searched: share/myriad beside the package and the
// program (a wheel, a build), ../share/myriad (an archive). Not all of them exist.
std::vector<std::filesystem::path> share_folders();

}  // namespace myriad
