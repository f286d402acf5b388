#include "host/backends/compiled_kernels/processor_kernels.hpp"

#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/compiled_kernels/machine_compiler.hpp"

namespace myriad::backends {

namespace {

CompilerInput input_of(const Task& task, int width) {
    CompilerInput input{cuda::processor_source(task, width), false, processor_options(width), cuda::processor_function};
    for (const char* option : {"-std=c++20", "-O3", "-DNDEBUG", "-DMYRIAD_VARIANT=compiled"})
        input.options.push_back(option);
    return input;
}
ProcessorKernels kernels_of(const CompiledFunction& function) {
    return {reinterpret_cast<KernelFunctions<double>::Groups>(function.address), function.compiler, function.seconds};
}

}  // namespace

bool may_have_processor_kernels(const Task& task) {
    return task.precision == Precision::fp64 && task.plan.mechanism != nullptr && cuda::has_table_form(task);
}

std::optional<ProcessorKernels> kept_processor_kernels(const Task& task, int width) {
    const std::optional<CompiledFunction> kept = kept_function(input_of(task, width));
    return kept ? std::optional(kernels_of(*kept)) : std::nullopt;
}

ProcessorKernels processor_kernels(const Task& task, int width, const std::atomic<bool>* cancelled) {
    return kernels_of(compiled_function(input_of(task, width), cancelled));
}

}  // namespace myriad::backends
