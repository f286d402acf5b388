// The channels of the slider-crank with a flexible rod, described; see slider_crank_flexible.hpp. Host only.
#pragma once
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankFlexibleDescription {
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true,
         "middle of the crank, the rod's centre of mass, middle of the slider"},
        {"orientation", "1", "body to world", "w x y z", true, "about z; of the rod: its frame"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity; of the rod: its frame"},
        {"angle", "rad", "", "x y z", false, "of crank, rod's frame and slider"},
        {"rate", "rad/s", "", "x y z", false, "its rate"},
        {"end_displacement", "m", "rod's frame", "x y", false, "of the rod's end from where it is undeformed"},
        {"root_moment", "N m", "", "", false, "bending moment at the rod's root, EI w'', damping counted"},
        {"energy", "J", "", "", false, "kinetic, elastic and potential energy, with the torque's"},
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
