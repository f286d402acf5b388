// GPU kernels compiled ahead of a run, for packages and for machines without a compiler. No GPU is needed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "host/backends/compiled_kernels/kernel_report.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

struct CompileReport {
    struct Kernel {
        cuda::KernelFigures figures;
        int threads, blocks;  // of a block; at once on a multiprocessor
        double seconds;       // that its source took to compile
        bool there_before;
    };
    std::vector<std::filesystem::path> files;
    std::string compiler;
    std::vector<Kernel> kernels;
};

// Compiles the task's kernels for `architecture` ("sm_90") into files of the folder `into`, unless they are there:
// those of a run and, with `renews`, the one that an ensemble in memory needs where a parameter is set. Throws
// UserError with exit code 3 in a build without CUDA, without a compiler, or where the compiler refuses; with 4 where a
// file cannot be written.
CompileReport compile_kernels(const Task& task, const std::string& architecture, const std::filesystem::path& into,
                              bool renews = false);

// Of how many tasks the kernels may be compiled at once: as many as there are processors and memory for, one where the
// system does not say.
int tasks_to_compile_at_once();

}  // namespace myriad::backends
