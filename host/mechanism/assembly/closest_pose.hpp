// How far the loops of a mechanism that cannot be assembled stay open at best.
//
// The joint that the given poses are farthest from is relaxed, and the poses are sought where all others hold and it is
// open least: min |W phi|^2, W the weight of its rows of length (else of all of its rows), which falls from 1 to 1e-3,
// and 1 for other rows, by Levenberg's and Marquardt's method from the given poses (Nocedal, Wright 2006,
// chapter 10). Lengths are divided by the mechanism's length scale; what the file pins stays. Not
// handled: several minima; the one nearest to the given poses is found.
#pragma once
#include <vector>

#include "host/mechanism/assembly/joint_errors.hpp"

namespace myriad::mechanism {

struct ClosestPose {
    JointError open;      // what is left of the joint that is farthest from being met
    bool closes = false;  // nothing is: a closed pose exists
};

// `kernel_parameters` are an instance's; the mechanism's rows need neither be numbered nor planned.
ClosestPose closest_pose(const Mechanism& mechanism, const std::vector<double>& kernel_parameters);

}  // namespace myriad::mechanism
