// The channels of the Puma 560, described; see puma560.hpp. Host only.
#pragma once
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct Puma560Description {
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of mass of the link"},
        {"orientation", "1", "link to world", "w x y z", true, "unit quaternion of the link's frame, scalar first"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre of mass"},
        {"angular_velocity", "rad/s", "link", "x y z", true, "angular velocity"},
        {"joint_angle", "rad", "", "1 2 3 4 5 6", false, "angles, counted over full turns"},
        {"joint_rate", "rad/s", "", "1 2 3 4 5 6", false, "rates of the angles"},
        {"joint_torque", "N m", "", "1 2 3 4 5 6", false, "torques of the controllers"},
        {"tool_position", "m", "world", "x y z", false, "origin of the last link's frame"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential at the height of the origin"},
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
