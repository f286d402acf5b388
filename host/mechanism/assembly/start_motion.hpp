// How the bodies of a mechanism move at the start, as far as its file and the study that runs it decide:
// MechanismTable::start_motion and the bits of `pinned` that hold velocities (kernels/mechanism/start_motion.hpp).
#pragma once
#include <memory>
#include <span>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// From the velocities that are given.
void find_start_motion(Mechanism& mechanism);

// A mechanism in which the velocities that a study gives count as given, too. `given`: of each number.
std::shared_ptr<const Mechanism> with_given_velocities(std::shared_ptr<const Mechanism> mechanism,
                                                       std::span<const unsigned char> given);

}  // namespace myriad::mechanism
