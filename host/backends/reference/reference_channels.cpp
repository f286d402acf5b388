#include "host/backends/reference/reference_channels.hpp"

#include <algorithm>
#include <stdexcept>

#include "host/backends/reference/reference_contacts.hpp"
#include "host/catalog/system_description.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/description.hpp"

namespace myriad::backends {

namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double body_channel(const reference::BodyState& body, int channel) {
    if (channel < orientation_channel) return body.position[channel];
    if (channel < velocity_channel) return reference::quaternion_of(body.orientation)[channel - orientation_channel];
    return channel < angular_velocity_channel ? body.velocity[channel - velocity_channel]
                                              : body.angular_velocity[channel - angular_velocity_channel];
}

bool has_points(reference::RowKind kind) {
    using reference::RowKind;
    return kind == RowKind::point || kind == RowKind::distance || kind == RowKind::dot_2 ||
           kind == RowKind::coordinate_difference;
}

// The reaction of the elements first .. last - 1 on the second body or, where that is the ground, minus that on the
// first. The torque is about their point on the second body, which does not matter without a force.
Vector3d reaction(const reference::MechanismModel& model, const reference::MechanismState& state,
                  const std::vector<Vector3d>& element_multipliers, int first, int last, bool torque_wanted) {
    const std::size_t side = model.elements[at(first)].body[1] >= 0 ? 1 : 0;
    const double sign = side == 1 ? 1.0 : -1.0;
    const int body = model.elements[at(first)].body[side];
    Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero(), about = state.bodies[at(body)].position;
    for (int e = last - 1; e >= first; --e) {
        const reference::ModelElement& element = model.elements[at(e)];
        const reference::Wrench wrench = element_wrench(model, state, at(e), element_multipliers[at(e)], side);
        force += sign * wrench.force, torque += sign * wrench.torque;
        if (!has_points(element.kind)) continue;
        about = element.point[1];
        if (side == 1) about = state.bodies[at(body)].position + state.bodies[at(body)].orientation * element.point[1];
    }
    return torque_wanted ? Vector3d(torque - (about - state.bodies[at(body)].position).cross(force)) : force;
}

// Or of the opposite: `component` as Channel::b of a reaction.
double component_of(const Vector3d& reaction, int component) {
    return component < 3 ? reaction[component] : 0.0 - reaction[component - 3];
}

// Impulses of the impact at the end of the step. Elements with a law give none, and other methods have none.
std::vector<Vector3d> element_impulses(const reference::MechanismModel& model,
                                       const reference::MechanismSample& sample) {
    std::vector<Vector3d> none(model.elements.size(), Vector3d::Zero());
    if (sample.contacts.joint_impulse.size() == 0) return none;
    std::vector<Vector3d> impulses = element_multipliers(model, sample.motion.state, sample.contacts.joint_impulse);
    for (std::size_t e = 0; e < impulses.size(); ++e)
        if (model.elements[e].has_law) impulses[e].setZero();
    return impulses;
}

// Of body b in the axes of body a, -1 being the ground.
Matrix3d relative_orientation(const reference::MechanismState& state, int a, int b) {
    const auto of = [&](int body) {
        return body < 0 ? Matrix3d(Matrix3d::Identity()) : state.bodies[at(body)].orientation;
    };
    return of(a).transpose() * of(b);
}
// In the axes of body b.
Vector3d relative_angular_velocity(const reference::MechanismState& state, int a, int b) {
    const auto of = [&](int body) {
        return body < 0 ? Vector3d(Vector3d::Zero()) : state.bodies[at(body)].angular_velocity;
    };
    return of(b) - relative_orientation(state, a, b).transpose() * of(a);
}

double multiplier_of_row(const MechanismTable& table, const reference::MechanismSample& sample, int row) {
    for (int e = 0; e < table.elements; ++e)
        for (int k = 0; k < rows_of(table.element[e].kind); ++k)
            if (table.element[e].row[k] == row) return sample.element_multipliers[at(e)][k];
    throw std::logic_error("a multiplier of no row");
}

double multiplier_of_coupling(const MechanismTable& table, const reference::MechanismMotion& motion, int row) {
    for (int c = 0; c < table.joint.couplings; ++c)
        if (table.joint.coupling[c].row == row) return motion.coupling_multipliers[c];
    throw std::logic_error("a multiplier of no coupling");
}

// u'' of an element's value u.
double element_acceleration(const reference::MechanismModel& model, const reference::MechanismMotion& motion,
                            int element, int row) {
    const reference::ElementTerms terms = element_terms(model, motion.state, at(element));
    double rate = terms.acceleration_term[row] - terms.phi_tt[row];
    for (int side = 0; side < 2; ++side)
        if (const int body = model.elements[at(element)].body[at(side)]; body >= 0)
            rate += terms.jacobian.row(row).segment<6>(6 * side).dot(motion.acceleration.segment<6>(6 * body));
    return rate;
}

// In the axes of the body, without that of its centre.
Vector3d acceleration_about_centre(const reference::MechanismMotion& motion, int body, const Vector3d& point) {
    const Vector3d w = motion.state.bodies[at(body)].angular_velocity,
                   turning = motion.acceleration.segment<3>(6 * body + 3);
    return turning.cross(point) + w.cross(w.cross(point));
}

// The position of a point of a body, or of the ground; or its velocity.
Vector3d place_of_point(const reference::MechanismState& state, int body, const Vector3d& point, bool is_rate) {
    if (body < 0) return is_rate ? Vector3d(Vector3d::Zero()) : point;
    const reference::BodyState& at_body = state.bodies[at(body)];
    const Vector3d lever = at_body.orientation * point;
    if (!is_rate) return at_body.position + lever;
    return at_body.velocity + (at_body.orientation * at_body.angular_velocity).cross(lever);
}

}  // namespace

std::vector<double> certificate_of(const reference::MechanismSample& sample, const std::string& integrator) {
    std::vector<double> values(MechanismCertificate::count);
    values[MechanismCertificate::energy_balance] = sample.kinetic_energy_j + sample.potential_energy_j - sample.work_j;
    values[MechanismCertificate::constraint_residual] = sample.constraint_residual;
    values[MechanismCertificate::velocity_residual] = sample.velocity_residual;
    values[MechanismCertificate::newton_iterations] = values[MechanismCertificate::newton_iterations_in_a_step] =
        sample.newton_iterations;
    values[MechanismCertificate::assembly_correction] = sample.assembly_correction;
    values[MechanismCertificate::velocity_correction] = sample.velocity_correction;
    values[MechanismCertificate::kinetic_energy] = sample.kinetic_energy_j;
    values[MechanismCertificate::work] = sample.work_j;
    values[MechanismCertificate::potential_rise] = sample.potential_energy_j;
    values[MechanismCertificate::potential_fall] = -sample.potential_energy_j;
    if (reference::is_contact_method(integrator)) {
        const std::vector<double> added = contact_certificate_of(sample);
        values.insert(values.end(), added.begin(), added.end());
        return values;
    }
    // Those that energy-momentum methods add (kernels/integrators/mechanism/momentum_certificate.hpp).
    double length_residual = 0.0;
    for (const reference::BodyState& body : sample.motion.state.bodies)
        length_residual = std::max(
            length_residual,
            (body.orientation.transpose() * body.orientation - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff());
    values.insert(values.end(), {sample.generalized_energy_j - sample.work_j, sample.momentum_defect,
                                 sample.quaternion_rate_residual, length_residual});
    for (const Eigen::Vector3d& momentum : {sample.momentum, sample.angular_momentum})
        values.insert(values.end(), momentum.begin(), momentum.end());
    return values;
}

double reference_channel(const MechanismTable& table, std::span<const double> parameters,
                         const reference::MechanismModel& model, const reference::MechanismSample& sample, int index) {
    const reference::MechanismMotion& motion = sample.motion;
    const int of_bodies = body_channels * table.bodies;
    if (index < of_bodies) return body_channel(motion.state.bodies[at(index / body_channels)], index % body_channels);
    const bool is_line = index >= vectors_of_channels, is_rate = index >= rates_of_channels && !is_line;
    if (is_line) {
        const int of_line = index - (index >= rates_of_vectors ? rates_of_vectors : vectors_of_channels);
        const reference::ModelElement& element = model.elements[at(table.channel[of_line / 3 - of_bodies].a)];
        Vector3d line = Vector3d::Zero();
        for (int side = 0; side < 2; ++side)
            line += (side == 0 ? -1.0 : 1.0) * place_of_point(motion.state, element.body[at(side)],
                                                              element.point[at(side)], index >= rates_of_vectors);
        return line[of_line % 3];
    }
    const Channel& named = table.channel[index - (is_rate ? rates_of_channels : 0) - of_bodies];
    const Channel channel = is_rate ? rate_of(named) : named;
    const auto element = [&] { return element_terms(model, motion.state, at(channel.a)); };
    const auto lever = [&] {
        const reference::BodyState& body = motion.state.bodies[at(channel.a)];
        return Vector3d(body.orientation * vector_at(parameters, channel.c));
    };
    switch (channel.kind) {
        case ChannelKind::acceleration:
            return motion.acceleration[6 * channel.a + channel.b];
        case ChannelKind::angular_acceleration:
            return motion.acceleration[6 * channel.a + 3 + channel.b];
        case ChannelKind::total_energy:
            return sample.kinetic_energy_j + sample.potential_energy_j;
        case ChannelKind::kinetic_energy:
            return sample.kinetic_energy_j;
        case ChannelKind::potential_energy:
            return sample.potential_energy_j;
        case ChannelKind::work:
            return sample.work_j;
        case ChannelKind::multiplier:
            return multiplier_of_row(table, sample, channel.a);
        case ChannelKind::constraint_residual:
            return sample.constraint_residual;
        case ChannelKind::velocity_residual:
            return sample.velocity_residual;
        case ChannelKind::point_position:
            return motion.state.bodies[at(channel.a)].position[channel.b] + lever()[channel.b];
        case ChannelKind::point_velocity: {
            const reference::BodyState& body = motion.state.bodies[at(channel.a)];
            return (body.velocity + (body.orientation * body.angular_velocity).cross(lever()))[channel.b];
        }
        case ChannelKind::element_value:
            return element().phi[channel.b] + element().time_function;
        case ChannelKind::element_rate:
            return element().rate[channel.b] - element().phi_t[channel.b];
        case ChannelKind::element_acceleration:
            return element_acceleration(model, motion, channel.a, channel.b);
        case ChannelKind::point_acceleration: {
            const Vector3d point = vector_at(parameters, channel.c);
            return motion.acceleration[6 * channel.a + channel.b] +
                   (motion.state.bodies[at(channel.a)].orientation *
                    acceleration_about_centre(motion, channel.a, point))[channel.b];
        }
        case ChannelKind::joint_force:
        case ChannelKind::joint_torque:
            return component_of(reaction(model, motion.state, sample.element_multipliers, channel.a, channel.c,
                                         channel.kind == ChannelKind::joint_torque),
                                channel.b);
        case ChannelKind::joint_impulse:
        case ChannelKind::joint_angular_impulse:
            return component_of(reaction(model, motion.state, element_impulses(model, sample), channel.a, channel.c,
                                         channel.kind == ChannelKind::joint_angular_impulse),
                                channel.b);
        case ChannelKind::joint_orientation: {
            const auto [a, b] = model.elements[at(channel.a)].body;
            return reference::quaternion_of(relative_orientation(motion.state, a, b))[channel.b];
        }
        case ChannelKind::joint_angular_velocity: {
            const auto [a, b] = model.elements[at(channel.a)].body;
            return relative_angular_velocity(motion.state, a, b)[channel.b];
        }
        case ChannelKind::coupling_multiplier:
            return multiplier_of_coupling(table, motion, channel.a);
        case ChannelKind::newton_iterations:
            return sample.newton_iterations;
        case ChannelKind::assembly_correction:
            return sample.assembly_correction;
        default:
            return contact_channel_of(channel, model, sample);
    }
}

}  // namespace myriad::backends
