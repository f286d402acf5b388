#include "host/backends/cuda/kernel_source.hpp"

#include <stdexcept>
#include <vector>

#include "ensembles/catalog.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/catalog/system_description.hpp"
#include "host/mechanism/topology_text.hpp"

namespace myriad::backends::cuda {

namespace {

// The names of the types, as C++ spells them, for names of studies.
template <template <class, template <class> class> class... System>
std::string system_type(SystemList<System...>, const std::string& name) {
    std::string type;
    ((name == System<double, RotationGroup>::name ? void(type = System<double, RotationGroup>::type_name) : void()),
     ...);
    return type;
}
// The methods of mechanisms, or of other systems, have types of their own under the same names.
const study::IntegratorDescription& integrator_of(const Task& task) {
    study::SystemDescription system;
    system.is_mechanism = task.system == mechanism_system;
    if (!system.is_mechanism) system = study::find_system(task.system, "kernel source");
    return study::find_integrator_for(system, task.integrator, "kernel source");
}

// A step unrolled is as long as freedoms times rows of contacts. Beyond this its code is larger than the instruction
// cache (24: a megabyte); up to it, unrolling leaves a third to a fifth of the stack.
constexpr int largest_unrolled_contact = 18;
template <template <class, template <class> class> class... System>
bool is_rolled(SystemList<System...>, const std::string& name) {
    bool rolled = false;
    ((name == System<double, RotationGroup>::name
          ? void(rolled = System<double, RotationGroup>::freedoms * contact_rows<System<double, RotationGroup>> >
                          largest_unrolled_contact)
          : void()),
     ...);
    return rolled;
}

std::string count_function(const std::string& name, int count) {
    return "    static MYRIAD_HD constexpr int " + name + "() { return " + std::to_string(count) + "; }\n";
}

// A table as a function: run of cases, so that a constant argument gives a constant without any memory.
std::string table_function(const std::string& type, const std::string& name, const std::vector<int>& values,
                           int otherwise) {
    const bool is_enumeration = type != "int";
    const auto spelled = [&](int value) {
        return is_enumeration ? "static_cast<" + type + ">(" + std::to_string(value) + ")" : std::to_string(value);
    };
    std::string text = "    static MYRIAD_HD constexpr " + type + " " + name + "(int i) {\n        switch (i) {\n";
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != otherwise)
            text += "            case " + std::to_string(i) + ": return " + spelled(values[i]) + ";\n";
    return text + "            default: return " + spelled(otherwise) + ";\n        }\n    }\n";
}

std::string plan_struct(const PlanTable& plan, int parameters, bool has_topology) {
    const std::vector<int> varied(plan.varied, plan.varied + parameters);
    const std::vector<int> channels(plan.quantity_channels, plan.quantity_channels + plan.quantity_count);
    const std::vector<int> observed(plan.observed_channels, plan.observed_channels + plan.observed_count);
    const std::vector<int> windowed(plan.windowed, plan.windowed + plan.quantity_count);
    std::vector<int> reductions;
    for (int i = 0; i < plan.quantity_count; ++i) reductions.push_back(static_cast<int>(plan.reductions[i]));
    return "struct CompiledPlan {\n    static constexpr int quantity_capacity = " +
           std::to_string(plan.quantity_count) + ";\n" +
           (has_topology ? "    static MYRIAD_HD CompiledTopology topology() { return {}; }\n" : "") +
           count_function("varied_fields", plan.varied_count) + table_function("int", "varied_field", varied, -1) +
           count_function("quantities", plan.quantity_count) + table_function("Reduction", "reduction", reductions, 0) +
           table_function("int", "quantity_channel", channels, 0) + table_function("int", "windowed", windowed, 0) +
           count_function("observed", plan.observed_count) + table_function("int", "observed_channel", observed, 0) +
           "};\n";
}

std::string kernel_text(const std::string& kernel, const std::string& number, const std::string& call) {
    return "extern \"C\" __global__ void __launch_bounds__(MYRIAD_THREADS, MYRIAD_BLOCKS)\n" + kernel +
           "(const Launch<" + number +
           "> launch) {\n"
           "    const long long group = static_cast<long long>(blockIdx.x) * MYRIAD_THREADS + threadIdx.x;\n"
           "    if (group >= launch.slots) return;\n"
           "    const CompiledPlan plan{};\n"
           "    TaskRun(plan, launch, group)." +
           call + "();\n}\n";
}

}  // namespace

std::string kernel_source(const Task& task) {
    find_kernel(scalar_kernels(), task);
    const bool is_mechanism = task.system == mechanism_system;
    if (is_mechanism && task.plan.mechanism == nullptr)
        throw std::logic_error("a task lacks the table of its mechanism");
    const std::string number = task.precision == Precision::fp64 ? "double" : "float";
    const study::ChartDescription& chart = study::find_chart(task.chart, "kernel source");
    const study::IntegratorDescription& integrator = integrator_of(task);
    const std::string system =
        is_mechanism ? "Mechanism<" + number + ", CompiledTopology, " + chart.type_name + ">"
                     : system_type(Systems{}, task.system) + system_type(ChainSystems{}, task.system) +
                           system_type(LagrangianSystems{}, task.system) + system_type(ContactSystems{}, task.system) +
                           system_type(FlexibleRodSystems{}, task.system) + "<" + number + ", " + chart.type_name + ">";
    const std::string product = "ensembles/catalog.hpp",
                      header = chart.header == product ? integrator.header : chart.header;
    std::string text = "#include \"" + header + "\"\n\n";
    if (is_rolled(ContactSystems{}, task.system)) text = "#define MYRIAD_ROLLED\n" + text;
    if (is_mechanism) {
        const MechanismTable& table = *task.plan.mechanism;
        const mechanism::TopologyForm form = mechanism::topology_form(table);
        text =
            mechanism::topology_settings(form) + text + "struct CompiledPlan;\n" +
            mechanism::topology_text(table, task.plan.keeps_factors != 0, form, "CompiledTopology", "::CompiledPlan") +
            "\n";
    }
    return text + "using namespace myriad;\n\n" +
           plan_struct(task.plan, static_cast<int>(task.parameters.size()), is_mechanism) + "\nusing TaskRun = Run<" +
           integrator.type_name + ", " + system + ", CompiledPlan>;\n\n" + kernel_text(begin_kernel, number, "begin") +
           "\n" + kernel_text(advance_kernel, number, "advance");
}

bool has_contact(const Task& task) { return integrator_of(task).contact; }

}  // namespace myriad::backends::cuda
