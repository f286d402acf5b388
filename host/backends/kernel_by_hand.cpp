#include "host/backends/kernel_by_hand.hpp"

#include "host/text/user_error.hpp"

#if defined(MYRIAD_HAS_CUDA)
#include "host/backends/cuda/device_by_hand.hpp"
#endif

namespace myriad::backends {

#if defined(MYRIAD_HAS_CUDA)
CompiledByHand compile_by_hand(const KernelByHand& kernel, const std::string& architecture) {
    return cuda::compile_by_hand(kernel, architecture);
}
std::optional<RunByHand> run_by_hand(const KernelByHand& kernel, const EnsembleByHand& ensemble, int repetitions,
                                     std::string& why) {
    const auto device = cuda::Device::open(why);
    if (!device) return std::nullopt;
    return cuda::run_by_hand(device, kernel, ensemble, repetitions);
}
#else
CompiledByHand compile_by_hand(const KernelByHand&, const std::string&) {
    throw UserError(ExitCode::device, "kernel by hand",
                    "this program was built without CUDA and compiles no GPU kernels",
                    "build it where the headers of CUDA 12 or 13 are, or use a package built with CUDA");
}
std::optional<RunByHand> run_by_hand(const KernelByHand&, const EnsembleByHand&, int, std::string& why) {
    why = "this program was built without CUDA";
    return std::nullopt;
}
#endif

}  // namespace myriad::backends
