#include "host/backends/cuda/kernel_source.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "host/backends/interface/find_kernel.hpp"
#include "host/catalog/catalog_table.hpp"
#include "host/mechanism/topology_text.hpp"

namespace myriad::backends::cuda {

namespace {

const study::CatalogMember& member_of(const Task& task) {
    const study::CatalogMember* member = study::find_member(task.system, task.chart, task.integrator);
    if (member == nullptr) throw std::logic_error("the catalog's table lacks a member of which there are kernels");
    return *member;
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
           (has_topology ? "    template <class Topology>\n    static MYRIAD_HD Topology topology() { return {}; }\n"
                         : "") +
           count_function("varied_fields", plan.varied_count) + table_function("int", "varied_field", varied, -1) +
           count_function("quantities", plan.quantity_count) + table_function("Reduction", "reduction", reductions, 0) +
           table_function("int", "quantity_channel", channels, 0) + table_function("int", "windowed", windowed, 0) +
           count_function("observed", plan.observed_count) + table_function("int", "observed_channel", observed, 0) +
           "};\n";
}

// `plan`: how the kernel gets its plan; `more` are its parameters behind the launch.
std::string kernel_text(const std::string& kernel, const std::string& number, const std::string& call,
                        const std::string& plan, const std::string& more) {
    return "extern \"C\" __global__ void __launch_bounds__(MYRIAD_THREADS, MYRIAD_BLOCKS)\n" + kernel +
           "(const Launch<" + number + "> launch" + more +
           ") {\n"
           "    const long long group = static_cast<long long>(blockIdx.x) * MYRIAD_THREADS + threadIdx.x;\n"
           "    if (group >= launch.slots) return;\n"
           "    const " +
           plan +
           ";\n"
           "    TaskRun(plan, launch, group)." +
           call + "();\n}\n";
}

}  // namespace

std::string kernel_source(const Task& task) {
    find_kernel(scalar_kernels(), task);
    const study::CatalogMember& member = member_of(task);
    const bool is_mechanism = member.is_of_mechanisms, is_fp64 = task.precision == Precision::fp64;
    if (is_mechanism && task.plan.mechanism == nullptr)
        throw std::logic_error("a task lacks the table of its mechanism");
    const std::string number = is_fp64 ? "double" : "float";
    if (is_mechanism && member.is_in_joint_coordinates) {
        const std::string type = is_fp64 ? member.system_type : member.fp32_system_type;
        const std::string plan = "TablePlan plan{*table}", more = ", const PlanTable* table";
        const std::string exact = task.schedule.exact_matrix != 0.0 ? "#define MYRIAD_EXACT_MATRIX\n" : "";
        return exact + "#define MYRIAD_ROLLED\n#include \"" + member.header +
               "\"\n\nusing namespace myriad;\n\nusing TaskRun = Run<" + member.integrator_type + ", " + type +
               ", TablePlan>;\n\n" + kernel_text(begin_kernel, number, "begin", plan, more) + "\n" +
               kernel_text(advance_kernel, number, "advance", plan, more);
    }
    std::string system = is_fp64 ? member.system_type : member.fp32_system_type;
    if (is_mechanism) system.replace(system.find("TableTopology"), std::strlen("TableTopology"), "CompiledTopology");
    std::string text = "#include \"" + member.header + "\"\n\n";
    if (member.has_many_contact_rows) text = "#define MYRIAD_ROLLED\n" + text;
    if (is_mechanism) {
        const MechanismTable& table = *task.plan.mechanism;
        const mechanism::TopologyForm form = mechanism::topology_form(table);
        text =
            mechanism::topology_settings(form) + text + "struct CompiledPlan;\n" +
            mechanism::topology_text(table, task.plan.keeps_factors != 0, form, "CompiledTopology", "::CompiledPlan") +
            "\n";
    }
    const std::string plan = "CompiledPlan plan{}";
    return text + "using namespace myriad;\n\n" +
           plan_struct(task.plan, static_cast<int>(task.parameters.size()), is_mechanism) + "\nusing TaskRun = Run<" +
           member.integrator_type + ", " + system + ", CompiledPlan>;\n\n" +
           kernel_text(begin_kernel, number, "begin", plan, "") + "\n" +
           kernel_text(advance_kernel, number, "advance", plan, "");
}

bool reads_tables(const Task& task) { return member_of(task).is_in_joint_coordinates; }

bool has_contact(const Task& task) { return member_of(task).integrator.contact; }

}  // namespace myriad::backends::cuda
