// Whether the couplings of a mechanism hold at its start, at the numbers of its file.
#pragma once
#include "host/mechanism/assembly/nominal.hpp"

namespace myriad::mechanism {

// For a mechanism in joint coordinates whose rows have their numbers. Calls `refuse` where no start meets the
// couplings. Where the poses of bodies that the file places contradict one by more than 1e-3 rad or of the mechanism's
// size, and no start value says what is to move, it warns, or refuses if the file asks for it.
void check_coupled_start(Mechanism& mechanism, const Refusal& refuse);

}  // namespace myriad::mechanism
