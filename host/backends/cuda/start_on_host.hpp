// Begins the instances of a traced step on the host's processors, and brings them to the device.
//
// For up to a million instances that takes less time than a compiler does for a kernel that begins them. The bits are
// the same.
#pragma once
#include <span>

#include "host/backends/cuda/device_task.hpp"

namespace myriad::backends::cuda {

// The slots of `order`, or all if it is empty. `host` has room for the arrays of all instances, and the varied
// parameters in its records; if some slots begin alone, it has what the device has of the others. Queues the copies.
template <class Number>
void start_on_host(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                   Number* host, const Stream& copying, std::span<const unsigned int> order = {});

}  // namespace myriad::backends::cuda
