// A joint of a tree from its rows in a model: revolute and fixed have a point; universal has one and a dot_1 of its two
// axes; prismatic, cylindrical and planar have a dot_1 whose `first` is the axis, and a dot_2 with the joint's points;
// translational has rows that hold the orientation alone.
#pragma once
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// The elements first .. last - 1 are all between the two; `second` is any direction across the axis where a planar or
// a translational joint leaves it open.
HangingBody hanging_body(const MechanismModel& model, TwinJoint joint, int body, int parent, int first, int last);

}  // namespace myriad::reference
