// Begins the instances of a traced step on the host's processors, and brings them to the device.
//
// For up to a million instances that takes less time than a compiler does for a kernel that begins them. The bits are
// the same. Not handled: beginning some of the instances alone.
#pragma once
#include "host/backends/cuda/device_task.hpp"

namespace myriad::backends::cuda {

// `host` has room for the arrays of all instances, and the varied parameters in its records. Queues the copies.
template <class Number>
void start_on_host(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                   Number* host, const Stream& copying);

}  // namespace myriad::backends::cuda
