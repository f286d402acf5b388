// The adaptive control takes the steps of its Eigen twin for the same settings, with and without rows to end on.
#include <gtest/gtest.h>

#include "kernels/system/status.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

// Where an error estimate lies on the border of acceptance, round-off decides: one step more or less.
constexpr long step_slack = 1;
// Steps differ by round-off of their error estimates (1e-16 of the state over a tolerance of 1e-8: 1e-8 of a step),
// which moves the error of the result, some tolerances, by that share: far below this. A step more or less would not.
constexpr double agreement = 1e-11;

class StepControl : public testing::TestWithParam<std::tuple<Member, double, bool>> {};

TEST_P(StepControl, TakesTheStepsOfItsTwin) {
    const auto& [member, tolerance, with_rows] = GetParam();
    Task task = plain_task(member, 1, 1.0);
    task.schedule.relative_tolerance = tolerance, task.schedule.absolute_tolerance = 0.01 * tolerance;
    task.schedule.initial_step_s = 0.05;
    task.schedule.most_attempts = 1e6;
    if (with_rows) {
        task.schedule.observe_s = 0.1, task.schedule.rows = 10;
        task.plan.observed_count = 1;
    }
    const Instances instances = generic_instances(member.system, twin_count);
    const Chunk chunk = run_scalar(task, instances);
    for (std::uint64_t i = 0; i < twin_count; ++i) {
        const reference::Result twin = run_twin(task, instances[i]);
        ASSERT_EQ(twin.status, "ok");
        EXPECT_EQ(chunk.status[i], static_cast<int>(Status::ok));
        EXPECT_LE(std::abs(twin.steps_taken - chunk.steps[i]), step_slack) << twin.steps_taken << " by the twin";
        EXPECT_LE(std::abs(twin.steps_rejected - chunk.rejected[i]), step_slack) << twin.steps_rejected;
        if (twin.steps_taken == chunk.steps[i]) {
            EXPECT_LE(distance_to_twin(chunk, twin, i), agreement);
        }
    }
}

std::vector<Member> adaptive_members() {
    std::vector<Member> members = catalog_members();
    std::erase_if(members, [](const Member& member) { return !member.adaptive; });
    return members;
}

INSTANTIATE_TEST_SUITE_P(Catalog, StepControl,
                         testing::Combine(testing::ValuesIn(adaptive_members()), testing::Values(1e-4, 1e-6, 1e-8),
                                          testing::Bool()),
                         [](const auto& given) {
                             std::string name = std::get<0>(given.param).name();
                             std::replace(name.begin(), name.end(), ' ', '_');
                             const double tolerance = std::get<1>(given.param);
                             name += tolerance > 1e-5 ? "_loose" : tolerance > 1e-7 ? "_middle" : "_tight";
                             return name + (std::get<2>(given.param) ? "_with_rows" : "");
                         });

}  // namespace
}  // namespace myriad::backends
