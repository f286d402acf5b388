// Each integrator on each system and chart against its Eigen twin: one step, and a thousand.
#include <gtest/gtest.h>

#include "kernels/status.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t instance_count = 20;

// One step: the two paths round differently in some hundred operations, each by 1.1e-16 of values up to about ten, and
// the inverse of the chart's rates multiplies by 1/|cos b|, below 2 here.
constexpr double one_step_tolerance = 2e-14;
// A thousand steps: one step's round-off of about 1e-16 is added a thousand times, at worst in the same direction, and
// what is there at the start of the 2 s grows by the motion's own sensitivity, some tens for a tumbling top.
constexpr double thousand_steps_tolerance = 5e-12;

class Twins : public testing::TestWithParam<Member> {};

double largest_distance(const Task& task) {
    const Instances instances = generic_instances(task.system, instance_count);
    const Chunk chunk = run_portable(task, instances);
    double largest = 0.0;
    for (std::uint64_t i = 0; i < instance_count; ++i) {
        const reference::Result twin = run_twin(task, instances[i]);
        EXPECT_EQ(twin.status, name_of(static_cast<Status>(chunk.status[i]))) << "instance " << i;
        EXPECT_LE(std::abs(twin.steps_taken - chunk.steps[i]), 1) << "instance " << i;
        if (twin.status == "ok") largest = std::max(largest, distance_to_twin(chunk, twin, i));
    }
    return largest;
}

TEST_P(Twins, AgreeAfterOneStep) {
    Task task = plain_task(GetParam(), 1, 0.01);
    task.schedule.relative_tolerance = task.schedule.absolute_tolerance = 0.1;
    task.schedule.initial_step_s = 0.01;
    const double distance = largest_distance(task);
    RecordProperty("distance", std::to_string(distance * 1e15) + "e-15");
    EXPECT_LE(distance, one_step_tolerance);
    EXPECT_GT(distance, 0.0) << "two independent paths do not round alike";
}

TEST_P(Twins, AgreeAfterAThousandSteps) {
    if (GetParam().adaptive) GTEST_SKIP() << "its steps are its own: see the tests of step control";
    const double distance = largest_distance(plain_task(GetParam(), 1000, 0.001));
    RecordProperty("distance", std::to_string(distance * 1e13) + "e-13");
    EXPECT_LE(distance, thousand_steps_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Twins, testing::ValuesIn(catalog_members()), [](const auto& info) {
    std::string name = info.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
}  // namespace myriad::backends
