// A run compares what the GPU gives with the CPU, and ends where a bit differs.
#include "host/ensemble/instances/device_comparison.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "host/ensemble/run.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::Chunk;
using backends::Task;
using ensemble::DeviceComparison;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t instances = 100, first_instance = 1000;
const std::atomic<bool> never = false;

// What the comparison says of a chunk: empty where it agrees.
std::string said_of(const Task& task, const Chunk& chunk) {
    const std::vector<double> fields = tests::generic_values(0, instances);
    try {
        DeviceComparison comparison(task, "tops.json");
        EXPECT_TRUE(comparison.compare("a GPU", "NVRTC 1.2, driver of CUDA 3.4", first_instance,
                                       DeviceComparison::compared_of(fields, instances), chunk, never));
        return "";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        return error.what();
    }
}

TEST(DeviceComparison, NamesTheInstanceAndWhatDiffersFirst) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    const Chunk right = tests::on_backend("cpu", task, instances, 0);
    EXPECT_EQ(said_of(task, right), "");

    Chunk wrong = right;
    const std::size_t states = right.final_state.size() / instances;
    wrong.final_state[3 * states + 1] = std::nextafter(wrong.final_state[3 * states + 1], 1e9);
    EXPECT_THAT(said_of(task, wrong),
                AllOf(HasSubstr("a GPU"), HasSubstr("instance 1003 of tops.json"), HasSubstr("final state"),
                      HasSubstr("NVRTC 1.2, driver of CUDA 3.4"), HasSubstr("--backend cpu")));
    wrong = right, wrong.status[7] = static_cast<std::int32_t>(Status::not_finite);
    EXPECT_THAT(said_of(task, wrong), AllOf(HasSubstr("instance 1007"), HasSubstr("status")));
    wrong = right, wrong.trajectory[5] = -wrong.trajectory[5];
    EXPECT_THAT(said_of(task, wrong), AllOf(HasSubstr("instance 1000"), HasSubstr("trajectory")));
    wrong = right, wrong.status[DeviceComparison::most_instances] = 9;
    EXPECT_EQ(said_of(task, wrong), "") << "only the first instances are computed again";
}

TEST(DeviceComparison, EndsWhereItIsStopped) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    const std::vector<double> fields = tests::generic_values(0, instances);
    const std::atomic<bool> stop = true;
    EXPECT_FALSE(DeviceComparison(task, "tops.json")
                     .compare("a GPU", "", 0, DeviceComparison::compared_of(fields, instances),
                              tests::on_backend("cpu", task, instances, 0), stop));
}

using RunOnTheMock = tests::MockCuda;

study::Study tops() {
    return study::parse_study(R"({"system": "heavy_top", "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.1},
        "instances": 100, "design": {"kind": "monte_carlo", "seed": 1},
        "parameters": {"mass_kg": {"uniform": {"low": 10, "high": 20}}}, "quantities": {"z": {"final": "position.top.z"}}})",
                              "test", std::filesystem::path());
}

// The last bit of a number of instance 2 is another one after each launch.
void run_wrongly(const char* kernel, const void* launch, unsigned blocks, unsigned threads, long long second) {
    tests::run_kernel(kernel, launch, blocks, threads, second);
    double& number = static_cast<const Launch<double>*>(launch)->final_states[2];
    number = std::nextafter(number, 1e9);
}

TEST_F(RunOnTheMock, EndsWithAnErrorWhereTheKernelsAreWrong) {
    const study::Study study = tops();
    const Task task = study.task();
    keep_kernels(task);
    ensemble::RunOptions options;
    options.backend = "cuda", options.out = cache_ / "tops.h5";
    EXPECT_EQ(ensemble::run_study(study, options, never).ending, ensemble::Ending::complete);

    void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
    reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(&run_wrongly);
    options.out = cache_ / "wrong.h5";
    try {
        ensemble::run_study(study, options, never);
        FAIL() << "nothing was said";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("instance 2 of test has other bits"), HasSubstr("final state"),
                                        HasSubstr("none, driver of CUDA 13.0")));
        EXPECT_EQ(error.exit_code(), ExitCode::device);
    }
    EXPECT_FALSE(std::filesystem::exists(options.out));
}

}  // namespace
}  // namespace myriad
