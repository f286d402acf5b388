// The steps of one mechanism, compiled for the processor at hand by a compiler that the machine has: 1.3 to 1.8 times
// as fast as those of the program, which read a mechanism's tables, and with the same bits.
//
// The source includes the headers embedded in the program; machine_compiler.hpp compiles, keeps and loads it.
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

// Whether there can be any: for mechanisms in joint coordinates, in double precision.
bool may_have_processor_kernels(const Task& task);
// Those for packs of `width` doubles that are kept.
std::optional<ProcessorKernels> kept_processor_kernels(const Task& task, int width);
// Kept or compiled; throws as compiled_function() does.
ProcessorKernels processor_kernels(const Task& task, int width, const std::atomic<bool>* cancelled = nullptr);

}  // namespace myriad::backends
