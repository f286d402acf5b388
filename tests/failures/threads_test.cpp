// The threads of the cpu backend between runs, over a fork and at the end of a process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
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

// Whether every thread of this process but this one sleeps: what stands behind its name in /proc says so.
bool others_sleep() {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        if (thread.path().filename() == std::to_string(::gettid())) continue;
        std::stringstream text;
        text << std::ifstream(thread.path() / "stat").rdbuf();
        const std::string stat = text.str();
        if (stat.compare(stat.rfind(')') + 2, 1, "S") != 0) return false;
    }
    return true;
}

// Without end where a thread looks for work without end.
TEST(Threads, SleepBetweenRuns) {
    SomeTops().bits(two_threads());
    while (!others_sleep()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
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
