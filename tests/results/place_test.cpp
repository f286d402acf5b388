// The places of a result, its journal and its partial file, where somebody else has put something: a file that is not
// ours is neither followed nor replaced.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>

#include "host/results/disk/disk_space.hpp"
#include "host/results/partial_file.hpp"
#include "host/results/reader.hpp"
#include "tests/results/child_process.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::error_of;
using example::fingerprint;
using example::Folder;

const std::string precious = "precious\n";

void put(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string text_of(const std::filesystem::path& path) {
    const std::vector<char> bytes = example::bytes_of_file(path);
    return {bytes.begin(), bytes.end()};
}

// A whole run into `out`, from the beginning or resumed.
std::string run_into(const std::filesystem::path& out, IfPresent if_present, bool resume) {
    return error_of([&] {
        const Layout layout = example::layout(33);
        Journal journal =
            resume ? Journal::resume(out, fingerprint, layout) : Journal::create(out, fingerprint, layout, if_present);
        example::append_all_missing(journal, 10);
        assemble(journal, example::fixed(), example::attributes());
    });
}

TEST(Place, LinksAreNeverFollowedNorReplaced) {
    for (const char* suffix : {"", ".journal", ".partial", ".partial2"})
        for (const char* target : {"file", "empty", "missing", "result"})
            for (const int way : {0, 1, 2}) {
                const Folder folder;
                if (std::string(target) == "file") put(folder / target, precious);
                if (std::string(target) == "empty") put(folder / target, "");
                if (std::string(target) == "result")
                    ASSERT_EQ(run_into(folder / target, IfPresent::refuse, false), "no error");
                const std::string before = text_of(folder / target);
                const auto out = folder / "out.h5", link = folder / (std::string("out.h5") + suffix);
                std::filesystem::create_symlink(folder / target, link);
                const std::string error = run_into(out, way == 1 ? IfPresent::replace : IfPresent::refuse, way == 2);
                EXPECT_EQ(error.find("4 " + link.string() + ": this is a symbolic link to '"), 0u)
                    << suffix << ' ' << target << ' ' << way << ' ' << error;
                EXPECT_TRUE(std::filesystem::is_symlink(link));
                EXPECT_EQ(std::filesystem::exists(folder / target), std::string(target) != "missing");
                EXPECT_EQ(text_of(folder / target), before);
                EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal") && std::string(suffix) != ".journal")
                    << "a journal of nothing is left behind";
            }
}

TEST(Place, OnlyRegularFilesAreReplaced) {
    for (const char* suffix : {"", ".journal", ".partial", ".partial2"})
        for (const char* kind : {"pipe", "folder", "device"}) {
            const Folder folder;
            const auto out = folder / "out.h5", path = folder / (std::string("out.h5") + suffix);
            if (std::string(kind) == "pipe") ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
            if (std::string(kind) == "folder") std::filesystem::create_directory(path);
            if (std::string(kind) == "device" && ::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) continue;
            const auto type = std::filesystem::status(path).type();
            for (const int way : {0, 1, 2}) {
                const std::string error = run_into(out, way == 1 ? IfPresent::replace : IfPresent::refuse, way == 2);
                EXPECT_EQ(error.find("4 " + path.string() + ": this is a " + kind), 0u) << error;
                EXPECT_EQ(error.find("--overwrite"), std::string::npos) << "a remedy that would not do: " << error;
                EXPECT_EQ(std::filesystem::status(path).type(), type);
            }
        }
}

TEST(Place, AFileThatIsNotOursKeepsItsPlaceBesideTheResult) {
    const Folder folder;
    const auto out = folder / "out.h5", partial = folder / "out.h5.partial";
    // The head of an HDF5 file that gives the file's true length: another program's, and whole.
    std::string theirs(100, '\0');
    theirs.replace(0, 8, "\x89HDF\r\n\x1a\n");
    theirs[28] = 100;
    for (const std::string& text : {precious, theirs}) {
        put(partial, text);
        const std::string before = text_of(partial);
        const std::string error = run_into(out, IfPresent::refuse, false);
        EXPECT_EQ(error.find("4 " + partial.string() + ": this file is in the place"), 0u) << error;
        EXPECT_EQ(text_of(partial), before);
        EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal"));
    }
    // One that takes the place of ours while the run goes on.
    std::filesystem::remove(partial);
    {
        Journal journal = Journal::create(out, fingerprint, example::layout(33), IfPresent::refuse);
        example::append_all_missing(journal, 10);
        std::filesystem::remove(partial);
        put(partial, precious);
        const std::string error = error_of([&] { assemble(journal, example::fixed(), example::attributes()); });
        EXPECT_NE(error.find("run again with --resume"), std::string::npos) << error;
        EXPECT_EQ(text_of(partial), precious);
    }
    std::filesystem::remove(partial);
    EXPECT_EQ(run_into(out, IfPresent::refuse, true), "no error");
    EXPECT_EQ(Reader(out).instances(), 33u);
}

// A killed assembly leaves a file without its head, one cut off, or a whole one without its last name.
TEST(Place, WhatAKilledAssemblyLeftIsReplaced) {
    const Folder folder;
    const auto out = folder / "out.h5", partial = folder / "out.h5.partial";
    ASSERT_EQ(run_into(out, IfPresent::refuse, false), "no error");
    const std::string whole = text_of(out);
    for (const std::string& left : {std::string(), std::string(5000, '\0'), whole.substr(0, 3000), whole}) {
        std::filesystem::remove(out);
        put(partial, left);
        EXPECT_EQ(run_into(out, IfPresent::refuse, true), "no error") << left.size();
        EXPECT_EQ(text_of(out), whole);
        EXPECT_FALSE(std::filesystem::exists(partial));
    }
}

TEST(Place, NothingIsLeftWhereTheResultCannotTakeItsName) {
    const Folder folder;
    const auto out = folder / "out.h5";
    Journal journal = Journal::create(out, fingerprint, example::layout(33), IfPresent::replace);
    example::append_all_missing(journal, 10);
    {
        PartialFile partial(out, PartialName::second, "then run again with --resume");
        put(partial.descriptor_path(), std::string(100'000, 'x'));
        std::filesystem::create_directory(out);
        const std::string error = error_of([&] { partial.publish(); });
        EXPECT_NE(error.find("--resume"), std::string::npos) << error;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.partial2"));
}

TEST(DiskSpace, IsHeldAgainstTheRunBeforeItBegins) {
    const Folder folder;
    const std::string answer = example::in_child([&]() -> std::string {
        if (const auto refused = example::mount_in_memory(folder.path().string(), "size=1048576"))
            return "skip: " + *refused;
        const auto out = folder / "out.h5";
        const std::uint64_t row = bytes_per_instance(example::layout(1));
        const auto check = [&](std::uint64_t instances, std::uint64_t missing, int compression = 0) {
            Layout layout = example::layout(instances);
            layout.compression = compression;
            return check_disk_space(out, layout, missing);
        };
        if (check(900'000 / row, 900'000 / row)) return "a warning where the result fits";
        if (check(400'000 / row, 400'000 / row, 1)) return "a warning where both fit";
        const auto warning = check(700'000 / row, 700'000 / row, 1);
        if (!warning || warning->find("1.05 MB free") == std::string::npos)
            return "no warning: " + warning.value_or("");
        if (check(700'000 / row, 10, 1)) return "a warning though most is there";
        const std::string error = error_of([&] { check(2'000'000 / row, 2'000'000 / row); });
        if (!error.starts_with("4 ") || error.find("are 2 MB, and the disk has 1.05 MB free") == std::string::npos)
            return "unclear: " + error;
        const std::uint64_t absurd = std::uint64_t{1} << 62;
        return error_of([&] { check(absurd, absurd); }).starts_with("4 ") ? "" : "an overflow passes";
    });
    if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
    EXPECT_EQ(answer, "");
}

}  // namespace
}  // namespace myriad::results
