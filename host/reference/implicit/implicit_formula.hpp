// Implicit methods on a system whose accelerations are a formula: no constraints, all forces at the end of the step.
//
//   unknowns   s+, the second rates of the coordinates: of the position its own, of the orientation those of a chart
//   solved     v'+(s+) - a(q+, v+) = 0,   c(rho+) = 0 of the chart             a: the system's acceleration
//
// with the coordinates and rates of the method as in implicit_update.hpp. Newton's matrix is taken by central
// differences of the first equation, which is linear in s+ but for terms of the order of the step; with it the
// iteration contracts to round-off, so that what comes out is the solution of the equations above. A system in
// coordinates of its own has no chart. Not handled: variable steps.
#pragma once
#include <memory>

#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/formulation/system.hpp"
#include "host/reference/implicit/implicit_update.hpp"

namespace myriad::reference {

struct FormulaMethod {
    std::string name = "generalized_alpha";  // one of implicit_methods()
    std::string chart = "rotation";          // one of orientation_chart_names()
    double spectral_radius = 0.9;            // 0 to 1
    int most_newton_iterations = 50;
    double largest_step_rotation_rad = 0.0;  // in a step, on the chart "rotation"
};

class ImplicitFormula {
  public:
    // At the initial state. Throws UserError for an unknown name, StepFailure (chart_singular).
    ImplicitFormula(const System& system, const FormulaMethod& method);

    // Throws StepFailure: newton_stalled, singular_matrix, not_finite, chart_singular, step_rotation_too_large; the
    // state stays.
    void step(double h);

    const Configuration& configuration() const { return configuration_; }
    const Eigen::VectorXd& velocity() const { return velocity_; }

  private:
    struct Trial {
        Configuration configuration;
        Eigen::VectorXd velocity, acceleration;
    };
    Trial trial(const ImplicitUpdate& update, const Eigen::VectorXd& second_rates) const;
    Eigen::VectorXd residual(const ImplicitUpdate& update, const Eigen::VectorXd& second_rates) const;
    Eigen::MatrixXd newton_matrix(const ImplicitUpdate& update, const Eigen::VectorXd& second_rates) const;
    // The chart's coordinates at the step's end less those at its start.
    Eigen::VectorXd turn(const ImplicitUpdate& update, const Eigen::VectorXd& second_rates) const;
    // s+, from the guess s.
    Eigen::VectorXd solve(const ImplicitUpdate& update) const;
    Eigen::Index chart_size() const { return chart_ ? chart_->size() : 0; }

    const System& system_;
    FormulaMethod method_;
    Configuration configuration_;
    Eigen::VectorXd velocity_;
    std::unique_ptr<OrientationChart> chart_;  // null where the system has no orientation
    Eigen::Index positions_;
    Eigen::VectorXd rates_, second_rates_, algorithmic_;
};

}  // namespace myriad::reference
