// Coordinates of a tree of joints that a driver prescribes: they have the values and the rates of their functions at
// every stage and at the end of every step. Other systems have none.
#pragma once
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
MYRIAD_HD void prescribe_at(const System& system, typename System::Real time_s, typename System::Configuration& q,
                            typename System::Velocity& v) {
    if constexpr (has_topology<System>) system.prescribe_at(time_s, q, v);
}

}  // namespace myriad::inline MYRIAD_VARIANT
