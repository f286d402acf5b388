// The modes of a mechanism's instance on the reference path: its equilibrium, its linear equations and their roots
// (host/reference/joint/joint_linear.hpp) have nothing in common with host/mechanism/linear/.
#pragma once
#include <span>

#include "host/mechanism/linear/modes.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Parameters are the kernel's. Without modes, and with the stability `none`, where there is no equilibrium.
mechanism::Modes reference_modes(const MechanismTable& table, std::span<const double> parameters);

}  // namespace myriad::backends
