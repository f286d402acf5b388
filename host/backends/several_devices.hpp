// Several devices of one kind as one backend: chunks are dealt out in turn, and come back in the order of their start.
//
// Each device has a thread of its own, which starts its next chunk while an earlier one computes. An instance's bits do
// not depend on the device that had it.
#pragma once
#include <memory>
#include <vector>

#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

// Makes the backend of each device with settings of its own, whose `progress` is called on another thread.
using MakeDevice = std::function<std::unique_ptr<Backend>(int device, const Settings& settings)>;

// At least one device. Throws what `make` throws.
std::unique_ptr<Backend> make_several_devices(const std::vector<int>& devices, const Settings& settings,
                                              const MakeDevice& make);

}  // namespace myriad::backends
