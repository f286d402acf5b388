// Loops over the lists of a mechanism's topology: elements, loads, contacts and their kind.
//
//   MYRIAD_EACH(i, topology, entries)   for (int i = 0; i < topology.entries(); ++i), unrolled as MYRIAD_UNROLL_PLAN
//
// Most lists of a mechanism are empty. Where a topology is made of constants, as in a kernel that is compiled for one
// mechanism, such a loop gives no code: else it is most of what the compiler of a GPU takes in, and throws away again.
// An `if constexpr` would not do: NVRTC 13.0 cannot read some loops with others in them that it is to discard. Not
// handled: an `else` behind such a loop.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int>
struct Constant;

// may_have_<entries><Topology>(): false where the topology knows while it is compiled that it has none.
#define MYRIAD_ENTRIES(entries)                                             \
    template <class T, class Topology = typename Unqualified<T>::Type>      \
    MYRIAD_HD constexpr bool may_have_##entries() {                         \
        if constexpr (requires { sizeof(Constant<Topology::entries()>*); }) \
            return Topology::entries() > 0;                                 \
        else                                                                \
            return true;                                                    \
    }
MYRIAD_ENTRIES(elements)
MYRIAD_ENTRIES(rows)
MYRIAD_ENTRIES(spare_rows)
MYRIAD_ENTRIES(loads)
MYRIAD_ENTRIES(functions)
MYRIAD_ENTRIES(instructions)
MYRIAD_ENTRIES(angles)
MYRIAD_ENTRIES(watched_angles)
MYRIAD_ENTRIES(contacts)
MYRIAD_ENTRIES(laws)
MYRIAD_ENTRIES(prescribed)
MYRIAD_ENTRIES(couplings)
MYRIAD_ENTRIES(frictions)
MYRIAD_ENTRIES(set_frictions)
MYRIAD_ENTRIES(rotors)
MYRIAD_ENTRIES(coordinate_forces)
#undef MYRIAD_ENTRIES

#define MYRIAD_EACH(i, topology, entries) \
    if (may_have_##entries<decltype(topology)>()) MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.entries(); ++i)

}  // namespace myriad::inline MYRIAD_VARIANT
