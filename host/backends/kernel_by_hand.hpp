// A GPU kernel that somebody wrote by hand for one problem, timed for comparison. A build without CUDA, or a machine
// without a GPU, answers with the reason.
#pragma once
#include <optional>
#include <string>

#include "host/backends/interface/kernel_by_hand.hpp"

namespace myriad::backends {

// Compiles as a user would: multiplications and additions contract. Throws UserError (exit code 3) in a build without
// CUDA, without a compiler, or where the compiler refuses, std::invalid_argument where the source lacks the kernel.
CompiledByHand compile_by_hand(const KernelByHand& kernel, const std::string& architecture);

// None where there is no GPU; `why` then says so in a sentence. The kernel runs once untimed and then `repetitions`
// times, always from the same state. Throws UserError (exit code 3) where the device refuses, std::invalid_argument
// where the sizes contradict each other.
std::optional<RunByHand> run_by_hand(const KernelByHand& kernel, const EnsembleByHand& ensemble, int repetitions,
                                     std::string& why);

}  // namespace myriad::backends
