// The run-time compiler's GPU kernels for an H200, and the time that it takes: no GPU is needed.
//
// The seconds are what the first run of a study waits for; its kernels are kept for the next. Kernels without rows, and
// without quantities where the subject names none; two numbers vary in those of bodies, one in those with contact. Rows
// with "stack allowed" are guards against growth: a note says where a kernel has more.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "bench/cases.hpp"
#include "bench/device/on_device.hpp"
#include "host/backends/compile_kernels.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

struct ContactKernels {
    const char* subject;  // a system, or a mechanism
    const char* varied;   // an address of it
    std::vector<const char*> integrators;
    bool is_mechanism = false;
    std::optional<int> stack_allowed{};  // B per thread
};

// Bytes of stack per thread that the step of one body may take: those of NVRTC 13.0, and a little more where there are
// any. Implicit methods hold the derivatives of their chart; dense energy-momentum steps are saddle points of 5, 9 and
// 13 unknowns, whose rows are exchanged lane by lane; of the explicit methods those with many stages spill a little
// where quantities need registers too.
int stack_allowed(const std::string& chart, const std::string& integrator, bool quantities) {
    if (integrator == "energy_momentum") return 160;
    if (integrator == "hamiltonian_midpoint") return 448;
    if (integrator == "energy_momentum_full") return 1600;
    if (integrator == "generalized_alpha" && chart != "rotation") return 112;
    if (integrator == "rk4") return 0;
    if (quantities) return 72;
    return chart == "cardan_xyz_body_rate" && integrator == "dopri5" ? 8 : 0;
}

backends::Task contact_task(const ContactKernels& kernels, const std::string& integrator) {
    const std::string subject = kernels.is_mechanism ? validation::mechanism_subject(kernels.subject)
                                                     : R"("system": ")" + std::string(kernels.subject) + R"(")";
    const std::string text = "{" + subject + R"(, "integrator": {"name": ")" + integrator +
                             R"(", "step_s": 1e-3, "end_s": 0.1}, "instances": 2, )" +
                             R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {")" + kernels.varied +
                             R"(": {"uniform": {"low": 0.2, "high": 0.4}}}})";
    return study::parse_study(text, "bench", std::filesystem::path()).task();
}

void measure(program::BenchReport& report, const std::string& subject, const backends::Task& task,
             const std::filesystem::path& folder, std::optional<int> allowed = {}) {
    program::BenchRow row;
    row.bench = "gpu_kernels", row.subject = subject, row.backend = "cuda";
    row.hardware = architecture_without_device, row.precision = "fp64";
    try {
        const backends::CompileReport compiled = backends::compile_kernels(task, architecture_without_device, folder);
        row.note = compiled.compiler + ", blocks of " + std::to_string(compiled.kernels.back().threads) + " x " +
                   std::to_string(compiled.kernels.back().blocks);
        double compiling_s = 0.0, bytes = 0.0;
        for (const std::filesystem::path& file : compiled.files)
            bytes += static_cast<double>(std::filesystem::file_size(file));
        for (const backends::CompileReport::Kernel& one : compiled.kernels) {
            const backends::cuda::KernelFigures& kernel = one.figures;
            const bool advances = kernel.kernel == backends::cuda::advance_kernel;
            if (!advances && kernel.kernel != backends::cuda::begin_kernel) continue;
            const auto add = [&](const char* name, int value, const char* unit) {
                row.figures.push_back({(advances ? "advance: " : "begin: ") + std::string(name), 1.0 * value, unit});
            };
            add("registers", kernel.registers, "per thread");
            add("stack", kernel.stack_bytes, "B per thread");
            compiling_s = compiled.files.size() == 1 ? one.seconds : compiling_s + one.seconds;
            if (!advances) continue;
            if (allowed) {
                add("stack allowed", *allowed, "B per thread");
                if (kernel.stack_bytes > *allowed) row.note += "; MORE STACK THAN ALLOWED";
            }
            add("spill stores", kernel.spill_store_bytes, "B per thread");
            add("spill loads", kernel.spill_load_bytes, "B per thread");
            add("fp64 instructions in PTX", kernel.instructions.fp64, "");
            add("memory instructions in PTX", kernel.instructions.memory, "");
            add("other instructions in PTX", kernel.instructions.other, "");
        }
        row.figures.push_back({"both kernels on disk", bytes, "B"});
        row.figures.push_back({"compiling", compiling_s, "s"});
    } catch (const UserError& error) {
        row.note = std::string("not compiled: ") + error.what();
    }
    report.rows.push_back(row);
}

// Every method on one body, without quantities and with four.
void measure_bodies(program::BenchReport& report, const std::filesystem::path& folder) {
    const backends::KernelList kernels = backends::start_kernels();
    for (int i = 0; i < kernels.count; ++i) {
        const backends::KernelEntry& entry = kernels.entries[i];
        // The members of implicit methods differ in coefficients alone.
        if (entry.system != std::string("free_rigid_body") || entry.integrator == std::string("implicit_euler"))
            continue;
        const Workload workload{entry.system, entry.chart, entry.integrator};
        backends::Task task = make_ensemble(workload, 1).task;
        measure(report, workload.subject(), task, folder, stack_allowed(entry.chart, entry.integrator, false));
        task.plan.quantity_count = 4, task.thresholds.assign(4, 0.25);
        const Reduction reductions[] = {Reduction::maximum, Reduction::mean, Reduction::first_time_above,
                                        Reduction::final};
        const int channels[] = {12, 10, 3, 17};  // the last one is the energy
        std::copy(std::begin(reductions), std::end(reductions), task.plan.reductions);
        std::copy(std::begin(channels), std::end(channels), task.plan.quantity_channels);
        measure(report, workload.subject() + " with 4 quantities", task, folder,
                stack_allowed(entry.chart, entry.integrator, true));
    }
}

// In joint coordinates, with one quantity: steps from the texts of traced ones.
struct JointKernelsCase {
    const char *mechanism, *varied, *integrator;
    int stack_allowed;  // by NVRTC 13.0
};
backends::Task joint_task(const JointKernelsCase& given) {
    const std::string text = "{" + validation::mechanism_subject(given.mechanism) + R"(, "integrator": {"name": ")" +
                             given.integrator + R"(", "step_s": 1e-3, "end_s": 0.1}, "instances": 2, )" +
                             R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {")" + given.varied +
                             R"(": {"uniform": {"low": 0.9, "high": 1.1}}}, )" +
                             R"("quantities": {"energy_J": {"final": "energy"}}})";
    return study::parse_study(text, "bench", std::filesystem::path()).task();
}
void measure_joint_coordinates(program::BenchReport& report, const std::filesystem::path& folder) {
    for (const JointKernelsCase& given :
         {JointKernelsCase{"double_pendulum", "parameters.lower_length_m", "generalized_alpha", 0},
          JointKernelsCase{"double_pendulum", "parameters.lower_length_m", "rk4", 0},
          JointKernelsCase{"slider_crank_iftomm", "bodies.slider.mass_kg", "generalized_alpha", 1'024},
          JointKernelsCase{"four_link", "bodies.coupler.mass_kg", "generalized_alpha", 1'280},
          JointKernelsCase{"puma560", "bodies.link_2.mass_kg", "generalized_alpha", 1'536}}) {
        const std::string subject = std::string(given.mechanism) + " " + given.integrator + ", joint coordinates";
        measure(report, subject, joint_task(given), folder, given.stack_allowed);
    }
}

}  // namespace

void gpu_kernels(program::BenchReport& report) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("myriad_gpu_kernels_" + std::to_string(getpid()));
    for (const char* integrator : {"rk4", "dopri5", "generalized_alpha"}) {
        const Workload workload{.integrator = integrator};
        measure(report, workload.subject(), make_ensemble(workload, 1).task, folder);
    }
    measure_bodies(report, folder);
    measure_joint_coordinates(report, folder);
    const std::vector<const char*> one = {"nonsmooth_generalized_alpha"},
                                   every = {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha",
                                            "nonsmooth_bathe", "nonsmooth_ed_alpha"};
    const ContactKernels all[] = {
        {"slider_crank_clearance", "friction", every, false, 16'384},
        {"bouncing_sphere", "contacts.floor.normal_restitution", one, true},
        {"pendulum_wall", "contacts.wall.normal_restitution", one, true},
    };
    for (const ContactKernels& kernels : all)
        for (const char* integrator : kernels.integrators)
            measure(report, std::string(kernels.subject) + " " + integrator, contact_task(kernels, integrator), folder,
                    kernels.stack_allowed);
    std::filesystem::remove_all(folder);
}

}  // namespace myriad::bench
