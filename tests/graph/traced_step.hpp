// The trial step of kernels/run/advance.hpp on Symbols, for mechanisms in joint coordinates.
#pragma once
#include "host/graph/symbol.hpp"
#include "host/study/task.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/runge_kutta.hpp"
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/joint_coordinates/start.hpp"
#include "kernels/orientation/orientation.hpp"
#include "kernels/run/instance.hpp"
#include "kernels/run/outcome.hpp"
#include "kernels/run/quantities.hpp"

namespace myriad::graph {

using TracedTree = JointMechanism<Symbol<double>, JointTopology, RotationGroup>;

template <class Integrator>
void trial_step(const TracedTree& system, const Schedule& schedule, Instance<Integrator, TracedTree>& instance) {
    using Real = Symbol<double>;
    using Mask = SymbolMask;
    Progress<Real>& progress = instance.progress;
    Motion<TracedTree> end;
    typename Integrator::template Memory<TracedTree> memory;
    fit_part(end, system.topology), fit_part(memory, system.topology);
    const Mask active = progress.status == status_code<Real>(Status::running);
    const Attempt<Real> attempt =
        Integrator::attempt(system, schedule, progress, instance.motion, end, instance.memory, memory, active);
    Real reason = attempt.reason;
    reason = reason_unless((!attempt.accepted) | all_finite(end), Reason::state_not_finite, reason);
    reason = reason_unless((!attempt.accepted) | system.regular(end.q), Reason::chart_at_its_singularity, reason);
    const Mask sound = active & (reason <= Real(0.0)), moved = sound & attempt.accepted;
    keep(moved, end, instance.motion);
    keep_memory(active, sound, memory, instance.memory);
    progress.time_s = select(moved, attempt.time_s, progress.time_s);
    progress.steps = select(moved, progress.steps + Real(1.0), progress.steps);
    progress.rejected = select(sound & (!attempt.accepted), progress.rejected + Real(1.0), progress.rejected);
    progress.reason = select(active, reason, progress.reason);
    progress.status = select(active & (!sound), status_of(reason), progress.status);
    progress.status = select(moved & attempt.finished, status_code<Real>(Status::ok), progress.status);
}

// Inputs: the fields of a record, behind them the varied parameters. `fields`: how many of the record's there are.
template <class Integrator>
Graph trace_of(const backends::Task& task, Rules rules, int& fields) {
    Graph graph;
    Tracer tracer(graph, rules);
    const TablePlan plan(task.plan);
    const auto topology = plan.topology<JointTopology>();
    auto instance = std::make_unique<Instance<Integrator, TracedTree>>();
    instance->fit(topology);
    std::vector<Symbol<double>*> all;
    visit_fields(
        [&](Symbol<double>& x) {
            x = Symbol<double>::of(tracer.build.input(static_cast<int>(all.size())));
            all.push_back(&x);
        },
        *instance);
    fields = static_cast<int>(all.size());
    const auto parameters = std::make_unique<TracedTree::Parameters>();
    for (int i = 0; i < topology.parameters(); ++i) {
        const int varied = task.plan.varied[i];
        (*parameters)[i] = varied < 0 ? Symbol<double>(task.parameters[static_cast<std::size_t>(i)])
                                      : Symbol<double>::of(tracer.build.input(fields + varied));
    }
    Schedule schedule = task.schedule;
    if (schedule.last_step_s == 0.0) schedule.last_step_s = schedule.step_s;
    const TracedTree system{topology, parameters.get()};
    trial_step<Integrator>(system, schedule, *instance);
    for (int i = 0; i < fields; ++i) {
        const NodeId node = tracer.read(*all[static_cast<std::size_t>(i)]);
        if (!(graph.at(node).is(Op::input) && graph.at(node).data == i)) graph.outputs.push_back({i, node});
    }
    return graph;
}

}  // namespace myriad::graph
