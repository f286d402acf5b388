// Kernels written by hand on a device: compiled by NVRTC, launched and timed. As host/backends/kernel_by_hand.hpp says.
#pragma once
#include "host/backends/cuda/driver.hpp"
#include "host/backends/interface/kernel_by_hand.hpp"

namespace myriad::backends::cuda {

CompiledByHand compile_by_hand(const KernelByHand& kernel, const std::string& architecture);
RunByHand run_by_hand(const std::shared_ptr<const Device>& device, const KernelByHand& kernel,
                      const EnsembleByHand& ensemble, int repetitions);

}  // namespace myriad::backends::cuda
