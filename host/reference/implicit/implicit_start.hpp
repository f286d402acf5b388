// Where an implicit method starts a mechanism with constraint rows, so that its multipliers are of its order from the
// first step on: not from the rates w and second rates s at the start themselves.
//
//   generalized_alpha   w + h^2 P x,  A = s + (alpha_m - alpha_f) / C h (P x - b / 12),  x = C s' + b / 12,
//                       C = 1/6 - beta - (alpha_m - alpha_f) / 2;  b = w x s of the rotations on the chart "rotation",
//                       0 for everything else. Along the constraints A is s + (alpha_m - alpha_f) h s'
//   implicit_euler      w - h/2 P s,  A = s
//   P x                 the y nearest to 0 in the metric of the masses with (c_rho; B G) y = (c_rho; B G) x
//   s'                  the difference of the second rates at d = h/64, by d; coordinates there are d w + d^2/2 s away,
//                       rates w + d s
//
// w, s: as in implicit_integrator.hpp; G maps rates to velocities, c_rho is the derivative of the chart's condition.
// Source: Arnold, Bruels, Cardona 2015 (Numer. Math. 129, 149).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

struct ImplicitStart {
    Eigen::VectorXd rates, algorithmic;
};

// P x of given masses and rows; nothing where it is not determined.
Eigen::VectorXd projected_on_rows(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& rows, const Eigen::VectorXd& x);

using Projection = std::function<Eigen::VectorXd(const Eigen::VectorXd& x)>;  // P x, or nothing
using SecondRatesAfter = std::function<Eigen::VectorXd(double d)>;            // along the motion, d after the start
// Where P is not determined it is w and s themselves.
ImplicitStart implicit_start(const std::string& method, double spectral_radius, double h, const Eigen::VectorXd& w,
                             const Eigen::VectorXd& s, const Eigen::VectorXd& b, const Projection& projection,
                             const SecondRatesAfter& second_rates_after);

// The start of a first step of length h from `motion`, whose rates on the charts are w and s; `on_group`: the chart is
// "rotation". Where the rows of P's equations are not independent it is w and s themselves.
ImplicitStart implicit_start(const MechanismModel& model, const MechanismMotion& motion,
                             const std::vector<std::unique_ptr<OrientationChart>>& charts, const std::string& method,
                             double spectral_radius, bool on_group, double h, const Eigen::VectorXd& w,
                             const Eigen::VectorXd& s);

}  // namespace myriad::reference
