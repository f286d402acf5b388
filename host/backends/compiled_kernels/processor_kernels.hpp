// The steps of one mechanism, compiled for the processor at hand by a compiler that the machine has: 1.3 to 1.8 times
// as fast as those of the program, which read a mechanism's tables, and with the same bits.
//
// The source includes the headers embedded in the program; machine_compiler.hpp compiles, keeps and loads it.
#pragma once
#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

// Whether there can be any: for mechanisms in joint coordinates, in double precision.
bool may_have_processor_kernels(const Task& task);
// For packs of `width` doubles; the function has the type KernelFunctions<double>::Groups (kernel_table.hpp).
CompilerInput processor_kernels(const Task& task, int width);

}  // namespace myriad::backends
