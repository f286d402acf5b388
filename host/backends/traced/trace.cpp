#include "host/backends/traced/trace.hpp"

#include "host/backends/traced/trace_run.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

std::optional<TracedRun> trace_run(const Task& task, const KnownParameters& known, graph::Rules rules) {
    if (task.system != joint_mechanism_system || task.precision != Precision::fp64 || task.chart != "rotation" ||
        task.mechanism->table.contacts > 0 || task.mechanism->table.corners > 0)
        return std::nullopt;
    if (task.integrator == "rk4") return trace_by<RungeKutta<Rk4>>(task, known, rules);
    if (task.integrator == "rk67") return trace_by<RungeKutta<Rk67>>(task, known, rules);
    if (task.integrator == "implicit_euler") return trace_by<Implicit<ImplicitEuler>>(task, known, rules);
    if (task.integrator == "generalized_alpha") return trace_by<Implicit<GeneralizedAlpha>>(task, known, rules);
    if (task.integrator == "kinematics") return trace_by<Kinematics>(task, known, rules);
    return std::nullopt;
}

}  // namespace myriad::backends
