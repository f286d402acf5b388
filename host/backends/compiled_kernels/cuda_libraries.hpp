// Where CUDA's libraries lie, and what their functions are called.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/backends/interface/dynamic_library.hpp"

// Headers of CUDA rename functions to their present versions by macros: the symbol's name is what the macro gives.
#define MYRIAD_TEXT_OF(name) #name
#define MYRIAD_SYMBOL(name) MYRIAD_TEXT_OF(name)

namespace myriad::backends::cuda {

// The driver's library, which the loader or MYRIAD_CUDA_DRIVER names.
std::optional<DynamicLibrary> open_driver(std::string& why);

// Version of the CUDA that the driver is for, 12040 for 12.4; 0 where there is none, or where it does not tell.
int driver_version();
// A compiler and the driver: "NVRTC 13.0, driver of CUDA 12.4".
std::string tools_of(const std::string& compiler);

// `file` as the loader finds it by itself, where pip puts it beside a Python package, then in the folders of CUDA that
// the build knew and the usual one.
std::vector<std::string> in_cuda_folders(const std::string& file);

}  // namespace myriad::backends::cuda
