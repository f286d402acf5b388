// How far apart the bodies of the contacts are where a mechanism starts.
#pragma once
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// [contacts], m; negative where bodies overlap. With these parameters of the kernel, after assembly; empty where the
// mechanism cannot be assembled with them.
std::vector<double> initial_gaps(const Mechanism& mechanism, const std::vector<double>& kernel_parameters);

}  // namespace myriad::mechanism
