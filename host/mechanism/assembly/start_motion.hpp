// How the bodies of a mechanism move at the start, as far as its file and the study that runs it decide:
// MechanismTable::start_motion and the bits of `pinned` that hold velocities (kernels/mechanism/start_motion.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// From the velocities that are given.
void find_start_motion(Mechanism& mechanism);

// A mechanism in which the poses and velocities that a study gives count as given, too. `given`: of each number.
std::shared_ptr<const Mechanism> with_given_state(std::shared_ptr<const Mechanism> mechanism,
                                                  std::span<const unsigned char> given);

// On bodies that turn themselves the simplified iteration matrix of joint coordinates, which has no derivative of
// inertial forces, is worth least.
// By how much a body may turn in a step before the exact matrix is recommended.
inline constexpr double most_turn_of_simplified_matrix_rad = 0.05;

struct TurningStart {
    std::string body;
    double rate_rad_s;
    double most_step_s() const { return most_turn_of_simplified_matrix_rad / rate_rad_s; }
};

// The fastest such body of the tree, for the numbers of the file; none where no body turns on a turning one, or the
// nominal instance cannot be put together.
std::optional<TurningStart> turning_start_of(const Mechanism& mechanism);

}  // namespace myriad::mechanism
