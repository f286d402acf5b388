// Each integrator on each system and chart against its Eigen twin: one step, and a thousand.
#include <gtest/gtest.h>

#include "kernels/system/status.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

// One step: the increment of the state, some hundredths of it, is the result of some hundred operations that round
// differently; adding it rounds once more. A few units of 2.2e-16; a wrong digit of a coefficient shows by 1e-6.
constexpr double one_step_tolerance = 2e-15;
// A thousand steps of 0.001 s: round-off of up to 2e-16 per step adds up to 2e-13 where it always has the same sign, as
// in the position and velocity of a falling body, and the motion's own growth in that second is less than threefold.
constexpr double thousand_steps_tolerance = 5e-13;

// Methods whose rates are differences of coordinates, 2 (q+ - q)/h - v, carry two round-offs over h in each step, the
// sign alternating; in a thousand steps these add up as a random walk does, grown threefold by the motion.
constexpr double round_off_of_differences = 4.4e-16, largest_walk = 100.0;
bool has_rates_by_difference(const Member& member) {
    const bool in_coordinates = !study::find_system(member.system, "test").has_orientation;
    return member.integrator == "energy_momentum" || (in_coordinates && member.integrator == "livens_midpoint");
}

class Twins : public testing::TestWithParam<Member> {};
// Adaptive ones choose their steps: adaptive_runge_kutta_test.cpp follows them.
class FixedStepTwins : public Twins {};

double largest_distance(const Task& task) {
    const Instances instances = generic_instances(task.system, twin_count);
    const Chunk chunk = run_scalar(task, instances);
    double largest = 0.0;
    for (std::uint64_t i = 0; i < twin_count; ++i) {
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
    EXPECT_LE(distance, has_rates_by_difference(GetParam()) ? round_off_of_differences / 0.01 : one_step_tolerance);
    EXPECT_GT(distance, 0.0) << "two independent paths do not round alike";
}

TEST_P(FixedStepTwins, AgreeAfterAThousandSteps) {
    const double distance = largest_distance(plain_task(GetParam(), 1000, 0.001));
    RecordProperty("distance", std::to_string(distance * 1e13) + "e-13");
    EXPECT_LE(distance, has_rates_by_difference(GetParam()) ? largest_walk * round_off_of_differences / 0.001
                                                            : thousand_steps_tolerance);
}

std::string test_name(const testing::TestParamInfo<Member>& given) {
    std::string name = given.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Twins, testing::ValuesIn(smooth_members()), test_name);
INSTANTIATE_TEST_SUITE_P(Catalog, FixedStepTwins, testing::ValuesIn(fixed_step_members()), test_name);

}  // namespace
}  // namespace myriad::backends
