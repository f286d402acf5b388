// The only source beside the kernels themselves that includes the product's whole catalog.
#include "host/catalog/catalog_table.hpp"

#include <algorithm>
#include <utility>

#include "ensembles/catalog.hpp"
#include "host/catalog/papers_part.hpp"
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

// The place of a member of papers/ and of those that it is compared with, in the order of lists.
std::pair<std::ptrdiff_t, std::ptrdiff_t> place_of(const CatalogMember& member) {
    const auto place = [](const std::string& name) {
        return std::find_if(std::begin(names_around_papers), std::end(names_around_papers),
                            [&](const ListedName& listed) { return listed.name == name; }) -
               std::begin(names_around_papers);
    };
    return {place(member.chart), place(member.integrator.name)};
}

// Puts a member of papers/ among those that it is compared with: of the same system, by methods of the same kind. It is
// the last one where there are none.
void add_in_order(std::vector<CatalogMember>& members, const CatalogMember& added) {
    const auto is_before = [&](const CatalogMember& other) {
        return other.system == added.system && other.integrator.implicit == added.integrator.implicit &&
               other.integrator.energy_momentum == added.integrator.energy_momentum &&
               other.integrator.contact == added.integrator.contact && place_of(other) <= place_of(added);
    };
    const auto before = std::find_if(members.rbegin(), members.rend(), is_before);
    members.insert(before == members.rend() ? members.end() : before.base(), added);
}

void join(CatalogTable& table, const CatalogTable& papers) {
    for (const CatalogMember& member : papers.members) add_in_order(table.members, member);
    for (const ChartDescription& chart : papers.charts) {
        const auto known = std::find_if(table.charts.begin(), table.charts.end(),
                                        [&](const ChartDescription& one) { return one.name == chart.name; });
        if (known == table.charts.end())
            table.charts.push_back(chart);
        else
            known->is_for_explicit |= chart.is_for_explicit, known->is_for_implicit |= chart.is_for_implicit;
    }
    const auto first_member = [&](const ChartDescription& chart) {
        return std::find_if(table.members.begin(), table.members.end(),
                            [&](const CatalogMember& member) { return member.chart == chart.name; });
    };
    std::sort(table.charts.begin(), table.charts.end(),
              [&](const ChartDescription& a, const ChartDescription& b) { return first_member(a) < first_member(b); });
}

CatalogTable made_table() {
    CatalogTable table;
    reflect(Catalog{}, "ensembles/catalog.hpp", table);
    join(table, papers_part());
    for (SystemDescription& system : table.systems) complete(system, table.members);
    for (const ChannelDescription& channel : FreeRigidBody<double, RotationGroup>::channels)
        if (channel.of_body) table.body_channels.push_back(described(channel));
    for (int i = 0; i < mechanism_momentum_count; ++i) {
        const ChannelDescription& entry = mechanism_momentum_entries[i];
        table.mechanism_momentum_certificate.push_back(
            {entry.name, entry.unit, mechanism_momentum_drifts(i) ? CertificateKind::drift : CertificateKind::largest,
             entry.meaning});
    }
    for (int i = 0; i < contact_certificate_count; ++i) {
        const ChannelDescription& entry = contact_certificate_entries[i];
        table.contact_certificate.push_back(
            {entry.name, entry.unit,
             i < shown_contact_certificate_count ? CertificateKind::largest : CertificateKind::remark, entry.meaning});
    }
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
