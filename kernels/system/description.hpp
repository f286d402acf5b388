// Systems and methods describe themselves to people and to readers of files. A system: the address, unit, default and
// meaning of each parameter, and the name, unit, frame and components of each channel, in the order of the kernel's own
// arrays. A method: its orders and traits.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad {

struct ParameterDescription {
    const char* address;  // "mass_kg", "centre_of_mass_m[1]"
    const char* unit;
    double value;  // unless the study says otherwise; the source stands in the system's `source`
    const char* meaning;
};

// A list put together from others at compile time. The calls of `add` have to make N entries in all.
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

// The power of the step by which errors fall while the motion is smooth; 0: there is no such error.
struct MethodOrders {
    int motion;  // of positions and velocities
    int forces;  // of accelerations, reactions and contact forces
};

// The kind of a method and the settings that it reads: the keys of a study, lists and messages follow from it.
struct MethodTraits {
    bool adaptive = false;         // chooses its own steps
    bool implicit = false;         // solves for the end of each step by Newton's method, constraints included
    bool kinematic = false;        // for mechanisms whose drivers leave no freedom
    bool energy_momentum = false;  // implicit, on unit quaternions and on some joints only
    bool parasitic_mode = false;   // has one, which changes its sign from step to step: weakly unstable over long runs
    bool contact = false;          // for contact, friction and impact; implicit or not
    bool spectral_radius = false, free_alphas = false, ed_alpha_ratio = false;
};

}  // namespace myriad
