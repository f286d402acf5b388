// A mechanism as studies and results see it. Scalar channels: 13 of each body, then those of the mechanism's table.
#include <set>
#include <stdexcept>

#include "host/catalog/catalog_table.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "kernels/mechanism/certificate.hpp"

namespace myriad::study {

namespace {

// Channels of one name for several bodies are one description.
int description_for(const mechanism::NamedChannels& named, SystemDescription& system) {
    const bool of_body = !named.body.empty();
    for (std::size_t i = 0; i < system.channels.size(); ++i)
        if (of_body && system.channels[i].of_body && system.channels[i].name == named.name) return static_cast<int>(i);
    system.channels.push_back({named.name, named.unit, named.frame, named.components, of_body, named.meaning});
    return static_cast<int>(system.channels.size()) - 1;
}

bool is_start_value(const mechanism::Key& key) {
    const std::string_view name = key.name;
    return (key.type == mechanism::KeyType::number || key.type == mechanism::KeyType::vector) &&
           (name.starts_with("angle_") || name.starts_with("rate_") || name.starts_with("displacement_") ||
            name == mechanism::start_angular_velocity_key.name);
}

void add_absent_start_values(const mechanism::Mechanism& mechanism, SystemDescription& system) {
    std::set<std::string, std::less<>> known;
    for (const mechanism::Number& number : mechanism.numbers) known.insert(number.address);
    for (const mechanism::NamedElements& joint : mechanism.joints)
        for (const mechanism::Kind& kind : mechanism::joint_kinds) {
            if (joint.type != kind.name) continue;
            for (const mechanism::Key& key : kind.keys) {
                const std::string address = joint.section + "." + joint.name + "." + key.name;
                if (!is_start_value(key) || known.contains(address) || known.contains(address + "[0]")) continue;
                const bool is_number = key.type == mechanism::KeyType::number;
                system.absent_start_values[address] =
                    "\"" + std::string(key.name) + "\": " + (is_number ? "0" : "[0, 0, 0]");
            }
        }
}

}  // namespace

std::span<const DescribedChannel> channels_of_bodies() { return catalog_table().body_channels; }

SystemDescription description_of(const mechanism::Mechanism& mechanism) {
    SystemDescription system;
    system.name = mechanism.name;
    system.summary = mechanism.title.empty() ? mechanism.description : mechanism.title;
    system.source = mechanism.source;
    system.body_names = mechanism.body_names;
    system.is_mechanism = true;
    system.has_contact = mechanism.table.contacts > 0 || mechanism.table.joint.friction_is_set;
    for (const mechanism::Number& number : mechanism.numbers)
        system.parameters.push_back({number.address, number.unit, number.value, number.meaning});
    add_absent_start_values(mechanism, system);

    system.channels = catalog_table().body_channels;
    for (const std::string& name : system.body_names)
        for (std::size_t channel = 0; channel < system.channels.size(); ++channel)
            for (const std::string& component : component_names(system.channels[channel].components))
                system.scalars.push_back({system.channels[channel].name + "." + name + "." + component,
                                          static_cast<int>(channel), name, component});

    const std::size_t first = system.scalars.size();
    system.scalars.resize(first + static_cast<std::size_t>(mechanism.table.channels));
    for (const mechanism::NamedChannels& named : mechanism.channels) {
        const int description = description_for(named, system);
        // A joint whose rows are all redundant has no multipliers.
        std::vector<std::string> components;
        if (named.count > 0) components = component_names(named.components);
        if (components.size() != static_cast<std::size_t>(named.count))
            throw std::logic_error("mechanism: the channels " + named.name + " are not as many as their components");
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

    const bool has_losses = system.has_contact;
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
    certify(MechanismCertificate::velocity_correction, {"velocity_correction", "1/s", CertificateKind::once,
                                                        "how far the start changed given velocities, which contradict "
                                                        "joints, couplings or each other, m/s and rad/s"});
    std::vector<CertificateEntry> terms = terms_of_energy();
    certify(MechanismCertificate::kinetic_energy, terms[0]);
    certify(MechanismCertificate::potential_rise, terms[1]);
    certify(MechanismCertificate::potential_fall, terms[2]);
    certify(MechanismCertificate::work, {"work", "J", CertificateKind::largest,
                                         "largest |work| of loads, drivers and dampers since the start", true, true});
    system.momentum_certificate = catalog_table().mechanism_momentum_certificate;
    return system;
}

}  // namespace myriad::study
