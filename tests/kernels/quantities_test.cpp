// Every reduction against its definition, evaluated from a trajectory that is observed at every step.
#include <gtest/gtest.h>

#include "kernels/status.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t instance_count = 50;
constexpr int steps = 300;

// The value of a reduction of rows (time, value), by its definition.
double reduced(Reduction reduction, const std::vector<double>& times, const std::vector<double>& values,
               double threshold) {
    const auto largest = std::max_element(values.begin(), values.end());
    const auto smallest = std::min_element(values.begin(), values.end());
    const auto time_where = [&](const auto& holds) {
        const auto found = std::find_if(values.begin(), values.end(), holds);
        return found == values.end() ? std::numeric_limits<double>::quiet_NaN()
                                     : times[static_cast<std::size_t>(found - values.begin())];
    };
    double area = 0.0;
    for (std::size_t i = 1; i < values.size(); ++i)
        area += (times[i] - times[i - 1]) * (values[i] + values[i - 1]) / 2.0;
    switch (reduction) {
        case Reduction::final:
            return values.back();
        case Reduction::maximum:
            return *largest;
        case Reduction::minimum:
            return *smallest;
        case Reduction::mean:
            return area / times.back();
        case Reduction::time_of_maximum:
            return times[static_cast<std::size_t>(largest - values.begin())];
        case Reduction::time_of_minimum:
            return times[static_cast<std::size_t>(smallest - values.begin())];
        case Reduction::first_time_above:
            return time_where([&](double value) { return value > threshold; });
        case Reduction::first_time_below:
            return time_where([&](double value) { return value < threshold; });
    }
    return std::numeric_limits<double>::quiet_NaN();
}

class EveryReduction : public testing::TestWithParam<Member> {};

TEST_P(EveryReduction, IsThatOfTheObservedTrajectory) {
    Task task = generic_task(GetParam(), Precision::fp64, steps);
    const study::SystemDescription& system = study::find_system(task.system, "test");
    // The masses of these do not turn: what turns in the others stands still.
    if (system.is_lagrangian)
        for (const int k : {6, 7})
            task.plan.quantity_channels[k] = system.scalar_channel("velocity." + system.body_names[0] + ".x", "test");
    task.schedule.observe_steps = 1, task.schedule.rows = steps + 1;
    task.plan.observed_count = reduction_count;
    for (int i = 0; i < reduction_count; ++i) task.plan.observed_channels[i] = task.plan.quantity_channels[i];
    task.thresholds[6] = system.is_lagrangian ? 0.5 : 1.0, task.thresholds[7] = system.is_lagrangian ? -0.5 : 0.9;
    const Chunk chunk = run_scalar(task, generic_instances(task.system, instance_count));

    std::vector<double> times;
    for (int row = 0; row < steps; ++row) times.push_back(row * task.schedule.step_s);
    times.push_back(task.schedule.end_s);
    int crossings = 0, never = 0;
    // Some end at the singularity of the Cardan chart, and their rows with them.
    EXPECT_GE(count_of(chunk, static_cast<int>(Status::ok)), instance_count * 9 / 10);
    for (std::uint64_t i = 0; i < instance_count; ++i)
        for (int k = 0; k < reduction_count && chunk.status[i] == static_cast<int>(Status::ok); ++k) {
            std::vector<double> values;
            for (int row = 0; row <= steps; ++row)
                values.push_back(
                    chunk.trajectory[(i * (steps + 1) + static_cast<std::uint64_t>(row)) * reduction_count +
                                     static_cast<std::uint64_t>(k)]);
            const auto reduction = static_cast<Reduction>(k);
            const double expected = reduced(reduction, times, values, task.thresholds[static_cast<std::size_t>(k)]);
            const double found = chunk.quantities[i * reduction_count + static_cast<std::uint64_t>(k)];
            if (k >= 6) ++(std::isnan(expected) ? never : crossings);
            if (std::isnan(expected))
                EXPECT_TRUE(std::isnan(found)) << "reduction " << k << ", instance " << i;
            else if (reduction == Reduction::mean)
                // The products are rounded in another order, 300 times 1.1e-16 of values below 1.
                EXPECT_NEAR(found, expected, 3e-14);
            else
                EXPECT_EQ(found, expected) << "reduction " << k << ", instance " << i;
        }
    EXPECT_GT(crossings, 0);
    EXPECT_GT(never, 0);
}

std::vector<Member> fixed_step_members() {
    std::vector<Member> members = smooth_members();
    std::erase_if(members, [](const Member& member) { return member.adaptive; });
    return members;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryReduction, testing::ValuesIn(fixed_step_members()), [](const auto& info) {
    std::string name = info.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

// The exact mean of the height of a body in free fall, by the adaptive steps as they come.
TEST(MeanOverTime, OfUnequalStepsWeighsThemByTheirLength) {
    Task task = plain_task({"free_rigid_body", "rotation", "dopri5", true}, 1, 0.7);
    task.plan.quantity_count = 1;
    task.plan.reductions[0] = Reduction::mean;
    task.plan.quantity_channels[0] = 8;  // velocity y, linear in time: the trapezoidal rule is exact
    task.schedule.initial_step_s = 0.001;
    const Instances instances = generic_instances(task.system, instance_count);
    const Chunk chunk = run_scalar(task, instances);
    const auto value = [&](std::uint64_t i, const char* address) {
        return instances[i][static_cast<std::size_t>(parameter_index(task.system, address))];
    };
    for (std::uint64_t i = 0; i < instance_count; ++i) {
        const double expected = value(i, "initial_velocity_m_s[1]") + 0.35 * value(i, "gravity_m_s2[1]");
        // Round-off of some tens of steps.
        EXPECT_NEAR(chunk.quantities[i], expected, 1e-13);
    }
}

}  // namespace
}  // namespace myriad::backends
