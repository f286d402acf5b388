#include "host/study/system_description.hpp"

#include <algorithm>
#include <sstream>

#include "ensembles/catalog.hpp"
#include "host/study/suggestion.hpp"
#include "host/user_error.hpp"

namespace myriad::study {

namespace {

std::vector<std::string> words_of(const char* text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// The one place that knows in which order channel(index) counts.
std::vector<ScalarChannel> scalars_of(const SystemDescription& system) {
    std::vector<ScalarChannel> scalars;
    const auto add = [&](int channel, const std::string& body) {
        const ChannelDescription& description = system.channels[static_cast<std::size_t>(channel)];
        std::vector<std::string> components = words_of(description.components);
        if (components.empty()) components.emplace_back();
        for (const std::string& component : components) {
            const std::string name = description.name;
            scalars.push_back({name + (body.empty() ? "" : "." + body) + (component.empty() ? "" : "." + component),
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

template <template <class, template <class> class> class System>
SystemDescription description_of() {
    using Plain = System<double, RotationGroup>;
    SystemDescription system;
    system.name = Plain::name, system.summary = Plain::summary, system.source = Plain::source;
    system.body_names.assign(std::begin(Plain::body_names), std::end(Plain::body_names));
    system.parameters = Plain::parameters;
    system.channels = Plain::channels;
    system.invariants = Plain::invariants_kept;
    system.channel_count = Plain::channel_count;
    system.scalars = scalars_of(system);
    return system;
}

template <template <class, template <class> class> class... System>
std::vector<SystemDescription> descriptions_of(SystemList<System...>) {
    return {description_of<System>()...};
}
template <template <class> class... Chart>
std::vector<ChartDescription> descriptions_of(ChartList<Chart...>) {
    return {{Chart<double>::name}...};
}
template <class... Integrator>
std::vector<IntegratorDescription> descriptions_of(IntegratorList<Integrator...>) {
    return {{Integrator::name, Integrator::summary, Integrator::adaptive}...};
}

template <class Description>
const Description& find_named(std::span<const Description> all, std::string_view name, const std::string& kind,
                              const std::string& where) {
    std::vector<std::string> names;
    for (const Description& description : all) {
        if (description.name == name) return description;
        names.push_back(description.name);
    }
    throw UserError(ExitCode::usage_or_input, where, "the " + kind + " \"" + std::string(name) + "\" is unknown",
                    suggestion(name, names, kind + "s"));
}

void append_new(std::vector<std::string>& list, const std::string& name) {
    if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

}  // namespace

std::vector<std::string> SystemDescription::channel_addresses() const {
    std::vector<std::string> addresses, single;
    for (const ScalarChannel& scalar : scalars) {
        for (std::size_t dot = scalar.address.find('.'); dot != std::string::npos;
             dot = scalar.address.find('.', dot + 1)) {
            const std::string above = scalar.address.substr(0, dot);
            if (std::find(addresses.begin(), addresses.end(), above) == addresses.end()) addresses.push_back(above);
        }
        single.push_back(scalar.address);
    }
    addresses.insert(addresses.end(), single.begin(), single.end());
    return addresses;
}

ChannelGroup SystemDescription::channel_group(std::string_view address, const std::string& where) const {
    ChannelGroup group;
    group.address = address;
    const ChannelDescription* description = nullptr;
    for (std::size_t k = 0; k < scalars.size(); ++k) {
        const std::string& scalar = scalars[k].address;
        const bool below =
            scalar.starts_with(address) && (scalar.size() == address.size() || scalar[address.size()] == '.');
        if (!below) continue;
        group.channels.push_back(static_cast<int>(k));
        group.addresses.push_back(scalar);
        append_new(group.bodies, scalars[k].body);
        append_new(group.components, scalars[k].component);
        description = &channel_of(static_cast<int>(k));
    }
    if (description == nullptr)
        throw UserError(ExitCode::usage_or_input, where,
                        "the system " + name + " has no channel \"" + std::string(address) + "\"",
                        suggestion(address, channel_addresses(), "channels"));
    group.unit = description->unit, group.frame = description->frame;
    // What the address itself names leaves no choice: it is no axis.
    const auto parts = std::count(address.begin(), address.end(), '.');
    if (description->of_body && parts >= 1) group.bodies.clear();
    if (parts >= (description->of_body ? 2 : 1)) group.components.clear();
    return group;
}

int SystemDescription::scalar_channel(std::string_view address, const std::string& where) const {
    const ChannelGroup group = channel_group(address, where);
    if (group.channels.size() == 1) return group.channels.front();
    std::string list;
    for (const std::string& scalar : group.addresses) list += (list.empty() ? "" : ", ") + scalar;
    throw UserError(ExitCode::usage_or_input, where,
                    "\"" + std::string(address) + "\" stands for " + std::to_string(group.channels.size()) +
                        " scalars, but one is needed",
                    "choose one of: " + list);
}

const ChannelDescription& SystemDescription::channel_of(int scalar) const {
    return channels[static_cast<std::size_t>(scalars[static_cast<std::size_t>(scalar)].channel)];
}

std::vector<std::string> SystemDescription::parameter_addresses() const {
    std::vector<std::string> addresses;
    for (const ParameterDescription& parameter : parameters) addresses.emplace_back(parameter.address);
    return addresses;
}

std::optional<std::size_t> SystemDescription::find_parameter(std::string_view address) const {
    for (std::size_t k = 0; k < parameters.size(); ++k)
        if (parameters[k].address == address) return k;
    return std::nullopt;
}

std::vector<std::size_t> SystemDescription::vector_parameter(std::string_view address) const {
    std::vector<std::size_t> elements;
    for (;;) {
        const auto element = find_parameter(std::string(address) + "[" + std::to_string(elements.size()) + "]");
        if (!element) return elements;
        elements.push_back(*element);
    }
}

std::span<const SystemDescription> systems() {
    static const std::vector<SystemDescription> all = descriptions_of(Systems{});
    return all;
}

std::span<const ChartDescription> charts() {
    static const std::vector<ChartDescription> all = descriptions_of(Charts{});
    return all;
}

std::span<const IntegratorDescription> integrators() {
    static const std::vector<IntegratorDescription> all = descriptions_of(Integrators{});
    return all;
}

const SystemDescription& find_system(std::string_view name, const std::string& where) {
    return find_named(systems(), name, "system", where);
}
const ChartDescription& find_chart(std::string_view name, const std::string& where) {
    return find_named(charts(), name, "chart", where);
}
const IntegratorDescription& find_integrator(std::string_view name, const std::string& where) {
    return find_named(integrators(), name, "integrator", where);
}

}  // namespace myriad::study
