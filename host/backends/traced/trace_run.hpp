// Traces a run (kernels/run/advance.hpp) of a mechanism in joint coordinates: its step, and the end of a launch.
#pragma once
#include <memory>

#include "host/backends/traced/trace.hpp"
#include "host/backends/traced/traced_memory.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/joint_coordinates/driver_jumps.hpp"
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/joint_coordinates/start.hpp"
#include "kernels/joint_coordinates/view.hpp"
#include "kernels/orientation/orientation.hpp"
#include "kernels/run/advance.hpp"

namespace myriad::backends {

// Jumps of drivers in a step are not looked at.
struct TracedPlan : TablePlan {
    using TablePlan::TablePlan;
    static constexpr bool looks_before_jumps = false;
};

template <class Integrator>
TracedRun trace_by(const Task& task, const KnownParameters& known, graph::Rules rules) {
    using Real = graph::Symbol<double>;
    using System = JointMechanism<Real, JointTopology, RotationGroup>;
    using Traced = Run<Integrator, System, TracedPlan>;
    const TracedPlan plan(task.plan);
    TracedRun traced;
    const auto trace = [&](bool is_end, graph::Graph& graph, int& fields) {
        graph::Tracer tracer(graph, rules);
        graph::TracedMemory memory;
        traced.record_fields = record_fields<typename Traced::Carried>(plan);
        Launch<double> launch{};
        launch.schedule = task.schedule;
        if (launch.schedule.last_step_s == 0.0) launch.schedule.last_step_s = launch.schedule.step_s;
        launch.parameters = task.parameters.data();
        launch.thresholds = task.thresholds.data(), launch.windows = task.windows.data();
        launch.records = memory.array<double>(traced.record_fields, true);
        memory.set(known);
        if (is_end) {
            launch.final_states = memory.array<double>(bodies_of<System>(plan) * body_channels, true);
            launch.quantities = memory.array<double>(plan.quantities(), true);
        } else if (plan.observed() > 0) {
            launch.trajectory = memory.array<double>(plan.observed(), false);
        }
        const auto run = std::make_unique<Traced>(plan, launch, 0);
        if (is_end)
            run->trace_end();
        else
            run->trace_step();
        fields = memory.fields();
        memory.hand_out(graph);
    };
    trace(false, traced.step, traced.step_fields), trace(true, traced.end, traced.end_fields);
    return traced;
}

}  // namespace myriad::backends
