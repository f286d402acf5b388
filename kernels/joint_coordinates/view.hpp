// A look at a state in joint coordinates: what channels need is computed once, then each channel is read from it.
//
//   places, rates    of the links, and from them of the bodies
//   forces           the tree's inverse dynamics with the accelerations and multipliers of the state
//   reaction         of a joint of the tree: tree_reactions.hpp; of another, from the multipliers of its rows
//   relative turning  of a spherical joint of the tree its own coordinates Q, v; where the tree passes it from B to A
//                    Q^T, -Q v
//   impulse          of a joint in an impact, as its reaction: contact_records.hpp
//   multiplier       of a joint of the tree: sum over its rows of lambda_r G_r = -reaction, G_r: force and moment of
//                    row r; of a coordinate law k phi + d phi'; of a prescribed coordinate minus the force of its
//                    motion
//
// Channels are those of the body form (kernels/mechanism/observe.hpp). World frame, SI units.
#pragma once
#include "kernels/joint_coordinates/contact_records.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/tree_reactions.hpp"
#include "kernels/math/norm.hpp"
#include "kernels/system/reduction.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Of a quantity at steps.
template <class View, class Topology>
MYRIAD_HD int needs_of_quantity(const Topology& topology, int channel, Between between, int rate) {
    const int needs = View::needs_of(topology, channel);
    if (between < Between::cubic) return needs;
    const int angular_velocity = channel - channel % body_channels + angular_velocity_channel;
    return needs | View::needs_of(topology, rate == rate_of_orientation ? angular_velocity : rate);
}

template <class System>
class JointView {
  public:
    using Real = typename System::Real;
    using Form = typename System::BodyForm;
    using Memory = MechanismMemory<System>;
    // Bits of the parts of a state that a channel needs.
    enum : int {
        nothing = 0,
        links = 1,
        forces = 2,
        bodies = 4,
        orientations = 8,
        energies = 16,
        residuals = 32,
        joint_multipliers = 64,  // of joints of the tree
        impulses = 128,          // of joints
    };

    template <class AnyMemory>
    MYRIAD_HD JointView(const System& system, const Motion<System>& motion, const AnyMemory& memory)
        : system_(system),
          q_(motion.q),
          v_(motion.v),
          memory_(memory),
          keeps_means_(keeps_means<AnyMemory>),
          records_(memory) {}

    // Of a channel, a norm of channels, or the rate of a channel.
    static MYRIAD_HD int needs_of(const typename System::Topology& topology, int index) {
        const int first = is_norm(index) ? first_of_norm(index) : index, of_bodies = topology.bodies() * body_channels;
        if (first < of_bodies) return is_orientation(first % body_channels) ? orientations : links;
        const Channel channel = channel_or_rate(topology, first, of_bodies);
        switch (channel.kind) {
            case ChannelKind::work:
            case ChannelKind::newton_iterations:
            case ChannelKind::assembly_correction:
            case ChannelKind::coupling_multiplier:
            case ChannelKind::element_acceleration:
            case ChannelKind::contact_force:
            case ChannelKind::contact_impulse:
            case ChannelKind::contact_record:
                return nothing;
            case ChannelKind::total_energy:
            case ChannelKind::kinetic_energy:
            case ChannelKind::potential_energy:
                return links | energies;
            case ChannelKind::constraint_residual:
            case ChannelKind::velocity_residual:
                return links | residuals;
            case ChannelKind::acceleration:
            case ChannelKind::angular_acceleration:
                return links | forces;
            case ChannelKind::point_position:
            case ChannelKind::point_velocity:
            case ChannelKind::contact_force_vector:
            case ChannelKind::contact_impulse_vector:
                return links | bodies;
            case ChannelKind::element_value:
            case ChannelKind::element_rate:
            case ChannelKind::element_line:
            case ChannelKind::element_line_rate:
                return topology.freedom_of_element(channel.a) >= 0 ? nothing : links | bodies;
            case ChannelKind::joint_orientation:
                return tree_joint(topology, channel.a) >= 0 ? nothing : orientations;
            case ChannelKind::joint_angular_velocity:
                return tree_joint(topology, channel.a) >= 0 ? nothing : links | bodies;
            case ChannelKind::contact_gap:
            case ChannelKind::contact_velocity:
                return is_limit(topology.contact(channel.a).kind) ? nothing : links | bodies;
            case ChannelKind::point_acceleration:
                return links | forces | bodies;
            case ChannelKind::joint_impulse:
            case ChannelKind::joint_angular_impulse:
                return links | forces | bodies | impulses;
            case ChannelKind::multiplier:
                switch (topology.multiplier(channel.a).source) {
                    case MultiplierSource::tree_joint:
                        return links | forces | bodies | joint_multipliers;
                    case MultiplierSource::prescribed:
                        return forces;
                    case MultiplierSource::row:
                        return law_of_row(topology, topology.multiplier(channel.a).index).element < 0 ? nothing : links;
                    default:
                        return nothing;
                }
            default:
                return tree_joint(topology, channel.a) >= 0 ? links | forces : links | forces | bodies;
        }
    }

    MYRIAD_NOINLINE void look(int needs) {
        const auto equations = system_.equations();
        const auto of_links = equations.links();
        system_.functions_at(memory_.time_s, scratch_.functions);
        if constexpr (sees_contacts_of_trees)
            if ((needs & forces) && records_.exist()) look_at_contacts(needs);
        if ((needs & forces) && !(sees_contacts_of_trees && records_.exist()))
            transmit(system_, q_, v_, memory_.acceleration, memory_.multipliers, scratch_);
        if ((needs & links) && !(needs & forces)) place_links(of_links, q_, scratch_.places);
        if (needs & links) {
            const bool is_posed =
                (needs & forces) && (equations.has_frames() || (sees_contacts_of_trees && records_.exist()));
            if (!is_posed) pose_links(of_links, scratch_.places, scratch_.frames.of);
            rate_links(of_links, scratch_.places, v_, scratch_.frames.of);
        }
        if (needs & energies) energy_ = joint_energies(system_, q_, v_, scratch_);
        if (needs & residuals) {
            residual_[0] = joint_residual(system_, q_, v_, scratch_, Level::position);
            residual_[1] = joint_residual(system_, q_, v_, scratch_, Level::velocity);
        }
        if (needs & orientations) orient_links(of_links, q_, orientations_);
        if (!(needs & bodies)) return;
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system_.topology.bodies(); ++b) {
            const int l = system_.topology.link_of_body(b);
            const Place<Real>& frame = scratch_.frames.of[l];
            const Vec<3, Real> centre = of_links.centre(l);
            bodies_.of[b] = {frame.matrix * of_links.body_axes(l), frame.position + frame.matrix * centre,
                             frame.velocity + frame.matrix * cross(frame.angular_velocity, centre),
                             transposed_times(of_links.body_axes(l), frame.angular_velocity)};
        }
        const int angles = system_.body_form().topology.angles();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < angles; ++i) turned_[i] = counted_angle(system_.topology, q_, i);
        if (needs & joint_multipliers)
            MYRIAD_UNROLL_PLAN for (int j = 0; j < system_.topology.joints(); ++j) add_joint_multipliers(
                system_, system_.topology.joint(j), bodies_, turned_, scratch_, joint_multipliers_);
    }

    MYRIAD_NOINLINE Real channel(int index) const {
        const auto& topology = system_.topology;
        const int of_bodies = topology.bodies() * body_channels;
        if (index < of_bodies) return of_body(index / body_channels, index % body_channels);
        const Channel channel = channel_or_rate(topology, index, of_bodies);
        switch (channel.kind) {
            case ChannelKind::work:
                return memory_.work;
            case ChannelKind::newton_iterations:
                return memory_.last_iterations;
            case ChannelKind::assembly_correction:
                return memory_.assembly_correction;
            case ChannelKind::coupling_multiplier:
                return memory_.multipliers[channel.a];
            case ChannelKind::constraint_residual:
                return residual_[0];
            case ChannelKind::velocity_residual:
                return residual_[1];
            case ChannelKind::kinetic_energy:
                return energy_.kinetic;
            case ChannelKind::potential_energy:
                return energy_.potential;
            case ChannelKind::total_energy:
                return energy_.kinetic + energy_.potential;
            case ChannelKind::element_acceleration:
                return memory_.acceleration[topology.freedom_of_element(channel.a)];
            case ChannelKind::element_value:
            case ChannelKind::element_rate:
            case ChannelKind::element_line:
            case ChannelKind::element_line_rate:
                return of_element(channel);
            default:
                break;
        }
        if (channel.kind == ChannelKind::point_position || channel.kind == ChannelKind::point_velocity)
            return of_point(channel);
        if (channel.kind == ChannelKind::joint_orientation || channel.kind == ChannelKind::joint_angular_velocity)
            return relative_turning(channel);
        if (channel.kind == ChannelKind::multiplier) return multiplier(channel.a);
        if (channel.kind == ChannelKind::acceleration || channel.kind == ChannelKind::angular_acceleration)
            return acceleration(channel);
        if (channel.kind == ChannelKind::point_acceleration) return acceleration_of_point(channel);
        if constexpr (sees_contacts_of_trees)
            if (is_of_contact(channel.kind)) return of_contact(channel);
        return reaction(channel);
    }

  private:
    // The impulses before the forces: both have the same work space.
    MYRIAD_HD void look_at_contacts(int needs) {
        typename System::Velocity before;
        records_.find_rates(v_, before);
        const auto transmit_forces = [&]() MYRIAD_INLINE {
            records_.transmit(system_, q_, before, memory_.acceleration, memory_.multipliers, scratch_);
        };
        transmit_forces();
        if (!(needs & impulses)) return;
        records_.transmit_impact(system_, q_, scratch_, impulses_);
        transmit_forces();
    }
    MYRIAD_NOINLINE Real of_contact(const Channel& channel) const {
        const int row = channel.a * contact_directions + channel.b;
        switch (channel.kind) {
            case ChannelKind::contact_force:
                return records_.force(row);
            case ChannelKind::contact_impulse:
                return records_.impulse(row);
            case ChannelKind::contact_record:
                return records_.record(channel.a);
            case ChannelKind::contact_force_vector:
            case ChannelKind::contact_impulse_vector: {
                const bool is_force = channel.kind == ChannelKind::contact_force_vector;
                return contact_vector(
                    system_.topology, bodies_, *system_.parameters, channel.a, channel.c,
                    [&](int i) MYRIAD_INLINE { return is_force ? records_.force(i) : records_.impulse(i); })[channel.b];
            }
            default:
                break;
        }
        const Contact& contact = system_.topology.contact(channel.a);
        if (is_limit(contact.kind)) {
            if (channel.kind == ChannelKind::contact_gap)
                return limit_gap(system_.topology, contact, q_, *system_.parameters);
            if (channel.b > 0) return Real(0.0);
            return limit_sign<Real>(contact) * v_[system_.topology.freedom_of_element(contact.element)];
        }
        const ContactPlace<Real> place = contact_place(contact, bodies_, *system_.parameters);
        if (channel.kind == ChannelKind::contact_gap) return place.gap;
        return along_contact(
            contact, place, channel.b, [&](int b) MYRIAD_INLINE { return bodies_.of[b].velocity; },
            [&](int b) MYRIAD_INLINE { return bodies_.of[b].angular_velocity; });
    }

    static MYRIAD_HD bool is_orientation(int part) { return orientation_channel <= part && part < velocity_channel; }
    // The joint of the tree whose first element this is; -1: none.
    static MYRIAD_HD int tree_joint(const typename System::Topology& topology, int element) {
        int found = -1;
        MYRIAD_UNROLL_PLAN for (int j = 0; j < topology.joints(); ++j) if (topology.joint(j).first == element) found =
            j;
        return found;
    }

    MYRIAD_HD Real of_body(int body, int part) const {
        const auto of_links = system_.equations().links();
        const int l = system_.topology.link_of_body(body);
        if (is_orientation(part))
            return BodyState<Real>{{}, orientation_of_body(of_links, orientations_, l), {}, {}}.channel(part);
        return body_rate_or_place(of_links, scratch_.frames.of[l], l, part);
    }

    MYRIAD_HD Real acceleration(const Channel& channel) const {
        const auto of_links = system_.equations().links();
        const int l = system_.topology.link_of_body(channel.a);
        const LinkMotion<Real>& motion = scratch_.motions[l];
        if (channel.kind == ChannelKind::angular_acceleration)
            return transposed_times(of_links.body_axes(l), motion.angular_acceleration)[channel.b];
        const Vec<3, Real> w = motion.angular_velocity, c = of_links.centre(l);
        const Vec<3, Real> of_centre =
            add_cross(w, cross(w, c), add_cross(motion.angular_acceleration, c, motion.acceleration));
        return (scratch_.frames.of[l].matrix * of_centre + system_.equations().gravity())[channel.b];
    }

    MYRIAD_HD Real acceleration_of_point(const Channel& channel) const {
        const Vec<3, Real> point = vector_at<Real>(*system_.parameters, channel.c),
                           w = bodies_.of[channel.a].angular_velocity;
        Vec<3, Real> turning;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) turning[i] =
            acceleration({ChannelKind::angular_acceleration, channel.a, i, 0});
        const Vec<3, Real> about_centre = cross(turning, point) + cross(w, cross(w, point));
        return acceleration({ChannelKind::acceleration, channel.a, channel.b, 0}) +
               bodies_.to_world(channel.a, about_centre)[channel.b];
    }
    MYRIAD_HD Real of_point(const Channel& channel) const {
        const Vec<3, Real> point = vector_at<Real>(*system_.parameters, channel.c);
        return channel.kind == ChannelKind::point_position ? bodies_.point(channel.a, point)[channel.b]
                                                           : bodies_.point_velocity(channel.a, point)[channel.b];
    }

    MYRIAD_HD Real of_element(const Channel& channel) const {
        const int freedom = system_.topology.freedom_of_element(channel.a);
        const bool is_value = channel.kind == ChannelKind::element_value;
        if (freedom >= 0) return is_value ? coordinate(q_, freedom) : v_[freedom];
        return between_bodies(channel, is_value);
    }
    MYRIAD_HD Real between_bodies(const Channel& channel, bool is_value) const {
        const Form form = system_.body_form();
        const Element& element = form.topology.element(channel.a);
        if (channel.kind == ChannelKind::element_line || channel.kind == ChannelKind::element_line_rate)
            return line_component<Real>(element, *system_.parameters, bodies_, channel);
        if (is_value && element.kind == ElementKind::angle) return turned_[element.angle];
        const auto equations = form.equations(scratch_.functions);
        const Rows<Real> rows = equations.rows(element, bodies_, turned_);
        return is_value ? rows.value[channel.b] + equations.function(element.function).value
                        : row_rate(element, rows, channel.b, bodies_);
    }

    // Of a spherical joint.
    MYRIAD_HD Real relative_turning(const Channel& channel) const {
        const auto& topology = system_.topology;
        const bool is_orientation = channel.kind == ChannelKind::joint_orientation;
        const int joint = tree_joint(topology, channel.a);
        if (joint >= 0) {
            const TreeLink& link = topology.link(topology.joint(joint).link);
            const bool is_backwards = topology.joint(joint).is_backwards;
            const Rotation<Real> own = q_.rotation(link.field);
            if (is_orientation) return orientation_component(is_backwards ? inverse(own) : own, channel.b);
            const Vec<3, Real> rate = v_.turning(link.freedom);
            return (is_backwards ? -own.act(rate) : rate)[channel.b] + Real(0.0);
        }
        const Element& element = system_.body_form().topology.element(channel.a);
        const int a = element.body[0], b = element.body[1];
        if (is_orientation) {
            const auto of_links = system_.equations().links();
            const auto orientation_of = [&](int body) MYRIAD_INLINE {
                return orientation_of_body(of_links, orientations_, topology.link_of_body(body));
            };
            return orientation_component(relative_orientation<Real>(a, b, orientation_of), channel.b);
        }
        return relative_angular_velocity(a, b, bodies_)[channel.b] + Real(0.0);
    }

    // The element with a law that a row is one of, and its number there; element -1: the row is one of a constraint.
    struct LawOfRow {
        int element, k;
    };
    static MYRIAD_HD LawOfRow law_of_row(const typename System::Topology& topology, int row) {
        LawOfRow found{-1, 0};
        MYRIAD_EACH(e, topology, elements) {
            if (!topology.element(e).has_law) continue;
            for (int k = 0; k < rows_of(topology.element(e).kind); ++k)
                if (topology.element(e).row[k] == row) found = {e, k};
        }
        return found;
    }
    // A law shows its force in the state where the multipliers are those of the middle of a step.
    MYRIAD_HD Real force_of_row(int row) const {
        const LawOfRow law = law_of_row(system_.topology, row);
        if (law.element < 0) return memory_.multipliers[row];
        const auto equations = system_.equations();
        const Element& element = system_.topology.element(law.element);
        const Rows<Real> rows = equations.rows(element, scratch_.frames, scratch_.functions, q_.turned);
        const Real rate = row_rate(element, rows, law.k, scratch_.frames) + rows.partial_rate[law.k];
        return fma(equations.stiffness(element, law.k), rows.value[law.k], equations.damping(element, law.k) * rate);
    }
    // Of a row that is none of a joint of the tree.
    MYRIAD_HD Real simple_multiplier(int row) const {
        const auto& topology = system_.topology;
        const MultiplierPlace& place = topology.multiplier(row);
        if (place.source == MultiplierSource::row)
            return keeps_means_ ? force_of_row(place.index) : memory_.multipliers[place.index];
        if (place.source == MultiplierSource::law) {
            if constexpr (sees_contacts_of_trees)
                if (records_.exist()) {
                    typename System::Velocity before;
                    records_.find_rates(v_, before);
                    return system_.equations().law_force(topology.law(place.index), q_, before, scratch_);
                }
            return system_.equations().law_force(topology.law(place.index), q_, v_, scratch_);
        }
        return -scratch_.forces[topology.prescribed_coordinate(place.index).freedom];
    }
    MYRIAD_HD Real multiplier(int row) const {
        if (system_.topology.multiplier(row).source == MultiplierSource::tree_joint) return joint_multipliers_[row];
        return simple_multiplier(row);
    }
    MYRIAD_HD Real reaction(const Channel& channel) const {
        const bool of_impact =
            channel.kind == ChannelKind::joint_impulse || channel.kind == ChannelKind::joint_angular_impulse;
        const bool torque_wanted =
            channel.kind == ChannelKind::joint_torque || channel.kind == ChannelKind::joint_angular_impulse;
        const Screw<Real>* wrenches = scratch_.wrenches;
        if constexpr (sees_contacts_of_trees)
            if (of_impact) wrenches = impulses_;
        const int joint = tree_joint(system_.topology, channel.a);
        if (joint >= 0)
            return reaction_of_tree(system_, q_, scratch_, system_.topology.joint(joint), wrenches,
                                    torque_wanted)[channel.b];
        return reaction_component(joint_reaction(
                                      system_.body_form(), bodies_, scratch_.functions, turned_,
                                      [&](const Element& e, const Rows<Real>&, int k) MYRIAD_INLINE {
                                          return of_impact ? impulse_of_row(e.row[k]) : simple_multiplier(e.row[k]);
                                      },
                                      channel.a, channel.c, torque_wanted),
                                  channel.b);
    }
    // Rows of joints outside the tree alone have one.
    MYRIAD_HD Real impulse_of_row(int row) const {
        const MultiplierPlace& place = system_.topology.multiplier(row);
        return place.source == MultiplierSource::row ? records_.joint_impulse(place.index) : Real(0.0);
    }

    const System& system_;
    const typename System::Configuration& q_;
    const typename System::Velocity& v_;
    const Memory& memory_;
    const bool keeps_means_;
    const ContactRecords<System> records_;
    Screw<Real> impulses_[sees_contacts_of_trees ? System::Topology::most_links : 1];
    typename System::Scratch scratch_;
    Bodies<Real, Form::Topology::most_bodies> bodies_;
    Real turned_[Form::Topology::most_angles];
    Rotation<Real> orientations_[System::Topology::most_links];
    Energies<Real> energy_;
    Real joint_multipliers_[Form::Topology::most_rows];
    Real residual_[2];  // of positions and of velocities
};

}  // namespace myriad::inline MYRIAD_VARIANT
