#include "host/catalog/system_description.hpp"

#include <algorithm>
#include <sstream>

#include "ensembles/catalog.hpp"
#include "host/catalog/describe.hpp"
#include "host/catalog/papers_part.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// The one place that knows in which order channel(index) counts.
std::vector<ScalarChannel> scalars_of(const SystemDescription& system) {
    std::vector<ScalarChannel> scalars;
    const auto add = [&](int channel, const std::string& body) {
        const DescribedChannel& description = system.channels[static_cast<std::size_t>(channel)];
        std::vector<std::string> components = words_of(description.components);
        if (components.empty()) components.emplace_back();
        for (const std::string& component : components) {
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

// Momenta, rates of the constraints and constraints are in the system's own units.
template <class System>
std::vector<CertificateEntry> momentum_certificate_of() {
    std::vector<CertificateEntry> entries;
    if constexpr (requires { typename System::Lagrangian; })
        for (int i = 0; i < momentum_certificate_count<System>; ++i) {
            const ChannelDescription& entry = momentum_certificate_entries[i];
            const bool has_own_unit = i > 0 && i < common_certificate_count;
            entries.push_back({entry.name, has_own_unit ? System::Lagrangian::certificate_units[i - 1] : entry.unit,
                               momentum_certificate_drifts(i) ? CertificateKind::drift : CertificateKind::largest,
                               entry.meaning});
        }
    return entries;
}

// What a run with contacts adds to the channels, in the order of kernels/integrators/contact_channels.hpp.
template <class System>
std::vector<DescribedChannel> contact_channels() {
    std::vector<std::string> behind;  // what tells the contacts apart
    for (int k = 0; k < System::contacts; ++k) {
        if constexpr (requires { System::contact_names; })
            behind.push_back("." + std::string(System::contact_names[k]));
        else
            behind.push_back(System::contacts == 1 ? "" : "." + std::to_string(k + 1));
    }
    std::vector<DescribedChannel> channels;
    const ChannelDescription* const gap = &contact_entries[0];
    for (const ChannelDescription& entry : contact_entries)
        for (const std::string& contact : behind)
            channels.push_back({entry.name + contact, entry.unit, "",
                                &entry == gap ? "" : contact_components[System::tangents], false, entry.meaning});
    for (const ChannelDescription& entry : contact_record_entries)
        channels.push_back({entry.name, entry.unit, "", "", false, entry.meaning});
    if constexpr (has_damping<System>) {
        const ChannelDescription& loss = damping_loss_entry;
        channels.push_back({loss.name, loss.unit, "", "", false, loss.meaning});
    }
    return channels;
}

template <template <class, template <class> class> class System>
SystemDescription description_of() {
    using Plain = System<double, RotationGroup>;
    SystemDescription system;
    system.name = Plain::name, system.summary = Plain::summary, system.source = Plain::source;
    system.body_names.assign(std::begin(Plain::body_names), std::end(Plain::body_names));
    for (const ParameterDescription& parameter : Plain::parameters)
        system.parameters.push_back({parameter.address, parameter.unit, parameter.value, parameter.meaning});
    for (const ChannelDescription& channel : Plain::channels)
        system.channels.push_back(
            {channel.name, channel.unit, channel.frame, channel.components, channel.of_body, channel.meaning});
    for (const ChannelDescription& kept : Plain::invariants_kept)
        system.certificate.push_back({kept.name, kept.unit, CertificateKind::drift, kept.meaning});
    system.momentum_certificate = momentum_certificate_of<Plain>();
    system.channel_count = Plain::channel_count;
    if constexpr (requires { Plain::contacts; }) {
        system.has_contact = true, system.has_orientation = false;
        system.channel_count += contact_channel_count<Plain>;
        for (DescribedChannel& channel : contact_channels<Plain>()) system.channels.push_back(std::move(channel));
    }
    system.scalars = scalars_of(system);
    return system;
}

template <template <class, template <class> class> class... System>
std::vector<SystemDescription> descriptions_of(SystemList<System...>) {
    return {description_of<System>()...};
}
// `all` and what is `more` than that.
template <class Description>
std::vector<Description> together(std::span<const Description> all, std::span<const Description> more) {
    std::vector<Description> both(all.begin(), all.end());
    for (const Description& one : more) {
        const bool is_new =
            std::none_of(both.begin(), both.end(), [&](const auto& two) { return two.name == one.name; });
        if (is_new) both.push_back(one);
    }
    return both;
}

std::vector<IntegratorDescription> body_momentum_integrators() {
    const std::vector<IntegratorDescription> product = study::descriptions_of(BodyMomentumIntegrators{});
    return together<IntegratorDescription>(product, papers_part().body_integrators);
}

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
                            "; or build with cmake -DMYRIAD_PAPERS=ON, as ./dev bench and " + "./dev test do");
    throw UserError(ExitCode::usage_or_input, where, "the " + kind + " \"" + std::string(name) + "\" is unknown",
                    suggestion(name, names, kind + "s"));
}

// The one of `fitting`, which the system has, that is called as `found`.
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

std::span<const SystemDescription> systems() {
    static const std::vector<SystemDescription> all = [] {
        std::vector<SystemDescription> list = descriptions_of(Systems{});
        for (SystemDescription& system : descriptions_of(ChainSystems{})) {
            system.has_orientation = false;
            list.push_back(std::move(system));
        }
        for (SystemDescription& system : descriptions_of(LagrangianSystems{})) {
            system.has_orientation = false, system.is_lagrangian = true;
            list.push_back(std::move(system));
        }
        for (SystemDescription& system : descriptions_of(ContactSystems{})) list.push_back(std::move(system));
        for (SystemDescription& system : descriptions_of(FlexibleRodSystems{})) list.push_back(std::move(system));
        return list;
    }();
    return all;
}

std::span<const ChartDescription> charts() {
    static const std::vector<ChartDescription> product = descriptions_of(Charts{}),
                                               all = together<ChartDescription>(product, papers_part().charts);
    return all;
}

std::span<const IntegratorDescription> integrators() {
    static const std::vector<IntegratorDescription> all = descriptions_of(Integrators{});
    return all;
}

std::span<const ChartDescription> mechanism_charts() {
    static const std::vector<ChartDescription> product = descriptions_of(MechanismCharts{}),
                                               all =
                                                   together<ChartDescription>(product, papers_part().mechanism_charts);
    return all;
}

std::span<const IntegratorDescription> mechanism_integrators() {
    static const std::vector<IntegratorDescription> implicit = descriptions_of(MechanismIntegrators{}),
                                                    more = descriptions_of(MechanismEnergyMomentumIntegrators{});
    static const std::vector<IntegratorDescription> contact = [] {
        std::vector<IntegratorDescription> methods = descriptions_of(MechanismContactIntegrators{});
        // Those that solve for no acceleration put the bodies back on their joints by Newton's method.
        for (IntegratorDescription& method : methods) method.implicit = true;
        return methods;
    }();
    static const std::vector<IntegratorDescription> without = together<IntegratorDescription>(implicit, more),
                                                    all = together<IntegratorDescription>(without, contact);
    return all;
}

std::span<const ChartDescription> all_charts() {
    static const std::vector<ChartDescription> all = together(charts(), mechanism_charts());
    return all;
}

std::span<const IntegratorDescription> all_integrators() {
    static const std::vector<IntegratorDescription> bodies = body_momentum_integrators(),
                                                    contact = descriptions_of(ContactIntegrators{}),
                                                    common = together(integrators(), mechanism_integrators()),
                                                    without = together<IntegratorDescription>(common, bodies),
                                                    all = together<IntegratorDescription>(without, contact);
    return all;
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
    return system.has_orientation ? all_charts() : charts().first(1);
}
std::span<const IntegratorDescription> integrators_of(const SystemDescription& system) {
    static const std::vector<IntegratorDescription> of_mechanisms = together(mechanism_integrators(), integrators());
    static const std::vector<IntegratorDescription> implicit = descriptions_of(ImplicitIntegrators{});
    static const std::vector<IntegratorDescription> product = descriptions_of(LagrangianIntegrators{}),
                                                    lagrangian = together<IntegratorDescription>(
                                                        product, papers_part().lagrangian_integrators),
                                                    bodies = body_momentum_integrators(),
                                                    contact = descriptions_of(ContactIntegrators{});
    static const std::vector<IntegratorDescription> of_chains =
                                                        together<IntegratorDescription>(integrators(), implicit),
                                                    of_bodies = together<IntegratorDescription>(of_chains, bodies);
    static const std::vector<IntegratorDescription> of_mechanisms_with_contact = [] {
        std::vector<IntegratorDescription> methods = of_mechanisms;
        std::erase_if(methods, [](const IntegratorDescription& one) { return !one.contact; });
        return methods;
    }();
    if (system.is_mechanism) return system.has_contact ? of_mechanisms_with_contact : of_mechanisms;
    if (system.is_lagrangian) return lagrangian;
    if (system.has_contact) return contact;
    return system.has_orientation ? of_bodies : of_chains;
}
bool takes(const IntegratorDescription& integrator, const ChartDescription& chart) {
    if (integrator.energy_momentum || integrator.contact) return chart.name == RotationGroup<double>::name;
    const auto fitting = integrator.implicit ? mechanism_charts() : charts();
    return std::any_of(fitting.begin(), fitting.end(),
                       [&](const ChartDescription& known) { return known.name == chart.name; });
}

bool takes_fp32(const SystemDescription& system, const ChartDescription& chart,
                const IntegratorDescription& integrator) {
    return chart.name == RotationGroup<double>::name &&
           (system.is_mechanism || !(integrator.contact || integrator.energy_momentum));
}

std::span<const char* const> papers_members() {
    static constexpr const char* names[] = {"cardan_xyz",
                                            "cardan_xyz_body_rate",
                                            "euler_parameters",
                                            "euler_zxz",
                                            "energy_momentum_full",
                                            "energy_momentum_null_space",
                                            "energy_momentum_hamiltonian",
                                            "hamiltonian_midpoint"};
    return names;
}
bool is_built(std::string_view name) {
    if (!papers_part().charts.empty()) return true;
    const auto names = papers_members();
    return std::find(names.begin(), names.end(), name) == names.end();
}

std::vector<CertificateEntry> contact_certificate() {
    std::vector<CertificateEntry> entries;
    for (const ChannelDescription& entry : contact_certificate_entries)
        entries.push_back({entry.name, entry.unit, CertificateKind::largest, entry.meaning});
    return entries;
}

std::vector<CertificateEntry> certificate_of(const SystemDescription& system, const IntegratorDescription& integrator) {
    std::vector<CertificateEntry> entries = system.certificate;
    if (integrator.energy_momentum)
        entries.insert(entries.end(), system.momentum_certificate.begin(), system.momentum_certificate.end());
    if (!integrator.contact) return entries;
    for (CertificateEntry& entry : contact_certificate()) {
        // A mechanism counts Newton's iterations itself, and each name is a dataset of the result.
        const bool is_taken = std::any_of(entries.begin(), entries.end(),
                                          [&](const CertificateEntry& other) { return other.name == entry.name; });
        if (is_taken) entry.name = "contact_" + entry.name;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string kind_and_name(const SystemDescription& system) {
    return (system.is_mechanism ? "the mechanism " : "the system ") + system.name;
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
