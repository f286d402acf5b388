// Where a test finds the project's files and the program: the environment (a package, ctest) before what was compiled
// in.
#pragma once
#include <cstdlib>
#include <filesystem>

namespace myriad {

inline std::filesystem::path from_environment(const char* variable, const char* compiled_in) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? value : compiled_in;
}

// The folder that holds kernels/, ensembles/, tests/ ...
inline std::filesystem::path source_dir() { return from_environment("MYRIAD_SOURCE_DIR", MYRIAD_SOURCE_DIR); }

// The `myriad` program.
inline std::filesystem::path program_path() { return from_environment("MYRIAD_PROGRAM", MYRIAD_PROGRAM); }

}  // namespace myriad
