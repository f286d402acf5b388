// The cuda backend on the mock driver (tests/cuda/mock), which runs the scalar CPU code as the kernels: what is tested
// is all that surrounds the kernels. Tests named OnTheDevice need a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "host/backends/backends.hpp"
#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cuda/cuda.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/catalog/catalog_table.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::Chunk;
using backends::Precision;
using backends::Task;
using testing::AllOf;
using testing::HasSubstr;
using namespace tests;

struct Case {
    const char* integrator;
    Precision precision;
    std::uint64_t instances, chunk;
};

class MockCudaCase : public MockCuda, public testing::WithParamInterface<Case> {};

TEST_P(MockCudaCase, HasTheBitsOfTheCpu) {
    const Case c = GetParam();
    const Task task = tests::generic_task("heavy_top", "rotation", c.integrator, c.precision);
    keep_kernels(task);
    expect_same_bits(on_backend("cuda", task, c.instances, c.chunk), on_backend("cpu", task, c.instances, 0));
    EXPECT_TRUE(grid_fits);
    const std::uint64_t chunks = (c.instances + c.chunk - 1) / c.chunk;
    if (c.chunk > 1) EXPECT_GT(launches_(), 2 * chunks) << "a chunk that begins and advances once tests no order";
}

INSTANTIATE_TEST_SUITE_P(Sizes, MockCudaCase,
                         testing::Values(Case{"rk4", Precision::fp64, 1, 1}, Case{"rk4", Precision::fp64, 31, 31},
                                         Case{"rk4", Precision::fp64, 33, 5}, Case{"rk4", Precision::fp64, 1000, 300},
                                         Case{"dopri5", Precision::fp64, 1, 1}, Case{"dopri5", Precision::fp64, 31, 31},
                                         Case{"dopri5", Precision::fp64, 33, 5},
                                         Case{"dopri5", Precision::fp64, 1000, 300},
                                         Case{"rk4", Precision::fp32, 100, 33}),
                         [](const auto& given) {
                             return std::string(given.param.integrator) +
                                    (given.param.precision == Precision::fp64 ? "_fp64_" : "_fp32_") +
                                    std::to_string(given.param.instances) + "_by_" + std::to_string(given.param.chunk);
                         });

// Runs, and returns the error that ends the run.
std::string error_of(const Task& task, std::uint64_t instances, std::uint64_t chunk) {
    try {
        on_backend("cuda", task, instances, chunk);
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        return error.what();
    }
    return "no error";
}

// The driver sets the stacks of all threads aside, whatever a launch asks for.
TEST_F(MockCuda, RefusesKernelsForWhoseStacksThereIsNoRoom) {
    const Task task = tests::joint_task("double_pendulum");
    keep_kernels(task, backends::cuda::KernelForm::compiled, 400'000);
    EXPECT_THAT(error_of(task, 10, 0), AllOf(HasSubstr("mock GPU"), HasSubstr("400000 bytes each"),
                                             HasSubstr("--backend cpu"), HasSubstr("more memory")));
}
TEST_F(MockCuda, RefusesAChunkThatDoesNotFitTheMemory) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    setenv("MYRIAD_MOCK_FREE_BYTES", "1000000", 1);
    EXPECT_THAT(error_of(task, 1000, 1000), AllOf(HasSubstr("do not fit"), HasSubstr("--chunk ")));
    EXPECT_EQ(error_of(task, 1000, 0), "no error") << "a chunk of the backend's own choice fits";
}

TEST_F(MockCuda, TellsWhatFailedInCudasWords) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    setenv("MYRIAD_MOCK_FAILURE", "allocation", 1);
    EXPECT_THAT(error_of(task, 10, 0),
                AllOf(HasSubstr("mock GPU"), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"), HasSubstr("while taking")));
    setenv("MYRIAD_MOCK_FAILURE", "launch", 1);
    EXPECT_THAT(error_of(task, 10, 0), AllOf(HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
                                             HasSubstr("starting a kernel for 10 instances")));
    setenv("MYRIAD_MOCK_FAILURE", "execution", 1);
    EXPECT_THAT(error_of(task, 10, 0), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(MockCuda, LeavesAChunkWhenStopped) {
    const Task task = tests::generic_task("heavy_top", "rotation", "dopri5");
    keep_kernels(task);
    const auto backend = backends::make_backend("cuda", {});
    backend->prepare(task, 40);
    backend->start(0, 40, tests::generic_values(0, 40).data());
    Chunk chunk;
    EXPECT_FALSE(backend->finish(0, chunk, std::atomic<bool>{true}));
    backend->start(0, 40, tests::generic_values(0, 40).data());
    ASSERT_TRUE(backend->finish(0, chunk, std::atomic<bool>{false}));
    expect_same_bits(chunk, on_backend("cpu", task, 40, 0));
}

TEST_F(MockCuda, CountsTheSecondsOfTheKernels) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    const auto backend = backends::make_backend("cuda", {});
    tests::run(*backend, task, 50);
    EXPECT_GT(backend->compute_seconds(), 0.0);
}

TEST_F(MockCuda, IsTakenByAutoWhereItIsThere) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    EXPECT_THAT(backends::cuda_availability().detail, HasSubstr("mock GPU, 132 multiprocessors, 2 GiB"));
    EXPECT_THAT(backends::make_backend("auto", {})->device(), HasSubstr("mock GPU"));
    setenv("MYRIAD_MOCK_FAILURE", "no_device", 1);
    EXPECT_THAT(backends::make_backend("auto", {})->device(), HasSubstr("thread"));
}

TEST_F(MockCuda, TakesTheDeviceOfItsRankAmongSeveral) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    setenv("MYRIAD_MOCK_DEVICES", "3", 1);
    const char* const names[] = {"mock GPU,", "mock GPU 1,", "mock GPU 2,"};
    for (int rank = 0; rank < 7; ++rank) {
        backends::Settings settings;
        settings.rank_on_node = rank;
        const std::string device = backends::make_backend("auto", settings)->device();
        EXPECT_THAT(device, HasSubstr(names[rank % 3]));
        EXPECT_THAT(device, HasSubstr("GPU " + std::to_string(rank % 3) + " of 3"));
    }
}

TEST_F(MockCuda, SaysInOneSentenceWhyItIsNotThere) {
    const auto detail = [] {
        EXPECT_FALSE(backends::cuda_availability().available);
        return backends::cuda_availability().detail;
    };
    setenv("MYRIAD_CUDA_RUNTIME_COMPILER", "/nonexistent/libnvrtc.so", 1);
    EXPECT_TRUE(backends::cuda_availability().available) << "traced steps need the driver alone";
    EXPECT_THAT(backends::cuda_availability().detail, HasSubstr("; without NVRTC"));
    setenv("MYRIAD_MOCK_FAILURE", "no_device", 1);
    EXPECT_THAT(detail(), AllOf(HasSubstr("shows no GPU"), HasSubstr("CUDA_ERROR_NO_DEVICE")));
    setenv("MYRIAD_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    EXPECT_THAT(detail(), HasSubstr("the NVIDIA driver is not on this machine"));
}

// On a real GPU: 100,000 instances of mechanisms, 100 steps, every bit.
TEST(JointMechanismOnTheDevice, HasTheBitsOfTheCpu) {
    const auto availability = backends::cuda_availability();
    if (!availability.available) GTEST_SKIP() << availability.detail;
    constexpr std::uint64_t instances = 100'000;
    for (const char* name : {"double_pendulum", "slider_crank_iftomm", "four_link", "puma560"})
        for (const char* integrator : {"generalized_alpha", "rk4"}) {
            SCOPED_TRACE(std::string(name) + " " + integrator);
            const Task task = tests::joint_task(name, integrator);
            expect_same_bits(on_backend("cuda", task, instances, 0), on_backend("cpu", task, instances, 0));
        }
}

// On a real GPU. Rigid and flexible cranks with clearance, whose contact problems have 8 rows or 16.
TEST(ContactsOnTheDevice, HaveTheBitsOfTheCpuByEveryScheme) {
    const auto availability = backends::cuda_availability();
    if (!availability.available) GTEST_SKIP() << availability.detail;
    for (const char* integrator :
         {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"})
        for (const char* system : {"slider_crank_clearance", "slider_crank_flexible_2_elements"}) {
            SCOPED_TRACE(std::string(system) + " " + integrator);
            ASSERT_NE(study::find_member(system, "rotation", integrator), nullptr);
            const Task task = tests::generic_task(system, "rotation", integrator);
            constexpr std::uint64_t instances = 1000;
            expect_same_bits(on_backend("cuda", task, instances, 0), on_backend("cpu", task, instances, 0));
        }
}

// On a real GPU: 100,000 instances, 1,000 steps, every bit.
class OnTheDevice : public testing::TestWithParam<const char*> {};

TEST_P(OnTheDevice, HasTheBitsOfTheCpu) {
    const auto availability = backends::cuda_availability();
    if (!availability.available) GTEST_SKIP() << availability.detail;
    for (const char* system : {"heavy_top", "free_rigid_body"})
        for (const char* chart : {"rotation", "cardan_xyz"})
            for (const Precision precision : {Precision::fp64, Precision::fp32}) {
                if (precision == Precision::fp32 && std::string(chart) != "rotation") continue;
                SCOPED_TRACE(std::string(system) + " " + chart + (precision == Precision::fp64 ? " fp64" : " fp32"));
                Task task = tests::generic_task(system, chart, GetParam(), precision);
                task.schedule.step_s = task.schedule.end_s / 1000.0;
                task.schedule.full_steps = task.schedule.total_steps = 1000.0, task.schedule.observe_steps = 100.0;
                if (precision == Precision::fp32)
                    task.schedule.relative_tolerance = task.schedule.absolute_tolerance = 1e-4;
                constexpr std::uint64_t instances = 100'000;
                expect_same_bits(on_backend("cuda", task, instances, 30'000), on_backend("cpu", task, instances, 0));
            }
}

INSTANTIATE_TEST_SUITE_P(Integrators, OnTheDevice, testing::Values("rk4", "rk67", "ode23", "dopri5"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace myriad
