// Runs that are killed for real, at moments nobody chose.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::fingerprint;
using example::Folder;

// Runs `action` in a child, waits until it has told of `acts` acts (the first: its journal is open) and `microseconds`
// more, and kills it. Comes back with everything it told.
template <class Action>
std::vector<InstanceRange> killed(std::size_t acts, std::uint64_t microseconds, Action action) {
    int ends[2];
    // Of a page: an action that is far ahead of its killer waits.
    if (::pipe(ends) != 0 || ::fcntl(ends[1], F_SETPIPE_SZ, 4096) < 0) return {};
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        action(ends[1]);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::vector<InstanceRange> told;
    InstanceRange range;
    while (told.size() < acts && ::read(ends[0], &range, sizeof range) == sizeof range) told.push_back(range);
    ::usleep(static_cast<useconds_t>(microseconds));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &range, sizeof range) == sizeof range) told.push_back(range);
    ::close(ends[0]);
    return told;
}

void tell(int pipe, InstanceRange range) {
    if (::write(pipe, &range, sizeof range) != sizeof range) ::_exit(1);
}

bool covers(const std::vector<InstanceRange>& finished, InstanceRange range) {
    return std::any_of(finished.begin(), finished.end(), [&](const InstanceRange& whole) {
        return whole.first <= range.first && range.end() <= whole.end();
    });
}

// MYRIAD_KILLS: how many kills there are in all, 20 in every run of the tests.
int kills() {
    const char* given = std::getenv("MYRIAD_KILLS");
    return given ? std::max(1, std::atoi(given)) : 20;
}

TEST(KilledRun, LosesNothingThatWasAppendedAndEndsWithTheSameFile) {
    // A killed run has told of 60 acts, and at most 256 more stand in its pipe, each of 30 instances or fewer: with
    // these half of the kills come before the end, however late they are.
    const auto instances = static_cast<std::uint64_t>(5000 * kills());
    const Folder folder;
    std::mt19937 random(20240607);
    std::vector<InstanceRange> told;
    int kills_between_the_ends = 0;
    for (int kill = 0; kill < kills(); ++kill) {
        const std::uint64_t chunk = 1 + random() % 30;
        const auto shuffle_seed = random();
        const auto now_told = killed(1 + random() % 60, random() % 500, [&](int pipe) {
            Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
            auto missing = journal.missing(chunk);
            std::shuffle(missing.begin(), missing.end(), std::mt19937(shuffle_seed));
            tell(pipe, {});
            for (const InstanceRange& range : missing) {
                example::append(journal, range);
                tell(pipe, range);
            }
        });
        told.insert(told.end(), now_told.begin(), now_told.end());
        Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
        const auto finished = journal.finished();
        for (const InstanceRange& range : told)
            ASSERT_TRUE(range.count == 0 || covers(finished, range)) << "lost " << range.first << " + " << range.count;
        kills_between_the_ends += journal.finished_instances() < instances && now_told.size() > 1;
    }
    EXPECT_GE(kills_between_the_ends, kills() / 2) << "the kills came too early or too late to show anything";

    Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
    example::append_all_missing(journal, 1000);
    assemble(journal, example::fixed(), example::attributes());
    EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), example::undisturbed_result(instances)),
              "");
}

TEST(KilledRun, KilledWhileItAssemblesFinishesWhenResumed) {
    constexpr std::uint64_t instances = 80'000;
    const Folder undisturbed_folder;
    Journal undisturbed_journal =
        Journal::create(undisturbed_folder / "out.h5", fingerprint, example::layout(instances), IfPresent::refuse);
    example::append(undisturbed_journal, {0, instances});
    assemble(undisturbed_journal, example::fixed(), example::attributes());
    const auto undisturbed = example::bytes_of_file(undisturbed_folder / "out.h5");
    std::mt19937 random(20240608);
    // Some kills come too late: from then on they come sooner.
    std::uint64_t latest_us = 100'000;
    std::size_t kills_before_the_end = 0;
    for (int kill = 0; kill < 10 || kills_before_the_end < 3; ++kill) {
        const Folder folder;
        killed(1, random() % latest_us, [&](int pipe) {
            Journal journal =
                Journal::create(folder / "out.h5", fingerprint, example::layout(instances), IfPresent::refuse);
            example::append(journal, {0, instances});
            tell(pipe, {});
            assemble(journal, example::fixed(), example::attributes());
        });
        if (!std::filesystem::exists(folder / "out.h5.journal")) {
            latest_us = 1 + latest_us / 2;
        } else {
            ++kills_before_the_end;
            // As a run does: a kill may come between the last two acts, when the values have the result's name already.
            if (!Journal::remove_behind_result(folder / "out.h5")) {
                Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
                ASSERT_EQ(journal.finished_instances(), instances);
                assemble(journal, example::fixed(), example::attributes());
            }
        }
        EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), undisturbed), "");
        EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal"));
        EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.partial"));
    }
}

}  // namespace
}  // namespace myriad::results
