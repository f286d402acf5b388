// Observables of a mechanism: energies, residuals, sensors, reactions, and the power that no potential stores.
//
//   energy  = sum (m v.v + w.J w)/2 - sum m g.r + sum k phi^2 / 2
//   power   = sum (F.v_point + T.w) + sum_constraints lambda phi_t + sum_laws (lambda phi_t - d phi'^2)
//   relative orientation of body B to body A  Q = R_A^T R_B;  angular velocity  w_B - Q^T w_A, axes of B
//   reaction of a joint on its second body j: force F = -sum lambda D, torque about its point there
//   -sum R g lambda - R s x F. Where j is the ground: minus the reaction on i, about the point of the ground,
//   s_j - r_i from the centre of mass of i. The impulse of a joint in an impact has the same sums.
//
// The exact motion keeps energy minus the time integral of power. World frame, SI units.
#pragma once
#include "kernels/contact/channels.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System, class Real = typename System::Real>
MYRIAD_HD Energies<Real> energies(const System& system, const Bodies<Real, System::Topology::most_bodies>& bodies,
                                  const Taylor<Real>* functions, const Real* turned) {
    const auto equations = system.equations(functions);
    const auto& topology = system.topology;
    const Real half(0.5);
    Energies<Real> energy{Real(0.0), Real(0.0)};
    const Vec<3, Real> gravity = vector_at<Real>(*system.parameters, gravity_parameter);
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const Place<Real>& body = bodies.of[b];
        const int at = parameters_of_body(b);
        const Real mass = system.parameter(at + body_mass);
        const Vec<3, Real> momentum = symmetric_at<Real>(*system.parameters, at + body_inertia) * body.angular_velocity;
        energy.kinetic = fma(half, fma(mass, dot(body.velocity, body.velocity), dot(body.angular_velocity, momentum)),
                             energy.kinetic);
        energy.potential = fma(-mass, dot(gravity, body.position), energy.potential);
    }
    add_stored_energy<Real>(
        topology, equations,
        [&](const Element& element) MYRIAD_INLINE { return equations.rows(element, bodies, turned); },
        energy.potential);
    return energy;
}
// The power of the formula above, W; `scratch` holds the functions of time.
template <PowerOf of = PowerOf::all, class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real power_of(const System& system, const typename System::Configuration& q,
                              const typename System::Velocity& v, const typename System::MultiplierVector& multipliers,
                              typename System::Scratch& scratch) {
    const auto& topology = system.topology;
    Real power(0.0);
    if (!system.has_power()) return power;
    const auto equations = system.equations(scratch.functions);
    system.place(q, v, scratch.work.bodies);
    const auto& bodies = scratch.work.bodies;
    MYRIAD_EACH(l, topology, loads) {
        if (of == PowerOf::drivers) continue;
        const Load& load = topology.load(l);
        Vec<3, Real> given{equations.function(load.function[0]).value, equations.function(load.function[1]).value,
                           equations.function(load.function[2]).value};
        const bool in_body = load.kind == LoadKind::force_body || load.kind == LoadKind::torque_body;
        if (in_body) given = bodies.to_world(load.body, given);
        const bool is_torque = load.kind == LoadKind::torque_world || load.kind == LoadKind::torque_body;
        const Vec<3, Real> rate =
            is_torque ? bodies.to_world(load.body, bodies.angular_velocity(load.body))
                      : bodies.point_velocity(load.body, vector_at<Real>(*system.parameters, load.parameter));
        power = power + dot(given, rate);
    }
    add_element_power<Real, of>(
        topology, equations, bodies, multipliers.e,
        [&](const Element& element) MYRIAD_INLINE { return equations.rows(element, bodies, q.turned); }, power);
    return power;
}

// The numbers of the certificate.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Vec<System::invariant_count, Real> invariants_of(const System& system,
                                                                 const typename System::Configuration& q,
                                                                 const typename System::Velocity& v,
                                                                 const Memory& memory) {
    typename System::Places work;
    Taylor<Real> functions[System::Topology::most_functions];
    system.functions_at(memory.time_s, functions);
    system.place(q, v, work.bodies);
    const Energies<Real> energy = energies(system, work.bodies, functions, q.turned);
    return certificate_of<System>(
        energy, largest_residual(system, work, functions, q.turned, Level::position, false).largest,
        largest_residual(system, work, functions, q.turned, Level::velocity, false).largest, memory);
}

// The reaction on the second body of a joint (elements first .. last - 1), or minus that on the first where the second
// is the ground. World frame; torque about the joint's point on the second body. Elements without points exert no
// force: if none has a point, the torque is the same about every point.
template <class System, class MultiplierOf, class Real = typename System::Real>
MYRIAD_HD Vec<3, Real> joint_reaction(const System& system, const Bodies<Real, System::Topology::most_bodies>& bodies,
                                      const Taylor<Real>* functions, const Real* turned, MultiplierOf multiplier_of,
                                      int first, int last, bool torque_wanted) {
    const auto equations = system.equations(functions);
    const int side = system.topology.element(first).body[1] >= 0 ? 1 : 0;
    const int b = system.topology.element(first).body[side];
    Vec<3, Real> force{}, torque{}, lever{};
    bool has_point = false;
    for (int e = first; e < last; ++e) {
        const Element& element = system.topology.element(e);
        const Rows<Real> rows = equations.rows(element, bodies, turned);
        for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            const Real lambda = multiplier_of(element, rows, k);
            force = fma(-lambda, rows.direction[k], force);
            const Real sign(side == 1 ? -1.0 : 1.0);
            torque = fma(sign * lambda, bodies.to_world(b, rows.turn[side][k]), torque);
        }
        const int points = points_offset(element.kind);
        if (points >= 0 && !has_point) {
            const Vec<3, Real> on_second = vector_at<Real>(*system.parameters, element.parameter + points + 3);
            lever = side == 1 ? bodies.to_world(b, on_second) : on_second - bodies.of[b].position;
            has_point = true;
        }
    }
    return torque_wanted ? torque - cross(lever, force) : force;
}

// A component of a reaction, or of its opposite: `component` as Channel::b of such a channel.
template <class Real>
MYRIAD_HD Real reaction_component(const Vec<3, Real>& reaction, int component) {
    return component < 3 ? reaction[component] : Real(0.0) - reaction[component - 3];
}

// Of the two quaternions of a rotation the one whose w is not negative; component 0 to 3: w, x, y, z.
template <class Real>
MYRIAD_HD Real orientation_component(const Rotation<Real>& q, int component) {
    const Real part = component == 0 ? q.w : component == 1 ? q.x : component == 2 ? q.y : q.z;
    return select(q.w < Real(0.0), -part, part) + Real(0.0);
}
// Of body b relative to body a, -1 being the ground; `of`: the orientation of a body.
template <class Real, class OrientationOf>
MYRIAD_HD Rotation<Real> relative_orientation(int a, int b, OrientationOf of) {
    if (a < 0) return of(b);
    return b < 0 ? inverse(of(a)) : inverse(of(a)) * of(b);
}
template <class Real, int capacity>
MYRIAD_HD Vec<3, Real> relative_angular_velocity(int a, int b, const Bodies<Real, capacity>& bodies) {
    return bodies.angular_velocity(b) - bodies.to_body(b, bodies.to_world(a, bodies.angular_velocity(a)));
}

// Energy-momentum methods keep the multipliers of the middle of a step; what has a law shows its force in the state.
template <class Memory>
constexpr bool keeps_means = requires(Memory& memory) {
    memory.spin;
};
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Real channel_of(const System& system, int index, const typename System::Configuration& q,
                                const typename System::Velocity& v, const Memory& memory) {
    using Chart = typename System::Chart;
    const auto& topology = system.topology;
    const int of_bodies = topology.bodies() * body_channels;
    if (index < of_bodies) {
        const int b = index / body_channels;
        const Rotation<Real> rotation = Chart::rotation(q.orientation[b]);
        return BodyState<Real>{q.position[b], rotation, v.linear(b),
                               Chart::angular_velocity(q.orientation[b], v.turning(b))}
            .channel(index - b * body_channels);
    }
    const Channel channel = channel_or_rate(topology, index, of_bodies);
    switch (channel.kind) {
        case ChannelKind::acceleration:
            return memory.acceleration.linear(channel.a)[channel.b];
        case ChannelKind::angular_acceleration:
            return Chart::motion(q.orientation[channel.a], v.turning(channel.a), memory.acceleration.turning(channel.a))
                .angular_acceleration[channel.b];
        case ChannelKind::work:
            return memory.work;
        case ChannelKind::multiplier:
            if constexpr (!keeps_means<Memory>) return memory.multipliers[channel.a];
            break;
        case ChannelKind::newton_iterations:
            return memory.last_iterations;
        case ChannelKind::assembly_correction:
            return memory.assembly_correction;
        case ChannelKind::joint_orientation: {
            const Element& element = topology.element(channel.a);
            return orientation_component(
                relative_orientation<Real>(element.body[0], element.body[1],
                                           [&](int b) MYRIAD_INLINE { return Chart::rotation(q.orientation[b]); }),
                channel.b);
        }
        default:
            break;
    }
    typename System::Places work;
    Taylor<Real> functions[System::Topology::most_functions];
    system.functions_at(memory.time_s, functions);
    system.place(q, v, work.bodies);
    const auto equations = system.equations(functions);
    const auto multiplier_of = [&](const Element& e, const Rows<Real>& rows, int k) MYRIAD_INLINE {
        if constexpr (keeps_means<Memory>)
            if (e.has_law) {
                const Real rate = row_rate(e, rows, k, work.bodies) + rows.partial_rate[k];
                return fma(equations.stiffness(e, k), rows.value[k], equations.damping(e, k) * rate);
            }
        return memory.multipliers[e.row[k]];
    };
    switch (channel.kind) {
        case ChannelKind::multiplier:
            if constexpr (keeps_means<Memory>)
                for (int e = 0; e < topology.elements(); ++e) {
                    const Element& element = topology.element(e);
                    for (int k = 0; k < rows_of(element.kind); ++k)
                        if (element.row[k] == channel.a)
                            return multiplier_of(element, equations.rows(element, work.bodies, q.turned), k);
                }
            return memory.multipliers[channel.a];
        case ChannelKind::total_energy: {
            const Energies<Real> energy = energies(system, work.bodies, functions, q.turned);
            return energy.kinetic + energy.potential;
        }
        case ChannelKind::kinetic_energy:
            return energies(system, work.bodies, functions, q.turned).kinetic;
        case ChannelKind::potential_energy:
            return energies(system, work.bodies, functions, q.turned).potential;
        case ChannelKind::constraint_residual:
            return largest_residual(system, work, functions, q.turned, Level::position, false).largest;
        case ChannelKind::velocity_residual:
            return largest_residual(system, work, functions, q.turned, Level::velocity, false).largest;
        case ChannelKind::point_position:
            return work.bodies.point(channel.a, vector_at<Real>(*system.parameters, channel.c))[channel.b];
        case ChannelKind::point_velocity:
            return work.bodies.point_velocity(channel.a, vector_at<Real>(*system.parameters, channel.c))[channel.b];
        case ChannelKind::element_value: {
            const Element& element = topology.element(channel.a);
            if (element.kind == ElementKind::angle) return q.turned[element.angle];
            return equations.rows(element, work.bodies, q.turned).value[channel.b] +
                   equations.function(element.function).value;
        }
        case ChannelKind::element_line:
        case ChannelKind::element_line_rate:
            return line_component<Real>(topology.element(channel.a), *system.parameters, work.bodies, channel);
        case ChannelKind::element_rate:
            return row_rate(topology.element(channel.a),
                            equations.rows(topology.element(channel.a), work.bodies, q.turned), channel.b, work.bodies);
        case ChannelKind::joint_angular_velocity: {
            const Element& element = topology.element(channel.a);
            return relative_angular_velocity(element.body[0], element.body[1], work.bodies)[channel.b] + Real(0.0);
        }
        default:
            return reaction_component(joint_reaction(system, work.bodies, functions, q.turned, multiplier_of, channel.a,
                                                     channel.c, channel.kind == ChannelKind::joint_torque),
                                      channel.b);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
