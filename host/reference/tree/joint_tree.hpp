// The joints of a mechanism on which its bodies hang, one on each body. Bodies and elements are those of a
// MechanismModel.
//
//   joint           axis            second         slides, then angles or an orientation
//   fixed           -               -              -
//   revolute        of the turn     -              angle
//   prismatic       of the slide    -              slide
//   cylindrical     of both         -              slide, angle
//   universal       on the parent   on the body    angle about the first, then about the second
//   spherical       -               -              orientation
//   planar          normal          of slide 1     slides along `second` and axis x second, angle about the axis
//   translational   of slide 3      of slide 1     slides along `second`, axis x second and axis
//   free            -               -              position of the centre of mass, world; orientation. On the ground
//
// Slides keep the directions that they have on the parent; `second` of a planar and a translational joint is made
// perpendicular to the axis. A planar joint's slides are those of the body's own point. Not handled: bounds and order,
// which the author has checked.
#pragma once
#include <array>
#include <vector>

#include "host/reference/tree/tree_twin.hpp"

namespace myriad::reference {

// A direction fixed on a body, in its axes; -1: on the ground, in the world.
struct FixedDirection {
    int body = -1;
    Eigen::Vector3d along = Eigen::Vector3d::UnitZ();
};

struct HangingBody {
    int body = 0, parent = -1;  // -1: the ground
    TwinJoint joint = TwinJoint::free;
    // Of the joint on the parent and on the body, from the centre of mass in body axes; on the ground in the world.
    std::array<Eigen::Vector3d, 2> point{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    FixedDirection axis, second{-1, Eigen::Vector3d::UnitX()};
    std::vector<int> elements;  // whose rows hold identically
};

// An element of kind driven_angle or dot_2, whose function is the coordinate but for a constant and its sign.
struct PrescribedFreedom {
    int element = 0;
    int hanging = 0, freedom = 0;  // which entry of JointTree::bodies, which freedom of its joint
    std::vector<int> angles = {};  // elements of kind angle that measure it
};

// A coordinate of a joint, and an element of kind angle or dot_2 whose value it is.
struct MeasuredFreedom {
    int element = 0;
    int hanging = 0, freedom = 0;
};
// of[1] = ratio of[0] + offset
struct TreeCoupling {
    std::array<MeasuredFreedom, 2> of;
    double ratio = 1.0, offset = 0.0;
    bool is_active = true;  // false: found redundant, and only watched
};
// Couplings do not move this coordinate, or its rate, at the start; a rate only where they contradict it.
struct HeldFreedom {
    int hanging = 0, freedom = 0;
    bool position = false;
    bool rate = false;        // a start value
    bool given_rate = false;  // from given velocities of bodies
};

struct JointTree {
    std::vector<HangingBody> bodies;  // parents before children; none: joint coordinates are not to be had
    std::vector<PrescribedFreedom> prescribed;
    std::vector<TreeCoupling> couplings;
    std::vector<HeldFreedom> held;
    bool starts_at_equilibrium = false;
};

}  // namespace myriad::reference
