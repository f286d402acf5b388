#include "host/program/interruption.hpp"

#include <signal.h>

#include <csignal>
#include <cstdlib>

namespace myriad::program {

namespace {

std::atomic<bool> stop{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
    if (stop.exchange(true)) std::_Exit(128 + number);
    signal_number = number;
}

}  // namespace

const std::atomic<bool>& interruption() {
    std::signal(SIGXFSZ, SIG_IGN);
    return stop;
}

void catch_interruptions() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    for (const int number : {SIGHUP, SIGUSR1}) {
        struct sigaction before {};
        if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) std::signal(number, on_signal);
    }
}

int interrupting_signal() { return signal_number; }

}  // namespace myriad::program
