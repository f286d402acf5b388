// The error of a device whose instances have other bits than on the CPU. The two agree by contract, and tests hold
// that; but the machine code of a study's kernels is made on the user's machine, by whatever compiler is there.
#pragma once
#include <cstdint>
#include <string>

#include "host/text/user_error.hpp"

namespace myriad::backends {

// `tools`: the compiler and the driver; `what`: of the instance.
[[noreturn]] inline void refuse_other_bits(const std::string& device, const std::string& tools,
                                           const std::string& study, std::uint64_t instance, const std::string& what) {
    throw UserError(
        ExitCode::device, device,
        "instance " + std::to_string(instance) + " of " + study + " has other bits than on the CPU, first in its " +
            what + ": the machine code of its kernels (" + tools + ") is wrong, or the GPU is",
        "use --backend cpu; or remove the kept kernels (~/.cache/myriad/kernels) and take another version of "
        "NVRTC (MYRIAD_CUDA_RUNTIME_COMPILER) or of the driver; please report it with the study");
}

}  // namespace myriad::backends
