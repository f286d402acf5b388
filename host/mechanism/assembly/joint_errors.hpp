// The errors of a mechanism's joints and drivers at a pose, in metres and radians: for messages.
//
//   length_m   the distance of points that should meet; for D, DP2, CD and a displacement the error of the value; for
//              several the root of the sum of squares
//   angle_rad  the angle between axes that should be parallel, pi where they are opposite, which the rows of a joint
//              cannot tell; likewise between references of a prismatic or translational joint and of a driven angle;
//              for other directions the error of their angle; for several the largest
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/assembly/nominal.hpp"
#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/geometry.hpp"

namespace myriad::mechanism {

struct JointError {
    std::string joint;  // "joints.elbow", "drivers.crank"
    int first_element = 0, element_count = 0;
    double length_m = 0.0, angle_rad = 0.0;

    bool exceeds(double least_m, double least_rad) const { return !(length_m <= least_m) || !(angle_rad <= least_rad); }
    std::string text(double least_m = 0.0, double least_rad = 0.0) const;  // "0.1 m and 0.02 rad", of what is more
};

// The errors of every joint, then of every driver, where the bodies of `at` are now, at its time. `at` belongs to the
// mechanism's table.
std::vector<JointError> joint_errors(const Mechanism& mechanism, NominalInstance& at);

// The one that is farthest from being met, lengths taken over the length scale; without any joint one without a name.
JointError worst_of(const std::vector<JointError>& errors, double length_scale_m);

// Refuses joints whose axes point in opposite directions in orientations that the file gives: their rows cannot tell,
// and the axes of a tree's joints are parallel.
void refuse_opposed_axes(const Mechanism& mechanism, const Refusal& refuse);

// "0.1 m and 0.02 rad"
std::string length_and_angle(double length_m, double angle_rad, double least_m, double least_rad);

}  // namespace myriad::mechanism
