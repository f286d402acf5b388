#include "host/backends/compiled_kernels/processor_kernels.hpp"

#include "host/backends/compiled_kernels/kernel_source.hpp"

namespace myriad::backends {

bool may_have_processor_kernels(const Task& task) {
    return task.precision == Precision::fp64 && task.plan.mechanism != nullptr && cuda::is_in_joint_coordinates(task);
}

CompilerInput processor_kernels(const Task& task, int width) {
    CompilerInput input{cuda::processor_source(task, width), false, processor_options(width), cuda::processor_function};
    for (const char* option : {"-std=c++20", "-O3", "-DNDEBUG", "-DMYRIAD_VARIANT=compiled"})
        input.options.push_back(option);
    return input;
}

}  // namespace myriad::backends
