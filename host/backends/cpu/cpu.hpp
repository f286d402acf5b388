// The backend for every core of this machine, in the widest vectors the processor has.
#pragma once
#include "host/backends/interface/backend.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends {

// Throws UserError (exit code 3) where this processor lacks what the build was made for. It must be called first.
void require_processor();
// The number of processors that this process may run on.
int hardware_threads();
// Kokkos takes work from one thread alone: all such backends of a process compute on the first one that asked.
std::unique_ptr<Backend> make_cpu_backend(const Settings& settings);
// Ends Kokkos' threads, if there are any, on the thread that they take work from: for a process whose main thread,
// where they end by themselves, is another one.
void end_threads();
std::string cpu_description();
// The widths, in doubles, that this build and this processor offer: 1, 4 and 8, each where they can.
std::vector<int> cpu_widths();
// The width of Settings: 0 is the widest. Throws UserError where this processor or build has no such vectors.
int cpu_width(int width);
// A task's member of the catalog in one of those widths. Throws UserError where the catalog has none.
const KernelEntry& cpu_kernel(const Task& task, int width);

}  // namespace myriad::backends
