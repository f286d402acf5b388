// Bodies inside each other at the start: finds them, and moves them apart.
//
//   M (Z + d) + B^T m = W_N^T l,   B d = -phi,   0 <= l,   0 <= g + W_N d,   l (g + W_N d) = 0,   repeated
//
// Z: the sum of the displacements d so far, so that in the end Z^T M Z is the least that takes nothing into anything.
// Not handled: overlaps that no small displacement leaves; the caller asks afterwards.
#pragma once
#include <optional>

#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

// A gap below minus the tolerance, or one that is no number.
bool penetrates(const MechanismModel& model, const MechanismState& state, double gap_tolerance_m);

// Only coordinates that are not pinned move; velocities are then those nearest to the given ones that the joints admit.
// Nothing if no small displacement does it. Throws StepFailure: assembly_failed, singular_matrix.
std::optional<AssembledStart> moved_out_of_contact(const MechanismModel& model, const AssembledStart& start);

}  // namespace myriad::reference
