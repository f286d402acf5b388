// The last stage of reading: facts that need the whole mechanism at its nominal numbers.
#pragma once
#include <functional>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Numbers the rows (their `row` is 0 or more where they may take part, -1 for sensors), assembles the mechanism at its
// nominal numbers, removes redundant rows, plans the elimination at the poses of a short motion, and counts freedoms.
// `refuse` does not return; it is called for a mechanism that cannot be assembled or eliminated. `address` is that of
// the entry that is at fault ("joints.hinge"), empty where it is the whole.
using Refusal =
    std::function<void(const std::string& address, const std::string& what_is_wrong, const std::string& remedy)>;
void complete(Mechanism& mechanism, const Refusal& refuse);

}  // namespace myriad::mechanism
