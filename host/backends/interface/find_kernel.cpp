#include "host/backends/interface/find_kernel.hpp"

#include "host/text/user_error.hpp"

namespace myriad::backends {

const KernelEntry& find_kernel(KernelList kernels, const Task& task) {
    for (const KernelEntry* entry = kernels.entries; entry != kernels.entries + kernels.count; ++entry)
        if (task.system == entry->system && task.chart == entry->chart && task.integrator == entry->integrator) {
            if (task.precision == Precision::fp64 || entry->has_single_precision) return *entry;
            throw UserError(ExitCode::usage_or_input, "catalog",
                            "integrator '" + task.integrator + "' for system '" + task.system + "' on chart '" +
                                task.chart + "' takes no fp32",
                            "use fp64");
        }
    throw UserError(
        ExitCode::usage_or_input, "catalog",
        "no integrator '" + task.integrator + "' for system '" + task.system + "' on chart '" + task.chart + "'",
        "`myriad list` shows what there is");
}

const KernelEntry& find_compiled_kernel(KernelList kernels, const Task& task) {
    const KernelEntry& entry = find_kernel(kernels, task);
    if (task.precision == Precision::fp32 && !entry.fp32.are_compiled())
        throw UserError(ExitCode::usage_or_input, "precision", "this build has no kernels in fp32 for the CPU",
                        "use fp64 or a GPU, or build with -DMYRIAD_SINGLE_PRECISION=ON, as ./dev build, test and "
                        "package do");
    return entry;
}

}  // namespace myriad::backends
