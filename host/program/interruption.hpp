// Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 (which batch systems send ahead of the end): the first asks the run to stop with
// everything finished kept, the second ends it at once. While the result is assembled the first changes nothing: the
// run ends with 0 a moment later. Before the handlers are installed a signal ends the program, as it always does: files
// of unknown origin, over which the HDF5 library may loop, are read then.
#pragma once
#include <atomic>

namespace myriad::program {

// Raised by the first signal after catch_interruptions(). From the first call on a file that may not grow is an error
// like a full disk.
const std::atomic<bool>& interruption();
// Installs the handlers, once. A SIGHUP or SIGUSR1 that is ignored stays so: that is what nohup asks for.
void catch_interruptions();
// The signal's number, or 0.
int interrupting_signal();

}  // namespace myriad::program
