#include "host/results/disk/trial_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace myriad::results {
namespace {

// Waits until nobody holds the other end of the pipe any more, at most for `seconds`. Returns whether that was so.
bool closes_within(int pipe_end, unsigned seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point latest = Clock::now() + std::chrono::seconds(seconds);
    pollfd watched{pipe_end, POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - Clock::now()).count();
        if (left <= 0) return false;
        const int ready = ::poll(&watched, 1, static_cast<int>(left));
        if (ready != 0 && !(ready < 0 && errno == EINTR)) return ready > 0;
    }
}

}  // namespace

TrialEnd try_in_child(const TrialLimits& limits, const std::function<void()>& action) {
    int held[2];
    if (::pipe2(held, O_CLOEXEC) != 0) return TrialEnd::by_itself;
    const pid_t parent = ::getpid(), child = ::fork();
    if (child != 0) ::close(held[1]);
    if (child < 0) {
        ::close(held[0]);
        return TrialEnd::by_itself;
    }
    if (child == 0) {
        // The child ends with us, whatever it is doing, and leaves no core dump.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(0);
        for (const int signal : {SIGINT, SIGTERM, SIGXCPU, SIGSEGV, SIGBUS, SIGABRT, SIGFPE})
            std::signal(signal, SIG_DFL);
        const rlimit time{limits.processor_seconds, limits.processor_seconds}, no_core{0, 0};
        ::setrlimit(RLIMIT_CPU, &time);
        ::setrlimit(RLIMIT_CORE, &no_core);
        try {
            action();
        } catch (...) {
            // The parent meets the same failure, and tells of it.
        }
        ::_exit(0);
    }
    // The child inherits the locks that other threads of ours hold just now, without the threads that would open them.
    const bool ended = closes_within(held[0], limits.wall_seconds);
    ::close(held[0]);
    if (!ended) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return TrialEnd::by_itself;
    if (!ended || !WIFSIGNALED(status)) return TrialEnd::by_itself;
    // SIGXCPU and SIGKILL are how the limit ends it.
    const bool at_limit = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    return at_limit ? TrialEnd::endless : TrialEnd::crashed;
}

}  // namespace myriad::results
