// The backend for an NVIDIA GPU: one thread to an instance, kernels compiled for the task at run time.
#pragma once
#include "host/backends/interface/late_backend.hpp"
#include "host/backends/interface/stepped_launches.hpp"

namespace myriad::backends {

// Whether this machine can run it, and the device or the reason in one sentence.
Availability cuda_availability(const Settings& settings = {});
// How many GPUs CUDA shows; 0 without a driver.
int cuda_devices();
// For one GPU, the first of the settings. Throws UserError (exit code 3) where it cannot.
std::unique_ptr<LateBackend> make_cuda_backend(const Settings& settings);
// Begins `count` instances in the GPU's memory; `varied` holds [field][count]. Throws UserError as above.
std::unique_ptr<SteppedLaunches> make_cuda_launches(const Settings& settings, const Task& task, std::uint64_t count,
                                                    const double* varied);

}  // namespace myriad::backends
