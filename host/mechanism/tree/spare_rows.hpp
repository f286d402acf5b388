// Rows of loops that were removed as redundant and could be missed in another pose:
// kernels/joint_coordinates/spare_rows.hpp watches them.
#pragma once
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Fills table.joint.spare_rows, once the rows of table.joint have their numbers. A row that no coordinate moves, as
// those across the plane of a planar loop, is none.
void find_spare_rows(Mechanism& mechanism);

// Whether the rows of loops that a step keeps may lose rank where all of them do not.
bool may_lose_rank(const Mechanism& mechanism);

}  // namespace myriad::mechanism
