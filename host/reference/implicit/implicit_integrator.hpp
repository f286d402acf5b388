// One step of an index-3 method on a mechanism: all forces and constraints at the end of the step.
//
//   unknowns   s+ (second rates of the coordinates) and lambda+
//   solved     M a+ + B^T lambda+ - f(q+, v+, t+) = 0,   phi(q+, t+) = 0,   c(rho+) = 0 of the chart
//
// with the coordinates, w+ and s+ of the method as in implicit_update.hpp.
//
// and the first step from where implicit_start.hpp says. w, s: rates and second rates of the coordinates of a chart
// (orientation_chart.hpp); positions are their own. With the chart "rotation" this is the Lie group method: w = v, s =
// v', R+ = R exp(increment). Newton's matrix is complete and dense, factored with full pivoting, and iterated down to
// round-off, so that what comes out is the solution of the equations above. Source: lgim eqs. 33 to 43; Arnold, Bruels
// 2007; rA paper sect. 3.
#pragma once
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/implicit/implicit_update.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

struct ImplicitMethod {
    std::string name = "generalized_alpha";  // or "implicit_euler"
    std::string chart = "rotation";          // one of orientation_chart_names()
    double spectral_radius = 0.9;            // 0 to 1
    int most_newton_iterations = 50;
    double largest_step_rotation_rad = std::numbers::pi;  // of a body in a step, on the chart "rotation"
    bool published_start =
        false;  // the first step starts from the rates themselves, as in the papers: implicit_start.hpp
};

class ImplicitIntegrator {
  public:
    // From the motion at the start. Throws UserError for an unknown name, StepFailure (chart_singular).
    ImplicitIntegrator(const MechanismModel& model, const ImplicitMethod& method, const MechanismMotion& start);

    // To `end_s`. Throws StepFailure: newton_stalled, singular_matrix, not_finite, chart_singular,
    // step_rotation_too_large; the motion stays.
    void step(double end_s);

    const MechanismMotion& motion() const { return motion_; }
    int iterations() const { return iterations_; }  // linear solves of the last step

  private:
    // State and accelerations at given second rates, and how they change with them (6 bodies x coordinates).
    struct Trial {
        MechanismState state;
        Eigen::VectorXd increment, acceleration, condition;
        Eigen::MatrixXd displacement_slope, velocity_slope, acceleration_slope, condition_slope;
    };

    void shift_start(double h);
    Trial trial(const ImplicitUpdate& update, const Eigen::VectorXd& second_rates, double time_s) const;

    const MechanismModel& model_;
    ImplicitMethod method_;
    MechanismMotion motion_;
    std::vector<std::unique_ptr<OrientationChart>> charts_;
    Eigen::Index coordinates_ = 0, conditions_ = 0;
    Eigen::VectorXd rates_, second_rates_, algorithmic_;  // w, s, A
    bool has_started_ = false;
    int iterations_ = 0;
};

}  // namespace myriad::reference
