// The threads of the cpu backend between runs, over a fork and at the end of a process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

Settings two_threads() {
    Settings settings;
    settings.threads = std::min(2, static_cast<int>(std::thread::hardware_concurrency()));
    return settings;
}

struct SomeTops {
    Task task = generic_task({"heavy_top", "rotation", "rk4", false}, Precision::fp64);
    Instances instances = generic_instances(task.system, 1000);
    auto bits(const Settings& settings) const { return bits_of(run_on_cpu(task, settings, instances)); }
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Threads, UseNoProcessorTimeBetweenRuns) {
    SomeTops().bits(two_threads());
    const double before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    // A tenth of what one thread takes that looks for work without end.
    EXPECT_LT(processor_seconds() - before, 0.04);
}

TEST(Threads, GiveTheSameBitsWhenTheirNumberChanges) {
    const SomeTops tops;
    Settings one;
    one.threads = 1;
    const auto expected = tops.bits(one);
    for (const Settings& settings : {two_threads(), one, two_threads()})
        EXPECT_EQ(differing(tops.bits(settings), expected), 0u);
}

TEST(Threads, ComputeInAChildProcessAndLetItEnd) {
    const SomeTops tops;
    const auto expected = tops.bits(two_threads());
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);  // a child that waits for threads it has not ends by this signal
        std::exit(differing(tops.bits(two_threads()), expected) == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(differing(tops.bits(two_threads()), expected), 0u);
}

TEST(Threads, LetAChildProcessEndThatComputesNothing) {
    SomeTops().bits(two_threads());
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace myriad::backends
