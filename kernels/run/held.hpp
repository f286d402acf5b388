// Where a run holds its instance from step to step.
//
//   in registers       or on the stack of a core: the whole instance is a member of the run
//   in shared memory   of a block of GPU threads: the instance of a formula with contacts
//
// A step looks at the old state at its start and replaces it at its end. In registers the old state would live through
// all of the step beside the new one, and the step would move its own numbers to the stack. Not handled: a state too
// large for shared memory, which stays in registers.
#pragma once
#include "kernels/run/instance.hpp"
#include "kernels/run/quantities.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class System, class Plan>
struct HeldInRegisters {
    Instance<Integrator, System> instance;
    Quantities<typename System::Real, Plan> quantities;
};
template <class Integrator, class System, class Plan>
struct HeldFor {
    using Type = HeldInRegisters<Integrator, System, Plan>;
};

#if defined(__CUDACC_RTC__)
// A thread's numbers lie side by side. Their count is odd, so that the threads of a warp meet in no bank of the memory.
template <class Integrator, class System, class Plan>
struct HeldInSharedMemory {
    using Held = HeldInRegisters<Integrator, System, Plan>;
    static constexpr int stride = (sizeof(Held) / sizeof(double)) | 1;
    static constexpr bool fits = MYRIAD_THREADS * stride * sizeof(double) <= 48 * 1024;  // of a block, by default

    Instance<Integrator, System>& instance;
    Quantities<typename System::Real, Plan>& quantities;

    MYRIAD_HD HeldInSharedMemory() : HeldInSharedMemory(of_this_thread()) {}

  private:
    MYRIAD_HD explicit HeldInSharedMemory(Held& held) : instance(held.instance), quantities(held.quantities) {}
    static MYRIAD_HD Held& of_this_thread() {
        __shared__ double numbers[MYRIAD_THREADS * stride];
        return *reinterpret_cast<Held*>(numbers + threadIdx.x * stride);
    }
};

// Other formulas have so few numbers that the old state and the new one fit the registers.
template <class Integrator, class System, class Plan>
requires(reads_state_anew && !has_topology<System> && System::contacts > 0) struct HeldFor<Integrator, System, Plan> {
    using Shared = HeldInSharedMemory<Integrator, System, Plan>;
    using Type = typename Either<Shared::fits, Shared, HeldInRegisters<Integrator, System, Plan>>::Type;
};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
