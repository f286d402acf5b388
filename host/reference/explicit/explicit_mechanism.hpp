// A mechanism without constraint rows as an ordinary differential equation in local coordinates, for the explicit
// Runge-Kutta methods.
//
//   y = (x_1, rho_1, x_2, ... ; v_1, w_1, v_2, ... ; t; W) less their values at the step's start
//
// x: position, rho: coordinates of a chart (orientation_chart.hpp), v and w: their rates. With the chart "rotation"
// rho' = T_exp(rho)^-1 w and the method is the one of Munthe-Kaas (lgim eqs. 24, 25); with the others it is that of the
// classical formulation 2 (lgim eqs. 12 to 14), or 1 with "cardan_xyz_body_rate" (lgim eqs. 1, 2, 11). Time is a
// coordinate, which every consistent method integrates exactly; so is the work W of loads, drivers and dampers.
#pragma once
#include <memory>
#include <vector>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

class ExplicitMechanism : public LocalEquation {
  public:
    // Throws UserError for an unknown chart, StepFailure (chart_singular).
    ExplicitMechanism(const MechanismModel& model, const std::string& chart, const MechanismMotion& start,
                      double largest_step_rotation_rad);

    Eigen::Index size() const override { return 2 * coordinates_ + 2; }
    // Throws StepFailure: step_rotation_too_large, chart_singular, singular_matrix.
    Eigen::VectorXd slope(const Eigen::VectorXd& y) const override;
    void advance(const Eigen::VectorXd& y) override;
    Eigen::VectorXd magnitude(const Eigen::VectorXd& y) const override;

    const MechanismMotion& motion() const { return motion_; }

  private:
    MechanismMotion at(const Eigen::VectorXd& y) const;

    const MechanismModel& model_;
    double largest_step_rotation_;
    bool on_the_group_;
    MechanismMotion motion_;
    std::vector<std::unique_ptr<OrientationChart>> charts_;
    Eigen::Index coordinates_ = 0;
    Eigen::VectorXd rates_;
};

}  // namespace myriad::reference
