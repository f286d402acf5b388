// Coordinates of a joint and the pose of its bodies, for start_values.cpp:
//
//   R_B F_B = R_A F_A Q,   r_B + R_B s_B = r_A + R_A (s_A + F_A x)
//
// Q and x as in start_values.hpp.
#pragma once
#include <array>

#include "host/mechanism/assembly/start_values.hpp"
#include "kernels/system/system.hpp"

namespace myriad::mechanism {

using Matrix = Mat3<double>;
using Pose = Place<double>;

// a^T b
inline Vector seen_from(const Matrix& a, const Vector& v) { return transposed_times(a, v); }
inline Vector column_of_frame(const Matrix& m, int k) { return {m.e[0][k], m.e[1][k], m.e[2][k]}; }
Matrix about_z(double angle);

// The coordinates of a joint, or their rates: of what its type does not have, zero.
struct JointValues {
    Vector slides{0.0, 0.0, 0.0};  // joint frame
    double angle[2] = {0.0, 0.0};
    Matrix turn = diagonal(1.0);  // of a spherical joint
};

// Where the coordinate stands: which of the slides' axes, or which angle.
int place_of_coordinate(const StartJoint& joint, std::size_t coordinate);
// v without what the joint's type cannot slide along.
Vector only_slides_of(TreeJoint type, const Vector& v);

// The pose of B relative to A, in A's axes.
struct Relative {
    Matrix axes;
    Vector offset;  // from A's centre of mass to B's
};
Relative relative_pose(const Pose& a, const Pose& b);

JointValues coordinates_of_pose(TreeJoint type, const std::array<JointFrame, 2>& frame, const Relative& pose);
Relative pose_of_coordinates(TreeJoint type, const std::array<JointFrame, 2>& frame, const JointValues& at);

}  // namespace myriad::mechanism
