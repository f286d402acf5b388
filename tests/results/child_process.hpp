// Claims that need a process of their own: one to kill, one with a small disk, one with a limit.
#pragma once
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <string>

namespace myriad::results::example {

// The answer of `claim` in a child process: "" when it holds.
template <class Claim>
std::string in_child(Claim claim) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    std::fflush(nullptr);  // else a child that exits prints the parent's text again
    const pid_t child = ::fork();
    if (child == 0) {
        std::string answer;
        try {
            answer = claim();
        } catch (const std::exception& error) {
            answer = std::string("threw ") + error.what();
        }
        const ssize_t written = ::write(ends[1], answer.data(), answer.size());
        ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string answer;
    char buffer[4096];
    for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) answer.append(buffer, static_cast<size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? answer : answer + " (the child ended badly)";
}

// Mounts a file system in the memory, seen by this process alone; the reason when that is not permitted. Root may do
// it, anybody else where the kernel lets him be root in a namespace of his own.
inline std::optional<std::string> mount_in_memory(const std::string& folder, const std::string& options,
                                                  unsigned long flags = 0) {
    const auto failed = [](const char* what) { return std::string(what) + ": " + std::strerror(errno); };
    const uid_t user = ::getuid();
    const gid_t group = ::getgid();
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failed("unshare");
        std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    }
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("mount private");
    if (::mount("tmpfs", folder.c_str(), "tmpfs", flags, options.c_str()) != 0) return failed("mount tmpfs");
    return {};
}

}  // namespace myriad::results::example
