#include "host/backends/compile_kernels.hpp"

#include <algorithm>
#include <cstdint>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/free_memory.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/text/user_error.hpp"

#if defined(MYRIAD_HAS_CUDA)
#include "host/backends/compiled_kernels/kernel_cache.hpp"
#endif

namespace myriad::backends {

#if defined(MYRIAD_HAS_CUDA)
CompileReport compile_kernels(const Task& task, const std::string& architecture, const std::filesystem::path& into,
                              bool renews) {
    std::vector<cuda::KernelForm> forms{cuda::KernelForm::compiled};
    if (is_traced(task)) forms.push_back(cuda::KernelForm::start);
    if (renews) forms.push_back(cuda::KernelForm::renewal);
    CompileReport report;
    for (const cuda::KernelForm form : forms) {
        const cuda::CompiledTask compiled = cuda::compile_into(into, task, architecture, form);
        report.compiler = compiled.parts.back().compiler;
        for (const cuda::CompiledKernels& part : compiled.parts) {
            report.files.push_back(cuda::entry_path(into, part.key));
            for (const cuda::KernelFigures& figures : part.figures)
                report.kernels.push_back(
                    {figures, part.block.threads, part.block.blocks, part.seconds, part.from_cache});
        }
    }
    return report;
}
#else
CompileReport compile_kernels(const Task&, const std::string&, const std::filesystem::path&, bool) {
    throw UserError(ExitCode::device, "myriad compile", "this program was built without CUDA and has no GPU kernels",
                    "build it where the headers of CUDA 12 or 13 are, or use a package built with CUDA");
}
#endif

int tasks_to_compile_at_once() {
    constexpr std::uint64_t bytes_of_a_task = std::uint64_t{2} << 30;  // NVRTC 13.0 took up to 0.8 GB for two sources
    const std::uint64_t fit = free_memory().value_or(0) / bytes_of_a_task;
    return static_cast<int>(std::clamp<std::uint64_t>(fit, 1, static_cast<std::uint64_t>(hardware_threads())));
}

}  // namespace myriad::backends
