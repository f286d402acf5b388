// The kernel for GPUs of a traced run: the text of a compiler, or of the driver's assembler.
//
// Steps, tolerances and the parameters that all instances share are constants of the text, and so is what follows from
// the mechanism's structure in all instances. Instances that differ in the latter take a second kernel.
#pragma once
#include <optional>
#include <string>

#include "host/graph/text/cuda_text.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

struct TracedKernel {
    std::string text;
    graph::BlockShape block;
    int operations;  // of a step
};

// CUDA C for a compiler, or the language of the assembler in NVIDIA's driver.
enum class KernelLanguage { cuda, ptx };

// `takes_others`: the kernel of the instances that differ. Nothing where trace_run() does not handle the task.
std::optional<TracedKernel> traced_kernel(const Task& task, const char* name, bool takes_others = false,
                                          KernelLanguage language = KernelLanguage::cuda);

}  // namespace myriad::backends
