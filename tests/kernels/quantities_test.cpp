// Every reduction against its definition, evaluated from a trajectory that is observed at every step.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "host/backends/backends.hpp"
#include "kernels/math/norm.hpp"
#include "kernels/system/status.hpp"
#include "tests/kernels/twin_runs.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t reduced_count = 50;
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

// The same over the rows in a window; a mean over the part of the line through all rows that lies in it.
double reduced_in(double from_s, double to_s, Reduction reduction, const std::vector<double>& times,
                  const std::vector<double>& values, double threshold) {
    const auto at = [&](double time_s) {
        const auto behind =
            static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time_s) - times.begin());
        const std::size_t end = std::min(behind, times.size() - 1), begin = end - 1;
        const double share = (time_s - times[begin]) / (times[end] - times[begin]);
        return (1.0 - share) * values[begin] + share * values[end];
    };
    std::vector<double> times_inside, values_inside;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (from_s <= times[i] && times[i] <= to_s)
            times_inside.push_back(times[i]), values_inside.push_back(values[i]);
    if (reduction == Reduction::mean) {
        times_inside.insert(times_inside.begin(), from_s), values_inside.insert(values_inside.begin(), at(from_s));
        times_inside.push_back(to_s), values_inside.push_back(at(to_s));
        double area = 0.0;
        for (std::size_t i = 1; i < times_inside.size(); ++i)
            area += (times_inside[i] - times_inside[i - 1]) * (values_inside[i] + values_inside[i - 1]) / 2.0;
        return area / (to_s - from_s);
    }
    return times_inside.empty() ? std::numeric_limits<double>::quiet_NaN()
                                : reduced(reduction, times_inside, values_inside, threshold);
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
    const Chunk chunk = run_scalar(task, generic_instances(task.system, reduced_count));

    std::vector<double> times;
    for (int row = 0; row < steps; ++row) times.push_back(row * task.schedule.step_s);
    times.push_back(task.schedule.end_s);
    int crossings = 0, never = 0;
    // Some end at the singularity of the Cardan chart, and their rows with them.
    EXPECT_GE(count_of(chunk, static_cast<int>(Status::ok)), reduced_count * 9 / 10);
    for (std::uint64_t i = 0; i < reduced_count; ++i)
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

// Between two rows, from the start, to the end, from one row to another, and between rows with none inside.
constexpr double windows_s[][2] = {{0.705, 2.1004}, {0.0, 1.004}, {1.507, 10.0}, {0.7, 2.1}, {1.001, 1.009}};

TEST_P(EveryReduction, InAWindowOfTimeIsThatOfItsRows) {
    Task task = generic_task(GetParam(), Precision::fp64, steps);
    task.schedule.observe_steps = 1, task.schedule.rows = steps + 1;
    task.plan.observed_count = reduction_count;
    for (int i = 0; i < reduction_count; ++i) {
        task.plan.observed_channels[i] = task.plan.quantity_channels[i];
        task.plan.windowed[i] = 1;
    }
    constexpr std::uint64_t few = 9;
    const Instances instances = generic_instances(task.system, few);
    std::vector<double> times;
    for (int row = 0; row < steps; ++row) times.push_back(row * task.schedule.step_s);
    times.push_back(task.schedule.end_s);
    // Windows are those of steps of 0.01 s.
    const double scale = task.schedule.step_s / 0.01;
    for (const auto& [from, to] : windows_s) {
        const double from_s = from * scale, to_s = std::min(to * scale, task.schedule.end_s);
        task.windows.clear();
        for (int i = 0; i < reduction_count; ++i) task.windows.push_back(from_s), task.windows.push_back(to_s);
        const Chunk chunk = run_scalar(task, instances);
        for (std::uint64_t i = 0; i < few; ++i)
            for (int k = 0; k < reduction_count && chunk.status[i] == static_cast<int>(Status::ok); ++k) {
                std::vector<double> values;
                for (std::uint64_t row = 0; row <= steps; ++row)
                    values.push_back(
                        chunk.trajectory[(i * (steps + 1) + row) * reduction_count + static_cast<std::uint64_t>(k)]);
                const auto reduction = static_cast<Reduction>(k);
                const double expected =
                    reduced_in(from_s, to_s, reduction, times, values, task.thresholds[static_cast<std::size_t>(k)]);
                const double found = chunk.quantities[i * reduction_count + static_cast<std::uint64_t>(k)];
                if (std::isnan(expected))
                    EXPECT_TRUE(std::isnan(found)) << "reduction " << k << ", from " << from_s;
                else if (reduction == Reduction::mean)
                    // As above; a window of less than a step divides by its length.
                    EXPECT_NEAR(found, expected, 3e-12 * (1.0 + std::abs(expected))) << "from " << from_s;
                else
                    EXPECT_EQ(found, expected) << "reduction " << k << ", from " << from_s;
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryReduction, testing::ValuesIn(fixed_step_members()), [](const auto& given) {
    std::string name = given.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

// The height of the top, whose rate is known, in the place of the norm.
void take_height(Task& task) {
    const study::SystemDescription& system = study::find_system(task.system, "test");
    for (int i = 0; i < reduction_count; ++i) {
        task.plan.quantity_channels[i] = system.scalar_channel("position.top.z", "test");
        task.plan.quantity_rates[i] = system.scalar_channel("velocity.top.z", "test");
    }
    task.thresholds[6] = 0.2, task.thresholds[7] = -0.2;
}

// All reductions of the norm of the angular velocity, half of them in a window, with the norm itself as a row.
Task norm_task(const Member& member, Precision precision) {
    Task task = generic_task(member, precision, steps);
    const study::SystemDescription& system = study::find_system(task.system, "test");
    const int norm = system.scalar_channel("angular_velocity.top.norm", "test");
    task.plan.observed_count = 4;
    task.plan.observed_channels[3] = norm;
    for (int i = 0; i < 3; ++i) task.plan.observed_channels[i] = first_of_norm(norm) + i;
    for (int i = 0; i < reduction_count; ++i) {
        task.plan.quantity_channels[i] = norm;
        task.plan.windowed[i] = i % 2;
        task.windows.push_back(0.205), task.windows.push_back(0.5);
    }
    task.thresholds[6] = 2.0, task.thresholds[7] = 1.5;
    return task;
}

TEST(Norms, AreThoseOfTheVectorsComponents) {
    Task task = norm_task({"heavy_top", "rotation", "rk4", false}, Precision::fp64);
    task.schedule.observe_steps = 1, task.schedule.rows = steps + 1;
    const Chunk chunk = run_scalar(task, generic_instances(task.system, reduced_count));
    for (std::uint64_t i = 0; i < reduced_count; ++i) {
        double largest = 0.0;
        for (std::uint64_t row = 0; row <= steps; ++row) {
            const double* values = chunk.trajectory.data() + (i * (steps + 1) + row) * 4;
            // Two roundings of the sum of squares, and that of the root.
            EXPECT_NEAR(values[3], std::hypot(values[0], values[1], values[2]), 4e-16 * values[3]);
            const double time_s = row < steps ? static_cast<double>(row) * task.schedule.step_s : task.schedule.end_s;
            if (0.205 <= time_s && time_s <= 0.5) largest = std::max(largest, values[3]);
        }
        EXPECT_EQ(chunk.quantities[i * reduction_count + 1], largest);
        EXPECT_EQ(chunk.quantities[i * reduction_count], chunk.trajectory[((i + 1) * (steps + 1) - 1) * 4 + 3]);
    }
}

TEST(NormsAndWindows, HaveTheSameBitsInEveryWidthAndAgreeWithTheReferencePath) {
    constexpr std::uint64_t count = 33;
    const std::atomic<bool> stop{false};
    for (const Member& member :
         {Member{"heavy_top", "rotation", "rk4", false}, Member{"heavy_top", "rotation", "dopri5", true}})
        for (const auto& [precision, between] :
             {std::pair(Precision::fp64, Between::steps), std::pair(Precision::fp64, Between::line),
              std::pair(Precision::fp64, Between::cubic), std::pair(Precision::fp32, Between::steps),
              std::pair(Precision::fp32, Between::cubic)}) {
            Task task = norm_task(member, precision);
            std::fill_n(task.plan.between, reduction_count, between);
            if (between == Between::cubic) take_height(task);
            const Instances instances = generic_instances(task.system, count);
            const auto quantities = [&](const char* name, Settings settings) {
                const auto backend = make_backend(name, settings);
                backend->prepare(task, count);
                backend->start(0, count, columns(instances, 0, count).data());
                Chunk chunk;
                EXPECT_TRUE(backend->finish(0, chunk, stop));
                return chunk.quantities;
            };
            const auto scalar = quantities("cpu", {1, 1, 0}), widest = quantities("cpu", {2, 0, 7});
            EXPECT_EQ(std::memcmp(scalar.data(), widest.data(), scalar.size() * sizeof(double)), 0) << member.name();
            if (precision == Precision::fp32) continue;
            const auto reference = quantities("reference", {});
            ASSERT_EQ(scalar.size(), reference.size());
            for (std::size_t k = 0; k < scalar.size(); ++k)
                // A first time is a step; the rest follows the motion, to the round-off of its steps.
                EXPECT_TRUE(std::isnan(scalar[k])
                                ? std::isnan(reference[k])
                                : std::abs(scalar[k] - reference[k]) <= 1e-9 * (1.0 + std::abs(scalar[k])))
                    << member.name() << ", quantity " << k % reduction_count << ": " << scalar[k] << " "
                    << reference[k];
        }
}

// The exact mean of the height of a body in free fall, by the adaptive steps as they come.
TEST(MeanOverTime, OfUnequalStepsWeighsThemByTheirLength) {
    Task task = plain_task({"free_rigid_body", "rotation", "dopri5", true}, 1, 0.7);
    task.plan.quantity_count = 1;
    task.plan.reductions[0] = Reduction::mean;
    task.plan.quantity_channels[0] = 8;  // velocity y, linear in time: the trapezoidal rule is exact
    task.schedule.initial_step_s = 0.001;
    const Instances instances = generic_instances(task.system, reduced_count);
    const Chunk chunk = run_scalar(task, instances);
    const auto value = [&](std::uint64_t i, const char* address) {
        return instances[i][static_cast<std::size_t>(parameter_index(task.system, address))];
    };
    for (std::uint64_t i = 0; i < reduced_count; ++i) {
        const double expected = value(i, "initial_velocity_m_s[1]") + 0.35 * value(i, "gravity_m_s2[1]");
        // Round-off of some tens of steps.
        EXPECT_NEAR(chunk.quantities[i], expected, 1e-13);
    }
}

}  // namespace
}  // namespace myriad::backends
