// How far apart the bodies of the contacts are, and coordinates from their limits, where a mechanism starts.
#pragma once
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// [contacts], m, of limits of angles rad; negative where bodies overlap or a coordinate is beyond its limit. With these
// parameters of the kernel, after assembly; empty where the mechanism cannot be assembled with them.
std::vector<double> initial_gaps(const Mechanism& mechanism, const std::vector<double>& kernel_parameters);

}  // namespace myriad::mechanism
