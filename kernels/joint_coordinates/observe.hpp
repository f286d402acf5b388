// What a certificate keeps of a state in joint coordinates, and what its channels need: states of bodies, power,
// work of drivers, energies, residuals, multipliers of joints of the tree.
//
// Power as in kernels/mechanism/observe.hpp; a driver's is lambda phi_t = -lambda f'. World frame, SI units. Channels:
// view.hpp.
#pragma once
#include "kernels/joint_coordinates/start.hpp"
#include "kernels/mechanism/element_sums.hpp"
#include "kernels/mechanism/memory.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The angle with number `angle` of the body form, over its whole turns, rad.
template <class Real, class T>
MYRIAD_HD Real counted_angle(const T& topology, const JointConfiguration<Real, T>& q, int angle) {
    const int counter = topology.counter_of_angle(angle), freedom = topology.freedom_of_angle(angle);
    return freedom >= 0 ? coordinate(q, freedom) : counter >= 0 ? q.turned[counter] : Real(0.0);
}

// The orientation of the body on link l.
template <class Links, class Real = typename Links::Real>
MYRIAD_HD Rotation<Real> orientation_of_body(const Links& links, const Rotation<Real>* orientations, int l) {
    return renormalized(orientations[l] * rotation_of(links.body_axes(l)));
}

// Calls `use` with the number and the state of every body.
template <class System, class Use, class Real = typename System::Real>
MYRIAD_HD void use_bodies(const System& system, const typename System::Configuration& q,
                          const typename System::Velocity& v, Use use) {
    const auto& topology = system.topology;
    const auto links = system.equations().links();
    TreePlaces<Real, typename System::Topology> places;
    Place<Real> frames[System::Topology::most_links];
    Rotation<Real> orientations[System::Topology::most_links];
    // Link by link, so that one is forgotten once its children have it.
    MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
        place_link(l, links, q, places);
        pose_link(l, links, places, frames);
        rate_link(l, links, places, v, frames);
        orient_link(l, links, q, orientations);
        if (topology.link(l).body < 0) continue;
        BodyState<Real> state = body_state(links, frames, l);
        state.orientation = orientation_of_body(links, orientations, l);
        use(topology.body_of_link(l), state);
    }
}

template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void to_bodies(const System& system, const typename System::Configuration& q,
                               const typename System::Velocity& v, typename System::BodyForm::Configuration& bodies,
                               typename System::BodyForm::Velocity& rates) {
    const auto form = system.body_form().topology;
    bodies.fit(form), rates.fit(form);
    use_bodies(system, q, v, [&](int b, const BodyState<Real>& state) MYRIAD_INLINE {
        bodies.position[b] = state.position, bodies.orientation[b] = state.orientation;
        rates.set(b, state.velocity, state.angular_velocity);
    });
    MYRIAD_EACH(i, form, angles) bodies.turned[i] = counted_angle(system.topology, q, i);
}

// r with the wrenches of the joints, where the multipliers are those of the state; the functions of time are there.
template <class System>
MYRIAD_HD void transmit(const System& system, const typename System::Configuration& q,
                        const typename System::Velocity& v, const typename System::Velocity& a,
                        const typename System::MultiplierVector& multipliers, typename System::Scratch& scratch) {
    system.equations().evaluate(q, v, a, multipliers.e, Transmission{}, scratch);
}

// The multipliers of a joint of the tree, where its body is in `bodies` and `scratch` holds the wrenches of `transmit`.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void add_joint_multipliers(const System& system, const TreeJointRows& joint,
                                           const Bodies<Real, System::BodyForm::Topology::most_bodies>& bodies,
                                           const Real* turned, const typename System::Scratch& scratch,
                                           Real* multipliers) {
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
        each_slide(link, [&](int i) MYRIAD_INLINE { at_joint.linear[link.first_axis + i] = zero; });
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

// Adds the power of the drivers that prescribe coordinates; `scratch` holds the forces of `transmit`.
template <class System, class Scratch, class Real = typename System::Real>
MYRIAD_HD Real power_of_prescribed(const System& system, const Scratch& scratch, Real power = Real(0.0)) {
    MYRIAD_EACH(i, system.topology, prescribed) {
        const PrescribedCoordinate& coordinate = system.topology.prescribed_coordinate(i);
        power = fma(scratch.forces[coordinate.freedom], scratch.functions[coordinate.function].rate, power);
    }
    return power;
}

// W, of loads, drivers, dampers and friction; `scratch` holds the functions of time, and where `knows_drivers` says so
// the power of drivers.
template <bool may_ask_drivers, PowerOf of, class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_power_of(const System& system, const typename System::Configuration& q,
                                    const typename System::Velocity& v, const typename System::Velocity& a,
                                    const typename System::MultiplierVector& multipliers,
                                    typename System::Scratch& scratch, bool knows_drivers) {
    const auto& topology = system.topology;
    const auto equations = system.equations();
    Real power(0.0);
    if (!system.has_power()) return power;
    if constexpr (of != PowerOf::drivers) {
        MYRIAD_EACH(i, topology, laws) {
            const CoordinateLaw law = topology.law(i);
            const Taylor<Real> f = equations.function(scratch.functions, law.function);
            const Real rate = v[law.freedom] - f.rate;
            power = fma(-equations.law_force(law, q, v, scratch), f.rate, power);
            power = fma(-(system.parameter(law.parameter + 1) * rate), rate, power);
        }
        add_friction_power(topology, *system.parameters, v, power);
        add_power_of_coordinate_forces(topology, *system.parameters, q, v, scratch.functions, power);
    }
    bool needs_frames = of != PowerOf::drivers && topology.loads() > 0;
    MYRIAD_EACH(e, topology, elements) needs_frames |= has_power(topology.element(e), of);
    const bool drives = of != PowerOf::others && topology.prescribed() > 0;
    if (drives && (knows_drivers || !may_ask_drivers)) power = power + scratch.drivers.power_W;
    if constexpr (may_ask_drivers)
        if (drives && !knows_drivers) {
            transmit(system, q, v, a, multipliers, scratch);
            power = power_of_prescribed(system, scratch, power);
        }
    if (!needs_frames) return power;
    place_links(equations.links(), q, scratch.places);
    pose_links(equations.links(), scratch.places, scratch.frames.of);
    rate_links(equations.links(), scratch.places, v, scratch.frames.of);
    MYRIAD_EACH(i, topology, loads) {
        if (of == PowerOf::drivers) continue;
        const Load& load = topology.load(i);
        const int l = load.body;
        const Vec<3, Real> given{equations.function(scratch.functions, load.function[0]).value,
                                 equations.function(scratch.functions, load.function[1]).value,
                                 equations.function(scratch.functions, load.function[2]).value};
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
    add_element_power<Real, of>(
        topology, equations, scratch.frames, multipliers.e,
        [&](const Element& element)
            MYRIAD_INLINE { return equations.rows(element, scratch.frames, scratch.functions, q.turned); },
        power);
    return power;
}

// J, of drivers, by what changes the rates: p . v_p - Z . B v with the mean of the rates before and after. `scratch`
// holds the equations with what drivers exert without a solution, times over_s, their solution, and functions of time.
template <class System, class Loads, class Places, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_work_of_drivers(const System& system, const typename System::Configuration& q,
                                           const typename System::Velocity& mean, Real over_s, const Loads& contacts,
                                           const Places& places, typename System::Scratch& scratch) {
    const auto& topology = system.topology;
    const auto equations = system.equations();
    Real work(0.0);
    MYRIAD_EACH(i, topology, prescribed) {
        const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
        Real exerted = over_s * scratch.forces[coordinate.freedom];
        MYRIAD_UNROLL_PLAN for (int row = 0; row < contacts.size(); ++row) {
            const Real none(0.0), l = contacts[row];  // a contact without a load may have no direction
            exerted = fma(-select(l == none, none, places.gradient_at(row, coordinate.freedom)), l, exerted);
        }
        work = fma(exerted, scratch.functions[coordinate.function].rate, work);
    }
    if (topology.prescribed() > 0) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) work =
            fma(scratch.drivers.of_rates[i], scratch.solution[i], work);
        MYRIAD_EACH(r, topology, rows) work = fma(scratch.drivers.of_rows[r], scratch.row_solution[r], work);
    }
    bool has_rows = false;
    MYRIAD_EACH(e, topology, elements) has_rows |= is_driver(topology.element(e));
    if (!has_rows) return work;
    rate_links(equations.links(), scratch.places, mean, scratch.frames.of);
    add_work_of_driven_rows<Real>(
        topology, scratch.frames,
        [&](const Element& element)
            MYRIAD_INLINE { return equations.rows(element, scratch.frames, scratch.functions, q.turned); },
        [&](int row) MYRIAD_INLINE { return scratch.row_solution[row]; }, work);
    return work;
}

// The frames of the links and the functions of time, for what is seen of a state.
template <class R, class T>
struct SeenLinks {
    using Real = R;
    TreePlaces<Real, T> places;
    Bodies<Real, T::most_links> frames;
    Taylor<Real> functions[T::most_functions];

    template <class System>
    MYRIAD_HD void look(const System& system, const typename System::Configuration& q,
                        const typename System::Velocity& v, Real time_s) {
        const auto links = system.equations().links();
        system.functions_at(time_s, functions);
        place_links(links, q, places);
        pose_links(links, places, frames.of);
        rate_links(links, places, v, frames.of);
    }
};

// The energies of the body form, from the links.
template <class System, class Seen, class Real = typename System::Real>
MYRIAD_HD Energies<Real> joint_energies(const System& system, const typename System::Configuration& q,
                                        const typename System::Velocity& v, const Seen& seen) {
    const auto& topology = system.topology;
    const auto equations = system.equations();
    const auto links = equations.links();
    const Real half(0.5);
    Energies<Real> energy{Real(0.0), Real(0.0)};
    MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
        const LinkMass<Real> body = links.mass(l);
        const Place<Real>& frame = seen.frames.of[l];
        const Vec<3, Real> w = frame.angular_velocity, first = frame.matrix * body.first;
        const Real turning = dot(w, body.inertia * w), mixed = dot(frame.velocity, frame.matrix * cross(w, body.first));
        energy.kinetic =
            fma(half, fma(body.mass, dot(frame.velocity, frame.velocity), turning), energy.kinetic + mixed);
        energy.potential = energy.potential - dot(equations.gravity(), fma(body.mass, frame.position, first));
    }
    MYRIAD_EACH(i, topology, laws) {
        const CoordinateLaw law = topology.law(i);
        const Real phi = coordinate(q, law.freedom) - equations.function(seen.functions, law.function).value;
        energy.potential = fma(half * system.parameter(law.parameter), phi * phi, energy.potential);
    }
    add_stored_energy<Real>(
        topology, equations,
        [&](const Element& element)
            MYRIAD_INLINE { return equations.rows(element, seen.frames, seen.functions, q.turned); },
        energy.potential);
    add_energy_of_rotors(topology, *system.parameters, v, energy.kinetic);
    return energy;
}

template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Vec<System::invariant_count, Real> joint_invariants_of(const System& system,
                                                                       const typename System::Configuration& q,
                                                                       const typename System::Velocity& v,
                                                                       const Memory& memory) {
    SeenLinks<Real, typename System::Topology> seen;
    seen.look(system, q, v, memory.time_s);
    return certificate_of<System>(joint_energies(system, q, v, seen),
                                  joint_residual(system, q, v, seen, Level::position),
                                  joint_residual(system, q, v, seen, Level::velocity), memory);
}

template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Real joint_worst_row_of(const System& system, Real reason, const typename System::Configuration& q,
                                        const typename System::Velocity& v) {
    typename System::BodyForm::Configuration bodies;
    typename System::BodyForm::Velocity rates;
    to_bodies(system, q, v, bodies, rates);
    const auto form = system.body_form();
    const MaskOf<Real> is_together_at_least = reason == Real(static_cast<double>(Reason::no_equilibrium));
    const Real row = select(is_together_at_least, Real(0.0), worst_row_of(form, reason, bodies, rates));
    if (system.topology.couplings() == 0) return row;
    // Couplings are met last: one is at fault where all else is together.
    Bodies<Real, System::BodyForm::Topology::most_bodies> placed;
    Taylor<Real> functions[System::Topology::most_functions];
    form.functions_at(Real(0.0), functions);
    form.place(bodies, placed);
    const auto equations = form.equations(functions);
    const auto rows_at = [&](const Element& element)
                             MYRIAD_INLINE { return equations.rows(element, placed, bodies.turned); };
    const Residual<Real> of_rows = largest_residual_of<Real>(form.topology, placed, Level::position, false, rows_at);
    int rows = 0;
    MYRIAD_EACH(e, form.topology, elements) {
        const Element& element = form.topology.element(e);
        if (!element.has_law && !element.is_sensor) rows += rows_of(element.kind);
    }
    Residual<Real> position{Real(0.0), row}, velocity{Real(0.0), row};
    add_coupling_residuals(system, q, v, Level::position, rows, position);
    add_coupling_residuals(system, q, v, Level::velocity, rows, velocity);
    const Real worst = select(position.largest <= assembled_tolerance<Real>(), velocity.row, position.row);
    return select(is_together(form, of_rows), worst, row);
}

}  // namespace myriad::inline MYRIAD_VARIANT
