// Redundant constraint rows of a mechanism with a tree as sums of its active rows. Between two states the active rows
// may have lost rank.
//
//   B_s = sum_k c_k B_k      where the active rows lose rank and others do not, c_k passes through infinity and comes
//                            back with the other sign
//
// B: by the velocities of the bodies. Rows in m are divided by the length scale.
#pragma once
#include "host/reference/mechanism/mechanism_equations.hpp"

namespace myriad::reference {

struct RedundantRows {
    Eigen::MatrixXd shares;            // c of the active rows beside the tree, a column for each row that is not active
    double active = 0.0, spare = 0.0;  // the largest |phi|
};
RedundantRows redundant_rows(const MechanismModel& model, const MechanismState& state);

// Whether there are rows that are not active, so that the others have to be looked at.
bool has_redundant_rows(const MechanismModel& model);
// Whether the active rows still stand for the others after a step. `passes`: the step may have led across a pose in
// which they lose rank.
bool still_hold(const RedundantRows& before, const RedundantRows& after, bool passes);
// Whether they are so near to such a pose that a step which failed is laid to it.
bool are_nearly_lost(const RedundantRows& rows);

}  // namespace myriad::reference
