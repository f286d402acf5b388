// The small motions of a mechanism about the equilibrium at which it starts, on the reference path.
//
//   Z^T (M u'' + D u' + K u) = 0,  u = Z y,  G Z = 0;   y = Y e^(lambda t)
//
// K, D: central differences of the forces along the coordinates, with functions of time as they are at time 0; the
// roots lambda by Eigen. Not handled: loops that lose their rank at the equilibrium.
#pragma once
#include <complex>
#include <vector>

#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// What differences leave of a zero, as a share of the largest entry.
constexpr double left_by_differences = 1e-7;

// Columns that span the vectors x with a x = 0.
Eigen::MatrixXd null_vectors(const Eigen::MatrixXd& a, double threshold);

struct LinearRoots {
    std::vector<std::complex<double>> values;  // 1/s, two for each freedom; those of rigid motions are 0
    int rigid_freedoms = 0;                    // without stiffness
};

// The model has a tree and starts at an equilibrium. Throws StepFailure (assembly_failed, singular_matrix) where there
// is none.
LinearRoots linear_roots(const MechanismModel& model);

}  // namespace myriad::reference
