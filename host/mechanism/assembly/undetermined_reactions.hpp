// Reactions of joints and drivers that the redundant constraints of a mechanism leave undetermined: a combination of
// multipliers whose forces on all bodies vanish, B^T lambda = 0 over all rows, redundant ones included, may be added
// to any solution. A component of a reaction is not determined where one of these combinations changes it.
//
// Not handled: components at other poses than that of `at`; in a plane mechanism along an axis of the world they are
// the same.
#pragma once
#include <vector>

#include "host/mechanism/assembly/nominal_instance.hpp"

namespace myriad::mechanism {

// Fills undetermined_reactions, and says so in the meaning of their channels. `combinations`: by the rows of the table
// of `at`, whose bodies have been placed.
void find_undetermined_reactions(Mechanism& mechanism, NominalInstance& at,
                                 const std::vector<std::vector<double>>& combinations, double length_scale_m);

}  // namespace myriad::mechanism
