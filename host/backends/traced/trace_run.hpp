// Traces a run (kernels/run/trace.hpp) of a mechanism in joint coordinates: its step, and the end of a launch.
#pragma once
#include <memory>
#include <vector>

#include "host/backends/traced/trace.hpp"
#include "host/backends/traced/traced_memory.hpp"
#include "host/graph/table_bounds.hpp"
#include "kernels/integrators/adaptive_runge_kutta.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/kinematics.hpp"
#include "kernels/integrators/mechanism/energy_momentum.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/joint_coordinates/driver_jumps.hpp"
#include "kernels/joint_coordinates/energy_momentum_layout.hpp"
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/joint_coordinates/start.hpp"
#include "kernels/joint_coordinates/view.hpp"
#include "kernels/orientation/orientation.hpp"
#include "kernels/run/trace.hpp"
#include "kernels/run/within_step.hpp"

namespace myriad::backends {

template <class Integrator, class Number,
          class System = JointMechanism<graph::Symbol<Number>, JointTopology, RotationGroup>>
TracedRun trace_by(const Task& task, const KnownParameters& known, graph::Rules rules) {
    using Traced = StraightRun<Integrator, System, TablePlan>;
    const TablePlan plan(task.plan);
    constexpr graph::Format format = sizeof(Number) == sizeof(double) ? graph::Format::fp64 : graph::Format::fp32;
    std::vector<Number> parameters(task.parameters.begin(), task.parameters.end()),
        thresholds(task.thresholds.begin(), task.thresholds.end()), windows(task.windows.begin(), task.windows.end());
    // A task may lack those that no quantity asks for.
    const auto quantities = static_cast<std::size_t>(plan.quantities());
    thresholds.resize(quantities), windows.resize(2 * quantities);
    TracedRun traced{graph::Graph(format), graph::Graph(format)};
    const auto trace = [&](bool is_end, graph::Graph& graph, int& fields) {
        graph::Tracer tracer(graph, rules);
        graph::TracedMemory memory;
        traced.record_fields = record_fields<typename Traced::Carried>(plan);
        Launch<Number> launch{};
        launch.schedule = task.schedule;
        if (launch.schedule.last_step_s == 0.0) launch.schedule.last_step_s = launch.schedule.step_s;
        launch.parameters = parameters.data();
        launch.thresholds = thresholds.data(), launch.windows = windows.data();
        launch.records = memory.array<Number>(traced.record_fields, true);
        memory.set(known);
        if (is_end) {
            launch.final_states = memory.array<Number>(bodies_of<System>(plan) * body_channels, true);
            launch.quantities = memory.array<Number>(plan.quantities(), true);
        } else if (plan.observed() > 0) {
            launch.trajectory = memory.array<Number>(plan.observed(), false);
        }
        const auto run = std::make_unique<Traced>(plan, launch, 0);
        if (is_end)
            run->trace_end();
        else
            run->trace_step();
        fields = memory.fields();
        traced.leaves_behind = traced.leaves_behind || !tracer.build.is_false(tracer.behind());
        memory.hand_out(graph);
    };
    trace(false, traced.step, traced.step_fields), trace(true, traced.end, traced.end_fields);
    return traced;
}

template <class Number>
std::optional<TracedRun> trace_in(const Task& task, const KnownParameters& known, graph::Rules rules) {
    if (task.integrator == "rk4") return trace_by<RungeKutta<Rk4>, Number>(task, known, rules);
    if (task.integrator == "rk67") return trace_by<RungeKutta<Rk67>, Number>(task, known, rules);
    if (task.integrator == "ode23") return trace_by<AdaptiveRungeKutta<Ode23>, Number>(task, known, rules);
    if (task.integrator == "dopri5") return trace_by<AdaptiveRungeKutta<Dopri5>, Number>(task, known, rules);
    if (task.integrator == "implicit_euler") return trace_by<Implicit<ImplicitEuler>, Number>(task, known, rules);
    if (task.integrator == "generalized_alpha") return trace_by<Implicit<GeneralizedAlpha>, Number>(task, known, rules);
    if (task.integrator == "kinematics") return trace_by<Kinematics, Number>(task, known, rules);
    if (task.integrator == "energy_momentum")
        return trace_by<MechanismEnergyMomentum<LivensEnergyMomentum>, Number>(task, known, rules);
    if (task.integrator == "livens_midpoint")
        return trace_by<MechanismEnergyMomentum<LivensMidpointRule>, Number>(task, known, rules);
    if (task.integrator == "energy_momentum_convective")
        return trace_by<MechanismEnergyMomentum<ConvectiveMember>, Number>(task, known, rules);
    return std::nullopt;
}
extern template std::optional<TracedRun> trace_in<double>(const Task& task, const KnownParameters& known,
                                                          graph::Rules rules);
extern template std::optional<TracedRun> trace_in<float>(const Task& task, const KnownParameters& known,
                                                         graph::Rules rules);

// By methods with contact: trace_contact.hpp.
template <class Number>
std::optional<TracedRun> trace_contact_in(const Task& task, const KnownParameters& known, graph::Rules rules);

}  // namespace myriad::backends
