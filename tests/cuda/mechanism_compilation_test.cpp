// The kernels of starts and of renewals through the run-time compiler, for an H200: no GPU is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad {
namespace {

using namespace backends::cuda;
using backends::Task;
using testing::HasSubstr;

TEST(MechanismSource, OfTheStartServesEveryMechanismOfASizeClass) {
    const auto start = [](const char* name) {
        return kernel_sources(tests::joint_task(name), KernelForm::start).front();
    };
    EXPECT_THAT(start("double_pendulum"), HasSubstr("JointMechanism<double, SizedJointTopology<Capacity>, "));
    EXPECT_EQ(start("double_pendulum"), start("heavy_top"));
    EXPECT_NE(start("double_pendulum"), start("puma560"));
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
                     tests::joint_task("bouncing_sphere", "nonsmooth_generalized_alpha"),
                     tests::joint_task("double_pendulum", "rk4")});
}

}  // namespace
}  // namespace myriad
