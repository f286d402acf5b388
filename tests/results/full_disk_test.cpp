// Disks that are full for real: a file system of 2 MB in the memory, a limit on file sizes, /dev/full.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

#include "tests/results/child_process.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::fingerprint;
using example::Folder;

constexpr std::uint64_t disk_filling_instances = 3000;
constexpr std::uint64_t values_bytes = 1'008'000;  // 336 bytes per instance
constexpr std::uint64_t journal_bytes = 8'192;     // two pages at most

bool says(const std::string& error, std::initializer_list<std::string> parts) {
    for (const std::string& part : parts)
        if (error.find(part) == std::string::npos) return false;
    return true;
}

void fill(const std::filesystem::path& path, std::uint64_t bytes) {
    std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
}

// Everything that a run of Myriad does on a disk with `mounted` bytes, of which `taken` are taken when the run begins;
// `make_room` frees them after the failure.
std::string run_on_small_disk(const Folder& folder, std::uint64_t mounted, std::uint64_t taken,
                              const std::vector<char>& undisturbed) {
    if (const auto refused = example::mount_in_memory(folder.path().string(), "size=" + std::to_string(mounted)))
        return "skip: " + *refused;
    const auto out = folder / "out.h5";
    fill(folder / "ballast", taken);
    std::uint64_t finished = 0;
    std::string error;
    {
        Journal journal = Journal::create(out, fingerprint, example::layout(disk_filling_instances), IfPresent::refuse);
        error = example::error_of([&] {
            for (const InstanceRange& range : journal.missing(100)) {
                example::append(journal, range);
                finished += range.count;
            }
            assemble(journal, example::fixed(), example::attributes());
        });
        if (journal.finished_instances() != finished) return "the journal counts the record that failed";
    }
    if (!says(error, {"4 ", "out.h5.partial: ", "no space is left for ", " bytes (", "No space left on device",
                      "free space", "run again with --resume"}))
        return "unclear: " + error;
    if (!std::filesystem::exists(folder / "out.h5.partial")) return "the values have gone";
    if (std::filesystem::exists(out)) return "there is a result";
    std::filesystem::remove(folder / "ballast");
    Journal journal = Journal::resume(out, fingerprint, example::layout(disk_filling_instances));
    if (journal.finished_instances() != finished) return "resume lost instances";
    example::append_all_missing(journal, 70);
    assemble(journal, example::fixed(), example::attributes());
    return example::difference(example::bytes_of_file(out), undisturbed);
}

TEST(FullDisk, StopsTheValuesAndResumeFinishesThem) {
    const Folder folder;
    const auto undisturbed = example::undisturbed_result(disk_filling_instances);
    const std::string answer =
        example::in_child([&] { return run_on_small_disk(folder, 4'000'000, 3'500'000, undisturbed); });
    if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
    EXPECT_EQ(answer, "");
}

// Wherever the space ends: in the values, or in what is written around them at the end.
TEST(FullDisk, StopsTheRunAtAnyByteAndResumeFinishesIt) {
    const auto undisturbed = example::undisturbed_result(disk_filling_instances);
    const std::uint64_t result_bytes = undisturbed.size();
    for (std::uint64_t missing_bytes = 9'000; missing_bytes < result_bytes; missing_bytes += 20'000) {
        const Folder folder;
        const std::uint64_t disk = 4'000'000, taken = disk - journal_bytes - (result_bytes - missing_bytes);
        const std::string answer =
            example::in_child([&] { return run_on_small_disk(folder, disk, taken, undisturbed); });
        if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
        EXPECT_EQ(answer, "") << "short of " << missing_bytes << " bytes";
    }
}

TEST(FullDisk, InOneProcessIsNoObstacleOnceThereIsRoom) {
    const Folder folder;
    const auto undisturbed = example::undisturbed_result(disk_filling_instances);
    const std::string answer = example::in_child([&]() -> std::string {
        if (const auto refused = example::mount_in_memory(folder.path().string(), "size=4000000"))
            return "skip: " + *refused;
        Journal journal =
            Journal::create(folder / "out.h5", fingerprint, example::layout(disk_filling_instances), IfPresent::refuse);
        fill(folder / "ballast", 3'500'000);
        if (example::error_of([&] { example::append_all_missing(journal, 70); }) == "no error") return "not full";
        // Room for the values, but not for what is written around them.
        constexpr std::uint64_t room = values_bytes + journal_bytes + 40'000;
        fill(folder / "ballast", 4'000'000 - room);
        example::append_all_missing(journal, 70);
        if (example::error_of([&] { assemble(journal, example::fixed(), example::attributes()); }) == "no error")
            return "not full while assembling";
        std::filesystem::remove(folder / "ballast");
        assemble(journal, example::fixed(), example::attributes());
        return example::difference(example::bytes_of_file(folder / "out.h5"), undisturbed);
    });
    if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
    EXPECT_EQ(answer, "");
}

Layout compressed_layout() {
    Layout layout = example::layout(disk_filling_instances);
    layout.compression = 1;
    return layout;
}

// HDF5 writes compressed columns, from the values of the journal. Its own cleaning up at the end of a process crashes
// over a file that it could not write; where the space must end for that is not known beforehand.
TEST(FullDisk, LetsTheProcessEndInPeace) {
    for (std::uint64_t room = 0; room < 1'100'000; room += 100'000) {
        const Folder folder;
        const std::string answer = example::in_child([&]() -> std::string {
            if (const auto refused = example::mount_in_memory(folder.path().string(), "size=4000000"))
                return "skip: " + *refused;
            Journal journal = Journal::create(folder / "out.h5", fingerprint, compressed_layout(), IfPresent::refuse);
            example::append_all_missing(journal, 100);
            fill(folder / "ballast", std::filesystem::space(folder.path()).available - room);
            const std::string error =
                example::error_of([&] { assemble(journal, example::fixed(), example::attributes()); });
            if (!says(error, {"4 ", "out.h5.partial2: ", "no space is left for ", "run again with --resume"}))
                return "unclear: " + error;
            // HDF5 still holds the file open; it must hold no space.
            if (std::filesystem::space(folder.path()).available + 20'000 < room) return "the space is not given back";
            std::exit(0);
        });
        if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
        EXPECT_EQ(answer, "") << "room for " << room << " bytes";
    }
}

TEST(FullDisk, LeavesNoJournalWhenNotEvenItsHeadFits) {
    const Folder folder;
    const std::string answer = example::in_child([&]() -> std::string {
        if (const auto refused = example::mount_in_memory(folder.path().string(), "size=40960"))
            return "skip: " + *refused;
        fill(folder / "ballast", 100'000);
        const std::string error = example::error_of(
            [&] { Journal::create(folder / "out.h5", fingerprint, example::layout(1), IfPresent::refuse); });
        if (!says(error, {"4 ", "out.h5.journal: no space is left for ", "free space"})) return "unclear: " + error;
        std::filesystem::remove(folder / "ballast");
        return std::filesystem::is_empty(folder.path()) ? "" : "something is left behind";
    });
    if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
    EXPECT_EQ(answer, "");
}

// Runs `action` while no file may grow beyond `bytes`.
template <class Action>
std::string error_with_limit(rlim_t bytes, Action action) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limits{};
    ::getrlimit(RLIMIT_FSIZE, &limits);
    const rlim_t before = limits.rlim_cur;
    limits.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limits);
    const std::string error = example::error_of(action);
    limits.rlim_cur = before;
    ::setrlimit(RLIMIT_FSIZE, &limits);
    return error;
}

TEST(FileSizeLimit, IsToldBeforeAnythingIsComputed) {
    const auto undisturbed = example::undisturbed_result(disk_filling_instances);
    for (const rlim_t limit : {rlim_t{500'000}, rlim_t{values_bytes}}) {
        const Folder folder;
        const std::string answer = example::in_child([&] {
            return error_with_limit(limit, [&] {
                Journal::create(folder / "out.h5", fingerprint, example::layout(disk_filling_instances),
                                IfPresent::refuse);
            });
        });
        EXPECT_TRUE(says(
            answer, {"4 ", "out.h5.partial: the file may not grow", "File too large", "ulimit -f", "then run again"}))
            << answer;
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    }
}

TEST(FileSizeLimit, ThatComesDuringARunLosesNothing) {
    const auto undisturbed = example::undisturbed_result(disk_filling_instances);
    // One that the values already pass, and one that only what is written around them does.
    for (const rlim_t limit : {rlim_t{500'000}, rlim_t{undisturbed.size() - 1}}) {
        const Folder folder;
        const std::string answer = example::in_child([&]() -> std::string {
            Journal journal = Journal::create(folder / "out.h5", fingerprint, example::layout(disk_filling_instances),
                                              IfPresent::refuse);
            example::append(journal, {0, 100});
            const std::string error = error_with_limit(limit, [&] {
                example::append_all_missing(journal, 100);
                assemble(journal, example::fixed(), example::attributes());
            });
            return says(error, {"4 ", "the file may not grow", "File too large", "ulimit -f", "--resume"})
                       ? ""
                       : "unclear: " + error;
        });
        EXPECT_EQ(answer, "") << "limit " << limit;
        Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(disk_filling_instances));
        EXPECT_GE(journal.finished_instances(), 100u);
        example::append_all_missing(journal, 1000);
        assemble(journal, example::fixed(), example::attributes());
        EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), undisturbed), "");
    }
}

}  // namespace
}  // namespace myriad::results
