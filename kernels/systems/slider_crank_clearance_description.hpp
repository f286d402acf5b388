// The channels of the slider-crank with clearance, described; see slider_crank_clearance.hpp. Host only.
#pragma once
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankClearanceDescription {
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "middle of the crank, the rod, the slider"},
        {"orientation", "1", "body to world", "w x y z", true, "about z"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"angle", "rad", "", "x y z", false, "of crank, rod and slider"},
        {"rate", "rad/s", "", "x y z", false, "its rate"},
        {"energy", "J", "", "", false, "kinetic and potential energy, with the torque's"},
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
