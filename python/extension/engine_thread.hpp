// The one thread of a Python process that runs studies, and what waits for it.
//
// Kokkos takes work from one thread alone, and HDF5 is not safe between threads; Python calls from any. So runs are
// handed to a thread of their own, the caller waits without the interpreter's lock, looks for Ctrl-C twenty times a
// second and calls back on the way. Whatever touches files or Kokkos holds `engine_lock()`. A forked child has neither
// the thread nor Kokkos' threads, so everything that could need them refuses there.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "python/extension/nanobind.hpp"

namespace myriad::python {

// Held by a run from end to end, and while a result file is read. Never wait for it with the interpreter's lock held.
std::mutex& engine_lock();

// Whether this process has run something on the engine's thread, and was not forked since.
bool has_engine_thread();

// Throws UserError in a process that was forked from the one that imported the module.
void refuse_in_forked_process();

// Runs `job` on the engine's thread, with the engine's lock, and waits. `look` is called in between on the calling
// thread, with the interpreter's lock; where it, or Python's handler of a signal, throws, `stop` is raised and the
// exception kept until the job has ended. Rethrows what the job threw; returns the kept exception otherwise, or None.
nanobind::object run_on_engine(const std::function<void()>& job, std::atomic<bool>& stop,
                               const std::function<void()>& look);
void run_on_engine(const std::function<void()>& job);

}  // namespace myriad::python
