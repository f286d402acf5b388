// Instances with contact on a GPU, on the mock driver, whose kernels leave some behind at some of their steps: they
// take these steps on the host, and all have the bits of the CPU.
#include "host/backends/cuda/catch_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/study/study.hpp"
#include "tests/cuda/mock_cuda.hpp"
#include "tests/graph/ptx_machine.hpp"

namespace myriad {
namespace {

using backends::Chunk;
using backends::StepByStep;
using backends::Task;
using backends::cuda::advance_together;
using backends::cuda::Column;
using namespace tests;

study::Study contact_study(const std::string& name, const std::string& scheme, const std::string& precision = "fp64",
                           const std::string& end_s = "0.1") {
    const std::string integrator = R"({"name": ")" + scheme + R"(", "step_s": 1e-3, "end_s": )" + end_s + "}";
    return study::read_study(
        std::string(MYRIAD_SOURCE_DIR) + "/ensembles/studies/" + name + ".json",
        {{"coordinates=joint", "integrator=" + integrator, "precision=" + precision, "observe.every_s=0.01"},
         {},
         {},
         {}});
}
using CatchUp = MockCuda;

TEST_F(CatchUp, GivesWholeRunsTheBitsOfTheCpu) {
    const std::tuple<const char*, const char*, const char*> studies[] = {
        {"pendulum_wall", "moreau_midpoint", "fp64"},
        {"slider_crank_slot", "nonsmooth_generalized_alpha", "fp64"},
        {"pendulum_wall", "nonsmooth_bathe", "fp32"}};
    const std::pair<std::uint64_t, int> sizes[] = {{1, 1}, {31, 13}, {33, 1}, {33, 13}, {1000, 97}};
    for (const auto& [name, scheme, precision] : studies)
        for (const auto& [count, steps] : sizes) {
            SCOPED_TRACE(std::string(name) + ", " + std::to_string(count) + ", one in " + std::to_string(steps));
            const study::Study study = contact_study(name, scheme, precision);
            const Task task = study.task();
            keep_all(task);
            const std::vector<double> fields = fields_of(study, count);
            steps_of_one_behind = steps, left_behind = 0;
            expect_same_bits(run_chunk("cuda", task, count, fields), run_chunk("cpu", task, count, fields));
            EXPECT_GT(left_behind, 0u);
        }
}

TEST_F(CatchUp, KeepsFailuresOfStepsOnTheHost) {
    constexpr std::uint64_t count = 40;
    const study::Study study = contact_study("slider_crank_slot", "moreau_midpoint");
    Task task = study.task();
    task.schedule.most_attempts = 17.0;
    keep_all(task);
    const std::vector<double> fields = fields_of(study, count);
    steps_of_one_behind = 1;
    const Chunk chunk = run_chunk("cuda", task, count, fields);
    EXPECT_EQ(left_behind, 17 * count) << "all steps";
    expect_same_bits(chunk, run_chunk("cpu", task, count, fields));
    EXPECT_THAT(chunk.status, testing::Each(static_cast<int>(Status::step_limit)));
}

TEST_F(CatchUp, KeepsInstancesInMemoryTogether) {
    for (const std::uint64_t count : {1, 33, 200}) {
        SCOPED_TRACE(count);
        const study::Study study = contact_study("slider_crank_slot", "nonsmooth_generalized_alpha");
        const Task task = study.task();
        keep_all(task);
        std::vector<double> fields = fields_of(study, count);
        steps_of_one_behind = 11, left_behind = 0;
        StepByStep device = backends::step_by_step("cuda", {}, task, count, fields.data()),
                   host = backends::step_by_step("cpu", {}, task, count, fields.data());
        const auto expect_same = [&] {
            EXPECT_EQ(device.times_s(), host.times_s());
            EXPECT_EQ(device.statuses(), host.statuses());
            for (std::uint64_t i = 0; i < count; ++i) expect_same_bits(device.record(i), host.record(i), "record");
        };
        for (const int steps : {1, 7, 40}) {
            EXPECT_EQ(device.advance(steps), host.advance(steps));
            expect_same();
        }
        for (std::uint64_t i = 0; i < count; i += 2) fields[i] *= 1.0 + 1e-6;
        device.set_varied(fields.data()), host.set_varied(fields.data());
        device.advance_to(0.07), host.advance_to(0.07);
        expect_same();
        device.advance_to(0.1), host.advance_to(0.1);
        expect_same_bits(device.chunk(), host.chunk());
        EXPECT_GT(left_behind, 0u);
    }
}

// Of instances that are left behind at one in 200 steps, 4 % wait at the end of a launch of 8, and 2 % on average.
TEST_F(CatchUp, MakesLaunchesShortWhereManyWait) {
    constexpr std::uint64_t count = 200;
    const study::Study study = contact_study("pendulum_wall", "moreau_midpoint", "fp64", "1.0");
    const Task task = study.task();
    keep_all(task);
    const std::vector<double> fields = fields_of(study, count);
    run_chunk("cuda", task, count, fields);
    EXPECT_GT(attempts_of_last_launch, 99);
    steps_of_one_behind = 200;
    run_chunk("cuda", task, count, fields);
    EXPECT_LE(attempts_of_last_launch, 32);
}

TEST(AdvanceTogether, ReachesEveryGoalInFewLaunches) {
    for (const unsigned int count : {1u, 31u, 33u, 1000u}) {
        std::vector<unsigned int> order(count);
        std::iota(order.begin(), order.end(), 0u);
        std::map<unsigned int, long long> left;
        for (const unsigned int slot : order) left[slot] = 90 + (slot * 37) % 60;
        left[0] = 0;
        int launches = 0;
        advance_together(
            order, [&](unsigned int slot) { return left[slot]; },
            [&](const std::vector<unsigned int>& some, long long attempts) {
                ++launches;
                for (const unsigned int slot : some) left[slot] -= attempts;
            });
        for (const auto& [slot, steps] : left) EXPECT_EQ(steps, 0) << slot;
        EXPECT_LE(launches, 8) << "a bit of the largest each";
    }
}

// Numbers of three tiles with five rows each; columns of one to five rows.
template <class Number>
void expect_columns_to_move() {
    constexpr std::uint64_t tile = tile_instances, rows = 5, instances = 70;
    std::vector<Number> arrays(3 * rows * tile);
    std::iota(arrays.begin(), arrays.end(), Number(1));
    std::vector<Column> columns;
    std::uint64_t staged = 0;
    for (std::uint64_t slot = 0; slot < instances; slot += 3) {
        const std::uint64_t first = slot % rows, numbers = rows - first;
        columns.push_back({(slot / tile * rows + first) * tile + slot % tile, staged, numbers});
        staged += numbers;
    }
    const auto move = [&](const char* name, std::vector<Number>& all, std::vector<Number>& some) {
        graph::PtxMachine machine(backends::cuda::column_kernel(name, sizeof(Number)));
        ASSERT_EQ(machine.threads(), tile_instances);
        const auto address = [](const void* at) {
            std::vector<std::byte> bytes(sizeof at);
            std::memcpy(bytes.data(), &at, sizeof at);
            return bytes;
        };
        for (std::size_t block = 0; block < columns.size(); ++block)
            machine.run({address(all.data()), address(some.data()), address(columns.data())}, static_cast<int>(block));
    };
    std::vector<Number> some(staged), copy(arrays.size(), Number(0));
    move(backends::cuda::gather_kernel, arrays, some);
    move(backends::cuda::scatter_kernel, copy, some);
    for (std::uint64_t slot = 0; slot < 3 * tile; ++slot)
        for (std::uint64_t row = 0; row < rows; ++row) {
            const bool is_in = slot < instances && slot % 3 == 0 && row >= slot % rows;
            const std::uint64_t at = (slot / tile * rows + row) * tile + slot % tile;
            EXPECT_EQ(copy[at], is_in ? arrays[at] : Number(0)) << slot << ", " << row;
        }
}
TEST(ColumnKernels, MoveNumbersToTheirPlaces) {
    expect_columns_to_move<double>();
    expect_columns_to_move<float>();
}

}  // namespace
}  // namespace myriad
