// The last stage of reading: what can only be known of the whole mechanism at its nominal numbers.
#pragma once
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Numbers the rows of all elements that take part (their rows are 0 before, those of elements that are only watched
// -1), and sets the mechanism's rows and freedoms.
void complete(Mechanism& mechanism);

}  // namespace myriad::mechanism
