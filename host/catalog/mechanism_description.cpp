// A mechanism as studies and results see it. Scalar channels: 13 of each body, then those of the mechanism's table.
#include <stdexcept>

#include "ensembles/catalog.hpp"
#include "host/catalog/system_description.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/text/words.hpp"
#include "kernels/mechanism/certificate.hpp"

namespace myriad::study {

namespace {

std::vector<std::string> components_of(const mechanism::NamedChannels& named) {
    std::vector<std::string> components = words_of(named.components);
    if (components.empty() && named.count == 1) components.emplace_back();
    if (components.size() != static_cast<std::size_t>(named.count))
        throw std::logic_error("mechanism: the channels " + named.name + " are not as many as their components");
    return components;
}

// Channels of one name for several bodies are one description.
int description_for(const mechanism::NamedChannels& named, SystemDescription& system) {
    const bool of_body = !named.body.empty();
    for (std::size_t i = 0; i < system.channels.size(); ++i)
        if (of_body && system.channels[i].of_body && system.channels[i].name == named.name) return static_cast<int>(i);
    system.channels.push_back({named.name, named.unit, named.frame, named.components, of_body, named.meaning});
    return static_cast<int>(system.channels.size()) - 1;
}

}  // namespace

SystemDescription description_of(const mechanism::Mechanism& mechanism) {
    SystemDescription system;
    system.name = mechanism.name;
    system.summary = mechanism.title.empty() ? mechanism.description : mechanism.title;
    system.source = mechanism.source;
    system.body_names = mechanism.body_names;
    system.is_mechanism = true;
    system.has_contact = mechanism.table.contacts > 0;
    for (const mechanism::Number& number : mechanism.numbers)
        system.parameters.push_back({number.address, number.unit, number.value, number.meaning});

    const SystemDescription& body = find_system(FreeRigidBody<double, RotationGroup>::name, "mechanism");
    const auto of_one_body = std::span(body.scalars).first(body_channels);
    system.channels.assign(body.state_channels().begin(), body.state_channels().end());
    for (const std::string& name : system.body_names)
        for (const ScalarChannel& scalar : of_one_body)
            system.scalars.push_back(
                {system.channels[static_cast<std::size_t>(scalar.channel)].name + "." + name + "." + scalar.component,
                 scalar.channel, name, scalar.component});

    const std::size_t first = system.scalars.size();
    system.scalars.resize(first + static_cast<std::size_t>(mechanism.table.channels));
    for (const mechanism::NamedChannels& named : mechanism.channels) {
        const int description = description_for(named, system);
        const std::vector<std::string> components = components_of(named);
        for (std::size_t k = 0; k < components.size(); ++k) {
            const std::string address = named.name + (named.body.empty() ? "" : "." + named.body) +
                                        (components[k].empty() ? "" : "." + components[k]);
            system.scalars.at(first + static_cast<std::size_t>(named.first_channel) + k) = {address, description,
                                                                                            named.body, components[k]};
        }
    }
    for (const ScalarChannel& scalar : system.scalars)
        if (scalar.address.empty()) throw std::logic_error("mechanism: a channel of the table has no name");
    system.channel_count = static_cast<int>(system.scalars.size());

    const bool has_losses = mechanism.table.contacts > 0;
    system.certificate.resize(MechanismCertificate::count);
    const auto certify = [&](int entry, const CertificateEntry& description) {
        system.certificate[static_cast<std::size_t>(entry)] = description;
    };
    certify(MechanismCertificate::energy_balance,
            {"energy_balance", "J", CertificateKind::drift,
             "energy less the work that loads, drivers and dampers have done" +
                 std::string(has_losses ? "; friction and impacts take from it" : ""),
             !has_losses});
    certify(MechanismCertificate::constraint_residual,
            {"constraint_residual", "1", CertificateKind::largest, "largest |phi| of all constraint rows, m or 1"});
    certify(MechanismCertificate::velocity_residual,
            {"velocity_residual", "1/s", CertificateKind::largest, "largest |d phi / dt| of all constraint rows"});
    certify(MechanismCertificate::newton_iterations,
            {"newton_iterations", "1", CertificateKind::total, "Newton iterations of all steps"});
    certify(MechanismCertificate::newton_iterations_in_a_step,
            {"newton_iterations_in_a_step", "1", CertificateKind::largest, "Newton iterations of a step"});
    certify(MechanismCertificate::assembly_correction,
            {"assembly_correction", "1", CertificateKind::once, "how far assembly moved the initial state, m and rad"});
    for (int i = 0; i < mechanism_momentum_count; ++i) {
        const ChannelDescription& entry = mechanism_momentum_entries[i];
        system.momentum_certificate.push_back(
            {entry.name, entry.unit, mechanism_momentum_drifts(i) ? CertificateKind::drift : CertificateKind::largest,
             entry.meaning});
    }
    return system;
}

}  // namespace myriad::study
