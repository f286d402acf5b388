#include "host/backends/interface/find_kernel.hpp"

#include "host/text/user_error.hpp"

namespace myriad::backends {

const KernelEntry& find_kernel(KernelList kernels, const Task& task) {
    for (const KernelEntry* entry = kernels.entries; entry != kernels.entries + kernels.count; ++entry)
        if (task.system == entry->system && task.chart == entry->chart && task.integrator == entry->integrator) {
            if (task.precision == Precision::fp64 || entry->fp32.are_compiled()) return *entry;
            throw UserError(ExitCode::usage_or_input, "catalog",
                            "integrator '" + task.integrator + "' for system '" + task.system + "' on chart '" +
                                task.chart + "' is not compiled in fp32",
                            "use fp64");
        }
    throw UserError(
        ExitCode::usage_or_input, "catalog",
        "no integrator '" + task.integrator + "' for system '" + task.system + "' on chart '" + task.chart + "'",
        "`myriad list` shows what there is");
}

}  // namespace myriad::backends
