// What may crash or never end is met by a child process first, and the program itself always comes back.
#include "host/results/disk/trial_process.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace myriad::results {
namespace {

constexpr TrialLimits limits{.processor_seconds = 1, .wall_seconds = 60},
    short_limits{.processor_seconds = 60, .wall_seconds = 1};

TEST(TrialProcess, EndsByItselfAfterAnActionAndAfterAnException) {
    int mine = 0;
    EXPECT_EQ(try_in_child(limits, [&] { mine = 1; }), TrialEnd::by_itself);
    EXPECT_EQ(mine, 0) << "the action ran in this process";
    EXPECT_EQ(try_in_child(limits, [] { throw std::runtime_error("no"); }), TrialEnd::by_itself);
}

TEST(TrialProcess, TellsACrash) {
    EXPECT_EQ(try_in_child(limits, [] { std::abort(); }), TrialEnd::crashed);
}

TEST(TrialProcess, TellsAnEndlessComputation) {
    EXPECT_EQ(try_in_child(limits,
                           [] {
                               std::atomic<int> turns = 0;
                               for (;;) ++turns;
                           }),
              TrialEnd::endless);
}

TEST(TrialProcess, IsGivenUpWhereItWaitsForALockThatNobodyOpens) {
    std::timed_mutex lock;
    lock.lock();
    EXPECT_EQ(try_in_child(short_limits, [&] { lock.lock(); }), TrialEnd::by_itself);
    lock.unlock();
}

}  // namespace
}  // namespace myriad::results
