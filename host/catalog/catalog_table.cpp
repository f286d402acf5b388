// The only source beside the kernels themselves that includes the whole catalog.
#include "host/catalog/catalog_table.hpp"

#include <algorithm>

#include "ensembles/catalog.hpp"
#include "host/catalog/reflection.hpp"

namespace myriad::study {

namespace {

// The one place that knows in which order channel(index) counts.
std::vector<ScalarChannel> scalars_of(const SystemDescription& system) {
    std::vector<ScalarChannel> scalars;
    const auto add = [&](int channel, const std::string& body) {
        const DescribedChannel& description = system.channels[static_cast<std::size_t>(channel)];
        for (const std::string& component : component_names(description.components)) {
            scalars.push_back(
                {description.name + (body.empty() ? "" : "." + body) + (component.empty() ? "" : "." + component),
                 channel, body, component});
        }
    };
    const int count = static_cast<int>(system.channels.size());
    for (const std::string& body : system.body_names)
        for (int channel = 0; channel < count; ++channel)
            if (system.channels[static_cast<std::size_t>(channel)].of_body) add(channel, body);
    for (int channel = 0; channel < count; ++channel)
        if (!system.channels[static_cast<std::size_t>(channel)].of_body) add(channel, "");
    return scalars;
}

// Fills in the part of a system that shows only in all the catalog's members.
void complete(SystemDescription& system, const std::vector<CatalogMember>& members) {
    system.scalars = scalars_of(system);
    system.is_lagrangian = std::all_of(members.begin(), members.end(), [&](const CatalogMember& member) {
        return member.system != system.name || member.integrator.energy_momentum;
    });
}

CatalogTable made_table() {
    CatalogTable table;
    reflect(Catalog{}, "ensembles/catalog.hpp", table);
    for (SystemDescription& system : table.systems) complete(system, table.members);
    for (const ChannelDescription& channel : FreeRigidBody<double, RotationGroup>::channels)
        if (channel.of_body) table.body_channels.push_back(described(channel));
    for (int i = 0; i < mechanism_momentum_count; ++i) {
        const ChannelDescription& entry = mechanism_momentum_entries[i];
        table.mechanism_momentum_certificate.push_back(
            {entry.name, entry.unit, mechanism_momentum_drifts(i) ? CertificateKind::drift : CertificateKind::largest,
             entry.meaning});
    }
    for (const ChannelDescription& entry : contact_certificate_entries)
        table.contact_certificate.push_back({entry.name, entry.unit, CertificateKind::largest, entry.meaning});
    return table;
}

}  // namespace

const CatalogTable& catalog_table() {
    static const CatalogTable table = made_table();
    return table;
}

const CatalogMember* find_member(std::string_view system, std::string_view chart, std::string_view integrator) {
    for (const CatalogMember& member : catalog_table().members)
        if (member.system == system && member.chart == chart && member.integrator.name == integrator) return &member;
    return nullptr;
}

}  // namespace myriad::study
