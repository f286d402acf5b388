// Work of the host's processors for instances of a traced step on a GPU. They begin them, and take the steps that a
// traced step leaves out. The bits are the same.
//
// For up to a million instances a start on the host takes less time than a compiler does for a kernel that begins them.
// `host` has room for the arrays of all instances, laid out as on the device. Slots that are not in `order` are left as
// they are; an empty order is that of all slots.
#pragma once
#include <span>

#include "host/backends/cuda/device_task.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends::cuda {

// `host` has the varied parameters in its records; if some slots begin alone, it has what the device has of the others.
// Queues the copies.
template <class Number>
void start_on_host(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                   Number* host, const Stream& copying, std::span<const unsigned int> order = {});

// One step of the slots `order`, in the host's memory alone.
template <class Number>
void step_on_host(const DeviceTask<Number>& kernels, const KernelFunctions<Number>& functions, std::uint64_t count,
                  Number* host, std::span<const unsigned int> order);

}  // namespace myriad::backends::cuda
