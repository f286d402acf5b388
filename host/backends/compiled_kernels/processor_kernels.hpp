// The steps of one mechanism, compiled for the processor at hand by a compiler that the machine has: 1.3 to 1.8 times
// as fast as those of the program, which read a mechanism's tables, and with the same bits.
//
// The compiler is the one in the environment variable MYRIAD_COMPILER where that is set, else the first of clang++,
// clang++-20 to -14, g++ and c++ in PATH that takes the source. It includes the headers embedded in the program. What
// it makes is kept in the user's cache (kept_files.hpp) under a hash of the source, the headers and the options, and is
// loaded from memory.
#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "host/backends/interface/kernel_table.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

struct ProcessorKernels {
    KernelFunctions<double>::Groups advance = nullptr;  // lasts as long as the program
    std::string compiler;
    double seconds = 0.0;  // that the compiler took
};

struct ProcessorCompilationCancelled {};

// Whether there can be any: for mechanisms in joint coordinates, in double precision.
bool may_have_processor_kernels(const Task& task);
// Those for packs of `width` doubles that are kept.
std::optional<ProcessorKernels> kept_processor_kernels(const Task& task, int width);
// Kept or compiled. Throws UserError (exit code 3) where there is no compiler or none takes the source, and
// ProcessorCompilationCancelled soon after `cancelled` was raised.
ProcessorKernels processor_kernels(const Task& task, int width, const std::atomic<bool>* cancelled = nullptr);

}  // namespace myriad::backends
