// One correction of the pose in a mechanism's assembled state: its matrix, and the solution by the planned elimination.
#pragma once
#include <Eigen/Dense>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

struct SolvedCorrection {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd right_hand_side, solution;
    bool perturbed;  // a pivot was lost to cancellation
    double assembly_correction, assembly_reason;
};

SolvedCorrection solve_correction(const Mechanism& mechanism, const std::vector<double>& parameters);

}  // namespace myriad::mechanism
