// The kernels by hand of the bench are compiled for a device, and reach it with all that surrounds them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <ostream>

#include "bench/problems_by_hand.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/kernel_by_hand.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock/mock_driver.hpp"

namespace myriad::bench {

void PrintTo(const ProblemByHand& problem, std::ostream* out) { *out << problem.name; }

}  // namespace myriad::bench

namespace myriad {
namespace {

using bench::ProblemByHand;

// CUDA's sine reduces large angles by digits of 2/pi in local memory.
constexpr int stack_of_the_sine = 40;
constexpr int fewest_registers = 16;  // of a kernel that computes anything
constexpr unsigned long long instances_on_the_mock = 1000;
constexpr int steps_on_the_mock = 7;

class HandWritten : public testing::TestWithParam<ProblemByHand> {};

class HandWrittenOnTheMock : public HandWritten {
  protected:
    HandWrittenOnTheMock() { setenv("MYRIAD_CUDA_DRIVER", MYRIAD_MOCK_CUDA_DRIVER, 1); }
    ~HandWrittenOnTheMock() override { unsetenv("MYRIAD_CUDA_DRIVER"); }
};

TEST_P(HandWritten, TakesNoStackButForTheSine) {
    try {
        const backends::CompiledByHand compiled = backends::compile_by_hand(bench::kernel_of(GetParam()), "sm_90");
        EXPECT_GE(compiled.registers, fewest_registers);
        EXPECT_LE(compiled.stack_bytes, stack_of_the_sine);
    } catch (const UserError& error) {
        if (std::string(error.what()).find("no run-time compiler") == std::string::npos &&
            std::string(error.what()).find("without CUDA") == std::string::npos)
            throw;
        GTEST_SKIP() << error.what();
    }
}

const ProblemByHand* problem_of_the_kernel = nullptr;

// The mock hands the kernel its five arguments of eight bytes.
void run_on_the_mock(const char*, const void* arguments, unsigned blocks, unsigned threads, long long) {
    const double* parameters;
    double* state;
    unsigned long long instances;
    double step_s;
    long long steps;
    const auto* at = static_cast<const char*>(arguments);
    for (void* to : {static_cast<void*>(&parameters), static_cast<void*>(&state), static_cast<void*>(&instances),
                     static_cast<void*>(&step_s), static_cast<void*>(&steps)})
        std::memcpy(to, at, 8), at += 8;
    for (unsigned long long i = 0; i < 1ull * blocks * threads; ++i)
        if (i < instances) problem_of_the_kernel->advance(parameters, state, instances, i, step_s, steps);
}

TEST_P(HandWrittenOnTheMock, ReachesADeviceAndComesBack) {
    const ProblemByHand& problem = GetParam();
    problem_of_the_kernel = &problem;
    void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(&run_on_the_mock);
    const bench::PreparedByHand start =
        bench::prepare(problem, bench::study_of(problem, instances_on_the_mock, steps_on_the_mock));
    bench::PreparedByHand expected = start;
    bench::advance(problem, expected, steps_on_the_mock);
    std::string why;
    try {
        const auto run = backends::run_by_hand(
            bench::kernel_of(problem),
            {instances_on_the_mock, start.parameters, start.state, problem.step_s, steps_on_the_mock}, 2, why);
        ASSERT_TRUE(run) << why;
        EXPECT_EQ(run->seconds.size(), 2u);
        EXPECT_EQ(run->state, expected.state);
    } catch (const UserError& error) {
        if (std::string(error.what()).find("no run-time compiler") == std::string::npos) throw;
        GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(reinterpret_cast<MockCount>(dlsym(library, "myriad_mock_refusals"))(), 0u);
}

const auto all_problems = testing::ValuesIn(bench::problems_by_hand().begin(), bench::problems_by_hand().end());
std::string name_of(const testing::TestParamInfo<ProblemByHand>& given) { return given.param.name; }
INSTANTIATE_TEST_SUITE_P(Problems, HandWritten, all_problems, name_of);
INSTANTIATE_TEST_SUITE_P(Problems, HandWrittenOnTheMock, all_problems, name_of);

}  // namespace
}  // namespace myriad
