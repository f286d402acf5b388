// The links of one instance's tree, prepared once from its bodies at the configuration zero.
//
//   joint frame   z along the joint's axis, x along its second direction made perpendicular to it; its directions are
//                 fixed on the parent's link. Of a fixed or spherical joint the body's own axes, of a free one the
//                 world's.
//   link frame    fixed on the body, its origin the joint point; at zero equal to the joint frame. The link of a free
//                 joint has the body's axes and centre of mass. A turn about an axis is thus always one about z.
//   mass          m, h = m c and J_O = J + m (|c|^2 I - c c^T) about the joint point in the link frame, c the centre
//
// Units: m, kg. Source: Featherstone 2008, ch. 4, with the frames turned about z. Not handled: an axis that is not of
// unit length, a second direction along it, masses that are not positive.
#pragma once
#include "kernels/math/rotation.hpp"
#include "kernels/tree/topology.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Offsets of the parameters of a link: matrices row by row, inertia xx yy zz xy xz yz.
constexpr int link_axes = 0,   // [9] joint frame to the parent's link frame
    link_offset = 9,           // [3] of the joint point from the parent's, joint frame, m
    link_mass = 12,            // kg
    link_first_moment = 13,    // [3] about the frame's origin, link frame, kg m
    link_inertia = 16,         // [6] about the frame's origin, link frame, kg m^2
    link_body_axes = 22,       // [9] body to link frame
    link_centre = 31,          // [3] of the body's mass, link frame, m
    link_parameter_count = 34; // a cross has no mass, and the axes of its own frame

// A body at the configuration zero and the joint on which it hangs; vectors in world axes. A free body may stand
// anywhere: its configuration says where it is, and what hangs on it keeps its place on it.
template <class Real>
struct JointedBody {
    Vec<3, Real> centre;         // of mass, m
    Rotation<Real> orientation;  // body to world
    Real mass;                   // kg
    Symmetric3<Real> inertia;    // about the centre of mass, body axes, kg m^2
    Vec<3, Real> point;          // of the joint, m
    Vec<3, Real> axis;           // unit: of the turn or slide; planar: the normal; universal: fixed on the parent
    Vec<3, Real> second;         // not along the axis: x of the joint frame; universal: the unit axis on the body
};

template <class Real>
struct LinkMass {
    Real mass;                 // kg
    Vec<3, Real> first;        // kg m
    Symmetric3<Real> inertia;  // about the frame's origin, kg m^2
};

template <class R, class T>
struct TreeLinks {
    using Real = R;
    T topology;
    Mat3<Real> axes[T::most_links];       // joint frame to the parent's link frame
    Vec<3, Real> offset[T::most_links];   // of the joint point from the parent's, joint frame, m
    LinkMass<Real> mass[T::most_links];   // link frame
    Vec<3, Real> centre[T::most_links];   // of the body's mass, link frame, m
    Mat3<Real> body_axes[T::most_links];  // body to link frame
};

template <class Real>
MYRIAD_HD Mat3<Real> columns(const Vec<3, Real>& x, const Vec<3, Real>& y, const Vec<3, Real>& z) {
    return {{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}};
}
// a^T b
template <class Real>
MYRIAD_HD Mat3<Real> transposed_times(const Mat3<Real>& a, const Mat3<Real>& b) {
    return transpose(a) * b;
}
// r s r^T. Each entry by itself: from the trace the last one would lose the digits of a slender body.
template <class Real>
MYRIAD_HD Symmetric3<Real> turned(const Mat3<Real>& r, const Symmetric3<Real>& s) {
    const Vec<3, Real> x{r.e[0][0], r.e[0][1], r.e[0][2]}, y{r.e[1][0], r.e[1][1], r.e[1][2]},
        z{r.e[2][0], r.e[2][1], r.e[2][2]};
    const Vec<3, Real> sx = s * x, sy = s * y;
    return {dot(x, sx), dot(y, sy), dot(z, s * z), dot(y, sx), dot(z, sx), dot(z, sy)};
}

// z along the unit axis, x along `second` made perpendicular to it
template <class Real>
MYRIAD_HD Mat3<Real> frame_along(const Vec<3, Real>& axis, const Vec<3, Real>& second) {
    const Vec<3, Real> across = fma(-dot(axis, second), axis, second);
    const Vec<3, Real> x = (Real(1.0) / sqrt(dot(across, across))) * across;
    return columns(x, cross(axis, x), axis);
}

template <class Real, class T>
MYRIAD_NOINLINE void prepare_links(T tree, const JointedBody<Real>* bodies, TreeLinks<Real, T>& links) {
    links.topology = tree;
    const Real zero(0.0), one(1.0);
    const Vec<3, Real> none{zero, zero, zero};
    const Mat3<Real> identity = diagonal(one);
    Mat3<Real> frame[T::most_links];  // of each link at zero, to world
    Vec<3, Real> origin[T::most_links];
    MYRIAD_UNROLL_PLAN for (int b = 0; b < tree.bodies(); ++b) {
        const JointedBody<Real>& body = bodies[b];
        const TreeJoint joint = tree.joint(b);
        const Mat3<Real> orientation = matrix_of(body.orientation);
        const int last = tree.last_link(b);
        MYRIAD_UNROLL_PLAN for (int l = last + 1 - links_of(joint); l <= last; ++l) {
            const int parent = tree.link(l).parent;
            const bool free = joint == TreeJoint::free;
            Mat3<Real> joint_frame;
            if (free)
                joint_frame = identity;
            else if (joint == TreeJoint::fixed || joint == TreeJoint::spherical)
                joint_frame = orientation;
            else if (joint == TreeJoint::universal && l == last)
                joint_frame = frame_along(body.second, body.axis);
            else
                joint_frame = frame_along(body.axis, body.second);
            const Vec<3, Real> point = free ? none : body.point;
            frame[l] = free ? orientation : joint_frame;
            origin[l] = free ? body.centre : body.point;
            links.axes[l] = parent < 0 ? joint_frame : transposed_times(frame[parent], joint_frame);
            links.offset[l] = transposed_times(joint_frame, parent < 0 ? point : point - origin[parent]);
            links.mass[l] = {zero, none, {zero, zero, zero, zero, zero, zero}};
            links.centre[l] = none, links.body_axes[l] = identity;
        }
        const Vec<3, Real> c = transposed_times(frame[last], body.centre - origin[last]);
        const Mat3<Real> axes = transposed_times(frame[last], orientation);
        const Vec<3, Real> h = body.mass * c;
        Symmetric3<Real> j = turned(axes, body.inertia);
        j.xx = fma(h[1], c[1], fma(h[2], c[2], j.xx)), j.yy = fma(h[0], c[0], fma(h[2], c[2], j.yy));
        j.zz = fma(h[0], c[0], fma(h[1], c[1], j.zz));
        j.xy = fma(-h[0], c[1], j.xy), j.xz = fma(-h[0], c[2], j.xz), j.yz = fma(-h[1], c[2], j.yz);
        links.mass[last] = {body.mass, h, j};
        links.centre[last] = c, links.body_axes[last] = axes;
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
