// A GPU kernel written by hand, what it is given and what it gives back.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace myriad::backends {

// An extern "C" kernel (const double* parameters, double* state, unsigned long long instances, double step_s, long long
// steps), one thread an instance.
inline constexpr unsigned threads_by_hand = 64;  // of a block
struct KernelByHand {
    std::string name, source;
};
struct CompiledByHand {
    std::string compiler, cubin;
    int registers = 0, stack_bytes = 0;  // per thread
    double seconds = 0.0;
};

// Parameters and state lie [field][instances].
struct EnsembleByHand {
    unsigned long long instances = 0;
    std::span<const double> parameters, state;
    double step_s = 0.0;
    long long steps = 0;
};
struct RunByHand {
    std::vector<double> state;    // at the end
    std::vector<double> seconds;  // of each repetition, on the device, without copies
};

}  // namespace myriad::backends
