// The files of the kernel cache where others have been at work: their owners, the right to write them, and links in
// their place.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/backends/compiled_kernels/kernel_cache.hpp"

namespace myriad {
namespace {

using namespace backends::cuda;

class KernelCacheFiles : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  ("myriad_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::remove_all(folder_);
        entry_.key = "00112233445566778899aabbccddeeff", entry_.architecture = "sm_90";
        entry_.compiler = "NVRTC 1.2", entry_.block = {64, 4}, entry_.cubin = std::string("\0machine\ncode\0", 14);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    CompiledKernels entry_;
};

// Machine code decides what is computed: it is taken from the user and from root, and from nobody else.
TEST_F(KernelCacheFiles, TakesOnlyWhatNobodyElseCouldWrite) {
    using std::filesystem::perms;
    const auto entry = entry_path(folder_, entry_.key);
    ASSERT_TRUE(write_entry(folder_, entry_));
    EXPECT_EQ(std::filesystem::status(entry).permissions(), perms::owner_read | perms::owner_write);
    EXPECT_EQ(std::filesystem::status(folder_).permissions(), perms::owner_all);
    for (const perms others : {perms::group_write, perms::others_write})
        for (const auto& path : {entry, folder_}) {
            std::filesystem::permissions(path, others, std::filesystem::perm_options::add);
            EXPECT_FALSE(read_entry(folder_, entry_.key)) << path;
            std::filesystem::permissions(path, others, std::filesystem::perm_options::remove);
            EXPECT_TRUE(read_entry(folder_, entry_.key)) << path;
        }
    const auto elsewhere = folder_.string() + "_elsewhere";
    std::filesystem::remove_all(elsewhere);
    std::filesystem::rename(folder_, elsewhere);
    std::filesystem::create_directory_symlink(elsewhere, folder_);
    EXPECT_FALSE(read_entry(folder_, entry_.key)) << "a folder that is a link";
    EXPECT_FALSE(write_entry(folder_, entry_)) << "a folder that is a link";
    std::filesystem::remove(folder_);
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, perms::owner_all);
    std::filesystem::create_symlink(entry_path(elsewhere, entry_.key), entry);
    EXPECT_FALSE(read_entry(folder_, entry_.key)) << "an entry that is a link";
    std::filesystem::remove(entry);
    ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
    EXPECT_FALSE(read_entry(folder_, entry_.key)) << "an entry that is a pipe";
    std::filesystem::remove(entry);
    if (::geteuid() == 0) {
        constexpr uid_t somebody = 65534;
        ASSERT_TRUE(write_entry(folder_, entry_));
        for (const auto& path : {entry, folder_}) {
            ASSERT_EQ(::chown(path.c_str(), somebody, somebody), 0);
            EXPECT_FALSE(read_entry(folder_, entry_.key)) << "somebody else's " << path;
            ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
        }
        EXPECT_TRUE(read_entry(folder_, entry_.key));
    }
    std::filesystem::remove_all(elsewhere);
}

TEST_F(KernelCacheFiles, WritesThroughNoLinkAndClosesItsFolderToOthers) {
    using std::filesystem::perms;
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, perms::all);
    const auto victim = folder_ / "victim";
    std::ofstream(victim) << "precious";
    const auto planted = entry_path(folder_, entry_.key).string() + "." + std::to_string(::getpid()) + ".partial";
    std::filesystem::create_symlink(victim, planted);
    ASSERT_TRUE(write_entry(folder_, entry_));
    std::string text;
    std::ifstream(victim) >> text;
    EXPECT_EQ(text, "precious");
    EXPECT_FALSE(std::filesystem::is_symlink(entry_path(folder_, entry_.key)));
    EXPECT_TRUE(read_entry(folder_, entry_.key)) << "the folder is ours, and closed to others now";
    EXPECT_EQ(std::filesystem::status(folder_).permissions() & (perms::group_write | perms::others_write), perms::none);
}

TEST_F(KernelCacheFiles, IgnoresARelativeCacheHome) {
    const char* const before = std::getenv("XDG_CACHE_HOME");
    const std::string kept = before ? before : "";
    const auto folder_for = [](const char* cache) {
        setenv("XDG_CACHE_HOME", cache, 1);
        return cache_folders().writable;
    };
    EXPECT_EQ(folder_for("/somewhere"), "/somewhere/myriad/kernels");
    const char* const home = std::getenv("HOME");
    const auto of_home = home && *home == '/' ? std::filesystem::path(home) / ".cache/myriad/kernels" : "";
    for (const char* relative : {"cache", "./cache", "../cache", ""})
        EXPECT_EQ(folder_for(relative), of_home) << relative;
    if (before)
        setenv("XDG_CACHE_HOME", kept.c_str(), 1);
    else
        unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace myriad
