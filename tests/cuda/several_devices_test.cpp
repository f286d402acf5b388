// Several devices as one backend: the bits of one, whoever computes a chunk, and failures that end as they do on one.
#include "host/backends/several_devices.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::Backend;
using backends::Chunk;
using backends::Settings;
using backends::StepByStep;
using backends::Task;
using testing::AllOf;
using testing::HasSubstr;

// Steps of the CPU as a device that counts its chunks, and fails at one of them. (The cpu backend serves one thread.)
class CountingDevice final : public Backend {
  public:
    CountingDevice(int number, const Settings& settings, std::vector<int>& chunks, int fails_at)
        : number_(number), chunk_(settings.chunk), chunks_(chunks), fails_at_(fails_at) {}
    const char* name() const override { return backends::names::cuda; }
    std::string device() const override { return "device " + std::to_string(number_); }
    int buffers() const override { return 2; }
    backends::MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        task_ = task;
        backends::MemoryPlan plan;
        plan.instances_per_chunk = chunk_ > 0 ? chunk_ : instances;
        return plan;
    }
    backends::Shape shape() const override {
        backends::Shape shape;
        shape.varied = task_.plan.varied_count;
        return shape;
    }
    void start(int buffer, std::uint64_t count, const double* varied) override {
        started_[static_cast<std::size_t>(buffer)] = std::make_unique<StepByStep>(task_, count, varied);
    }
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) override {
        if (chunks_[static_cast<std::size_t>(number_)]++ == fails_at_)
            throw UserError(ExitCode::device, device(), "it is lost", "look after it");
        StepByStep& steps = *started_[static_cast<std::size_t>(buffer)];
        steps.advance_to(task_.schedule.end_s, [&] { return stop.load(); });
        chunk = steps.chunk();
        return !stop;
    }
    double compute_seconds() const override { return 0.0; }

  private:
    int number_;
    std::uint64_t chunk_;
    std::vector<int>& chunks_;  // [device], each written by the thread of its device alone
    int fails_at_;
    Task task_;
    std::array<std::unique_ptr<StepByStep>, 2> started_;
};

struct Devices {
    std::vector<int> chunks;
    std::unique_ptr<Backend> backend;
    Devices(int number, std::uint64_t chunk, int failing = -1, int fails_at = -1)
        : chunks(static_cast<std::size_t>(number), 0) {
        Settings settings;
        settings.chunk = chunk;
        std::vector<int> devices;
        for (int i = 0; i < number; ++i) devices.push_back(i);
        backend = backends::make_several_devices(devices, settings, [&](int device, const Settings& own) {
            return std::make_unique<CountingDevice>(device, own, chunks, device == failing ? fails_at : -1);
        });
    }
};

TEST(SeveralDevices, HaveTheBitsOfOneAndShareTheChunks) {
    for (const char* integrator : {"rk4", "dopri5"}) {
        const Task task = tests::generic_task("heavy_top", "rotation", integrator);
        for (const std::uint64_t count : {1, 31, 33, 1000}) {
            const Chunk expected = tests::on_backend("cpu", task, count, 0);
            for (const int number : {1, 2, 3}) {
                SCOPED_TRACE(std::to_string(count) + " instances on " + std::to_string(number));
                Devices devices(number, 50);
                tests::expect_same_bits(tests::run(*devices.backend, task, count), expected);
                const auto [least, most] = std::ranges::minmax(devices.chunks);
                EXPECT_LE(most - least, 1) << "a chunk each, in turn";
            }
        }
    }
}

TEST(SeveralDevices, SayWhichTheyAre) {
    EXPECT_EQ(Devices(3, 0).backend->device(), "device 0; device 1; device 2");
    Devices devices(4, 0);
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    EXPECT_LE(devices.backend->prepare(task, 1000).instances_per_chunk, 250u) << "there is work for each";
}

TEST(SeveralDevices, EndWithTheErrorOfTheOneThatFails) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    for (const int fails_at : {0, 1, 3}) {
        Devices devices(3, 20, 1, fails_at);
        try {
            tests::run(*devices.backend, task, 1000);
            ADD_FAILURE() << "no error";
        } catch (const UserError& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::device);
            EXPECT_THAT(error.what(), HasSubstr("device 1: it is lost"));
        }
    }
}

TEST(SeveralDevices, LeaveAChunkWhenStoppedAndGoOn) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Devices devices(2, 40);
    Backend& backend = *devices.backend;
    backend.prepare(task, 80);
    backend.start(0, 40, tests::generic_values(0, 40).data());
    Chunk chunk;
    EXPECT_FALSE(backend.finish(0, chunk, std::atomic<bool>{true}));
    for (const int buffer : {1, 0}) {
        backend.start(buffer, 40, tests::generic_values(0, 40).data());
        ASSERT_TRUE(backend.finish(buffer, chunk, std::atomic<bool>{false}));
        tests::expect_same_bits(chunk, tests::on_backend("cpu", task, 40, 0));
    }
}

using SeveralMockDevices = tests::MockCuda;

std::string error_with(const std::vector<int>& chosen) {
    Settings settings;
    settings.devices = chosen;
    try {
        backends::make_backend("cuda", settings);
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST_F(SeveralMockDevices, AreAllTakenUnlessSomeAreNamed) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    setenv("MYRIAD_MOCK_DEVICES", "3", 1);
    EXPECT_THAT(backends::make_backend("cuda", {})->device(),
                AllOf(HasSubstr("GPU 0 of 3"), HasSubstr("GPU 1 of 3"), HasSubstr("GPU 2 of 3")));
    Settings settings;
    settings.devices = {2, 0};
    EXPECT_THAT(backends::make_backend("auto", settings)->device(), testing::StartsWith("mock GPU 2,"));
    EXPECT_THAT(error_with({3}), AllOf(HasSubstr("--devices 3"), HasSubstr("from 0 to 2")));
    EXPECT_THAT(error_with({1, 1}), HasSubstr("named twice"));
    EXPECT_THAT(error_with({-1}), HasSubstr("no GPU of this number"));
}

TEST_F(SeveralMockDevices, HaveTheBitsOfTheCpu) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    setenv("MYRIAD_MOCK_DEVICES", "2", 1);
    tests::expect_same_bits(tests::on_backend("cuda", task, 1000, 90), tests::on_backend("cpu", task, 1000, 0));
}

}  // namespace
}  // namespace myriad
