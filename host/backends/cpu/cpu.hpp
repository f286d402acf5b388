// The backend for every core of this machine, in the widest vectors the processor has.
#pragma once
#include "host/backends/interface/backend.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends {

// Throws UserError (exit code 3) where this processor lacks what the build was made for. It must be called first.
void require_processor();
// Kokkos takes work from one thread alone: all such backends of a process compute on the first one that asked.
std::unique_ptr<Backend> make_cpu_backend(const Settings& settings);
std::string cpu_description();
// The widths, in doubles, that this build and this processor offer: 1, and 4 and 8 where they can.
std::vector<int> cpu_widths();
// The catalog compiled for one of these widths.
KernelList kernels_of_width(int width);

}  // namespace myriad::backends
