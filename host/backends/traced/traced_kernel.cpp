#include "host/backends/traced/traced_kernel.hpp"

#include <cmath>

#include "host/backends/traced/trace.hpp"
#include "host/graph/text/ptx_text.hpp"
#include "kernels/run/channels.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

std::optional<TracedKernel> traced_kernel(const Task& task, const char* name, bool takes_others,
                                          KernelLanguage language) {
    if (!is_traced(task)) return std::nullopt;
    const KnownParameters known = known_parameters(task);
    const std::optional<TracedRun> run = trace_run(task, takes_others ? KnownParameters{} : known);
    if (!run) return std::nullopt;
    const graph::Program step(run->step), end(run->end);
    graph::KernelFrame frame{
        .name = name,
        .step = &step,
        .end = &end,
        .record_fields = run->record_fields,
        .observed = run->step_fields - run->record_fields,
        .states = run->end_fields - run->record_fields - task.plan.quantity_count,
        .quantities = task.plan.quantity_count,
        .rows_field = task.plan.varied_count + rows_of_progress,
        .status_field = task.plan.varied_count + status_of_progress,
        .running = static_cast<double>(Status::running),
        .rows = static_cast<long long>(task.schedule.rows),
        .known = {},
        .takes_others = takes_others,
    };
    for (std::size_t field = 0; field < known.size(); ++field)
        if (!std::isnan(known[field])) frame.known.push_back({static_cast<int>(field), known[field]});
    const graph::BlockShape block = graph::block_shape(step);
    std::string text = language == KernelLanguage::cuda ? graph::cuda_text(frame) : graph::ptx_text(frame, block);
    return TracedKernel{std::move(text), block, step.counts().all()};
}

}  // namespace myriad::backends
