// Steps one by one show what a whole run shows at its end: the same channels after every step, the same bits after the
// last one, whether anyone looked or not.
#include "host/backends/cpu/step_by_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "host/backends/cpu/cpu.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"
#include "tests/cuda/tasks.hpp"
#include "tests/generic_tasks.hpp"
#include "tests/same_bits/instances_past_a_tile.hpp"
#include "tests/source_dir.hpp"

namespace myriad::backends {
namespace {

constexpr int observed_steps = 20;

// Every channel at every step, more of them than a plan has room for quantities.
void observe_all(Task& task, int channels) {
    task.plan.observed_count = channels;
    std::iota(task.plan.observed_channels, task.plan.observed_channels + channels, 0);
    task.schedule.observe_steps = 1, task.schedule.rows = observed_steps + 1;
}
Task observed_task(const Member& member, Precision precision) {
    Task task = generic_task(member, precision, observed_steps);
    observe_all(task, study::find_system(member.system, "test").channel_count);
    return task;
}

// Its implicit methods begin beside the given state. Gravity along z varies.
Task mechanism_task(const mechanism::Mechanism& mechanism) {
    Task task;
    task.system = joint_mechanism_system, task.chart = "rotation", task.integrator = "generalized_alpha";
    task.parameters = mechanism.nominal_kernel_parameters();
    task.plan.mechanism = &mechanism.table;
    std::fill(std::begin(task.plan.varied), std::end(task.plan.varied), -1);
    task.plan.varied[gravity_parameter + 2] = 0, task.plan.varied_count = 1;
    Schedule& schedule = task.schedule;
    schedule.step_s = 1e-3, schedule.full_steps = schedule.total_steps = schedule.most_attempts = observed_steps;
    schedule.end_s = observed_steps * schedule.step_s, schedule.spectral_radius = 0.8;
    schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 20;
    observe_all(task, mechanism.table.bodies * body_channels + mechanism.table.channels);
    return task;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_the_rows_of_the_run(const Task& task, const Instances& instances,
                                const std::string& kernels = names::interpreted_kernels) {
    Settings plain;
    plain.kernels = names::double_kernels;
    const Chunk whole = run_on_cpu(task, plain, instances);
    const auto channels = static_cast<std::size_t>(task.plan.observed_count);
    ASSERT_GE(count_of(whole, static_cast<int>(Status::ok)), instances.size() * 9 / 10);
    for (const int width : cpu_widths()) {
        StepByStep run(task, instances.size(), columns(instances, 0, instances.size()).data(), width, 1, kernels);
        ASSERT_LE(width, run.width());
        for (std::size_t row = 0; row <= observed_steps; ++row) {
            const std::vector<double> seen = run.channels({task.plan.observed_channels, channels});
            std::size_t differences = 0;
            for (std::size_t i = 0; i < instances.size(); ++i) {
                if (whole.status[i] != static_cast<int>(Status::ok)) continue;
                EXPECT_EQ(run.progress(i).steps, static_cast<double>(row));
                for (std::size_t k = 0; k < channels; ++k)
                    differences += !same(seen[i * channels + k],
                                         whole.trajectory[(i * (observed_steps + 1) + row) * channels + k]);
            }
            EXPECT_EQ(differences, 0u) << "row " << row << ", " << width << " wide";
            EXPECT_EQ(run.advance(), row < observed_steps - 1) << "row " << row;
        }
        EXPECT_EQ(differing(bits_of(run.chunk()), bits_of(whole)), 0u) << width << " wide";
    }
}

// The mass of a body varies, and what its link moves.
Task joint_task(Precision precision) {
    Task task = tests::joint_task("double_pendulum");
    task.precision = precision;
    Schedule& schedule = task.schedule;
    schedule.full_steps = schedule.total_steps = observed_steps, schedule.end_s = observed_steps * schedule.step_s;
    // Round-off of single precision keeps corrections above the default; bits are compared, not accuracy.
    if (precision == Precision::fp32) schedule.newton_tolerance = 1e-3;
    observe_all(task, task.mechanism->table.bodies * body_channels + task.mechanism->table.channels);
    return task;
}
Instances of_masses(std::uint64_t count) {
    Instances instances;
    for (std::uint64_t i = 0; i < count; ++i)
        instances.push_back({1.0 + 0.001 * static_cast<double>(i), 1.0 + 0.001 * static_cast<double>(i)});
    return instances;
}

TEST(StepByStep, ShowsTheRowsOfARunInBothPrecisions) {
    const std::vector<Member> in_fp32 = {{"heavy_top", "rotation", "rk4", false},
                                         {"heavy_top", "rotation", "generalized_alpha", false}};
    const std::vector<Member> in_fp64 = {{"heavy_top", "rotation", "rk4", false},
                                         {"heavy_top", "cardan_xyz", "generalized_alpha", false},
                                         {"mass_spring", "rotation", "energy_momentum", false},
                                         {"slider_crank_clearance", "rotation", "nonsmooth_bathe", false},
                                         {"slider_crank_clearance", "rotation", "moreau_midpoint", false}};
    for (const auto& [precision, members] : {std::pair{Precision::fp64, in_fp64}, std::pair{Precision::fp32, in_fp32}})
        for (const Member& member : members) {
            SCOPED_TRACE(member.name() + (precision == Precision::fp64 ? " in fp64" : " in fp32"));
            expect_the_rows_of_the_run(observed_task(member, precision),
                                       generic_instances(member.system, instances_past_a_tile));
        }
}

TEST(StepByStep, ShowsTheGivenStateOfAMechanismThatBeginsBesideIt) {
    const auto mechanism =
        mechanism::read_mechanism((source_dir() / "ensembles/mechanisms/double_pendulum.json").string());
    Instances instances;
    for (std::uint64_t i = 0; i < instances_past_a_tile; ++i)
        instances.push_back({-9.81 - 0.1 * static_cast<double>(i)});
    expect_the_rows_of_the_run(mechanism_task(*mechanism), instances);
}

TEST(StepByStep, ShowsTheRowsOfARunByInterpretedStepsInBothPrecisions) {
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
        SCOPED_TRACE(precision == Precision::fp64 ? "fp64" : "fp32");
        expect_the_rows_of_the_run(joint_task(precision), of_masses(instances_past_a_tile), names::interpreted_kernels);
    }
}

TEST(StepByStep, GoesOnWithItsOwnStepsToATime) {
    const Member member{"heavy_top", "rotation", "dopri5", true};
    const Task task = generic_task(member, Precision::fp64);
    const Instances instances = generic_instances(member.system, instances_past_a_tile);
    StepByStep run(task, instances_past_a_tile, columns(instances, 0, instances_past_a_tile).data());
    EXPECT_TRUE(run.advance_to(0.3));
    for (std::uint64_t i = 0; i < instances_past_a_tile; ++i) {
        EXPECT_GE(run.progress(i).time_s, 0.3 * (1.0 - 1e-12));
        EXPECT_TRUE(run.runs(i));
    }
    const double before_s = run.progress(7).time_s;
    EXPECT_TRUE(run.advance_to(0.3));
    EXPECT_EQ(run.progress(7).time_s, before_s) << "already there";
    EXPECT_FALSE(run.advance_to(10.0)) << "the end of the span comes first";
    EXPECT_EQ(differing(bits_of(run.chunk()), bits_of(run_on_cpu(task, {}, instances))), 0u);
    EXPECT_FALSE(run.advance()) << "nothing is left to do";
}

TEST(StepByStep, StopsOnlyTheInstanceThatFails) {
    const Member member{"heavy_top", "rotation", "rk4", false};
    const Task task = generic_task(member, Precision::fp64, observed_steps);
    Instances instances = generic_instances(member.system, instances_past_a_tile);
    instances[5][static_cast<std::size_t>(parameter_index(member.system, "mass_kg"))] = -1.0;
    StepByStep run(task, instances_past_a_tile, columns(instances, 0, instances_past_a_tile).data());
    for (std::uint64_t i = 0; i < instances_past_a_tile; ++i) EXPECT_EQ(run.runs(i), i != 5);
    EXPECT_EQ(run.progress(5).reason, static_cast<double>(Reason::mass_not_positive));
    run.advance(3);
    EXPECT_EQ(run.progress(5).steps, 0.0);
    EXPECT_EQ(run.progress(6).steps, 3.0);
}

TEST(StepByStep, HasTheBitsOfARunOnAnyNumberOfThreadsAndAfterSomeBeganAgain) {
    // With fewer, all steps of a launch are worth one thread.
    constexpr std::uint64_t count = 4001;
    const std::vector<unsigned int> again = {0, 7, 31, 32, count - 1};
    const Instances tops = generic_instances("heavy_top", count);
    const Member by_rk4{"heavy_top", "rotation", "rk4", false},
        by_generalized_alpha{"heavy_top", "rotation", "generalized_alpha", false};
    const std::tuple<const char*, Task, Instances> cases[] = {
        {names::interpreted_kernels, observed_task(by_rk4, Precision::fp64), tops},
        {names::interpreted_kernels, observed_task(by_generalized_alpha, Precision::fp64), tops},
        {names::interpreted_kernels, joint_task(Precision::fp64), of_masses(count)}};
    Settings plain;
    plain.kernels = names::double_kernels;
    for (const auto& [kernels, task, instances] : cases) {
        const std::vector<double> varied = columns(instances, 0, count);
        const auto expected = bits_of(run_on_cpu(task, plain, instances));
        for (const int threads : {1, 2, 5}) {
            SCOPED_TRACE(task.integrator + ", " + kernels + " on " + std::to_string(threads) + " threads");
            StepByStep run(task, count, varied.data(), 0, threads, kernels);
            run.advance_to(0.4 * task.schedule.end_s);
            run.begin_again(again);
            EXPECT_EQ(run.times_s()[7], 0.0);
            EXPECT_GT(run.times_s()[8], 0.0);
            run.set_varied(varied.data());
            EXPECT_FALSE(run.advance_to(task.schedule.end_s));
            EXPECT_EQ(differing(bits_of(run.chunk()), expected), 0u);
        }
    }
}

TEST(StepByStep, IsAskedToStopBetweenTwoLaunches) {
    const Member member{"heavy_top", "rotation", "rk4", false};
    const Task task = generic_task(member, Precision::fp64, observed_steps);
    const Instances instances = generic_instances(member.system, instances_past_a_tile);
    StepByStep run(task, instances_past_a_tile, columns(instances, 0, instances_past_a_tile).data());
    EXPECT_TRUE(run.advance_to(task.schedule.end_s, [] { return true; }));
    EXPECT_EQ(run.progress(3).steps, 0.0);
    EXPECT_FALSE(run.advance_to(task.schedule.end_s, [] { return false; }));
}

TEST(StepByStep, RefusesWhatTheCatalogOrTheProcessorLacks) {
    Task task = generic_task({"heavy_top", "rotation", "rk4", false}, Precision::fp64);
    const Instances instances = generic_instances("heavy_top", 1);
    EXPECT_THROW(StepByStep(task, 1, instances[0].data(), 3), UserError);
    task.integrator = "leapfrog";
    EXPECT_THROW(StepByStep(task, 1, instances[0].data()), UserError);
}

}  // namespace
}  // namespace myriad::backends
