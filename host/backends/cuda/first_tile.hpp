// A launch over instances in the memory of a GPU. Instances of the first tile also take their steps on the CPU, by the
// tape of the traced step. Not handled: kernels of no traced step; instances that the launch has left behind.
#pragma once
#include <vector>

#include "host/backends/cuda/device_task.hpp"

namespace myriad::backends::cuda {

// Advances the instances `order` and waits for them. Throws UserError (exit code 3) where a bit of one in the first
// tile differs.
template <class Number>
void advance_and_compare(const Device& device, const DeviceTask<Number>& kernels, const DeviceInstances& instances,
                         const std::vector<unsigned int>& order, long long attempts);

}  // namespace myriad::backends::cuda
