#include "host/backends/compile_kernels.hpp"

#include "host/text/user_error.hpp"

#if defined(MYRIAD_HAS_CUDA)
#include "host/backends/cuda/kernel_cache.hpp"
#include "host/backends/cuda/kernel_source.hpp"
#endif

namespace myriad::backends {

#if defined(MYRIAD_HAS_CUDA)
CompileReport compile_kernels(const Task& task, const std::string& architecture, const std::filesystem::path& into) {
    const std::string key = cuda::kernel_key(cuda::kernel_source(task), architecture);
    std::optional<cuda::CompiledTask> entry = cuda::read_entry(into, key);
    const bool there_before = entry.has_value();
    if (!entry) {
        entry = cuda::compile(task, architecture);
        if (!cuda::write_entry(into, *entry, cuda::CacheReaders::everybody))
            throw UserError(ExitCode::output, into.string(), "compiled kernels cannot be written to this folder",
                            "check that it can be created and written to, and that the disk has room");
    }
    return {cuda::entry_path(into, key),
            entry->compiler,
            entry->block.threads,
            entry->block.blocks,
            entry->figures,
            entry->seconds,
            there_before};
}
#else
CompileReport compile_kernels(const Task&, const std::string&, const std::filesystem::path&) {
    throw UserError(ExitCode::device, "myriad compile", "this program was built without CUDA and has no GPU kernels",
                    "build it where the headers of CUDA 12 or 13 are, or use a package built with CUDA");
}
#endif

}  // namespace myriad::backends
