// Where a run holds its instance from step to step.
//
//   in registers       or on the stack of a core: the whole instance is a member of the run
//   in shared memory   of a block of GPU threads: what steps change of a mechanism in joint coordinates, and the
//                      instance of a formula with contacts
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

#if defined(__CUDACC_RTC__)
struct NoQuantities {
    static constexpr int sum_capacity = 0;
};

// Other formulas have so few numbers that the old state and the new one fit the registers.
template <class System>
constexpr bool is_held_apart = has_tree<System>;
template <class System>
requires(System::contacts > 0 && !has_topology<System>) constexpr bool is_held_apart<System> = true;

template <class Integrator, class System, bool = has_tree<System>>
struct HeldInstance {
    using Type = MovingInstance<Integrator, System>;
};
template <class Integrator, class System>
struct HeldInstance<Integrator, System, false> {
    using Type = Instance<Integrator, System>;
};

// A thread's numbers lie side by side. Their count is odd, so that the threads of a warp meet in no bank of the memory.
template <class Integrator, class System, class Plan>
struct HeldInSharedMemory {
    struct Held {
        typename HeldInstance<Integrator, System>::Type instance;
        Quantities<typename System::Real, Plan> quantities;
    };
    static constexpr int stride = (sizeof(Held) / sizeof(double)) | 1;
    static constexpr bool fits = MYRIAD_THREADS * stride * sizeof(double) <= 48 * 1024;  // of a block, by default

    typename HeldInstance<Integrator, System>::Type& instance;
    Quantities<typename System::Real, Plan>& quantities;

    MYRIAD_HD HeldInSharedMemory() : HeldInSharedMemory(of_this_thread()) {}

  private:
    MYRIAD_HD explicit HeldInSharedMemory(Held& held) : instance(held.instance), quantities(held.quantities) {}
    static MYRIAD_HD Held& of_this_thread() {
        __shared__ double numbers[MYRIAD_THREADS * stride];
        return *reinterpret_cast<Held*>(numbers + threadIdx.x * stride);
    }
};

// A plan that is read from a table has room for many sums, which are in use only where a state is looked at.
template <class Integrator, class System, class Plan>
struct HeldInSharedMemoryButSums : HeldInSharedMemory<Integrator, System, NoQuantities> {
    Quantities<typename System::Real, Plan> quantities;
};

template <class Plan>
constexpr bool is_read_from_a_table = false;
template <class Plan>
requires(Plan::is_table) constexpr bool is_read_from_a_table<Plan> = true;

template <class Integrator, class System, class Plan, bool = reads_state_anew&& is_held_apart<System>>
struct HeldFor {
    using Type = HeldInRegisters<Integrator, System, Plan>;
};
template <class Integrator, class System, class Plan>
struct HeldFor<Integrator, System, Plan, true> {
    using Shared = typename Either<is_read_from_a_table<Plan>, HeldInSharedMemoryButSums<Integrator, System, Plan>,
                                   HeldInSharedMemory<Integrator, System, Plan>>::Type;
    using Type = typename Either<Shared::fits, Shared, HeldInRegisters<Integrator, System, Plan>>::Type;
};
#else
template <class Integrator, class System, class Plan>
struct HeldFor {
    using Type = HeldInRegisters<Integrator, System, Plan>;
};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
