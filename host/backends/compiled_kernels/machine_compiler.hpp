// Machine code for the processor at hand, by a compiler that the machine has.
//
// The compiler is the one in the environment variable MYRIAD_COMPILER where that is set, else the first of clang++,
// clang++-20 to -14, g++, c++, clang, gcc and cc in PATH that takes the source; behind these stands the program `zig`
// that MYRIAD_ZIG names. What it makes is kept in the user's cache (kept_files.hpp) under a hash of all
// that it is made from, and is loaded from memory.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace myriad::backends {

struct CompilerInput {
    std::string source;  // in C; it includes nothing
    std::vector<std::string> options;
    const char* function;  // that is asked for
};
struct CompiledFunction {
    void* address = nullptr;  // lasts as long as the program
    std::string compiler;
    double seconds = 0.0;  // that the compiler took
};

struct CompilationCancelled {};

// For shared libraries with vectors of `width` doubles, in which products and sums are not contracted. Instructions are
// named one by one: an older compiler does not know their levels, and a cache may be shared by different machines.
std::vector<std::string> processor_options(int width);

std::optional<CompiledFunction> kept_function(const CompilerInput& input);
// Kept or compiled. Throws UserError (exit code 3) where there is no compiler or none takes the source, and
// CompilationCancelled soon after `cancelled` was raised.
CompiledFunction compiled_function(const CompilerInput& input, const std::atomic<bool>* cancelled = nullptr);

}  // namespace myriad::backends
