#include "host/program/interruption.hpp"

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
    static const bool installed = [] {
        std::signal(SIGINT, on_signal);
        std::signal(SIGTERM, on_signal);
        std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is then an error like a full disk
        return true;
    }();
    static_cast<void>(installed);
    return stop;
}

int interrupting_signal() { return signal_number; }

}  // namespace myriad::program
