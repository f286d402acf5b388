// Linear systems of a mechanism as they come up in its assembly, with the kernels' own solutions: other solvers are
// compared on them. All matrices are dense, by columns.
//
//   [M B^T; B 0] (z, mu) = (r, s)      M: masses and inertias, B: constraint Jacobian at a pose near the file's
//   S mu = B M^-1 r - s,  S = B M^-1 B^T, symmetric and positive definite; z = M^-1 (r - B^T mu)
#pragma once
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::bench {

struct SaddlePointProblems {
    int count = 0, unknowns = 0, rows = 0;
    std::vector<double> matrices, right_hand_sides, solutions;  // [count][unknowns][unknowns], [count][unknowns]
    std::vector<double> schur_matrices, schur_sides;            // [count][rows][rows], [count][rows]
    double seconds = 0.0;  // of the kernels' factors and solves, on this processor, one instance at a time
};

// The mechanism must have invertible inertias and no force elements (std::invalid_argument). The orientations of the
// instances differ by rotations of the bodies of up to about 0.2 rad.
SaddlePointProblems saddle_point_problems(const mechanism::Mechanism& mechanism, int count);

}  // namespace myriad::bench
