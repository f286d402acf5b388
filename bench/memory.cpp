// Bytes per instance of each member of the catalog, as its backend plans them: without quantities and rows.
#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/catalog/system_description.hpp"

namespace myriad::bench {

void memory(program::BenchReport& report) {
    for (const study::SystemDescription& system : study::systems()) {
        if (!system.has_orientation) continue;  // the workloads vary the parameters of a body
        for (const study::ChartDescription& chart : study::charts_of(system))
            for (const study::IntegratorDescription& integrator : study::integrators_of(system)) {
                if (!takes(system, integrator, chart)) continue;
                const Workload workload{.system = system.name, .chart = chart.name, .integrator = integrator.name};
                const Ensemble ensemble = make_ensemble(workload, 1);
                const auto backend = backends::make_cpu_backend({});
                const backends::MemoryPlan plan = backend->prepare(ensemble.task, 1);
                program::BenchRow row;
                row.bench = "memory", row.subject = workload.subject(), row.backend = "cpu", row.precision = "fp64";
                row.figures.push_back(
                    {"all that a backend holds", static_cast<double>(plan.bytes_per_instance), "B per instance"});
                row.figures.push_back({"its record, with two varied parameters",
                                       static_cast<double>(sizeof(double)) * backend->shape().record_fields,
                                       "B per instance"});
                report.rows.push_back(row);
            }
    }
}

}  // namespace myriad::bench
