#include "host/backends/compiled_kernels/kernel_source.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "host/backends/compiled_kernels/kernel_capacity.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/backends/traced/traced_kernel.hpp"
#include "host/catalog/catalog_table.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/text/user_error.hpp"
#include "kernels/run/reductions.hpp"

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

// The table of the fields of varied parameters: a mechanism reads hundreds of parameters, and as many runs of cases
// would be most of what there is to compile.
std::string varied_table(const std::vector<int>& fields) {
    std::string text =
        "namespace myriad::inline MYRIAD_VARIANT {\nMYRIAD_TABLE short varied_fields_of_parameters[] = {";
    for (const int field : fields) text += std::to_string(field) + ", ";
    return text + "-1};\n}\n\n";
}

std::string plan_struct(const Task& task) {
    const PlanTable& plan = task.plan;
    const std::vector<int> varied(plan.varied, plan.varied + task.parameters.size());
    const std::vector<int> channels(plan.quantity_channels, plan.quantity_channels + plan.quantity_count);
    const std::vector<int> observed(plan.observed_channels, plan.observed_channels + plan.observed_count);
    const std::vector<int> windowed(plan.windowed, plan.windowed + plan.quantity_count);
    const std::vector<int> rates(plan.quantity_rates, plan.quantity_rates + plan.quantity_count);
    std::vector<int> reductions, between, first_sums;
    for (int i = 0; i < plan.quantity_count; ++i) {
        reductions.push_back(static_cast<int>(plan.reductions[i]));
        between.push_back(static_cast<int>(plan.between[i]));
        first_sums.push_back(first_sum(plan, i));
    }
    const int sums = first_sum(plan, plan.quantity_count);
    bool at_steps = false, before_jumps = false, at_end = false;
    for (int i = 0; i < plan.quantity_count; ++i) {
        const bool windowed = plan.windowed[i] != 0;
        (myriad::Reductions::looks_at_steps(plan.reductions[i], windowed) ? at_steps : at_end) = true;
        before_jumps |= myriad::Reductions::looks_before_jumps(plan.reductions[i], plan.between[i], windowed);
    }
    const auto flag = [](const char* name, bool value) {
        return std::string("    static constexpr bool ") + name + " = " + (value ? "true" : "false") + ";\n";
    };
    return varied_table(varied) +
           "struct CompiledPlan {\n    static constexpr int sum_capacity = " + std::to_string(sums) + ";\n" +
           flag("looks_at_steps", at_steps) + flag("looks_before_jumps", before_jumps) +
           flag("looks_at_rows", plan.observed_count > 0 || task.schedule.rows > 0.0) + flag("looks_at_end", at_end) +
           count_function("varied_fields", plan.varied_count) +
           "    static MYRIAD_HD int varied_field(int i) { return varied_fields_of_parameters[i]; }\n" +
           count_function("quantities", plan.quantity_count) + table_function("Reduction", "reduction", reductions, 0) +
           table_function("int", "quantity_channel", channels, 0) + table_function("int", "windowed", windowed, 0) +
           table_function("Between", "between", between, 0) + table_function("int", "quantity_rate", rates, 0) +
           table_function("int", "first_sum", first_sums, 0) + count_function("sums", sums) +
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

// What the catalog and the precision of a task name.
struct Names {
    const study::CatalogMember& member;
    std::string number, system;

    explicit Names(const Task& task) : member(member_of(task)) {
        const bool is_fp64 = task.precision == Precision::fp64;
        number = is_fp64 ? "double" : "float";
        system = is_fp64 ? member.system_type : member.fp32_system_type;
    }
    // The system on another type of topology than the catalog's.
    std::string system_on(const std::string& type, const std::string& topology) const {
        std::string text = system;
        return text.replace(text.find(type), type.size(), topology);
    }
    std::string run(const std::string& of_system, const std::string& plan) const {
        return "using TaskRun = Run<" + member.integrator_type + ", " + of_system + ", " + plan + ">;\n\n";
    }
};

std::string include(const std::string& header) { return "#include \"" + header + "\"\n\n"; }
constexpr const char *rolled = "#define MYRIAD_ROLLED\n", *rolled_rows = "#define MYRIAD_ROLLED_ROWS\n",
                     *namespaces = "using namespace myriad;\n\n", *compiled_plan = "CompiledPlan plan{}";

std::string full_dexp_inverse(const Task& task) {
    const bool may_be_cut = member_of(task).integrator.may_cut_dexp_inverse();
    return may_be_cut && task.schedule.full_dexp_inverse != 0.0 ? "#define MYRIAD_FULL_DEXP_INVERSE\n" : "";
}

// The start at an equilibrium needs it, too.
std::string equilibrium_matrix(const Task& task) {
    return task.plan.mechanism->joint.starts_at_equilibrium ? "#define MYRIAD_EXACT_MATRIX\n" : "";
}

std::string contacts_of_trees(const Task& task) {
    return has_contact(task) ? "#define MYRIAD_CONTACTS_OF_TREES\n" : "";
}

// The type of a formula says how many rows its contact problems have.
std::string counted_rows(const Task& task) { return has_contact(task) ? "#define MYRIAD_COUNTED_ROWS\n" : ""; }

// What a kernel in joint coordinates is compiled with beside its capacity.
std::string joint_settings(const Task& task, const std::string& kernel) {
    return (kernel == begin_kernel ? equilibrium_matrix(task) : "") + contacts_of_trees(task);
}

// A kernel of every mechanism that fits the class.
std::string table_source(const Task& task, const std::string& kernel, const std::string& call) {
    const Names names(task);
    return joint_settings(task, kernel) + rolled + include(names.member.header) + namespaces +
           capacity_text(capacity_of(*task.plan.mechanism), "Capacity") +
           names.run(names.system_on("JointTopology", "SizedJointTopology<Capacity>"), "TablePlan") +
           kernel_text(kernel, names.number, call, "TablePlan plan{*table}", ", const PlanTable* table");
}

// With the text of the kernels behind what both have in common.
std::string compiled_source(const Task& task, const std::function<std::string(const std::string& number)>& kernels) {
    const Names names(task);
    return (names.member.rolls_rows ? rolled_rows : "") + full_dexp_inverse(task) + counted_rows(task) +
           include(names.member.header) + namespaces + plan_struct(task) + "\n" +
           names.run(names.system, "CompiledPlan") + kernels(names.number);
}
std::string advance_text(const std::string& number) {
    return kernel_text(advance_kernel, number, "advance", compiled_plan, "");
}
std::string source_of_both(const Task& task) {
    return compiled_source(task, [](const std::string& number) {
        return kernel_text(begin_kernel, number, "begin", compiled_plan, "") + "\n" + advance_text(number);
    });
}
std::string traced_source(const Task& task, KernelForm form) {
    const bool is_of_others = form == KernelForm::others;
    std::optional<TracedKernel> kernel =
        traced_kernel(task, is_of_others ? others_kernel : advance_kernel, is_of_others);
    const std::string where = task.mechanism->name + " by " + task.integrator;
    if (!kernel)
        throw UserError(ExitCode::device, where,
                        "in single precision a GPU takes no jumps of drivers beside tables of points",
                        "use fp64 or --backend cpu");
    // A run that has begun does not end for the kernel of instances that differ, which has somewhat more.
    if (!is_of_others && kernel->operations > most_compiled_operations)
        throw UserError(ExitCode::device, where,
                        "a step has " + std::to_string(kernel->operations) + " operations, and a GPU takes up to " +
                            std::to_string(most_compiled_operations),
                        "use --backend cpu, or auto, which does so");
    return std::move(kernel->text);
}
std::string source_of_renewal(const Task& task) {
    if (task.plan.mechanism != nullptr) return table_source(task, renew_kernel, "renew");
    return compiled_source(
        task, [](const std::string& number) { return kernel_text(renew_kernel, number, "renew", compiled_plan, ""); });
}

}  // namespace

std::vector<std::string> kernel_sources(const Task& task, KernelForm form) {
    find_kernel(start_kernels(), task);
    if (member_of(task).is_of_mechanisms && task.plan.mechanism == nullptr)
        throw std::logic_error("a task lacks the table of its mechanism");
    if (form == KernelForm::renewal) return {source_of_renewal(task)};
    if (form == KernelForm::others) return {traced_source(task, form)};
    if (task.plan.mechanism == nullptr) return {source_of_both(task)};
    if (form == KernelForm::start) return {table_source(task, begin_kernel, "begin")};
    return {traced_source(task, form)};
}

bool has_contact(const Task& task) { return member_of(task).integrator.contact; }

}  // namespace myriad::backends::cuda
