// The reaction of a joint of the tree: what the joint does to the body on it, from the wrenches of the backward pass.
//
//   wrench      force and moment about the link's origin, without the components along the joint's freedoms
//   reaction    on the file's second body, about its point there: where the tree passes the joint from that body on,
//               minus the wrench, moved to where the slides are nought
//
// World frame, N and N m. Not handled: joints outside the tree, whose reactions follow from multipliers.
#pragma once
#include "kernels/joint_coordinates/mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// In the axes of the link's frame.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_HD Screw<Real> wrench_of_joint(const System& system, const Scratch& scratch, int l, Screw<Real> wrench) {
    const TreeLink& link = system.topology.link(l);
    const LinkTurn<Real>& turn = scratch.places.turn[l];
    const Real zero(0.0);
    if (link.turning == TreeTurning::about_z) wrench.angular[2] = zero;
    if (link.turning == TreeTurning::any) wrench.angular = Vec<3, Real>{zero, zero, zero};
    if (link.slides > 0) {
        Vec<3, Real> force = to_joint(link.turning, turn, wrench.linear);
        each_slide(link, [&](int i) MYRIAD_INLINE { force[link.first_axis + i] = zero; });
        wrench.linear = to_link(link.turning, turn, force);
    }
    if (link.parent >= 0 && system.topology.link(link.parent).body < 0) {
        // The first axis of a universal joint, that of its cross, is at right angles to the second one.
        const Vec<3, Real> axis =
            to_link(link.turning, turn, transposed_times(system.equations().links().axes(l), unit_vector<Real>(2)));
        wrench.angular = fma(-dot(axis, wrench.angular), axis, wrench.angular);
    }
    return wrench;
}

// `wrenches`: of each link, at the configuration q that `scratch` was placed at.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_HD Vec<3, Real> reaction_of_tree(const System& system, const typename System::Configuration& q,
                                        const Scratch& scratch, const TreeJointRows& joint, const Screw<Real>* wrenches,
                                        bool torque_wanted) {
    const int l = joint.link;
    const TreeLink& link = system.topology.link(l);
    Screw<Real> wrench = wrench_of_joint(system, scratch, l, wrenches[l]);
    if (joint.is_backwards && link.slides > 0) {
        Vec<3, Real> slides{Real(0.0), Real(0.0), Real(0.0)};
        each_slide(link, [&](int i) MYRIAD_INLINE { slides[link.first_axis + i] = q[link.field + i]; });
        const Vec<3, Real> slid = to_link(link.turning, scratch.places.turn[l], slides);
        wrench.angular = add_cross(slid, wrench.linear, wrench.angular);
    }
    const Vec<3, Real> on_body = scratch.frames.of[l].matrix * (torque_wanted ? wrench.angular : wrench.linear);
    return joint.is_backwards ? -on_body : on_body;
}

}  // namespace myriad::inline MYRIAD_VARIANT
