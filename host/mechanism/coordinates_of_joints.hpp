// The coordinates that joints leave free, by the type of the joint.
#pragma once
#include <span>
#include <string>

namespace myriad::mechanism {

// An angle, or a slide.
struct JointCoordinate {
    const char* name;  // of the sensor that observes it
    bool turns;
};

// The coordinates that can be observed, in the order of a tree's freedoms; none of a joint that turns about all axes.
inline std::span<const JointCoordinate> coordinates_of(const std::string& joint_type) {
    static constexpr JointCoordinate angle[] = {{"angle", true}}, displacement[] = {{"displacement", false}},
                                     both[] = {{"displacement", false}, {"angle", true}},
                                     angles[] = {{"angle_1", true}, {"angle_2", true}},
                                     in_plane[] = {{"displacement_1", false},
                                                   {"displacement_2", false},
                                                   {"angle", true}},
                                     in_space[] = {{"displacement_1", false},
                                                   {"displacement_2", false},
                                                   {"displacement_3", false}};
    if (joint_type == "revolute") return angle;
    if (joint_type == "prismatic") return displacement;
    if (joint_type == "cylindrical") return both;
    if (joint_type == "universal") return angles;
    if (joint_type == "planar") return in_plane;
    if (joint_type == "translational") return in_space;
    return {};
}

}  // namespace myriad::mechanism
