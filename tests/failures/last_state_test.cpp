// An instance that fails leaves its last good state, the time of that state, and a trajectory that ends there.
#include <gtest/gtest.h>

#include <bit>

#include "host/backends/cpu/cpu.hpp"
#include "tests/failures/provocations.hpp"

namespace myriad::backends {
namespace {

const Provocation& named(const std::string& name) {
    static const std::vector<Provocation> list = provocations();
    for (const Provocation& provocation : list)
        if (provocation.name == name) return provocation;
    throw std::logic_error("no provocation " + name);
}

std::vector<double> spoiled_instance(const Provocation& provocation) {
    std::vector<double> instance = generic_instance(provocation.task.system, 5);
    provocation.spoil(instance);
    return instance;
}

// The first `steps` whole steps of a fixed-step task.
Task first_steps(Task task, std::int64_t steps) {
    Schedule& schedule = task.schedule;
    schedule.full_steps = schedule.total_steps = schedule.most_attempts = static_cast<double>(steps);
    schedule.last_step_s = 0.0;
    schedule.end_s = schedule.full_steps * schedule.step_s;
    return task;
}

class FailsOnTheWay : public testing::TestWithParam<const char*> {};

TEST_P(FailsOnTheWay, KeepsTheLastGoodState) {
    const Provocation& provocation = named(GetParam());
    const Instances one{spoiled_instance(provocation)};
    for (const int width : cpu_widths()) {
        const Chunk failed = run_on_cpu(provocation.task, {1, width, 0}, one);
        ASSERT_EQ(failed.status[0], static_cast<int>(provocation.status));
        const std::int64_t steps = failed.steps[0];
        ASSERT_GT(steps, 0);
        ASSERT_LT(steps, provocation.task.schedule.total_steps);
        EXPECT_EQ(failed.time_s[0], static_cast<double>(steps) * provocation.task.schedule.step_s);

        const Chunk good = run_on_cpu(first_steps(provocation.task, steps), {1, width, 0}, one);
        ASSERT_EQ(good.status[0], static_cast<int>(Status::ok));
        EXPECT_EQ(failed.final_state, good.final_state);
        // As bits: a threshold that is never passed gives NaN.
        for (std::size_t i = 0; i < failed.quantities.size(); ++i)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(failed.quantities[i]),
                      std::bit_cast<std::uint64_t>(good.quantities[i]))
                << "quantity " << i;
        EXPECT_EQ(failed.time_s, good.time_s);
        const Chunk bad = run_on_cpu(first_steps(provocation.task, steps + 1), {1, width, 0}, one);
        EXPECT_EQ(bad.status[0], static_cast<int>(provocation.status)) << "one step more does not fail";
        for (const double x : failed.final_state) EXPECT_TRUE(std::isfinite(x));
    }
}

TEST_P(FailsOnTheWay, LeavesRowsOfNanAfterTheFailure) {
    const Provocation& provocation = named(GetParam());
    Task task = provocation.task;
    task.schedule.observe_steps = 1;
    task.schedule.rows = task.schedule.total_steps + 1;
    const Chunk chunk = run_on_cpu(task, {}, {spoiled_instance(provocation)});
    const std::size_t observed = static_cast<std::size_t>(task.plan.observed_count);
    ASSERT_EQ(chunk.trajectory.size(), static_cast<std::size_t>(task.schedule.rows) * observed);
    for (std::size_t i = 0; i < chunk.trajectory.size(); ++i) {
        const bool reached = i / observed <= static_cast<std::size_t>(chunk.steps[0]);
        EXPECT_EQ(std::isnan(chunk.trajectory[i]), !reached) << "row " << i / observed << " of " << chunk.steps[0];
    }
}

INSTANTIATE_TEST_SUITE_P(Failures, FailsOnTheWay, testing::Values("fast_in_the_end", "chart_singular_on_the_way"),
                         [](const auto& given) { return given.param; });

TEST(LastGoodState, IsTheInitialOneWhereTheFirstStepFails) {
    for (const char* name : {"fast_from_the_start", "not_finite_on_a_chart", "step_too_small"}) {
        const Provocation& provocation = named(name);
        const Chunk chunk = run_on_cpu(provocation.task, {}, {spoiled_instance(provocation)});
        EXPECT_EQ(chunk.steps[0], 0) << name;
        EXPECT_EQ(chunk.time_s[0], 0.0) << name;
        EXPECT_EQ(chunk.final_state, chunk.initial_state) << name;
        const std::size_t observed = static_cast<std::size_t>(provocation.task.plan.observed_count);
        for (std::size_t i = 0; i < chunk.trajectory.size(); ++i)
            EXPECT_EQ(std::isnan(chunk.trajectory[i]), i >= observed) << name;
    }
}

TEST(LastGoodState, OfAPositionThatOverflowsIsTheLastFiniteOne) {
    const Provocation& provocation = named("not_finite_on_the_group");
    const Chunk chunk = run_on_cpu(provocation.task, {}, {spoiled_instance(provocation)});
    // x = 1.7e308 + 0.01 n 1e308 passes the largest double, 1.797e308, between n = 9 and n = 10.
    EXPECT_EQ(chunk.steps[0], 9);
    EXPECT_NEAR(chunk.final_state[0] / 1e308, 1.79, 1e-12);
}

TEST(Refused, InstancesDoNoStepAndHaveNoRows) {
    for (const Provocation& provocation : provocations()) {
        if (provocation.status != Status::invalid_parameter && provocation.name != "chart_singular_at_the_start")
            continue;
        const Chunk chunk = run_on_cpu(provocation.task, {}, {spoiled_instance(provocation)});
        EXPECT_EQ(chunk.steps[0] + chunk.rejected[0], 0) << provocation.name;
        EXPECT_EQ(chunk.time_s[0], 0.0);
        for (const double value : chunk.trajectory) EXPECT_TRUE(std::isnan(value)) << provocation.name;
    }
}

TEST(StepLimit, EndsAfterExactlyThatManyAttempts) {
    const Provocation& provocation = named("step_limit");
    const Chunk chunk = run_on_cpu(provocation.task, {}, {spoiled_instance(provocation)});
    EXPECT_EQ(static_cast<double>(chunk.steps[0] + chunk.rejected[0]), provocation.task.schedule.most_attempts);
    EXPECT_GT(chunk.rejected[0], 0);
    EXPECT_GT(chunk.time_s[0], 0.0);
    EXPECT_LT(chunk.time_s[0], provocation.task.schedule.end_s);
}

TEST(StepTooSmall, StopsBeforeTheStepThatWouldBeTooSmall) {
    // Each refusal of the first step divides it by ten: 0.05, 0.005, 0.0005, and 0.00005 would be below 0.0001. The
    // attempt that asks for it is the failure, not a rejection that is repeated.
    const Provocation& provocation = named("step_too_small");
    const Chunk chunk = run_on_cpu(provocation.task, {}, {spoiled_instance(provocation)});
    EXPECT_EQ(chunk.rejected[0], 2);
}

TEST(Provocations, CoverEveryStatusOfThisVersion) {
    for (const Status status : {Status::not_finite, Status::step_too_small, Status::step_limit,
                                Status::step_rotation_too_large, Status::chart_singular, Status::invalid_parameter,
                                Status::newton_stalled, Status::prox_stalled, Status::assembly_failed}) {
        bool covered = false;
        for (const Provocation& provocation : provocations()) covered = covered || provocation.status == status;
        EXPECT_TRUE(covered) << name_of(status);
    }
}

}  // namespace
}  // namespace myriad::backends
