// What the reference path reads of a mechanism with contacts that were added to its table by hand.
#pragma once
#include "host/backends/reference/reference_channels.hpp"
#include "host/backends/reference/reference_contacts.hpp"
#include "host/reference/mechanism/defined_contacts.hpp"
#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {

// The contacts behind the contacts of the file are spheres on planes and on spheres without a size of their own. Laws
// and the start are the parameters' own, as tests set them.
inline reference::MechanismModel twin_model(const ContactMechanism& given) {
    reference::MechanismModel model = backends::reference_model(given.mechanism, given.parameters);
    const auto number = [&](int at) { return at < 0 ? 0.0 : given.parameters[static_cast<std::size_t>(at)]; };
    const auto vector = [&](int at) { return backends::vector_at(given.parameters, at); };
    for (int b = 0; b < given.mechanism.table.bodies; ++b) {
        reference::ModelBody& body = model.bodies[static_cast<std::size_t>(b)];
        const int first = parameters_of_body(b), q = first + body_orientation;
        body.position_m = vector(first + body_position), body.velocity_m_s = vector(first + body_velocity);
        body.angular_velocity_rad_s = vector(first + body_angular_velocity);
        body.orientation =
            Eigen::Quaterniond(number(q), number(q + 1), number(q + 2), number(q + 3)).toRotationMatrix();
    }
    const int in_file = static_cast<int>(model.contacts.size());
    for (int c = 0; c < given.mechanism.table.contacts; ++c) {
        const Contact& added = given.mechanism.table.contact[c];
        reference::ModelContact& contact =
            c < in_file ? model.contacts[static_cast<std::size_t>(c)] : model.contacts.emplace_back();
        contact.friction = number(added.law), contact.normal_restitution = number(added.law + 1);
        contact.tangential_restitution = number(added.law + 2);
        if (c < in_file) continue;
        const bool has_plane = added.kind == ContactKind::sphere_plane;
        contact.kind =
            has_plane ? reference::ModelContactKind::sphere_plane : reference::ModelContactKind::sphere_sphere;
        contact.body = {added.body[0], added.body[1]}, contact.tangents = added.tangents;
        contact.point = {vector(added.parameter), vector(added.parameter + (has_plane ? 9 : 3))};
        if (has_plane) contact.normal = vector(added.parameter + 3), contact.tangent = vector(added.parameter + 6);
        contact.radius_m = {number(added.radius[0]), number(added.radius[1])}, contact.play_m = number(added.play);
        contact.size_m = 0.0;
        reference::give_size(model.length_scale_m, contact);
    }
    return model;
}

}  // namespace myriad::test
