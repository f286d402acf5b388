// The kernels by hand of the bench move as the program does, and reach a device with all that surrounds them.
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

// The same method on coordinates that differ by a linear map, or none: what round-off becomes in these steps, which
// impacts magnify a thousandfold in some milliseconds. The loop of the spatial slider-crank is closed by rows in the
// program: an error of h^4 of its own.
double tolerance_of(const ProblemByHand& problem) {
    const std::string name = problem.name;
    return name == "spatial_slider_crank" ? 1e-7 : name == "clearance_crank" ? 1e-6 : 1e-9;
}

int steps_compared(const ProblemByHand& problem) {
    return std::string(problem.name) == "clearance_crank" ? 1000 : problem.steps;
}

// CUDA's sine reduces large angles by digits of 2/pi in local memory.
constexpr int stack_of_the_sine = 40;

class HandWritten : public testing::TestWithParam<ProblemByHand> {};

TEST_P(HandWritten, MovesAsTheProgramDoes) {
    const ProblemByHand& problem = GetParam();
    const int steps = steps_compared(problem);
    const study::Study study = bench::study_of(problem, 33, steps);
    const bench::PreparedByHand start = bench::prepare(problem, study);
    bench::PreparedByHand end = start;
    bench::advance(problem, end, steps);
    const auto backend = backends::make_cpu_backend({});
    const bench::Finished finished = bench::run_ensemble(*backend, bench::make_ensemble(study), bench::Clock::wall);
    EXPECT_LE(bench::largest_difference(problem, start, end.state, finished), tolerance_of(problem));
    bench::PreparedByHand halfway = start;
    bench::advance(problem, halfway, steps / 2);
    EXPECT_GT(bench::largest_difference(problem, start, halfway.state, finished), 1e-4) << "nothing moves";
    if (std::string(problem.name) != "clearance_crank") return;
    bench::PreparedByHand free = start;
    for (std::size_t i = 0; i < 33; ++i) free.parameters[4 * 33 + i] = 1.0;  // m, the clearance
    bench::advance(problem, free, steps);
    EXPECT_GT(bench::largest_difference(problem, start, free.state, finished), 1e-2) << "the walls do nothing";
}

TEST_P(HandWritten, IsCompiledWithoutStack) {
    try {
        const backends::CompiledByHand compiled = backends::compile_by_hand(bench::kernel_of(GetParam()), "sm_90");
        EXPECT_GT(compiled.registers, 16);
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
void run_on_the_mock(const char*, const void* arguments, unsigned blocks, unsigned threads) {
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

TEST_P(HandWritten, ReachesADeviceAndComesBack) {
    const ProblemByHand& problem = GetParam();
    problem_of_the_kernel = &problem;
    setenv("MYRIAD_CUDA_DRIVER", MYRIAD_MOCK_CUDA_DRIVER, 1);
    void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(&run_on_the_mock);
    const bench::PreparedByHand start = bench::prepare(problem, bench::study_of(problem, 1000, 7));
    bench::PreparedByHand expected = start;
    bench::advance(problem, expected, 7);
    std::string why;
    try {
        const auto run = backends::run_by_hand(bench::kernel_of(problem),
                                               {1000, start.parameters, start.state, problem.step_s, 7}, 2, why);
        ASSERT_TRUE(run) << why;
        EXPECT_EQ(run->seconds.size(), 2u);
        EXPECT_EQ(run->state, expected.state);
    } catch (const UserError& error) {
        unsetenv("MYRIAD_CUDA_DRIVER");
        if (std::string(error.what()).find("no run-time compiler") == std::string::npos) throw;
        GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(reinterpret_cast<MockCount>(dlsym(library, "myriad_mock_refusals"))(), 0u);
    unsetenv("MYRIAD_CUDA_DRIVER");
}

INSTANTIATE_TEST_SUITE_P(Problems, HandWritten,
                         testing::ValuesIn(bench::problems_by_hand().begin(), bench::problems_by_hand().end()),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace myriad
