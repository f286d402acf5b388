// What a system tells people and readers about itself: the address, unit, default and meaning of each parameter, and
// the name, unit, frame and components of each channel. The order is the order of the kernel's own arrays.
#pragma once
#include "kernels/real.hpp"

namespace myriad {

struct ParameterDescription {
    const char* address;  // "mass_kg", "centre_of_mass_m[1]"
    const char* unit;
    double value;  // unless the study says otherwise; the source stands in the system's `source`
    const char* meaning;
};

// A list put together from others at compile time; `add` as often as makes N entries.
template <int N>
struct ParameterList {
    ParameterDescription of[N];
    int count;

    MYRIAD_HD constexpr ParameterList& add(const ParameterDescription& more) {
        of[count++] = more;
        return *this;
    }
    template <int M>
    MYRIAD_HD constexpr ParameterList& add(const ParameterDescription (&more)[M]) {
        for (const ParameterDescription& one : more) add(one);
        return *this;
    }
    MYRIAD_HD constexpr const ParameterDescription& operator[](int i) const { return of[i]; }
    MYRIAD_HD constexpr const ParameterDescription* begin() const { return of; }
    MYRIAD_HD constexpr const ParameterDescription* end() const { return of + count; }
};

struct ChannelDescription {
    const char* name;
    const char* unit;
    const char* frame;
    const char* components;  // "x y z", "w x y z", or "" for a scalar
    bool of_body;            // one for each body, addressed as name.body.component
    const char* meaning;
};

// The state of a rigid body, with which the channels of every system begin, body by body: position and velocity of the
// centre of mass (world), orientation (body to world, w x y z), angular velocity (body). Each stands for its first
// scalar; they are described in this order.
enum BodyChannel : int {
    position_channel = 0,
    orientation_channel = 3,
    velocity_channel = 7,
    angular_velocity_channel = 10,
    body_channels = 13
};

// The list of a system that has no such channel: an array cannot be empty.
struct NoChannels {
    MYRIAD_HD constexpr const ChannelDescription* begin() const { return nullptr; }
    MYRIAD_HD constexpr const ChannelDescription* end() const { return nullptr; }
};

}  // namespace myriad
