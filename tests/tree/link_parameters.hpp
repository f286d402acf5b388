// Link parameters from bodies at the configuration zero, for trees that no file describes.
#pragma once
#include "kernels/tree/links.hpp"

namespace myriad::tree {

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

// The parameters of all links.
template <class R, class T>
struct LinkNumbers {
    Vec<T::most_links * link_parameter_count, R> all;

    void set(int place, const Vec<3, R>& v) {
        for (int i = 0; i < 3; ++i) all[place + i] = v[i];
    }
    void set(int place, const Mat3<R>& m) {
        for (int i = 0; i < 9; ++i) all[place + i] = m.e[i / 3][i % 3];
    }
    void set(int place, const Symmetric3<R>& m) {
        const R entries[] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
        for (int i = 0; i < 6; ++i) all[place + i] = entries[i];
    }
};

// z along the unit axis, x along `second` made perpendicular to it
template <class Real>
Mat3<Real> frame_along(const Vec<3, Real>& axis, const Vec<3, Real>& second) {
    const Vec<3, Real> across = fma(-dot(axis, second), axis, second);
    const Vec<3, Real> x = (Real(1.0) / sqrt(dot(across, across))) * across;
    return matrix_of_columns(x, cross(axis, x), axis);
}

template <class Real, class T>
void prepare_links(T tree, const JointedBody<Real>* bodies, LinkNumbers<Real, T>& links) {
    const Real zero(0.0), one(1.0);
    const Vec<3, Real> none{zero, zero, zero};
    const Mat3<Real> identity = diagonal(one);
    Mat3<Real> frame[T::most_links];  // of each link at zero, to world
    Vec<3, Real> origin[T::most_links];
    for (int b = 0; b < tree.bodies(); ++b) {
        const JointedBody<Real>& body = bodies[b];
        const TreeJoint joint = tree.joint(b);
        const Mat3<Real> orientation = matrix_of(body.orientation);
        const int last = tree.last_link(b);
        for (int l = last + 1 - links_of(joint); l <= last; ++l) {
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
            const int at = l * link_parameter_count;
            for (int i = 0; i < link_parameter_count; ++i) links.all[at + i] = zero;
            links.set(at + link_axes, parent < 0 ? joint_frame : transposed_times(frame[parent], joint_frame));
            links.set(at + link_offset, transposed_times(joint_frame, parent < 0 ? point : point - origin[parent]));
            links.set(at + link_body_axes, identity);
        }
        const Vec<3, Real> c = transposed_times(frame[last], body.centre - origin[last]);
        const Mat3<Real> axes = transposed_times(frame[last], orientation);
        const Vec<3, Real> h = body.mass * c;
        Symmetric3<Real> j = turned(axes, body.inertia);
        j.xx = fma(h[1], c[1], fma(h[2], c[2], j.xx)), j.yy = fma(h[0], c[0], fma(h[2], c[2], j.yy));
        j.zz = fma(h[0], c[0], fma(h[1], c[1], j.zz));
        j.xy = fma(-h[0], c[1], j.xy), j.xz = fma(-h[0], c[2], j.xz), j.yz = fma(-h[1], c[2], j.yz);
        const int at = last * link_parameter_count;
        links.all[at + link_mass] = body.mass;
        links.set(at + link_first_moment, h), links.set(at + link_inertia, j);
        links.set(at + link_centre, c), links.set(at + link_body_axes, axes);
    }
}

}  // namespace myriad::tree
