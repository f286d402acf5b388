#include "host/mechanism/file/link_frames.hpp"

#include "kernels/tree/links.hpp"

namespace myriad::mechanism {

namespace {

// The axis of the joint's other side as it lies in this side's axes in the file's orientations.
Vector other_axis(const JointGeometry& joint, const Inputs& in, int side) {
    const Rotation<double> to_a = in.relative_orientation(joint.body[0], joint.body[1]);
    return (side == 0 ? to_a : inverse(to_a)).act(joint.axis(in, 1 - side));
}

// z along the axis on this side, or against it.
Mat3<double> axes_of(const HungBody& hung, const Inputs& in, int side) {
    const JointGeometry& joint = hung.joint;
    if (!joint.has_axes)
        return matrix_of(in.relative_orientation(joint.body[static_cast<std::size_t>(side)], joint.body[0]));
    const Vector axis = joint.axis(in, side), z = hung.is_backwards ? -axis : axis;
    if (hung.type != TreeJoint::universal) return frame_along(z, joint.reference(in, side));
    return frame_along(z, hung.axes_are_parallel ? joint.first_normal(in, side)
                                                 : made_perpendicular(other_axis(joint, in, side), axis));
}

}  // namespace

LinkFrame HungBody::joint_frame(const Inputs& in) const {
    if (type == TreeJoint::free) return {};
    LinkFrame frame;
    frame.origin = joint.point(static_cast<std::size_t>(1 - side())).relative_to_centre_of_mass(in);
    if (type == TreeJoint::fixed)
        frame.axes = matrix_of(in.relative_orientation(parent, body));
    else if (type != TreeJoint::spherical)
        frame.axes = axes_of(*this, in, 1 - side());
    return frame;
}

LinkFrame HungBody::link_frame(const Inputs& in) const {
    if (type == TreeJoint::free) return {};
    LinkFrame frame;
    frame.origin = joint.point(static_cast<std::size_t>(side())).relative_to_centre_of_mass(in);
    if (type != TreeJoint::fixed && type != TreeJoint::spherical) frame.axes = axes_of(*this, in, side());
    return frame;
}

LinkFrame second_joint_frame(bool is_backwards) {
    const double sign = is_backwards ? -1.0 : 1.0;
    return {frame_along({sign, 0.0, 0.0}, {0.0, 0.0, sign}), {0.0, 0.0, 0.0}};
}

LinkFrames::LinkFrames(Builder& builder, const SpanningTree& tree) : hung_(tree.bodies.size()) {
    for (const TreeBody& one : tree.bodies) {
        HungBody& hung = hung_[static_cast<std::size_t>(one.body)];
        hung.body = one.body, hung.parent = one.parent, hung.is_backwards = one.is_backwards;
        if (one.joint < 0) continue;
        const NamedElements& named = builder.mechanism.joints[static_cast<std::size_t>(one.joint)];
        hung.joint = builder.joints.at(named.name);
        hung.type = tree_joint_of(named.type);
        if (hung.type != TreeJoint::universal) continue;
        const Inputs in = builder.nominal();
        hung.axes_are_parallel = are_parallel(other_axis(hung.joint, in, 0), hung.joint.axis(in, 0));
    }
}

}  // namespace myriad::mechanism
