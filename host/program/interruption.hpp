// Ctrl-C and SIGTERM: the first asks the run to stop with everything finished kept, the second ends it at once.
#pragma once
#include <atomic>

namespace myriad::program {

// Installs the handlers, once; raised by the first signal.
const std::atomic<bool>& interruption();
// The signal's number, or 0.
int interrupting_signal();

}  // namespace myriad::program
