// The motion of a tree's links, from the ground outward, each in the axes of its own link frame.
//
//   joint frame   r = offset + slides,  w = E^T w_parent,  w' = E^T w'_parent
//                 a = E^T a_parent + w' x r + w x (w x r + 2 slides') + slides''
//   link frame    turned by R_J:  w = R_J^T w + w_J,  w' = R_J^T w' + (R_J^T w) x w_J + w_J',  a = R_J^T a
//
// w, w' angular velocity and acceleration, a the acceleration of the link's origin; gravity is an acceleration -g of
// the ground. E: axes of links.hpp. Source: Featherstone 2008, sect. 5.3, with classical accelerations. Not handled: a
// moving ground.
#pragma once
#include "kernels/system/system.hpp"
#include "kernels/tree/configuration.hpp"
#include "kernels/tree/links.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// How a link is turned against its joint frame: (cosine, sine) about z, or a rotation (w x y z).
template <class Real>
using LinkTurn = Vec<4, Real>;

template <class Real>
MYRIAD_HD Rotation<Real> rotation_of(const LinkTurn<Real>& turn) {
    return {turn[0], turn[1], turn[2], turn[3]};
}
template <class Real>
MYRIAD_HD Vec<3, Real> to_joint(TreeTurning turning, const LinkTurn<Real>& turn, const Vec<3, Real>& v) {
    if (turning == TreeTurning::about_z)
        return {fma(turn[0], v[0], -(turn[1] * v[1])), fma(turn[1], v[0], turn[0] * v[1]), v[2]};
    return turning == TreeTurning::any ? rotation_of(turn).act(v) : v;
}
template <class Real>
MYRIAD_HD Vec<3, Real> to_link(TreeTurning turning, const LinkTurn<Real>& turn, const Vec<3, Real>& v) {
    if (turning == TreeTurning::about_z)
        return {fma(turn[0], v[0], turn[1] * v[1]), fma(turn[0], v[1], -(turn[1] * v[0])), v[2]};
    return turning == TreeTurning::any ? inverse(rotation_of(turn)).act(v) : v;
}

// Where the links of a tree stand on their parents.
template <class R, class T>
struct TreePlaces {
    using Real = R;
    LinkTurn<Real> turn[T::most_links];
    Vec<3, Real> arm[T::most_links];  // r, from the parent's joint point, joint frame, m
};

template <class Real, class T, class P>
MYRIAD_HD void place_link(int l, const TreeLinks<Real, T, P>& links, const TreeConfiguration<Real, T>& q,
                          TreePlaces<Real, T>& places) {
    const TreeLink& link = links.topology.link(l);
    const int field = link.field + link.slides;
    places.arm[l] = links.offset(l);
    each_slide(link, [&](int i) MYRIAD_INLINE {
        Real& arm = places.arm[l][link.first_axis + i];
        arm = arm + q[link.field + i];
    });
    if (link.turning == TreeTurning::about_z) {
        const SineCosine<Real> angle = sincos(q[field]);
        places.turn[l][0] = angle.cosine, places.turn[l][1] = angle.sine;
    } else if (link.turning == TreeTurning::any) {
        places.turn[l] = {q[field], q[field + 1], q[field + 2], q[field + 3]};
    }
}
template <class Real, class T, class P>
MYRIAD_NOINLINE void place_links(const TreeLinks<Real, T, P>& links, const TreeConfiguration<Real, T>& q,
                                 TreePlaces<Real, T>& places) {
    MYRIAD_UNROLL_PLAN for (int l = 0; l < links.topology.links(); ++l) place_link(l, links, q, places);
}

template <class Real>
struct LinkMotion {
    Vec<3, Real> angular_velocity, angular_acceleration, acceleration;  // of its origin; link frame
};

template <class Real>
MYRIAD_HD Vec<3, Real> slides_of(const TreeLink& link, const Real* rates) {
    Vec<3, Real> slides{Real(0.0), Real(0.0), Real(0.0)};
    each_slide(link, [&](int i) MYRIAD_INLINE { slides[link.first_axis + i] = rates[link.freedom + i]; });
    return slides;
}

// The motion of link l; `parent` is that of its parent, or of the ground, which does not turn.
template <class Real, class T, class P>
MYRIAD_HD void move_link(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                         const TreeRates<Real, T>& v, const TreeRates<Real, T>& a, const LinkMotion<Real>& parent,
                         LinkMotion<Real>& motion) {
    const TreeLink& link = links.topology.link(l);
    const LinkTurn<Real>& turn = places.turn[l];
    const int freedom = link.freedom + link.slides;
    const bool on_ground = link.parent < 0;
    const Vec<3, Real> arm = places.arm[l];
    Vec<3, Real> w = parent.angular_velocity, d = parent.angular_acceleration,
                 linear = links.from_parent(l, parent.acceleration);
    if (link.slides > 0) linear = linear + slides_of(link, a.e);
    if (!on_ground) {
        w = links.from_parent(l, w), d = links.from_parent(l, d);
        Vec<3, Real> swing = cross(w, arm);
        if (link.slides > 0) swing = fma(Real(2.0), slides_of(link, v.e), swing);
        linear = add_cross(w, swing, add_cross(d, arm, linear));
        w = to_link(link.turning, turn, w), d = to_link(link.turning, turn, d);
    }
    linear = to_link(link.turning, turn, linear);
    if (link.turning == TreeTurning::about_z) {
        const Real rate = v[freedom];
        if (!on_ground) d[0] = fma(w[1], rate, d[0]), d[1] = fma(-w[0], rate, d[1]);
        d[2] = d[2] + a[freedom], w[2] = w[2] + rate;
    } else if (link.turning == TreeTurning::any) {
        const Vec<3, Real> rate = v.turning(freedom);
        if (!on_ground) d = add_cross(w, rate, d);
        d = d + a.turning(freedom), w = w + rate;
    }
    motion.angular_velocity = w, motion.angular_acceleration = d, motion.acceleration = linear;
}

// The motions of all links; `gravity` in world axes, m/s^2.
template <class Real, class T, class P>
MYRIAD_NOINLINE void move_links(const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                const TreeRates<Real, T>& v, const TreeRates<Real, T>& a, const Vec<3, Real>& gravity,
                                LinkMotion<Real>* motions) {
    const Vec<3, Real> none{Real(0.0), Real(0.0), Real(0.0)};
    const LinkMotion<Real> ground{none, none, -gravity};
    const T tree = links.topology;
    MYRIAD_UNROLL_PLAN for (int l = 0; l < tree.links(); ++l) {
        const int parent = tree.link(l).parent;
        move_link(l, links, places, v, a, parent < 0 ? ground : motions[parent], motions[l]);
    }
}

// A frame turned against joint axes as its link is.
template <class Real>
MYRIAD_HD Mat3<Real> turned(TreeTurning turning, const LinkTurn<Real>& turn, const Mat3<Real>& joint_axes) {
    if (turning == TreeTurning::none) return joint_axes;
    if (turning == TreeTurning::any) return joint_axes * matrix_of(rotation_of(turn));
    const auto row = [&](int i) -> Vec<3, Real> {
        const Real x = joint_axes.e[i][0], y = joint_axes.e[i][1];
        return {fma(turn[0], x, turn[1] * y), fma(turn[0], y, -(turn[1] * x)), joint_axes.e[i][2]};
    };
    return matrix_of_rows(row(0), row(1), row(2));
}

// The frame of link l in the world, from that of its parent ...
template <class Real, class T, class P>
MYRIAD_HD void pose_link(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                         Place<Real>* poses) {
    const TreeLink& link = links.topology.link(l);
    const Mat3<Real> joint_axes = link.parent >= 0 ? links.on_parent(l, poses[link.parent].matrix) : links.axes(l);
    const Vec<3, Real> arm = joint_axes * places.arm[l];
    poses[l].position = link.parent >= 0 ? poses[link.parent].position + arm : arm;
    poses[l].matrix = turned(link.turning, places.turn[l], joint_axes);
}
// ... its rates ...
template <class Real, class T, class P>
MYRIAD_HD void rate_link(int l, const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                         const TreeRates<Real, T>& v, Place<Real>* poses) {
    const TreeLink& link = links.topology.link(l);
    const LinkTurn<Real>& turn = places.turn[l];
    Vec<3, Real> w{Real(0.0), Real(0.0), Real(0.0)}, swing{Real(0.0), Real(0.0), Real(0.0)};
    swing = slides_of(link, v.e);
    if (link.parent >= 0) {
        w = links.from_parent(l, poses[link.parent].angular_velocity);
        swing = add_cross(w, places.arm[l], swing);
    }
    poses[l].velocity = poses[l].matrix * to_link(link.turning, turn, swing);
    if (link.parent >= 0) poses[l].velocity = poses[link.parent].velocity + poses[l].velocity;
    w = to_link(link.turning, turn, w);
    const int freedom = link.freedom + link.slides;
    if (link.turning == TreeTurning::about_z) w[2] = w[2] + v[freedom];
    if (link.turning == TreeTurning::any) w = w + v.turning(freedom);
    poses[l].angular_velocity = w;
}
// ... and its orientation, to world. It changes steadily with the coordinates: a whole turn changes the sign.
template <class Real, class T, class P>
MYRIAD_HD void orient_link(int l, const TreeLinks<Real, T, P>& links, const TreeConfiguration<Real, T>& q,
                           Rotation<Real>* orientations) {
    const Real half(0.5), zero(0.0), one(1.0);
    const TreeLink& link = links.topology.link(l);
    const int field = link.field + link.slides;
    Rotation<Real> orientation = rotation_of(links.axes(l));
    if (link.parent >= 0) orientation = orientations[link.parent] * orientation;
    if (link.turning == TreeTurning::about_z) {
        const SineCosine<Real> turn = sincos(half * q[field]);
        const Real pairs = nearest_integer(half * q[field + 1]);
        const Real sign = select(q[field + 1] - (pairs + pairs) == zero, one, -one);
        orientation = orientation * Rotation<Real>{sign * turn.cosine, zero, zero, sign * turn.sine};
    } else if (link.turning == TreeTurning::any) {
        orientation = orientation * q.rotation(field);
    }
    orientations[l] = orientation;
}

// The same of all links.
template <class Real, class T, class P>
MYRIAD_NOINLINE void pose_links(const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                Place<Real>* poses) {
    MYRIAD_UNROLL_PLAN for (int l = 0; l < links.topology.links(); ++l) pose_link(l, links, places, poses);
}
template <class Real, class T, class P>
MYRIAD_NOINLINE void rate_links(const TreeLinks<Real, T, P>& links, const TreePlaces<Real, T>& places,
                                const TreeRates<Real, T>& v, Place<Real>* poses) {
    MYRIAD_UNROLL_PLAN for (int l = 0; l < links.topology.links(); ++l) rate_link(l, links, places, v, poses);
}
template <class Real, class T, class P>
MYRIAD_NOINLINE void orient_links(const TreeLinks<Real, T, P>& links, const TreeConfiguration<Real, T>& q,
                                  Rotation<Real>* orientations) {
    MYRIAD_UNROLL_PLAN for (int l = 0; l < links.topology.links(); ++l) orient_link(l, links, q, orientations);
}

// The channels of the body on link l: its centre of mass and orientation (w >= 0) in the world, angular velocity in its
// own axes.
template <class Real, class T, class P>
MYRIAD_HD BodyState<Real> body_state(const TreeLinks<Real, T, P>& links, const Place<Real>* poses, int l) {
    const Place<Real>& pose = poses[l];
    return {pose.position + pose.matrix * links.centre(l), rotation_of(pose.matrix * links.body_axes(l)),
            pose.velocity + pose.matrix * cross(pose.angular_velocity, links.centre(l)),
            transposed_times(links.body_axes(l), pose.angular_velocity)};
}

// One of them that is none of the orientation's, whose quaternion is then not computed.
template <class Real, class T, class P>
MYRIAD_HD Real body_rate_or_place(const TreeLinks<Real, T, P>& links, const Place<Real>& pose, int l, int part) {
    if (part < orientation_channel) return (pose.position + pose.matrix * links.centre(l))[part];
    if (part < angular_velocity_channel)
        return (pose.velocity + pose.matrix * cross(pose.angular_velocity, links.centre(l)))[part - velocity_channel];
    return transposed_times(links.body_axes(l), pose.angular_velocity)[part - angular_velocity_channel];
}

}  // namespace myriad::inline MYRIAD_VARIANT
