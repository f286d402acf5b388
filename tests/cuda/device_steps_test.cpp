// Instances in the memory of a GPU, step by step, on the mock driver: the bits of the CPU's, and where they lie.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::StepByStep;
using backends::Task;
using testing::HasSubstr;

using DeviceSteps = tests::MockCuda;

StepByStep begun(const char* backend, const Task& task, std::uint64_t count) {
    return backends::step_by_step(backend, {}, task, count, tests::generic_values(0, count).data());
}

void expect_same_record(const StepByStep& one, const StepByStep& other) {
    ASSERT_EQ(one.count(), other.count());
    for (std::uint64_t i = 0; i < one.count(); ++i) tests::expect_same_bits(one.record(i), other.record(i), "record");
}

// In tiles of 32, as the device has them: the values of one row, instance by instance.
std::vector<double> row_of(const backends::Tiles& tiles, int row, std::uint64_t count) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < count; ++i)
        values.push_back(static_cast<const double*>(
            tiles.values)[i / tile_instances * tiles.stride + static_cast<std::uint64_t>(row) * tile_instances +
                          i % tile_instances]);
    return values;
}

TEST_F(DeviceSteps, HaveTheBitsOfTheCpuInEachPieceOfTheMotion) {
    for (const char* integrator : {"rk4", "dopri5"})
        for (const std::uint64_t count : {1, 31, 33, 1000}) {
            SCOPED_TRACE(std::string(integrator) + ", " + std::to_string(count));
            const Task task = tests::generic_task("heavy_top", "rotation", integrator);
            keep_kernels(task);
            StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
            for (const double time_s : {0.0333, 0.05, 0.2}) {
                EXPECT_EQ(device.advance_to(time_s), host.advance_to(time_s));
                EXPECT_EQ(device.times_s(), host.times_s());
                EXPECT_EQ(device.statuses(), host.statuses());
                expect_same_record(device, host);
            }
            tests::expect_same_bits(device.chunk(), host.chunk());
            EXPECT_TRUE(tests::grid_fits);
        }
}

TEST_F(DeviceSteps, AdvanceAMechanism) {
    const Task task = tests::joint_task("double_pendulum");
    keep_kernels(task);
    StepByStep device = begun("cuda", task, 40), host = begun("cpu", task, 40);
    device.advance(7), host.advance(7);
    expect_same_record(device, host);
}

TEST_F(DeviceSteps, ShowStatesAndChannelsWhereTheyLie) {
    constexpr std::uint64_t count = 33;
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    const std::vector<int> wanted = {12, 3, 0};
    const Task looking = backends::looking_task(task, wanted);
    keep_kernels(looking);
    tests::task_of_the_kernels = &task;
    StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
    for (const double time_s : {0.0, 0.05}) {  // before the first step, too
        device.advance_to(time_s), host.advance_to(time_s);
        const backends::Tiles states = device.states(), expected = host.states();
        EXPECT_EQ(states.device, 0);
        EXPECT_EQ(expected.device, backends::Tiles::host);
        ASSERT_EQ(states.rows, expected.rows);
        ASSERT_EQ(states.tiles, expected.tiles);
        for (int row = 0; row < states.rows; ++row)
            tests::expect_same_bits(row_of(states, row, count), row_of(expected, row, count), "states");

        tests::task_of_the_kernels = &looking;
        const backends::Tiles channels = device.channel_tiles(wanted);
        tests::expect_same_bits(device.channels(wanted), host.channels(wanted), "channels");
        tests::task_of_the_kernels = &task;
        const std::vector<double> by_instance = host.channels(wanted);
        for (int k = 0; k < 3; ++k) {
            const std::vector<double> row = row_of(channels, k, count);
            for (std::uint64_t i = 0; i < count; ++i)
                ASSERT_EQ(row[i], by_instance[3 * i + static_cast<std::uint64_t>(k)]);
        }
    }
    expect_same_record(device, host);
}

// With a task's kernel of a renewal, which no run needs.
TEST_F(DeviceSteps, TakeParametersFromTheHostAndFromTheDevice) {
    constexpr std::uint64_t count = 33;
    const Task task = tests::generic_task("heavy_top", "rotation", "dopri5");
    keep_kernels(task), keep_kernels(task, backends::cuda::KernelForm::renewal);
    StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
    tests::expect_same_bits(device.varied(), tests::generic_values(0, count), "varied");
    device.advance_to(0.03), host.advance_to(0.03);
    std::vector<double> values = tests::generic_values(0, count);
    for (std::uint64_t i = 0; i < count; ++i) values[i] *= 1.0 + 0.01 * static_cast<double>(i);  // masses
    host.set_varied(values.data());
    device.set_varied_on_device(0, values.data());  // the mock's device sees the host's memory
    tests::expect_same_bits(device.varied(), values, "varied");
    device.advance_to(0.06), host.advance_to(0.06);
    expect_same_record(device, host);
    host.set_varied(tests::generic_values(0, count).data());
    device.set_varied(tests::generic_values(0, count).data());
    device.advance_to(0.09), host.advance_to(0.09);
    expect_same_record(device, host);
}

TEST_F(DeviceSteps, RenewTheMemoryOfThoseWhoseParametersChange) {
    for (const Task& task :
         {tests::joint_task("double_pendulum"), tests::generic_task("heavy_top", "rotation", "dopri5")})
        for (const std::uint64_t count : {1, 31, 33, 1000}) {
            SCOPED_TRACE(task.system + ", " + std::to_string(count));
            keep_kernels(task), keep_kernels(task, backends::cuda::KernelForm::renewal);
            StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
            device.advance_to(0.02), host.advance_to(0.02);
            std::vector<double> values = tests::generic_values(0, count);
            for (std::uint64_t i = 0; i < count; i += 2) values[i] *= 1.1;
            const auto before = launches_();
            device.set_varied(values.data()), host.set_varied(values.data());
            device.advance(1), host.advance(1);
            EXPECT_EQ(launches_() - before, 2u) << "a renewal and the step";
            expect_same_record(device, host);
            device.advance(1), host.advance(1);
            EXPECT_EQ(launches_() - before, 3u) << "no other one";
            values[0] *= 0.9;
            device.set_varied(values.data()), host.set_varied(values.data());
            device.begin_again({0}), host.begin_again({0});
            device.advance_to(0.04), host.advance_to(0.04);
            expect_same_record(device, host);
            EXPECT_TRUE(tests::grid_fits);
        }
}

TEST_F(DeviceSteps, ShowChannelsOfChangedParametersBeforeTheNextStep) {
    constexpr std::uint64_t count = 33;
    const Task task = tests::joint_task("double_pendulum");
    keep_kernels(task), keep_kernels(task, backends::cuda::KernelForm::renewal);
    const int reaction = task.plan.quantity_channels[0];
    const std::vector<int> wanted = {reaction, reaction + 1, reaction + 2, 3};  // the last is no matter of masses
    const Task looking = backends::looking_task(task, wanted);
    keep_kernels(looking), keep_kernels(looking, backends::cuda::KernelForm::renewal);
    tests::task_of_the_kernels = &task;
    StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
    device.advance_to(0.02), host.advance_to(0.02);
    std::vector<double> values = tests::generic_values(0, count);
    for (std::uint64_t i = 0; i < count; ++i) values[i] *= 1.2;
    const std::vector<double> before = host.channels(wanted);
    device.set_varied(values.data()), host.set_varied(values.data());
    tests::task_of_the_kernels = &looking;
    tests::expect_same_bits(device.channels(wanted), host.channels(wanted), "channels");
    const std::vector<double> after = host.channels(wanted);
    EXPECT_FALSE(std::equal(after.begin(), after.begin() + 3, before.begin()));
    EXPECT_EQ(after[3], before[3]);
    tests::task_of_the_kernels = &task;
    expect_same_record(device, host);
    device.advance_to(0.04), host.advance_to(0.04);
    expect_same_record(device, host);
}

TEST_F(DeviceSteps, BeginAgainWhereTheyAreTold) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    StepByStep device = begun("cuda", task, 40), host = begun("cpu", task, 40);
    device.advance_to(0.05), host.advance_to(0.05);
    const std::vector<unsigned int> some = {0, 7, 31, 32, 39};
    device.begin_again(some), host.begin_again(some);
    expect_same_record(device, host);
    device.advance_to(0.04), host.advance_to(0.04);
    expect_same_record(device, host);
}

TEST_F(DeviceSteps, StopBetweenLaunches) {
    const Task task = tests::generic_task("heavy_top", "rotation", "dopri5");
    keep_kernels(task);
    StepByStep device = begun("cuda", task, 40);
    int looks = 0;
    EXPECT_TRUE(device.advance_to(0.15, [&] { return ++looks == 3; }));
    EXPECT_EQ(looks, 3);
    EXPECT_FALSE(device.advance_to(0.15));
    StepByStep host = begun("cpu", task, 40);
    host.advance_to(0.15);
    expect_same_record(device, host);
}

TEST_F(DeviceSteps, SayWhereThereIsNoDeviceOrNoRoom) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    const auto message = [](const auto& action) {
        try {
            action();
        } catch (const UserError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    for (const int device : {-1, 1}) {
        backends::Settings settings;
        settings.devices = {device};
        EXPECT_THAT(
            message([&] { backends::step_by_step("cuda", settings, task, 1, tests::generic_values(0, 1).data()); }),
            HasSubstr("there is no GPU of this number"));
    }
    setenv("MYRIAD_MOCK_FAILURE", "allocation", 1);
    EXPECT_THAT(message([&] { begun("cuda", task, 10); }), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
    setenv("MYRIAD_MOCK_FAILURE", "no_device", 1);
    EXPECT_THAT(message([&] { begun("cuda", task, 10); }), HasSubstr("shows no GPU"));
    EXPECT_EQ(message([&] { begun("auto", task, 10); }), "no error");
    EXPECT_THAT(message([&] { begun("reference", task, 10); }), HasSubstr("keeps no instances in memory"));
    const double value = 1.0;
    StepByStep host = begun("cpu", task, 1);
    EXPECT_THAT(message([&] { host.set_varied_on_device(0, &value); }), HasSubstr("an array on a GPU was given"));
}

// On a real GPU.
TEST(StepsOnTheDevice, HaveTheBitsOfTheCpu) {
    const auto availability = backends::backends().front();
    if (!availability.available) GTEST_SKIP() << availability.detail;
    constexpr std::uint64_t count = 10'000;
    for (const Task& task :
         {tests::generic_task("heavy_top", "rotation", "rk4"), tests::joint_task("double_pendulum")}) {
        StepByStep device = begun("cuda", task, count), host = begun("cpu", task, count);
        for (const double time_s : {0.01, 0.05}) {
            device.advance_to(time_s), host.advance_to(time_s);
            const std::vector<int> wanted = {0, 1, 2};
            tests::expect_same_bits(device.channels(wanted), host.channels(wanted), "channels");
        }
        tests::expect_same_bits(device.chunk(), host.chunk());
    }
}

}  // namespace
}  // namespace myriad
