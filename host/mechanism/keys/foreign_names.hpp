// What other programs (URDF, MJCF, Modelica, Chrono) call joints, forces, sensors and the ground; what to write here.
#pragma once
#include <string_view>

namespace myriad::mechanism {

struct ForeignName {
    std::string_view section, name, remedy;
};

inline constexpr ForeignName foreign_types[] = {
    {"joint", "hinge", "write \"revolute\""},
    {"joint", "pin", "write \"revolute\""},
    {"joint", "continuous", "write \"revolute\""},
    {"joint", "ball", "write \"spherical\""},
    {"joint", "slide", "write \"prismatic\""},
    {"joint", "slider", "write \"prismatic\""},
    {"joint", "weld", "write \"fixed\""},
    {"joint", "rigid", "write \"fixed\""},
    {"joint", "cardan", "write \"universal\""},
    {"joint", "hooke", "write \"universal\""},
    {"joint", "free", "a body without a joint moves freely: leave this joint out"},
    {"joint", "floating", "a body without a joint moves freely: leave this joint out"},
    {"joint", "freejoint", "a body without a joint moves freely: leave this joint out"},
    {"joint", "screw", "write \"cylindrical\", and an entry of \"couplings\" whose displacement follows the angle"},
    {"joint", "gear", "write an entry of \"couplings\" between two joints"},
    {"force", "damper", "write \"spring_damper\" with \"damping_N_s_m\" alone"},
    {"force", "tsda", "write \"spring_damper\""},
    {"force", "rsda", "write \"torsional_spring_damper\""},
    {"sensor", "position",
     "write \"point\"; of the centre of mass the channel \"position.<body>\" is there without a sensor"},
    {"sensor", "velocity",
     "write \"point_velocity\"; of the centre of mass the channel \"velocity.<body>\" is there without a sensor"},
    {"sensor", "force", "write \"reaction_force\" of a joint, \"exerted_force\" of a spring, or \"contact_force\""},
    {"sensor", "torque", "write \"reaction_torque\" of a joint, or \"exerted_torque\" of a spring"},
};
inline constexpr std::string_view foreign_grounds[] = {"world", "worldbody", "earth", "inertial"};

}  // namespace myriad::mechanism
