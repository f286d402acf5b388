// GPU kernels compiled ahead of a run, for packages and for machines without a compiler. No GPU is needed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "host/backends/cuda/kernel_report.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

struct CompileReport {
    std::filesystem::path file;
    std::string compiler;
    int threads = 0, blocks = 0;  // of a block; at once on a multiprocessor
    std::vector<cuda::KernelFigures> kernels;
    double seconds = 0.0;
    bool there_before = false;
};

// Compiles the task's kernels for `architecture` ("sm_90") into a file of the folder `into`, unless it is there. Throws
// UserError with exit code 3 in a build without CUDA, without a compiler, or where the compiler refuses; with 4 where
// the file cannot be written.
CompileReport compile_kernels(const Task& task, const std::string& architecture, const std::filesystem::path& into);

}  // namespace myriad::backends
