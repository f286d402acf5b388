// Contacts of mechanisms that move in a plane.
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {

// The entries of the file whose contacts have two tangents, the second of which no coordinate of the tree moves: at the
// start and at poses of the joints about it. None where joint coordinates do not take the mechanism.
std::vector<std::string> contacts_with_an_idle_tangent(const mechanism::Mechanism& mechanism);

}  // namespace myriad::backends
