// The state of bodies whose joints have start values, the rows that it is to meet, and the least change that meets them
// in the norm of the masses.
//
//   rows   a_r . z = -phi_r,   z_b = (x world, theta body axes),   |z|^2 = sum m x.x + theta.J theta
//   y      L^T z with L L^T = M: the change of least |Y + y| with rows b_r = L^-1 a_r is Y + y = B^+ (B Y - phi), by
//          Gram and Schmidt, twice (Giraud et al. 2005); rows of which little is left follow from those before them
//
// Not handled: inertias that are singular to the last digit; a share of 1e-12 of the mass is added.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "host/mechanism/assembly/joint_values.hpp"
#include "kernels/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Smallest share of a row that must be independent of the rows before it, or the row counts as redundant.
inline constexpr double least_row_share = 1e-8;

struct StateRow {
    std::array<int, 2> body{-1, -1};
    Vector direction{};            // world: phi' = direction . (v_B - v_A) + turn_A . w_A + turn_B . w_B + ...
    std::array<Vector, 2> turn{};  // body axes
    double value = 0.0;            // phi, or phi'
    int number = 0;                // among all constraint rows, from 1
};

// The row in which a state is farthest off, its value absolute; a row without a value is the worst.
StateRow worst_of(const std::vector<StateRow>& rows);

// Bodies and functions of time at the start.
class StartState {
  public:
    // In the state that the parameters have.
    StartState(const StartPlan& plan, const MechanismTable& table, const Inputs& in, const double* parameters);

    const StartPlan& plan;
    const MechanismTable& table;
    const Inputs& in;
    const double* const parameters;

    Pose& of(int body) { return bodies_[static_cast<std::size_t>(body + 1)]; }  // -1: the ground
    const Pose& of(int body) const { return bodies_[static_cast<std::size_t>(body + 1)]; }
    bool takes_part(int body) const { return plan.takes_part[static_cast<std::size_t>(body)]; }
    const Taylor<double>& function(int f) const { return functions_[static_cast<std::size_t>(f)]; }

    // The given values of joints, then all joints and drivers: phi, or phi'.
    std::vector<StateRow> rows(Level level) const;
    // The rates of a joint's coordinates.
    std::vector<StateRow> rates_of(const StartJoint& joint) const;
    double rate_of(const StateRow& row) const;
    // m/s, a turn at the length scale.
    double largest_speed() const;

  private:
    using System = myriad::Mechanism<double, TableTopology, RotationGroup>;

    StateRow row_of(const StartJoint& joint, std::size_t coordinate, const std::array<JointFrame, 2>& frame) const;
    void add_given(const StartJoint& joint, Level level, std::vector<StateRow>& all) const;

    TableTopology topology_;
    std::unique_ptr<System::Parameters> kernel_parameters_ = std::make_unique<System::Parameters>();
    System system_{topology_, kernel_parameters_.get()};
    std::array<Taylor<double>, TableTopology::most_functions> functions_{};
    std::array<Pose, TableTopology::most_bodies + 1> bodies_{};
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
