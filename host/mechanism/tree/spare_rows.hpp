// Rows of loops that were removed as redundant and could be missed in another pose:
// kernels/joint_coordinates/spare_rows.hpp watches them.
#pragma once
#include <span>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Fills table.joint.spare_rows, once the rows of table.joint have their numbers. A row that no coordinate moves, as
// one across the plane of a planar loop, is none.
void find_spare_rows(Mechanism& mechanism);

// Whether the rows of loops that a step keeps may lose rank where all of them do not.
bool may_lose_rank(const Mechanism& mechanism);

// Whether the rows of loops that are kept nearly lose rank in a state in joint coordinates. `bodies`: position,
// orientation, velocity and angular velocity of each, as results store them.
bool is_near_dead_point(const Mechanism& mechanism, const std::vector<double>& parameters,
                        std::span<const double> bodies, double time_s);

}  // namespace myriad::mechanism
