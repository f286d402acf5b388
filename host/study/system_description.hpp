// The catalog as people and files see it: names, parameters, channels, charts and integrators, and the addresses of
// scalar channels.
//
// An address of a channel is its name, then the body where it has one for each, then the component where it has
// several: "position.top.y", "orientation.top.w", "angular_momentum.z", "energy". With fewer parts it stands for all
// scalars below it: "position", "position.top". Scalars are counted as the kernel's channel(index) counts them: the
// body channels of body 0, of body 1, ..., then the system's own ones, components in the order of the description.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/description.hpp"

namespace myriad::study {

// One channel of the description, or a part of it, as an address names it.
struct ChannelGroup {
    std::string address;
    std::string unit, frame;
    std::vector<int> channels;            // scalar indices, bodies before components
    std::vector<std::string> addresses;   // of each scalar
    std::vector<std::string> bodies;      // of the first axis; empty where the address leaves no choice
    std::vector<std::string> components;  // of the last axis; the same
};

// A number that can be observed or reduced.
struct ScalarChannel {
    std::string address;
    int channel = 0;              // position in SystemDescription::channels
    std::string body, component;  // empty where there is none
};

struct SystemDescription {
    std::string name, summary, source;
    std::vector<std::string> body_names;
    std::span<const ParameterDescription> parameters;
    std::span<const ChannelDescription> channels;
    std::span<const ChannelDescription> invariants;
    int channel_count = 0;               // as the kernel says
    std::vector<ScalarChannel> scalars;  // [channel_count]

    // Throw UserError at `where`, with the nearest known address, for one that does not exist; scalar_channel() also
    // for one that names several scalars.
    ChannelGroup channel_group(std::string_view address, const std::string& where) const;
    int scalar_channel(std::string_view address, const std::string& where) const;
    const ChannelDescription& channel_of(int scalar) const;
    // Every address that stands for something: those of several scalars first, then those of one.
    std::vector<std::string> channel_addresses() const;

    std::vector<std::string> parameter_addresses() const;
    std::optional<std::size_t> find_parameter(std::string_view address) const;
    // The elements "address[0]", "address[1]", ... of a parameter that is a vector; empty where it is none.
    std::vector<std::size_t> vector_parameter(std::string_view address) const;
};

struct ChartDescription {
    std::string name;
};

struct IntegratorDescription {
    std::string name, summary;
    bool adaptive = false;
};

// In the order of the catalog.
std::span<const SystemDescription> systems();
std::span<const ChartDescription> charts();
std::span<const IntegratorDescription> integrators();

// Throw UserError at `where`, with a suggestion, for an unknown name.
const SystemDescription& find_system(std::string_view name, const std::string& where);
const ChartDescription& find_chart(std::string_view name, const std::string& where);
const IntegratorDescription& find_integrator(std::string_view name, const std::string& where);

}  // namespace myriad::study
