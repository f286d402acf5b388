// Rows that a state is to meet and the least change that meets them, in the norm of the masses.
//
//   rows   a_r . z = -phi_r,   z_b = (x world, theta body axes),   |z|^2 = sum m x.x + theta.J theta
//   y      L^T z with L L^T = M: the change of least |Y + y| with rows b_r = L^-1 a_r is Y + y = B^+ (B Y - phi), by
//          Gram and Schmidt, twice (Giraud et al. 2005); rows of which little is left follow from those before them
//
// Not handled: inertias that are singular to the last digit; a share of 1e-12 of the mass is added.
#pragma once
#include <array>
#include <vector>

#include "host/mechanism/geometry.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

struct StateRow {
    std::array<int, 2> body{-1, -1};
    Vector direction{};            // world: phi' = direction . (v_B - v_A) + turn_A . w_A + turn_B . w_B + ...
    std::array<Vector, 2> turn{};  // body axes
    double value = 0.0;            // phi, or phi'
    int number = 0;                // among all constraint rows, from 1
};

class LeastChange {
  public:
    // `parameters` are an instance's.
    LeastChange(const MechanismTable& table, const double* parameters);

    // The change [6 per body: x, theta] that meets the rows; `keeps_pinned`: what the file pins stays. `tolerance`: the
    // share of a row below which it is left out.
    std::vector<double> change(const std::vector<StateRow>& rows, bool keeps_pinned, double tolerance);
    // Adds to Y what was done of it.
    void note(const std::vector<double>& change);

  private:
    std::vector<double> row_in_y(const StateRow& row, bool keeps_pinned) const;

    const MechanismTable& table_;
    std::vector<double> inverse_root_mass_;
    std::vector<Mat3<double>> root_;  // lower triangles of J = L L^T
    std::vector<double> so_far_;      // Y
};

}  // namespace myriad::mechanism
