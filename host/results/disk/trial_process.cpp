#include "host/results/disk/trial_process.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace myriad::results {

TrialEnd try_in_child(unsigned seconds, const std::function<void()>& action) {
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) return TrialEnd::by_itself;
    if (child == 0) {
        // The child ends with us, whatever it is doing, and leaves no core dump.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(0);
        for (const int signal : {SIGINT, SIGTERM, SIGXCPU, SIGSEGV, SIGBUS, SIGABRT, SIGFPE})
            std::signal(signal, SIG_DFL);
        const rlimit time{seconds, seconds}, no_core{0, 0};
        ::setrlimit(RLIMIT_CPU, &time);
        ::setrlimit(RLIMIT_CORE, &no_core);
        try {
            action();
        } catch (...) {
            // The parent meets the same failure, and tells of it.
        }
        ::_exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return TrialEnd::by_itself;
    if (!WIFSIGNALED(status)) return TrialEnd::by_itself;
    // SIGXCPU and SIGKILL are how the limit ends it.
    const bool at_limit = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    return at_limit ? TrialEnd::endless : TrialEnd::crashed;
}

}  // namespace myriad::results
