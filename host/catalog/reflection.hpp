// Reads the description of a catalog from its types.
#pragma once
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "ensembles/catalog/lists.hpp"
#include "host/catalog/catalog_table.hpp"
#include "kernels/contact/channels.hpp"
#include "kernels/integrators/momentum_certificate.hpp"

namespace myriad::study {

inline std::string demangled(const std::type_info& type) {
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr),
                                                      std::free);
    return name.get();
}

// A type as C++ spells it inside the project's namespace: "Implicit<GeneralizedAlpha>".
template <class Type>
std::string type_name() {
    const std::string example = demangled(typeid(RotationGroup<double>));
    const std::string around = example.substr(0, example.find("RotationGroup"));  // the project's namespace
    std::string name = demangled(typeid(Type));
    for (std::size_t at = name.find(around); at != std::string::npos; at = name.find(around, at))
        name.erase(at, around.size());
    return name;
}

template <class Integrator>
IntegratorDescription description_of_integrator() {
    constexpr MethodTraits traits = Integrator::traits;
    return {.name = Integrator::name,
            .summary = Integrator::summary,
            .adaptive = traits.adaptive,
            .implicit = traits.implicit,
            .kinematic = traits.kinematic,
            .energy_momentum = traits.energy_momentum,
            .has_parasitic_mode = traits.parasitic_mode,
            .contact = traits.contact,
            .has_spectral_radius = traits.spectral_radius,
            .has_free_alphas = traits.free_alphas,
            .has_ed_alpha_ratio = traits.ed_alpha_ratio,
            .motion_order = Integrator::orders.motion,
            .force_order = Integrator::orders.forces};
}

inline DescribedChannel described(const ChannelDescription& channel) {
    return {channel.name, channel.unit, channel.frame, channel.components, channel.of_body, channel.meaning};
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

// Channels that a run with contacts adds, in the order of kernels/contact/channels.hpp.
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
    for (const ChannelDescription& entry : contact_record_entries) channels.push_back(described(entry));
    if constexpr (has_damping<System>) channels.push_back(described(damping_loss_entry));
    return channels;
}

template <class System>
SystemDescription description_of_system() {
    SystemDescription system;
    system.name = System::name, system.summary = System::summary, system.source = System::source;
    system.body_names.assign(std::begin(System::body_names), std::end(System::body_names));
    for (const ParameterDescription& parameter : System::parameters)
        system.parameters.push_back({parameter.address, parameter.unit, parameter.value, parameter.meaning});
    for (const ChannelDescription& channel : System::channels) system.channels.push_back(described(channel));
    for (const ChannelDescription& kept : System::invariants_kept)
        system.certificate.push_back({kept.name, kept.unit, CertificateKind::drift, kept.meaning});
    if constexpr (requires(const System& one) { one.load_rate; }) system.certificate.front().has_loads = true;
    if constexpr (tells_energies<System>) system.energies = terms_of_energy();
    system.momentum_certificate = momentum_certificate_of<System>();
    system.channel_count = System::channel_count, system.has_orientation = System::has_orientation;
    if constexpr (requires { System::contacts; }) {
        system.has_contact = true;
        system.channel_count += contact_channel_count<System>;
        for (DescribedChannel& channel : contact_channels<System>()) system.channels.push_back(std::move(channel));
    }
    return system;
}

// The one of this name, which is added unless it is there.
template <class Description>
Description& entry(std::vector<Description>& all, const char* name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Description& one) { return one.name == name; });
    if (found != all.end()) return *found;
    all.emplace_back().name = name;
    return all.back();
}

// Whether the contact problems of a formula are too large for the registers of a GPU: rows times freedoms.
template <class System, class Integrator>
constexpr bool rolls_rows() {
    constexpr int most_in_registers = 24;
    if constexpr (!has_topology<System> && requires { System::contacts; }) {
        int stages = 1;
        if constexpr (requires { Integrator::coupled_stages; }) stages = Integrator::coupled_stages;
        return stages * System::contacts * (1 + System::tangents) * System::freedoms > most_in_registers;
    }
    return false;
}

template <template <class, template <class> class> class System, template <class> class Chart, class Integrator>
void add_member(const char* header, CatalogTable& table) {
    using Double = System<double, Chart>;
    ChartDescription& chart = entry(table.charts, Chart<double>::name);
    chart.summary = Chart<double>::summary;
    (Integrator::traits.implicit ? chart.is_for_implicit : chart.is_for_explicit) = true;
    CatalogMember member;
    member.system = Double::name, member.chart = Chart<double>::name;
    member.integrator = description_of_integrator<Integrator>();
    member.is_of_mechanisms = has_topology<Double>;
    member.system_type = type_name<Double>(), member.fp32_system_type = type_name<System<float, Chart>>();
    member.integrator_type = type_name<Integrator>(), member.header = header;
    member.has_fp32 = is_in_single_precision<Integrator, System, Chart>;
    member.rolls_rows = rolls_rows<Double, Integrator>();
    table.members.push_back(std::move(member));
}

template <template <class, template <class> class> class System, template <class> class... Chart, class... Integrator>
void add_system(ChartList<Chart...>, IntegratorList<Integrator...>, const char* header, CatalogTable& table) {
    using Plain = System<double, RotationGroup>;
    if constexpr (!has_topology<Plain>) entry(table.systems, Plain::name) = description_of_system<Plain>();
    const auto on_chart = [&]<template <class> class One>() {
        (add_member<System, One, Integrator>(header, table), ...);
    };
    (on_chart.template operator()<Chart>(), ...);
}

template <template <class, template <class> class> class... System, class Charts, class Integrators>
void add_family(Family<SystemList<System...>, Charts, Integrators>, const char* header, CatalogTable& table) {
    (add_system<System>(Charts{}, Integrators{}, header, table), ...);
}

// Adds these families, which `header` declares, to the table.
template <class... Families>
void reflect(FamilyList<Families...>, const char* header, CatalogTable& table) {
    (add_family(Families{}, header, table), ...);
}

}  // namespace myriad::study
