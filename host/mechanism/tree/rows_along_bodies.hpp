// Joints that close a loop and are to have the three rows of their point along axes of body A, and not of the world.
//
// Of rows that depend on each other in the pose of the file some are left out; in another pose these may be needed.
// Along A, a rigid motion of the whole loop changes nothing: this takes loops on moving bodies. And where A is a crank,
// a revolute joint away from the last common body of the loop, the row across the crank determines the crank's angle in
// each pose: this takes loops on the ground, too, of which a row is left out that moves with the coordinates, as of the
// third of three parallel cranks.
//
// Not handled: other rows that depend on each other in some poses of the loop alone
// (kernels/joint_coordinates/spare_rows.hpp watches them).
#pragma once
#include <set>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Their names; none if the table has no room for their elements. For a mechanism whose spare rows have been found.
std::set<std::string> joints_with_rows_along_a(const Mechanism& mechanism);

}  // namespace myriad::mechanism
