// The start of a mechanism in joint coordinates: it is put together in body coordinates
// (kernels/mechanism/assembly.hpp), its coordinates are read off the bodies, and couplings are met (projection.hpp).
//
//   joint frame X = R_p E, link frame R_l on the body, r = X^T (o_l - o_p) - offset,  Q = X^T R_l
//   slide      component of r; rate: of X^T (v_l - v_p - w_p x (o_l - o_p))
//   angle      atan2(Q_yx, Q_xx), within half a turn; rate: component of the relative angular velocity
//   universal  the first angle turns the cross so that its second axis is the one on the body
//   any turn   Q; rate: relative angular velocity in link axes
//
// E, offset: kernels/tree/links.hpp. World axes; w in the axes of its own frame. Not handled: bodies that do not obey
// their joints; what a coordinate cannot show of their pose is lost.
#pragma once
#include "kernels/joint_coordinates/equilibrium.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The frame of link l on a body.
template <class Links, class Real = typename Links::Real>
MYRIAD_HD Place<Real> link_on_body(const Links& links, int l, const Place<Real>& body) {
    Place<Real> frame;
    frame.matrix = body.matrix * transpose(links.body_axes(l));
    const Vec<3, Real> from_centre = frame.matrix * links.centre(l);
    frame.position = body.position - from_centre;
    frame.angular_velocity = links.body_axes(l) * body.angular_velocity;
    frame.velocity = body.velocity - frame.matrix * cross(frame.angular_velocity, links.centre(l));
    return frame;
}

// Coordinates and rates from the places of the bodies, in the file's order.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void read_coordinates(const System& system, const Place<Real>* bodies,
                                      typename System::Configuration& q, typename System::Velocity& v) {
    const auto& topology = system.topology;
    const auto links = system.equations().links();
    const Real zero(0.0);
    const Vec<3, Real> none{zero, zero, zero};
    Place<Real> frames[System::Topology::most_links];
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const int l = topology.link_of_body(b);
        frames[l] = link_on_body(links, l, bodies[b]);
    }
    q.fit(topology), v.fit(topology);
    const Place<Real> ground{diagonal(Real(1.0)), none, none, none};
    MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
        const TreeLink& link = topology.link(l);
        const Place<Real> parent = link.parent < 0 ? ground : frames[link.parent];
        const Mat3<Real> joint_axes = parent.matrix * links.axes(l);
        const int field = link.field + link.slides, freedom = link.freedom + link.slides;
        if (link.body < 0) {
            // The cross of a universal joint: the next link's axis, as the body has it, is in the cross where E says.
            const Vec<3, Real> e = links.axes(l + 1) * unit_vector<Real>(2),
                               b = transposed_times(joint_axes, frames[l + 1].matrix * unit_vector<Real>(2));
            const Real angle = atan2(fma(e[0], b[1], -(e[1] * b[0])), fma(e[0], b[0], e[1] * b[1]));
            const SineCosine<Real> turn = sincos(angle);
            q[field] = angle, q[field + 1] = zero;
            frames[l].matrix =
                turned(TreeTurning::about_z, LinkTurn<Real>{turn.cosine, turn.sine, zero, zero}, joint_axes);
            frames[l].position = frames[l + 1].position;
            const Vec<3, Real> w =
                frames[l + 1].matrix * frames[l + 1].angular_velocity - parent.matrix * parent.angular_velocity;
            v[freedom] = transposed_times(frames[l].matrix, w)[2];
            frames[l].velocity = frames[l + 1].velocity;
            Vec<3, Real> own = transposed_times(frames[l].matrix, parent.matrix * parent.angular_velocity);
            own[2] = own[2] + v[freedom];
            frames[l].angular_velocity = own;
            continue;
        }
        const Place<Real>& frame = frames[l];
        const Vec<3, Real> distance = frame.position - parent.position;
        const Vec<3, Real> arm = transposed_times(joint_axes, distance), offset = links.offset(l);
        const Vec<3, Real> parent_turning = parent.matrix * parent.angular_velocity;
        const Vec<3, Real> sliding =
            transposed_times(joint_axes, frame.velocity - parent.velocity - cross(parent_turning, distance));
        MYRIAD_UNROLL_PLAN for (int i = 0; i < link.slides; ++i) {
            q[link.field + i] = arm[link.first_axis + i] - offset[link.first_axis + i];
            v[link.freedom + i] = sliding[link.first_axis + i];
        }
        const Mat3<Real> relative = transpose(joint_axes) * frame.matrix;
        const Vec<3, Real> turning = frame.angular_velocity - transposed_times(frame.matrix, parent_turning);
        if (link.turning == TreeTurning::about_z) {
            q[field] = atan2(relative.e[1][0], relative.e[0][0]), q[field + 1] = zero;
            v[freedom] = turning[2];
        } else if (link.turning == TreeTurning::any) {
            q.set_rotation(field, renormalized(rotation_of(relative)));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) v[freedom + i] = turning[i];
        }
    }
}

// The same from a state in body coordinates, with the counted angles.
template <class System>
MYRIAD_HD void read_state(const System& system, const typename System::BodyForm::Configuration& bodies,
                          const typename System::BodyForm::Velocity& rates, typename System::Configuration& q,
                          typename System::Velocity& v) {
    const auto& topology = system.topology;
    Bodies<typename System::Real, System::Topology::most_bodies> places;
    system.body_form().place(bodies, rates, places);
    read_coordinates(system, places.of, q, v);
    const int angles = system.body_form().topology.angles();
    MYRIAD_UNROLL_PLAN for (int i = 0; i < angles; ++i) {
        const int counter = topology.counter_of_angle(i), freedom = topology.freedom_of_angle(i);
        if (counter >= 0) q.turned[counter] = bodies.turned[i];
        if (freedom < 0) continue;
        const int field = topology.field_of(freedom);
        using Real = typename System::Real;
        q[field + 1] = nearest_integer(Real(0.15915494309189535) * (bodies.turned[i] - q[field]));
    }
}

// The state that the file gives, before assembly.
template <class System>
MYRIAD_NOINLINE void start_of(const System& system, typename System::Configuration& q, typename System::Velocity& v) {
    typename System::BodyForm::Configuration bodies;
    typename System::BodyForm::Velocity rates;
    const auto form = system.body_form();
    bodies.fit(form.topology), rates.fit(form.topology);
    form.start(bodies, rates);
    read_state(system, bodies, rates, q, v);
}

// Takes q, v to a consistent state at time 0 from the one that the file gives.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Assembled<Real> put_together(const System& system, typename System::Scratch& scratch,
                                             typename System::Configuration& q, typename System::Velocity& v) {
    using Form = typename System::BodyForm;
    const Form form = system.body_form();
    typename Form::Configuration bodies;
    typename Form::Velocity rates;
    typename Form::Scratch assembling;
    bodies.fit(form.topology), rates.fit(form.topology);
    form.start(bodies, rates);
    Assembled<Real> assembled = assemble_bodies(form, Real(0.0), true, assembling, bodies, rates);
    read_state(system, bodies, rates, q, v);
    system.prescribe_at(Real(0.0), q, v);
    const bool at_equilibrium = has_exact_matrix && system.topology.starts_at_equilibrium();
    if (system.topology.couplings() > 0 || at_equilibrium) form.place(bodies, rates, assembling.work.bodies);
    if (system.topology.couplings() > 0) couple(system, scratch, assembling.work, q, v, assembled);
    if constexpr (has_exact_matrix)
        if (at_equilibrium) start_at_equilibrium(system, scratch, assembling.work, q, v, assembled);
    return assembled;
}

// Starts a run: put_together(), then accelerations and multipliers.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Assembled<Real> assemble(const System& system, typename System::Scratch& scratch,
                                         typename System::Configuration& q, typename System::Velocity& v,
                                         typename System::Velocity& a, typename System::MultiplierVector& multipliers) {
    Assembled<Real> assembled = put_together(system, scratch, q, v);
    const MaskOf<Real> lost = system.solve_acceleration(q, v, Real(0.0), scratch, a, multipliers);
    assembled.reason = reason_unless(!lost, Reason::matrix_singular, assembled.reason);
    return assembled;
}

}  // namespace myriad::inline MYRIAD_VARIANT
