#include "host/catalog/system_description.hpp"

#include <algorithm>
#include <map>

#include "host/catalog/papers_part.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/text/words.hpp"

namespace myriad::study {

namespace {

bool is_of(const CatalogMember& member, const SystemDescription& system) {
    return member.is_of_mechanisms == system.is_mechanism && (system.is_mechanism || member.system == system.name);
}

// Integrators of the members that fit, each name once, in the catalog's order.
template <class Fits>
std::vector<IntegratorDescription> integrators_where(Fits fits) {
    std::vector<IntegratorDescription> found;
    for (const CatalogMember& member : catalog_table().members) {
        const auto is_same = [&](const auto& known) { return known.name == member.integrator.name; };
        if (fits(member) && std::none_of(found.begin(), found.end(), is_same)) found.push_back(member.integrator);
    }
    return found;
}
std::vector<ChartDescription> charts_with_members(const SystemDescription& system) {
    std::vector<ChartDescription> found;
    for (const ChartDescription& chart : catalog_table().charts) {
        const auto is_on = [&](const CatalogMember& one) { return one.chart == chart.name && is_of(one, system); };
        if (std::any_of(catalog_table().members.begin(), catalog_table().members.end(), is_on)) found.push_back(chart);
    }
    return found;
}

// The answers for each system of the catalog, for mechanisms and for mechanisms with contacts.
template <class Answer>
class PerSystem {
  public:
    template <class Make>
    explicit PerSystem(Make make) {
        for (const SystemDescription& system : systems()) answers_[system.name] = make(system);
        SystemDescription mechanism;
        mechanism.is_mechanism = true, of_mechanisms_ = make(mechanism);
        mechanism.has_contact = true, of_mechanisms_with_contact_ = make(mechanism);
    }
    const Answer& of(const SystemDescription& system) const {
        if (system.is_mechanism) return system.has_contact ? of_mechanisms_with_contact_ : of_mechanisms_;
        return answers_.at(system.name);
    }

  private:
    std::map<std::string, Answer> answers_;
    Answer of_mechanisms_, of_mechanisms_with_contact_;
};

template <class Description>
const Description& find_named(std::span<const Description> all, std::string_view name, const std::string& kind,
                              const std::string& where) {
    std::vector<std::string> names;
    for (const Description& description : all) {
        if (description.name == name) return description;
        names.push_back(description.name);
    }
    if (!is_built(name))
        throw UserError(ExitCode::usage_or_input, where,
                        "the " + kind + " \"" + std::string(name) +
                            "\" is for comparisons with a paper, and this build is without papers/",
                        "use one of: " + list_of(names) +
                            "; or build with cmake -DMYRIAD_PAPERS=ON, as ./dev bench and ./dev test do");
    throw UserError(ExitCode::usage_or_input, where, "the " + kind + " \"" + std::string(name) + "\" is unknown",
                    suggestion(name, names, kind + "s"));
}

// The description with the name of `found` among `fitting`, those that the system can be run with.
template <class Description>
const Description& require_one_of(std::span<const Description> fitting, const Description& found,
                                  const SystemDescription& system, const std::string& kind, const std::string& where) {
    std::vector<std::string> names;
    for (const Description& description : fitting) {
        if (description.name == found.name) return description;
        names.push_back(description.name);
    }
    throw UserError(ExitCode::usage_or_input, where,
                    "the " + kind + " \"" + found.name + "\" does not fit " + kind_and_name(system),
                    "use one of: " + list_of(names));
}

}  // namespace

std::span<const SystemDescription> systems() { return catalog_table().systems; }

std::span<const ChartDescription> all_charts() { return catalog_table().charts; }

std::span<const IntegratorDescription> all_integrators() {
    static const std::vector<IntegratorDescription> all = integrators_where([](const CatalogMember&) { return true; });
    return all;
}

std::string summary_of(const ChartDescription& chart) {
    if (!chart.is_for_explicit) return chart.summary + " (implicit methods only)";
    return chart.summary + (chart.is_for_implicit ? "" : " (explicit methods only)");
}

std::string order_text(const IntegratorDescription& integrator) {
    if (integrator.motion_order == 0) return "exact";
    std::string text = std::to_string(integrator.motion_order);
    if (integrator.force_order != integrator.motion_order)
        text += ", accelerations and forces " + std::to_string(integrator.force_order);
    if (integrator.contact && integrator.motion_order > 1) text += "; 1 with impacts";
    return text;
}

std::span<const ChartDescription> charts_of(const SystemDescription& system) {
    static const PerSystem<std::vector<ChartDescription>> charts(charts_with_members);
    return charts.of(system);
}
std::span<const IntegratorDescription> integrators_of(const SystemDescription& system) {
    static const PerSystem<std::vector<IntegratorDescription>> integrators([](const SystemDescription& one) {
        return integrators_where([&](const CatalogMember& member) {
            return is_of(member, one) && (!one.is_mechanism || !one.has_contact || member.integrator.contact);
        });
    });
    return integrators.of(system);
}
std::span<const IntegratorDescription> integrators_of_mechanisms(bool with_contacts) {
    SystemDescription mechanism;
    mechanism.is_mechanism = true, mechanism.has_contact = with_contacts;
    return integrators_of(mechanism);
}

bool takes(const SystemDescription& system, const IntegratorDescription& integrator, const ChartDescription& chart) {
    const auto& members = catalog_table().members;
    return std::any_of(members.begin(), members.end(), [&](const CatalogMember& member) {
        return is_of(member, system) && member.integrator.name == integrator.name && member.chart == chart.name;
    });
}

bool takes_joint_coordinates(const IntegratorDescription& integrator) {
    const auto& members = catalog_table().members;
    return std::any_of(members.begin(), members.end(), [&](const CatalogMember& member) {
        return member.is_of_mechanisms && member.chart == "rotation" && !integrator.energy_momentum &&
               member.integrator.name == integrator.name;
    });
}

bool takes_fp32(const SystemDescription& system, const ChartDescription& chart,
                const IntegratorDescription& integrator) {
    const auto& members = catalog_table().members;
    return std::any_of(members.begin(), members.end(), [&](const CatalogMember& member) {
        return is_of(member, system) && member.integrator.name == integrator.name && member.chart == chart.name &&
               member.has_fp32;
    });
}

std::span<const std::string> papers_members() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const ListedName& listed : names_around_papers)
            if (listed.is_of_papers) found.push_back(listed.name);
        return found;
    }();
    return names;
}
bool is_built(std::string_view name) {
    const auto names = papers_members();
    if (std::find(names.begin(), names.end(), name) == names.end()) return true;
    const auto& members = catalog_table().members;
    return std::any_of(members.begin(), members.end(), [&](const CatalogMember& member) {
        return member.chart == name || member.integrator.name == name;
    });
}

std::vector<CertificateEntry> terms_of_energy() {
    std::vector<CertificateEntry> terms = {
        {"kinetic_energy", "J", CertificateKind::largest, "largest kinetic energy"},
        {"potential_rise", "J", CertificateKind::rise, "most by which the potential energy is above that at the start"},
        {"potential_fall", "J", CertificateKind::rise,
         "most by which the potential energy is below that at the start"}};
    for (CertificateEntry& term : terms) term.is_of_size = true;
    return terms;
}

std::span<const CertificateEntry> contact_certificate() { return catalog_table().contact_certificate; }

std::vector<CertificateEntry> certificate_of(const SystemDescription& system, const IntegratorDescription& integrator) {
    std::vector<CertificateEntry> entries = system.certificate;
    if (integrator.energy_momentum)
        entries.insert(entries.end(), system.momentum_certificate.begin(), system.momentum_certificate.end());
    if (integrator.contact)
        for (CertificateEntry entry : contact_certificate()) {
            // A mechanism counts Newton's iterations itself, and each name is a dataset of the result.
            const bool is_taken = std::any_of(entries.begin(), entries.end(),
                                              [&](const CertificateEntry& other) { return other.name == entry.name; });
            if (is_taken) entry.name = "contact_" + entry.name;
            entries.push_back(std::move(entry));
        }
    entries.insert(entries.end(), system.energies.begin(), system.energies.end());
    return entries;
}

std::string kind_and_name(const SystemDescription& system) {
    if (!system.is_mechanism) return "the system " + system.name;
    return system.name == "mechanism" ? "the mechanism" : "the mechanism " + system.name;
}

std::string listing_of(const SystemDescription& system) {
    return system.is_mechanism ? "myriad list --mechanism FILE" : "myriad list --system " + system.name;
}

const SystemDescription& find_system(std::string_view name, const std::string& where) {
    return find_named(systems(), name, "system", where);
}
const ChartDescription& find_chart(std::string_view name, const std::string& where) {
    return find_named(all_charts(), name, "chart", where);
}
const IntegratorDescription& find_integrator(std::string_view name, const std::string& where) {
    return find_named(all_integrators(), name, "integrator", where);
}

const ChartDescription& find_chart_for(const SystemDescription& system, std::string_view name,
                                       const std::string& where) {
    const ChartDescription& found = find_chart(name, where);
    if (!system.has_orientation && found.name != charts_of(system).front().name)
        throw UserError(ExitCode::usage_or_input, where,
                        "the system " + system.name + " has coordinates of its own: the chart \"" + found.name +
                            "\" would have no influence",
                        "leave out \"chart\"");
    return require_one_of(charts_of(system), found, system, "chart", where);
}
const IntegratorDescription& find_integrator_for(const SystemDescription& system, std::string_view name,
                                                 const std::string& where) {
    return require_one_of(integrators_of(system), find_integrator(name, where), system, "integrator", where);
}

}  // namespace myriad::study
