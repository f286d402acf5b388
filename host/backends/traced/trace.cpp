#include "host/backends/traced/trace.hpp"

#include "host/backends/traced/trace_run.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

template std::optional<TracedRun> trace_in<double>(const Task& task, const KnownParameters& known, graph::Rules rules);

std::optional<TracedRun> trace_run(const Task& task, const KnownParameters& known, graph::Rules rules) {
    if (task.system != joint_mechanism_system || task.chart != "rotation") return std::nullopt;
    const MechanismTable& table = *task.plan.mechanism;
    const bool is_fp64 = task.precision == Precision::fp64;
    if (table.contacts > 0 || (!is_fp64 && table.corners > 0 && table.interpolants > 0)) return std::nullopt;
    return is_fp64 ? trace_in<double>(task, known, rules) : trace_in<float>(task, known, rules);
}

}  // namespace myriad::backends
