// The frames on both sides of the joints of a tree, from the numbers of the file. A body C hangs on its parent P:
//
//   joint frame F_P, s_P   on P (or the world); its axes in P's body axes as columns, its origin from P's centre of
//   mass link frame  F_C, s_C   on C; it falls on the joint frame where the coordinates of the joint are zero origin
//   the joint's point axes     z along the joint's axis, x along its reference made perpendicular, y = z x x cross of a
//   universal joint: z along P's axis, x along C's axis at zero; its own joint frame has z along C's axis
//            and x along P's. At zero the axes stand as in the file's orientations.
//   spherical: body axes; fixed: C's body axes as they lie on P in the file; free: the world and C at its centre of
//   mass; translational without axes: those of the file's body A, as they lie on B in the file
//
// If the tree passes the joint from its B to its A (P is B), z is turned round on both sides and x is not: angle and
// displacement of C against P are then those of B against A, as the file counts them.
#pragma once
#include <memory>
#include <vector>

#include "host/mechanism/file/builder.hpp"

namespace myriad::mechanism {

struct LinkFrame {
    Mat3<double> axes = diagonal(1.0);
    Vector origin{0.0, 0.0, 0.0};

    Vector direction(const Vector& on_body) const { return transposed_times(axes, on_body); }
    Vector point(const Vector& from_centre_of_mass) const {
        return transposed_times(axes, from_centre_of_mass - origin);
    }
};

// A body of the tree and what it hangs on.
struct HungBody {
    TreeJoint type = TreeJoint::free;
    int body = 0, parent = -1;
    bool is_backwards = false;
    JointRecord joint;
    bool axes_are_parallel = false;  // of a universal joint, in the file's orientations: its angles then have any zero

    int side() const { return is_backwards ? 0 : 1; }  // of the joint on which this body is
    LinkFrame joint_frame(const Inputs& in) const;
    LinkFrame link_frame(const Inputs& in) const;
};

// The frame of the second joint of a universal one, on its cross, whose own link frame has the axes of the first.
LinkFrame second_joint_frame(bool is_backwards);

class LinkFrames {
  public:
    LinkFrames(Builder& builder, const SpanningTree& tree);

    // Of a body of the file, or the world.
    LinkFrame of(const Inputs& in, int body) const {
        return body < 0 ? LinkFrame{} : hung_[static_cast<std::size_t>(body)].link_frame(in);
    }
    const HungBody& body(int body) const { return hung_[static_cast<std::size_t>(body)]; }

  private:
    std::vector<HungBody> hung_;  // by the bodies of the file
};

}  // namespace myriad::mechanism
