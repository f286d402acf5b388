// Observables of a mechanism in joint coordinates: those of its body form (kernels/mechanism/observe.hpp), made from
// the tree's coordinates and from what its joints transmit.
//
//   multipliers of a joint of the tree   sum over its rows of lambda_r G_r = -W,  G_r: force and moment of row r on the
//                                        body that hangs on it, W: what the joint does to it, both about the link's
//                                        origin and without the freedoms' own components
//   lambda of a coordinate law           k phi + d phi'
//   lambda of a prescribed coordinate    minus the generalized force that its motion takes
//
// Power as there; a driver's is lambda phi_t = -lambda f'. World frame, SI units.
#pragma once
#include "kernels/joint_coordinates/start.hpp"
#include "kernels/mechanism/memory.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The body form's state of one instance.
template <class System>
struct BodyFormState {
    using Form = typename System::BodyForm;
    typename Form::Configuration q;
    typename Form::Velocity v;
    MechanismMemory<Form> memory;
};

template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void to_bodies(const System& system, const typename System::Configuration& q,
                               const typename System::Velocity& v, typename System::BodyForm::Configuration& bodies,
                               typename System::BodyForm::Velocity& rates) {
    const auto& topology = system.topology;
    const auto form = system.body_form().topology;
    const auto links = system.equations().links();
    TreePlaces<Real, typename System::Topology> places;
    Place<Real> frames[System::Topology::most_links];
    place_links(links, q, places);
    pose_links(links, places, frames);
    rate_links(links, places, v, frames);
    Rotation<Real> orientations[System::Topology::most_links];
    orient_links(links, q, orientations);
    bodies.fit(form), rates.fit(form);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const int l = topology.link_of_body(b);
        const BodyState<Real> state = body_state(links, frames, l);
        bodies.position[b] = state.position;
        bodies.orientation[b] = renormalized(orientations[l] * rotation_of(links.body_axes(l)));
        rates.set(b, state.velocity, state.angular_velocity);
    }
    MYRIAD_UNROLL_PLAN for (int i = 0; i < form.angles(); ++i) {
        const int counter = topology.counter_of_angle(i), freedom = topology.freedom_of_angle(i);
        bodies.turned[i] = freedom >= 0 ? coordinate(q, freedom) : counter >= 0 ? q.turned[counter] : Real(0.0);
    }
}

// r with the wrenches of the joints, where the multipliers are those of the state; the functions of time are there.
template <class System>
MYRIAD_HD void transmit(const System& system, const typename System::Configuration& q,
                        const typename System::Velocity& v, const typename System::Velocity& a,
                        const typename System::MultiplierVector& multipliers, typename System::Scratch& scratch) {
    using Real = typename System::Real;
    const Real zero(0.0), one(1.0);
    system.equations().evaluate(q, v, a, multipliers.e, {zero, zero, one, Level::position, true, false}, scratch);
}

// The multipliers of a joint of the tree, where its body is in `bodies` and `scratch` holds the wrenches of `transmit`.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void add_joint_multipliers(const System& system, const TreeJointRows& joint,
                                           const Bodies<Real, System::BodyForm::Topology::most_bodies>& bodies,
                                           const Real* turned, typename System::Scratch& scratch, Real* multipliers) {
    constexpr int most = 6;
    const auto& topology = system.topology;
    const auto form = system.body_form();
    const auto equations = form.equations(scratch.functions);
    const int l = joint.link, side = joint.is_backwards ? 0 : 1;
    const TreeLink& link = topology.link(l);
    const auto links = system.equations().links();
    const Real zero(0.0), inverse_length = Real(1.0) / system.parameter(length_scale_parameter);
    // What the joint does to its body, without the components along its freedoms.
    Screw<Real> wrench = scratch.wrenches[l];
    if (link.turning == TreeTurning::about_z) wrench.angular[2] = zero;
    if (link.turning == TreeTurning::any) wrench.angular = Vec<3, Real>{zero, zero, zero};
    if (link.slides > 0) {
        Screw<Real> at_joint = to_joint(l, links, scratch.places, wrench);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < link.slides; ++i) at_joint.linear[link.first_axis + i] = zero;
        wrench.linear = to_link(link.turning, scratch.places.turn[l], at_joint.linear);
    }
    const int file_body = system.topology.body_of_link(l);
    const Mat3<Real> frame = bodies.of[file_body].matrix * transpose(links.body_axes(l));
    const Vec<3, Real> centre = frame * links.centre(l), force = frame * wrench.linear,
                       moment = inverse_length * (frame * wrench.angular);

    Vec<3, Real> along[most], about[most];
    int place[most], count = 0;
    for (int e = joint.first; e < joint.last; ++e) {
        const Element& element = form.topology.element(e);
        const Rows<Real> rows = equations.rows(element, bodies, turned);
        for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0 || count == most) continue;
            along[count] = Real(side == 1 ? 1.0 : -1.0) * rows.direction[k];
            if (!(row_entries(element.kind, k) & 7u)) along[count] = Vec<3, Real>{zero, zero, zero};
            about[count] =
                inverse_length * add_cross(centre, along[count], bodies.to_world(file_body, rows.turn[side][k]));
            place[count++] = element.row[k];
        }
    }
    // Least squares by the normal equations, which are of the joint's rank: its rows are independent.
    Real normal[most][most], right[most];
    for (int i = 0; i < count; ++i) {
        right[i] = -(dot(along[i], force) + dot(about[i], moment));
        for (int j = 0; j <= i; ++j) normal[i][j] = dot(along[i], along[j]) + dot(about[i], about[j]);
    }
    for (int k = 0; k < count; ++k) {
        const Real reciprocal = Real(1.0) / normal[k][k];
        for (int i = k + 1; i < count; ++i) {
            const Real factor = normal[i][k] * reciprocal;
            for (int j = k + 1; j <= i; ++j) normal[i][j] = fma(-factor, normal[j][k], normal[i][j]);
            right[i] = fma(-factor, right[k], right[i]);
        }
    }
    for (int k = count - 1; k >= 0; --k) {
        Real sum = right[k];
        for (int i = k + 1; i < count; ++i) sum = fma(-normal[i][k], multipliers[place[i]], sum);
        multipliers[place[k]] = sum / normal[k][k];
    }
}

// Multipliers of all rows of the body form. `scratch` is left with the wrenches of the joints.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE void body_multipliers(const System& system, const typename System::Configuration& q,
                                      const typename System::Velocity& v, const Memory& memory,
                                      const typename System::BodyForm::Configuration& in_bodies,
                                      const typename System::BodyForm::Velocity& rates,
                                      typename System::Scratch& scratch, Real* multipliers) {
    const auto& topology = system.topology;
    const auto form = system.body_form();
    system.functions_at(memory.time_s, scratch.functions);
    transmit(system, q, v, memory.acceleration, memory.multipliers, scratch);
    MYRIAD_UNROLL_PLAN for (int r = 0; r < form.topology.rows(); ++r) {
        const MultiplierPlace& place = topology.multiplier(r);
        Real value(0.0);
        if (place.source == MultiplierSource::row) value = memory.multipliers[place.index];
        if (place.source == MultiplierSource::law)
            value = system.equations().law_force(topology.law(place.index), q, v, scratch);
        if (place.source == MultiplierSource::prescribed)
            value = -scratch.forces[topology.prescribed_coordinate(place.index).freedom];
        multipliers[r] = value;
    }
    Bodies<Real, System::BodyForm::Topology::most_bodies> bodies;
    form.place(in_bodies, rates, bodies);
    for (int j = 0; j < topology.joints(); ++j)
        add_joint_multipliers(system, topology.joint(j), bodies, in_bodies.turned, scratch, multipliers);
}

// Accelerations of the bodies; `scratch` holds the motions of `transmit`.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void body_accelerations(const System& system, const typename System::BodyForm::Configuration& bodies,
                                        const typename System::Scratch& scratch,
                                        typename System::BodyForm::Velocity& accelerations) {
    const auto& topology = system.topology;
    const auto links = system.equations().links();
    accelerations.fit(system.body_form().topology);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const int l = topology.link_of_body(b);
        const LinkMotion<Real>& motion = scratch.motions[l];
        const Vec<3, Real> w = motion.angular_velocity, c = links.centre(l);
        const Vec<3, Real> of_centre =
            add_cross(w, cross(w, c), add_cross(motion.angular_acceleration, c, motion.acceleration));
        const Mat3<Real> frame = matrix_of(bodies.orientation[b]) * transpose(links.body_axes(l));
        accelerations.set(b, frame * of_centre + system.equations().gravity(),
                          transposed_times(links.body_axes(l), motion.angular_acceleration));
    }
}

// W, of loads, drivers and dampers; `scratch` holds the functions of time.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_power_of(const System& system, const typename System::Configuration& q,
                                    const typename System::Velocity& v, const typename System::Velocity& a,
                                    const typename System::MultiplierVector& multipliers,
                                    typename System::Scratch& scratch) {
    const auto& topology = system.topology;
    const auto equations = system.equations();
    Real power(0.0);
    if (topology.functions() == 0 && topology.laws() == 0 && topology.rows() == topology.constraint_rows())
        return power;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.laws(); ++i) {
        const CoordinateLaw& law = topology.law(i);
        const Taylor<Real> f = equations.function(scratch, law.function);
        const Real rate = v[law.freedom] - f.rate;
        power = fma(-equations.law_force(law, q, v, scratch), f.rate, power);
        power = fma(-(system.parameter(law.parameter + 1) * rate), rate, power);
    }
    if (topology.prescribed() == 0 && !equations.has_frames()) return power;
    transmit(system, q, v, a, multipliers, scratch);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.prescribed(); ++i) {
        const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
        power = fma(scratch.forces[coordinate.freedom], scratch.functions[coordinate.function].rate, power);
    }
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.loads(); ++i) {
        const Load& load = topology.load(i);
        const int l = load.body;
        const Vec<3, Real> given{equations.function(scratch, load.function[0]).value,
                                 equations.function(scratch, load.function[1]).value,
                                 equations.function(scratch, load.function[2]).value};
        const bool in_body = load.kind == LoadKind::force_body || load.kind == LoadKind::torque_body;
        const bool is_torque = load.kind == LoadKind::torque_world || load.kind == LoadKind::torque_body;
        const Vec<3, Real> in_link =
            in_body ? equations.links().body_axes(l) * given : scratch.frames.to_body(l, given);
        const Vec<3, Real> velocity =
            is_torque ? Vec<3, Real>{}
                      : scratch.frames.point_velocity(l, vector_at<Real>(*system.parameters, load.parameter));
        power = power + (is_torque ? dot(in_link, scratch.frames.angular_velocity(l))
                                   : dot(scratch.frames.to_world(l, in_link), velocity));
    }
    MYRIAD_UNROLL_PLAN for (int e = 0; e < topology.elements(); ++e) {
        const Element& element = topology.element(e);
        if (!element.has_law && element.function < 0) continue;
        const Rows<Real> rows =
            rows_at(element, scratch.frames, *system.parameters, equations.function(scratch, element.function),
                    element.angle < 0 ? Real(0.0) : q.turned[element.angle]);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            power = fma(multipliers[element.row[k]], rows.partial_rate[k], power);
            if (!element.has_law) continue;
            const Real rate = row_rate(element, rows, k, scratch.frames) + rows.partial_rate[k];
            power = fma(-equations.damping(element, k), rate * rate, power);
        }
    }
    return power;
}

template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Vec<System::invariant_count, Real> joint_invariants_of(const System& system,
                                                                       const typename System::Configuration& q,
                                                                       const typename System::Velocity& v,
                                                                       const Memory& memory) {
    typename System::BodyForm::Configuration bodies;
    typename System::BodyForm::Velocity rates;
    to_bodies(system, q, v, bodies, rates);
    return invariants_of(system.body_form(), bodies, rates, memory);
}

template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_worst_row_of(const System& system, Real reason, const typename System::Configuration& q,
                                        const typename System::Velocity& v) {
    typename System::BodyForm::Configuration bodies;
    typename System::BodyForm::Velocity rates;
    to_bodies(system, q, v, bodies, rates);
    return worst_row_of(system.body_form(), reason, bodies, rates);
}

// Channel `index` of a body, from no more than it needs.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real body_channel_of(const System& system, int index, const typename System::Configuration& q,
                                     const typename System::Velocity& v) {
    const int b = index / body_channels, part = index - b * body_channels, l = system.topology.link_of_body(b);
    const auto links = system.equations().links();
    if (part >= orientation_channel && part < velocity_channel) {
        Rotation<Real> orientations[System::Topology::most_links];
        orient_links(links, q, orientations);
        const Rotation<Real> own = renormalized(orientations[l] * rotation_of(links.body_axes(l)));
        return BodyState<Real>{{}, own, {}, {}}.channel(part);
    }
    TreePlaces<Real, typename System::Topology> places;
    Place<Real> frames[System::Topology::most_links];
    place_links(links, q, places);
    pose_links(links, places, frames);
    if (part < orientation_channel) return (frames[l].position + frames[l].matrix * links.centre(l))[part];
    rate_links(links, places, v, frames);
    return body_state(links, frames, l).channel(part);
}

// The energies of the body form, from the links.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Energies<Real> joint_energies(const System& system, const typename System::Configuration& q,
                                              const typename System::Velocity& v, const Memory& memory) {
    const auto& topology = system.topology;
    const auto equations = system.equations();
    const auto links = equations.links();
    const Real half(0.5);
    typename System::Scratch scratch;
    system.functions_at(memory.time_s, scratch.functions);
    place_links(links, q, scratch.places);
    pose_links(links, scratch.places, scratch.frames.of);
    rate_links(links, scratch.places, v, scratch.frames.of);
    Energies<Real> energy{Real(0.0), Real(0.0)};
    MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
        const LinkMass<Real> body = links.mass(l);
        const Place<Real>& frame = scratch.frames.of[l];
        const Vec<3, Real> w = frame.angular_velocity, first = frame.matrix * body.first;
        const Real turning = dot(w, body.inertia * w), mixed = dot(frame.velocity, frame.matrix * cross(w, body.first));
        energy.kinetic =
            fma(half, fma(body.mass, dot(frame.velocity, frame.velocity), turning), energy.kinetic + mixed);
        energy.potential = energy.potential - dot(equations.gravity(), fma(body.mass, frame.position, first));
    }
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.laws(); ++i) {
        const CoordinateLaw& law = topology.law(i);
        const Real phi = coordinate(q, law.freedom) - equations.function(scratch, law.function).value;
        energy.potential = fma(half * system.parameter(law.parameter), phi * phi, energy.potential);
    }
    MYRIAD_UNROLL_PLAN for (int e = 0; e < topology.elements(); ++e) {
        const Element& element = topology.element(e);
        if (!element.has_law) continue;
        const Rows<Real> rows =
            rows_at(element, scratch.frames, *system.parameters, equations.function(scratch, element.function),
                    element.angle < 0 ? Real(0.0) : q.turned[element.angle]);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) energy.potential =
            fma(half * equations.stiffness(element, k), rows.value[k] * rows.value[k], energy.potential);
    }
    return energy;
}

template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_channel_of(const System& system, int index, const typename System::Configuration& q,
                                      const typename System::Velocity& v, const Memory& memory) {
    const auto& topology = system.topology;
    const int of_bodies = topology.bodies() * body_channels;
    if (index < of_bodies) return body_channel_of(system, index, q, v);
    const Channel& channel = topology.channel(index - of_bodies);
    const ChannelKind kind = channel.kind;
    if (kind == ChannelKind::element_value || kind == ChannelKind::element_rate) {
        const int freedom = topology.freedom_of_element(channel.a);
        if (freedom >= 0) return kind == ChannelKind::element_value ? coordinate(q, freedom) : v[freedom];
    }
    if (kind == ChannelKind::total_energy || kind == ChannelKind::kinetic_energy ||
        kind == ChannelKind::potential_energy) {
        const Energies<Real> energy = joint_energies(system, q, v, memory);
        if (kind == ChannelKind::kinetic_energy) return energy.kinetic;
        return kind == ChannelKind::potential_energy ? energy.potential : energy.kinetic + energy.potential;
    }
    BodyFormState<System> state;
    to_bodies(system, q, v, state.q, state.v);
    const bool is_acceleration = kind == ChannelKind::acceleration || kind == ChannelKind::angular_acceleration;
    const bool is_reaction =
        kind == ChannelKind::multiplier || kind == ChannelKind::joint_force || kind == ChannelKind::joint_torque;
    state.memory.time_s = memory.time_s, state.memory.work = memory.work;
    state.memory.last_iterations = memory.last_iterations;
    state.memory.assembly_correction = memory.assembly_correction;
    if (is_acceleration || is_reaction) {
        typename System::Scratch scratch;
        state.memory.multipliers.fit(system.body_form().topology);
        body_multipliers(system, q, v, memory, state.q, state.v, scratch, state.memory.multipliers.e);
        body_accelerations(system, state.q, scratch, state.memory.acceleration);
    }
    return channel_of(system.body_form(), index, state.q, state.v, state.memory);
}

}  // namespace myriad::inline MYRIAD_VARIANT
