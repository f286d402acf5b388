// The member of the catalog that a task names.
#pragma once
#include "host/backends/interface/kernel_table.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

// Throws UserError where the catalog has no such system, chart or integrator, or not in the task's precision.
const KernelEntry& find_kernel(KernelList kernels, const Task& task);
// Throws also where this build lacks its functions in that precision.
const KernelEntry& find_compiled_kernel(KernelList kernels, const Task& task);

}  // namespace myriad::backends
