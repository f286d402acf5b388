// How fast bodies turn at the start on bodies that turn themselves: there the simplified iteration matrix of joint
// coordinates, which has no derivative of inertial forces, is worth least.
#pragma once
#include <optional>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

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
