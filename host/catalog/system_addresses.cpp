// The parameters and channels that an address stands for in one system or mechanism.
#include <algorithm>

#include "host/catalog/system_description.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/text/words.hpp"
#include "kernels/math/norm.hpp"

namespace myriad::study {

namespace {

void append_new(std::vector<std::string>& list, const std::string& name) {
    if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

constexpr std::string_view norm_ending = ".norm";

// Whether the components are those of a vector along perpendicular directions.
bool is_vector(std::string_view components) {
    return components == "x y z" || components.starts_with("normal tangent");
}

// "position.top.x" -> "position.top"
std::string without_component(const ScalarChannel& scalar) {
    return scalar.address.substr(0, scalar.address.size() - scalar.component.size() - 1);
}

}  // namespace

std::string components_text(const std::string& components) {
    if (components.empty()) return "";
    return ".{" + components + (is_vector(components) ? " norm" : "") + "}";
}

std::vector<std::string> component_names(const std::string& components) {
    std::vector<std::string> names = words_of(components);
    if (names.empty()) names.emplace_back();
    return names;
}

std::vector<std::string> SystemDescription::norm_addresses() const {
    std::vector<std::string> addresses;
    for (const ScalarChannel& scalar : scalars)
        if (is_vector(channels[static_cast<std::size_t>(scalar.channel)].components))
            append_new(addresses, without_component(scalar) + std::string(norm_ending));
    return addresses;
}

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
    if (address.ends_with(norm_ending)) {
        const std::string_view vector = address.substr(0, address.size() - norm_ending.size());
        int first = 0, components = 0;
        for (std::size_t k = 0; k < scalars.size(); ++k)
            if (is_vector(channel_of(static_cast<int>(k)).components) && without_component(scalars[k]) == vector)
                first = components++ == 0 ? static_cast<int>(k) : first;
        if (components > 0) {
            group.channels = {norm_channel(first, components)}, group.addresses = {group.address};
            group.unit = channel_of(first).unit;
            return group;
        }
    }
    const DescribedChannel* description = nullptr;
    bool is_part_of_one = true;
    for (std::size_t k = 0; k < scalars.size(); ++k) {
        const std::string& scalar = scalars[k].address;
        const bool below =
            scalar.starts_with(address) && (scalar.size() == address.size() || scalar[address.size()] == '.');
        if (!below) continue;
        group.channels.push_back(static_cast<int>(k));
        group.addresses.push_back(scalar);
        append_new(group.bodies, scalars[k].body);
        append_new(group.components, scalars[k].component);
        const DescribedChannel& one = channel_of(static_cast<int>(k));
        if (description == nullptr) group.unit = one.unit, group.frame = one.frame;
        if (group.unit != one.unit) group.unit = "mixed";
        if (group.frame != one.frame) group.frame = "mixed";
        is_part_of_one = is_part_of_one && (description == nullptr || description == &one);
        description = &one;
    }
    if (description == nullptr) {
        std::vector<std::string> known = channel_addresses();
        for (const std::string& norm : norm_addresses()) known.push_back(norm);
        throw UserError(
            ExitCode::usage_or_input, where, kind_and_name(*this) + " has no channel \"" + std::string(address) + "\"",
            suggestion(address, known, "channels", listing_of(*this)) +
                (is_mechanism ? "; points, angles, reactions and the like are entries of \"sensors\"" : ""));
    }
    if (!is_part_of_one || address.size() < description->name.size()) {
        // "multiplier" of all joints: one axis, named by the part that follows.
        group.bodies.clear(), group.components.clear();
        for (const std::string& scalar : group.addresses) group.components.push_back(scalar.substr(address.size() + 1));
        return group;
    }
    // The address itself may name it and leave no choice: then it is no axis.
    const std::string_view behind_name = address.substr(description->name.size());
    const auto parts = std::count(behind_name.begin(), behind_name.end(), '.');
    if (description->of_body && parts >= 1) group.bodies.clear();
    if (parts >= (description->of_body ? 2 : 1)) group.components.clear();
    return group;
}

int SystemDescription::scalar_channel(std::string_view address, const std::string& where) const {
    const ChannelGroup group = channel_group(address, where);
    if (group.channels.size() == 1) return group.channels.front();
    std::string list;
    for (const std::string& scalar : group.addresses) list += (list.empty() ? "" : ", ") + scalar;
    const std::string norm = std::string(address) + std::string(norm_ending);
    const std::vector<std::string> norms = norm_addresses();
    if (std::find(norms.begin(), norms.end(), norm) != norms.end()) list += ", " + norm;
    throw UserError(ExitCode::usage_or_input, where,
                    "\"" + std::string(address) + "\" stands for " + std::to_string(group.channels.size()) +
                        " scalars, but one is needed",
                    "choose one of: " + list);
}

const DescribedChannel& SystemDescription::channel_of(int scalar) const {
    const int one = is_norm(scalar) ? first_of_norm(scalar) : scalar;
    return channels[static_cast<std::size_t>(scalars[static_cast<std::size_t>(one)].channel)];
}

std::vector<std::string> SystemDescription::parameter_addresses() const {
    std::vector<std::string> addresses;
    for (const DescribedParameter& parameter : parameters) addresses.push_back(parameter.address);
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

}  // namespace myriad::study
