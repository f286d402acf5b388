// The modes of a mechanism's instance on the reference path: its equilibrium, its linear equations and their roots
// (host/reference/joint/joint_linear.hpp) have nothing in common with host/mechanism/linear/.
#pragma once
#include <span>

#include "host/mechanism/linear/modes.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

// Parameters and numbers as in reference_model(). Without modes, and with the stability `none`, where there is no
// equilibrium.
mechanism::Modes reference_modes(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                 std::span<const double> numbers);

}  // namespace myriad::backends
