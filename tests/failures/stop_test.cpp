// A raised `stop` ends a chunk early, and the backend can go on with the next.
#include <gtest/gtest.h>

#include "host/backends/backends.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

TEST(Stop, RaisedBeforehandMakesFinishFalse) {
    const Task task = generic_task({"heavy_top", "rotation", "rk4", false}, Precision::fp64);
    const Instances instances = generic_instances(task.system, 40);
    const auto backend = make_backend("cpu", {});
    backend->prepare(task, instances.size());
    Chunk chunk;
    std::atomic<bool> stop{true};
    backend->start(0, instances.size(), columns(instances, 0, instances.size()).data());
    EXPECT_FALSE(backend->finish(0, chunk, stop));

    stop = false;
    backend->start(0, instances.size(), columns(instances, 0, instances.size()).data());
    ASSERT_TRUE(backend->finish(0, chunk, stop));
    EXPECT_EQ(differing(bits_of(chunk), bits_of(run_on_cpu(task, {}, instances))), 0u);
}

TEST(Stop, RaisedDuringARunEndsIt) {
    // Some hours of steps, were it not stopped.
    for (const char* integrator : {"rk4", "dopri5"}) {
        const bool adaptive = std::string(integrator) == "dopri5";
        Task task = generic_task({"heavy_top", "rotation", integrator, adaptive}, Precision::fp64, 100'000'000);
        task.plan.observed_count = 0;
        if (adaptive) task.schedule.end_s = 1e6, task.schedule.most_attempts = 1e12;
        const Instances instances = generic_instances(task.system, 2000);
        std::atomic<bool> stop{false};
        Settings settings;
        settings.progress = [&](double) { stop = true; };
        const auto backend = make_backend("cpu", settings);
        backend->prepare(task, instances.size());
        backend->start(0, instances.size(), columns(instances, 0, instances.size()).data());
        Chunk chunk;
        EXPECT_FALSE(backend->finish(0, chunk, stop)) << integrator;
    }
}

}  // namespace
}  // namespace myriad::backends
