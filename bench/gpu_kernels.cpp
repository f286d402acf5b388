// The run-time compiler's GPU kernels for an H200, and the time that it takes: no GPU is needed.
//
// The first run of a study waits for these seconds; its kernels are kept for the next. Kernels without quantities and
// rows; two numbers vary in those of bodies, one in those with contact.
#include <unistd.h>

#include <filesystem>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/compile_kernels.hpp"
#include "host/backends/cuda/kernel_source.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

constexpr const char* architecture = "sm_90";

struct ContactKernels {
    const char* subject;  // a system, or a mechanism
    const char* varied;   // an address of it
    std::vector<const char*> integrators;
    bool is_mechanism = false;
};

backends::Task contact_task(const ContactKernels& kernels, const std::string& integrator) {
    const std::string subject = kernels.is_mechanism
                                    ? R"("mechanism": )" + std::string(validation::mechanism_text(kernels.subject))
                                    : R"("system": ")" + std::string(kernels.subject) + R"(")";
    const std::string text = "{" + subject + R"(, "integrator": {"name": ")" + integrator +
                             R"(", "step_s": 1e-3, "end_s": 0.1}, "instances": 2, )" +
                             R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {")" + kernels.varied +
                             R"(": {"uniform": {"low": 0.2, "high": 0.4}}}})";
    return study::parse_study(text, "bench", std::filesystem::path()).task();
}

void measure(program::BenchReport& report, const std::string& subject, const backends::Task& task,
             const std::filesystem::path& folder) {
    program::BenchRow row;
    row.bench = "gpu_kernels", row.subject = subject, row.backend = "cuda";
    row.hardware = architecture, row.precision = "fp64";
    try {
        const backends::CompileReport compiled = backends::compile_kernels(task, architecture, folder);
        row.note = compiled.compiler + ", blocks of " + std::to_string(compiled.threads) + " x " +
                   std::to_string(compiled.blocks);
        for (const backends::cuda::KernelFigures& kernel : compiled.kernels) {
            const bool advances = kernel.kernel == backends::cuda::advance_kernel;
            if (!advances && kernel.kernel != backends::cuda::begin_kernel) continue;
            const auto add = [&](const char* name, int value, const char* unit) {
                row.figures.push_back({(advances ? "advance: " : "begin: ") + std::string(name), 1.0 * value, unit});
            };
            add("registers", kernel.registers, "per thread");
            add("stack", kernel.stack_bytes, "B per thread");
            if (!advances) continue;
            add("spill stores", kernel.spill_store_bytes, "B per thread");
            add("spill loads", kernel.spill_load_bytes, "B per thread");
            add("fp64 instructions in PTX", kernel.instructions.fp64, "");
            add("memory instructions in PTX", kernel.instructions.memory, "");
            add("other instructions in PTX", kernel.instructions.other, "");
        }
        row.figures.push_back(
            {"both kernels on disk", static_cast<double>(std::filesystem::file_size(compiled.file)), "B"});
        row.figures.push_back({"compiling", compiled.seconds, "s"});
    } catch (const UserError& error) {
        row.note = std::string("not compiled: ") + error.what();
    }
    report.rows.push_back(row);
}

}  // namespace

void gpu_kernels(program::BenchReport& report) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("myriad_gpu_kernels_" + std::to_string(getpid()));
    for (const char* integrator : {"rk4", "dopri5", "generalized_alpha"}) {
        const Workload workload{.integrator = integrator};
        measure(report, workload.subject(), make_ensemble(workload, 1).task, folder);
    }
    const std::vector<const char*> one = {"nonsmooth_generalized_alpha"},
                                   every = {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha",
                                            "nonsmooth_bathe", "nonsmooth_ed_alpha"};
    const ContactKernels all[] = {
        {"three_masses", "stiffness_1_N_m", one},
        {"three_masses_held", "stiffness_1_N_m", one},
        {"bouncing_ball", "normal_restitution", one},
        {"cradle", "normal_restitution", one},
        {"rolling_disc", "friction", one},
        {"sliding_block", "friction", every},
        {"rolling_ball", "friction", every},
        {"slider_crank_clearance", "friction", every},
        {"bouncing_sphere", "contacts.floor.normal_restitution", one, true},
        {"pendulum_wall", "contacts.wall.normal_restitution", one, true},
    };
    for (const ContactKernels& kernels : all)
        for (const char* integrator : kernels.integrators)
            measure(report, std::string(kernels.subject) + " " + integrator, contact_task(kernels, integrator), folder);
    std::filesystem::remove_all(folder);
}

}  // namespace myriad::bench
