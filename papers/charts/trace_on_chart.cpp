// Traces runs of mechanisms on charts.
#include "host/backends/traced/trace_run.hpp"
#include "papers/charts/kernels/members.hpp"

namespace myriad::backends {

namespace {

template <template <class> class Chart>
std::optional<TracedRun> trace_on(const Task& task, const KnownParameters& known, graph::Rules rules) {
    using System = MechanismOnChart<graph::Symbol<double>, Chart>;
    const auto is = [&](const char* name) { return task.integrator == name; };
    if (is(GeneralizedAlpha::name))
        return trace_by<ImplicitOnChart<GeneralizedAlpha>, double, System>(task, known, rules);
    if (is(ImplicitEuler::name)) return trace_by<ImplicitOnChart<ImplicitEuler>, double, System>(task, known, rules);
    if (is(KinematicsOnChart::name)) return trace_by<KinematicsOnChart, double, System>(task, known, rules);
    return std::nullopt;
}

template <template <class> class... Chart>
std::optional<TracedRun> trace_on_one_of(ChartList<Chart...>, const Task& task, const KnownParameters& known,
                                         graph::Rules rules) {
    std::optional<TracedRun> traced;
    (void)((task.chart == Chart<double>::name && ((traced = trace_on<Chart>(task, known, rules)), true)) || ...);
    return traced;
}

}  // namespace

std::optional<TracedRun> trace_on_chart(const Task& task, const KnownParameters& known, graph::Rules rules) {
    return trace_on_one_of(ChartsOfMechanisms{}, task, known, rules);
}

}  // namespace myriad::backends
