// The kernels of mechanisms of the catalog through the run-time compiler, for an H200: no GPU is needed.
//
// Two small mechanisms are compiled here; `myriad compile` shows the same figures for any study.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/topology_text.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad {
namespace {

using namespace backends::cuda;
using backends::Task;
using testing::HasSubstr;
using testing::Not;

Task mechanism_task(const std::string& name, const std::string& integrator, bool keeps_factors = false) {
    Task task;
    task.mechanism =
        mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/" + name + ".json");
    task.system = backends::mechanism_system, task.chart = "rotation", task.integrator = integrator;
    task.parameters = task.mechanism->nominal_kernel_parameters();
    task.parameters.resize(static_cast<std::size_t>(task.mechanism->table.parameters), 0.5);
    task.plan.mechanism = &task.mechanism->table;
    task.plan.keeps_factors = keeps_factors ? 1 : 0;
    std::fill(std::begin(task.plan.varied), std::end(task.plan.varied), -1);
    task.plan.varied[first_body_parameter + body_mass] = 0, task.plan.varied_count = 1;
    task.plan.observed_count = 3;
    for (int i = 0; i < 3; ++i) task.plan.observed_channels[i] = i;
    return task;
}

struct Gate {
    const char* mechanism;
    const char* integrator;
    // Per thread, of a whole step. A dense solver of order 9 in the step takes 184 bytes of stack, a structured one of
    // a chain of two bodies 1,096; NVRTC 13.0 gave 456 for the top and 2,408 for the double pendulum, whose steps carry
    // certificate, energies and multipliers beside.
    int most_stack_bytes;
};

// Of the start of the small size class, by any method.
constexpr int most_stack_bytes_of_small_start = 24'576;

// The start of a size class is compiled once for all tests, which may run in several processes.
std::filesystem::path kept_kernels() { return std::filesystem::path(testing::TempDir()) / "myriad_mechanism_kernels"; }

class SmallMechanism : public testing::TestWithParam<Gate> {};

TEST_P(SmallMechanism, StaysNearTheRegisters) {
    if (std::string why; !RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    const Gate& gate = GetParam();
    const Task task = mechanism_task(gate.mechanism, gate.integrator);
    ASSERT_EQ(mechanism::topology_form(task.mechanism->table), mechanism::TopologyForm::unrolled);
    const CompiledTask compiled = compiled_task(task, "sm_90", {{}, kept_kernels()});
    for (const CompiledKernels& part : compiled.parts)
        for (const KernelFigures& kernel : part.figures)
            std::printf("%s %s %s: %d x %d, %d registers, stack %d, spills %d + %d B; cubin %zu bytes; %.1f s\n",
                        gate.mechanism, gate.integrator, kernel.kernel.c_str(), part.block.threads, part.block.blocks,
                        kernel.registers, kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes,
                        part.cubin.size(), part.seconds);
    ASSERT_EQ(compiled.parts.size(), 2u);
    const KernelFigures begin = compiled.parts[0].figures.front(), advance = compiled.parts[1].figures.front();
    EXPECT_EQ(begin.kernel, begin_kernel);
    EXPECT_EQ(advance.kernel, advance_kernel);
    EXPECT_GT(advance.registers, 32) << "the assembler gave up on the launch bounds";
    EXPECT_LE(advance.stack_bytes, gate.most_stack_bytes);
    EXPECT_LE(begin.stack_bytes, most_stack_bytes_of_small_start);
}

INSTANTIATE_TEST_SUITE_P(
    Catalog, SmallMechanism,
    testing::Values(Gate{"heavy_top", "generalized_alpha", 512}, Gate{"double_pendulum", "generalized_alpha", 3072},
                    Gate{"heavy_top", "energy_momentum_convective", 512}, Gate{"heavy_top", "livens_midpoint", 512},
                    Gate{"heavy_top", "energy_momentum", 512},
                    Gate{"double_pendulum", "energy_momentum_convective", 3072}),
    [](const auto& given) { return given.param.mechanism + std::string("_") + given.param.integrator; });

TEST(MechanismSource, HoldsTheTopologyAndNoValue) {
    Task task = mechanism_task("double_pendulum", "generalized_alpha");
    const std::string source = kernel_sources(task).back();
    EXPECT_THAT(source,
                HasSubstr("Run<Implicit<GeneralizedAlpha>, Mechanism<double, CompiledTopology, RotationGroup>"));
    for (double& parameter : task.parameters) parameter += 0.125;
    task.schedule.newton_tolerance = 1e-6;
    EXPECT_EQ(source, kernel_sources(task).back());
    EXPECT_NE(source, kernel_sources(mechanism_task("double_pendulum", "generalized_alpha", true)).back());
    EXPECT_NE(source, kernel_sources(mechanism_task("heavy_top", "generalized_alpha")).back());
}

TEST(MechanismSource, OfTheStartServesEveryMechanismOfASizeClass) {
    const Task pendulum = mechanism_task("double_pendulum", "generalized_alpha");
    const std::string start = kernel_sources(pendulum).front();
    EXPECT_THAT(start, HasSubstr("Run<Implicit<GeneralizedAlpha>, Mechanism<double, SizedTopology<Capacity>, "));
    EXPECT_EQ(start, kernel_sources(mechanism_task("heavy_top", "generalized_alpha")).front());
    EXPECT_NE(start, kernel_sources(mechanism_task("puma560", "generalized_alpha")).front());
    EXPECT_EQ(kernel_sources(pendulum, KernelForm::renewal),
              kernel_sources(mechanism_task("heavy_top", "generalized_alpha"), KernelForm::renewal));
}

TEST(MechanismSource, IsRolledForALargeMechanism) {
    EXPECT_THAT(kernel_sources(mechanism_task("puma560", "generalized_alpha")).back(),
                HasSubstr("#define MYRIAD_ROLLED"));
    EXPECT_THAT(kernel_sources(mechanism_task("double_pendulum", "generalized_alpha")).back(),
                Not(HasSubstr("#define MYRIAD_ROLLED")));
}

// Numbers that a kernel hands to a function it calls lie in memory.
TEST(MechanismKernelSources, CallEverythingByEnergyMomentumOfThreeBodies) {
    const auto calls = HasSubstr("#define MYRIAD_CALLS_ALL\n");
    EXPECT_THAT(kernel_sources(mechanism_task("four_bar_loop", "energy_momentum")).back(), calls);
    EXPECT_THAT(kernel_sources(mechanism_task("slider_crank_iftomm", "energy_momentum")).back(), calls);
    EXPECT_THAT(kernel_sources(mechanism_task("double_pendulum", "energy_momentum")).back(), Not(calls));
    EXPECT_THAT(kernel_sources(mechanism_task("double_pendulum", "generalized_alpha")).back(), Not(calls));
}

// A mechanism is renewed by its size class, as it is begun.
void expect_renewals(const std::vector<Task>& tasks) {
    for (const Task& task : tasks) {
        const CompiledTask compiled = compile(task, "sm_90", KernelForm::renewal);
        ASSERT_EQ(compiled.parts.size(), 1u);
        const KernelFigures renew = compiled.parts[0].figures.front();
        std::printf("%s %s: renewal of %d registers, stack %d, %.1f s\n", task.system.c_str(), task.integrator.c_str(),
                    renew.registers, renew.stack_bytes, compiled.seconds());
        EXPECT_EQ(renew.kernel, renew_kernel);
        EXPECT_GT(renew.registers, 8);
    }
}
TEST(RenewalKernels, AreCompiledByThemselves) {
    if (std::string why; !RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    expect_renewals({tests::generic_task("heavy_top", "rotation", "dopri5"), tests::joint_task("double_pendulum")});
    EXPECT_EQ(kernel_sources(tests::joint_task("double_pendulum"), KernelForm::renewal),
              kernel_sources(tests::joint_task("slider_crank_iftomm"), KernelForm::renewal));
}
TEST(RenewalKernels, OfEachFamilyOfMethodsAreCompiled) {
    if (std::string why; !RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    expect_renewals({tests::generic_task("heavy_top", "rotation", "generalized_alpha"),
                     tests::generic_task("heavy_top", "rotation", "energy_momentum"),
                     mechanism_task("heavy_top", "generalized_alpha"), mechanism_task("heavy_top", "energy_momentum"),
                     tests::joint_task("bouncing_sphere", "nonsmooth_generalized_alpha"),
                     tests::joint_task("double_pendulum", "rk4")});
}

}  // namespace
}  // namespace myriad
