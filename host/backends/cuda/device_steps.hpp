// The instances of a task in the memory of a GPU, step by step: parameters and results stay there.
//
// Every call waits for its kernels, so that what it leaves can be read from any stream. Only what is asked for crosses
// to the host; after each launch these are the times and statuses. The first launch of a traced step is compared with
// the CPU (first_tile.hpp). SI units.
#pragma once
#include <memory>

#include "host/backends/cuda/device_task.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/interface/stepped_launches.hpp"

namespace myriad::backends::cuda {

// Begins `count` instances; `varied` holds [field][count]. `entry` is the task's among those of the catalog.
std::unique_ptr<SteppedLaunches> make_device_steps(std::shared_ptr<const Device> device, const Task& task,
                                                   const KernelEntry& entry, const Compile& compile,
                                                   std::uint64_t count, const double* varied);

}  // namespace myriad::backends::cuda
