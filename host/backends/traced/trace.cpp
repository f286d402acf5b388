#include "host/backends/traced/trace.hpp"

#include "host/backends/traced/trace_run.hpp"
#include "host/catalog/catalog_table.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/varied_parameters.hpp"

namespace myriad::backends {

template std::optional<TracedRun> trace_in<double>(const Task& task, const KnownParameters& known, graph::Rules rules);

KnownParameters known_parameters(const Task& task) {
    return task.varied_parameters ? task.varied_parameters->common_values() : KnownParameters{};
}

namespace {
const study::CatalogMember* member_of(const Task& task) {
    return study::find_member(task.system, task.chart, task.integrator);
}
}  // namespace

bool is_traced(const Task& task) {
    const MechanismTable* const table = task.plan.mechanism;
    if ((task.system != joint_mechanism_system && task.system != charted_mechanism_system) || table == nullptr)
        return false;
    const bool is_fp64 = task.precision == Precision::fp64;
    return member_of(task) != nullptr && (is_fp64 || table->corners == 0 || table->interpolants == 0);
}

std::optional<TracedRun> trace_run(const Task& task, const KnownParameters& known, graph::Rules rules) {
    if (!is_traced(task)) return std::nullopt;
    if (task.system == charted_mechanism_system) return trace_on_chart(task, known, rules);
    if (member_of(task)->integrator.contact)
        return task.precision == Precision::fp64 ? trace_contact_in<double>(task, known, rules)
                                                 : trace_contact_in<float>(task, known, rules);
    return task.precision == Precision::fp64 ? trace_in<double>(task, known, rules)
                                             : trace_in<float>(task, known, rules);
}

}  // namespace myriad::backends
