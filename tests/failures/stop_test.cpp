// A raised `stop` ends a chunk early, and the backend can go on with the next.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(Stop, RaisedDuringARunEndsItSoon) {
    // Some hours of steps, were it not stopped.
    for (const char* integrator : {"rk4", "dopri5"}) {
        const bool adaptive = std::string(integrator) == "dopri5";
        Task task = generic_task({"heavy_top", "rotation", integrator, adaptive}, Precision::fp64, 100'000'000);
        task.plan.observed_count = 0;
        if (adaptive) task.schedule.end_s = 1e6, task.schedule.most_attempts = 1e12;
        const Instances instances = generic_instances(task.system, 2000);
        const auto backend = make_backend("cpu", {});
        backend->prepare(task, instances.size());
        backend->start(0, instances.size(), columns(instances, 0, instances.size()).data());
        std::atomic<bool> stop{false};
        std::thread raises([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            stop = true;
        });
        Chunk chunk;
        const auto started = std::chrono::steady_clock::now();
        EXPECT_FALSE(backend->finish(0, chunk, stop)) << integrator;
        raises.join();
        // A block looks at `stop` every some tens of milliseconds; the rest is for a machine busy with other things.
        EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20)) << integrator;
    }
}

}  // namespace
}  // namespace myriad::backends
